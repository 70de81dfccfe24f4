// SPDX-License-Identifier: GPL-2.0
// Where signal handlers return to.
#include "unit/tables/assembled.h"

namespace {

// As the i386 vDSO of Linux 7 has it: the registers lie in struct sigcontext, which begins so many bytes above SP.
std::string sigreturn(int context)
{
	const auto above = [&](const char* name, int offset) {
		return std::string(".cfi_offset ") + name + ", " + std::to_string(offset) + "\n";
	};
	return ".cfi_startproc\n.cfi_signal_frame\n.cfi_def_cfa esp, " + std::to_string(context) + "\n" +
	       above("eip", 56) + above("esp", 28) + above("ebp", 24) + "mov $173, %eax\nint $0x80\n.cfi_endproc\n";
}

std::string rows(const std::string& assembler)
{
	return assembled::stretches_of("i386-linux-gnu", assembler, &assembled::text_rows);
}

const std::string f = ".globl f\nf: .cfi_startproc\nret\n.cfi_endproc\n";

} // namespace

TEST_CASE("a signal handler's caller is looked up before the first instruction of what it returns to")
{
	CHECK(rows(f + ".balign 16, 0xcc\n" + sigreturn(160)) ==
	      "0-1 cfa=esp+4 ra=[cfa-4] ebp=same; 1-15 unknown; 15-24 signal frame at esp+160");
}

TEST_CASE("what is returned to takes no byte of another function")
{
	CHECK(rows(f + sigreturn(160)) == "0-1 cfa=esp+4 ra=[cfa-4] ebp=same; 1-9 signal frame at esp+160");
}
