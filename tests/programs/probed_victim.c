// SPDX-License-Identifier: GPL-2.0
// Calls, again and again, a function that begins with a no-operation of ten bytes, where kernels put a call in place of a probe's trap (x86-64).
#include "work.h"

#ifdef __x86_64__
#define BODY ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0; lea 1(%rdi), %rax; ret"
#else
#define BODY "nop; add x0, x0, #1; ret"
#endif

uint64_t traced(uint64_t x);
__asm__(".text; .type traced, %function; traced: .cfi_startproc; " BODY "; .cfi_endproc; .size traced, . - traced");

static __attribute__((noinline)) uint64_t call_traced(uint64_t x)
{
	for (unsigned int i = 0; i < 64; i++)
		x = traced(x);
	return x + 1;
}

int main(int argc, char **argv)
{
	double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);

	WORK_UNTIL(CLOCK_BOOTTIME, end)
		work_sink += call_traced(work_sink);
	return 0;
}
