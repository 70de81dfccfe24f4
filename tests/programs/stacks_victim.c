// SPDX-License-Identifier: GPL-2.0
// Work on stacks that are not the thread's own, one way per verb.
//
// Usage: stacks_victim VERB SECONDS
//   coroutine  two stacks made by makecontext(), in turns
//   fcontext   a stack made by Boost.Context, if the library is there; else exit status 77
//   upward     a function is called on a stack from one that lies above it
//   downward   a function is called on a stack from one that lies below it
//
// The process has the verb's name.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "work.h"

#define STACK_BYTES (256u << 10)
#define NO_LIBRARY  77

// Calls work(argument) with SP at top, as the code of a runtime does that keeps a stack of its own for large frames.
void call_on(void *top, void (*work)(void *), void *argument);
#if defined(__x86_64__)
__asm__(".text\n.globl call_on\n.type call_on, @function\n"
	"call_on:\n.cfi_startproc\n"
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"
	"mov %rsp, %rbp\n.cfi_def_cfa_register rbp\n"
	"mov %rdi, %rsp\nmov %rdx, %rdi\ncall *%rsi\n"
	"leave\n.cfi_def_cfa rsp, 8\nret\n.cfi_endproc\n.size call_on, . - call_on\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl call_on\n.type call_on, %function\n"
	"call_on:\n.cfi_startproc\n"
	"stp x29, x30, [sp, -16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"
	"mov x29, sp\n.cfi_def_cfa_register x29\n"
	"mov sp, x0\nmov x0, x2\nblr x1\n"
	"mov sp, x29\n.cfi_def_cfa_register sp\n"
	"ldp x29, x30, [sp], 16\n.cfi_restore x29\n.cfi_restore x30\n.cfi_def_cfa_offset 0\nret\n"
	".cfi_endproc\n.size call_on, . - call_on\n");
#endif

static double until;

static void die(const char *what)
{
	fprintf(stderr, "stacks_victim: ");
	perror(what);
	exit(1);
}

// Room for a few stacks, with guard pages between them.
static char *stack_room(unsigned int nr)
{
	char *room = mmap(NULL, 2u * nr * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		die("mmap");
	for (unsigned int i = 0; i < nr; i++)
		if (mprotect(room + 2ul * i * STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE))
			die("mprotect");
	return room;
}

static char *nth_stack(char *room, unsigned int n)
{
	return room + 2ul * n * STACK_BYTES;
}

static __attribute__((noinline)) void work_a_while(void)
{
	for (int i = 0; i < 200; i++)
		work_sink += work_recurse(8, (uint64_t)i);
}

static __attribute__((noinline)) void work_to_the_end(void *unused)
{
	(void)unused;
	while (work_clock(CLOCK_MONOTONIC) < until)
		work_a_while();
	work_sink++;
}

static ucontext_t at_main, at_coroutine[2];

static void coroutine(int self)
{
	while (work_clock(CLOCK_MONOTONIC) < until) {
		for (int i = 0; i < 50; i++)
			work_a_while();
		swapcontext(&at_coroutine[self], &at_coroutine[!self]);
	}
}

static void run_coroutines(void)
{
	char *room = stack_room(2);

	for (unsigned int i = 0; i < 2; i++) {
		getcontext(&at_coroutine[i]);
		at_coroutine[i].uc_stack.ss_sp = nth_stack(room, i);
		at_coroutine[i].uc_stack.ss_size = STACK_BYTES;
		at_coroutine[i].uc_link = &at_main;
		makecontext(&at_coroutine[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&at_main, &at_coroutine[0]);
}

// boost/context/detail/fcontext.hpp
struct transfer {
	void *from;
	void *data;
};

static struct transfer (*jump)(void *to, void *data);

static void fcontext_entry(struct transfer transfer)
{
	work_to_the_end(NULL);
	jump(transfer.from, NULL);
}

static int run_fcontext(void)
{
	void *library = dlopen("libboost_context.so.1.74.0", RTLD_NOW);
	void *(*make)(void *top, size_t bytes, void (*entry)(struct transfer));
	char *room = stack_room(1);

	if (!library)
		return NO_LIBRARY;
	*(void **)&make = dlsym(library, "make_fcontext");
	*(void **)&jump = dlsym(library, "jump_fcontext");
	if (!make || !jump)
		die("dlsym");
	jump(make(room + STACK_BYTES, STACK_BYTES, fcontext_entry), NULL);
	return 0;
}

static void *call_on_other(void *other)
{
	call_on((char *)other + STACK_BYTES, work_to_the_end, NULL);
	work_sink++;
	return NULL;
}

static void run_downward(void)
{
	char *room = stack_room(2);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, nth_stack(room, 0), STACK_BYTES) ||
	    pthread_create(&thread, &attributes, call_on_other, nth_stack(room, 1)))
		die("thread");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: stacks_victim coroutine|fcontext|upward|downward SECONDS\n");
		return 2;
	}
	until = work_clock(CLOCK_MONOTONIC) + atof(argv[2]);
	if (!strcmp(argv[1], "coroutine"))
		run_coroutines();
	else if (!strcmp(argv[1], "fcontext"))
		return run_fcontext();
	else if (!strcmp(argv[1], "upward"))
		call_on_other(stack_room(1));
	else if (!strcmp(argv[1], "downward"))
		run_downward();
	return 0;
}
