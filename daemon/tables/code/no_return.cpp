// SPDX-License-Identifier: GPL-2.0
// A PLT entry is known by the slot that it loads (AAELF32, annex A): an A32 sequence add
// ip, pc, #n; add ip, ip, #n; ldr pc, [ip, #n]!, before which there may be bx pc; nop for
// callers in T32. Those of x86 are jmp *slot, with prefixes and endbr before it.
#include "tables/code/no_return.h"

#include "elf/sections.h"
#include "tables/code/functions.h"
#include "tables/isa/arm/instruction.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <array>

namespace uwind {
namespace {

constexpr std::uint64_t max_plt_bytes = 16 << 20;
constexpr std::uint8_t ip = 12;
constexpr std::uint32_t thumb_stub_bytes = 4;

// C, C++ and POSIX libraries; sorted.
constexpr std::array<std::string_view, 46> names = {
	"_Exit",
	"_Unwind_Resume",
	"_ZSt10unexpectedv",
	"_ZSt16__throw_bad_castv",
	"_ZSt17__throw_bad_allocv",
	"_ZSt19__throw_logic_errorPKc",
	"_ZSt19__throw_range_errorPKc",
	"_ZSt20__throw_length_errorPKc",
	"_ZSt20__throw_out_of_rangePKc",
	"_ZSt20__throw_system_errori",
	"_ZSt21__throw_runtime_errorPKc",
	"_ZSt24__throw_invalid_argumentPKc",
	"_ZSt24__throw_out_of_range_fmtPKcz",
	"_ZSt25__throw_bad_function_callv",
	"_ZSt28__throw_bad_array_new_lengthv",
	"_ZSt9terminatev",
	"__assert",
	"__assert_fail",
	"__assert_perror_fail",
	"__chk_fail",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_call_terminate",
	"__cxa_call_unexpected",
	"__cxa_end_cleanup",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_new_length",
	"__fortify_fail",
	"__libc_fatal",
	"__libc_start_main",
	"__longjmp_chk",
	"__stack_chk_fail",
	"_exit",
	"_longjmp",
	"abort",
	"err",
	"errx",
	"exit",
	"longjmp",
	"pthread_exit",
	"quick_exit",
	"siglongjmp",
	"thrd_exit",
	"verr",
	"verrx",
};
static_assert(std::is_sorted(names.begin(), names.end()));

// A32 data processing whose result is in ip: all that an entry begins with.
bool may_begin_entry(std::uint32_t word)
{
	return (word & 0x0c00f000) == ip << 12;
}

// The slot that the entry at an address loads; 0: it is no such entry.
std::uint32_t slot_of(Bytes code, std::uint32_t address)
{
	ArmInstruction instruction = decode_arm(code, address, false);
	if (!instruction.literal || instruction.literal_bytes || instruction.writes != 1u << ip)
		return 0;
	std::uint32_t slot = instruction.literal;
	constexpr unsigned max_additions = 2;
	for (unsigned i = 0; i <= max_additions && code.size() > 4; i++) {
		code = code.subspan(4);
		instruction = decode_arm(code, address += 4, false);
		slot += static_cast<std::uint32_t>(instruction.offset);
		if (instruction.base != ip)
			return 0;
		if (instruction.flow == ArmFlow::computed_jump)
			return instruction.action == ArmAction::load ? slot : 0;
	}
	return 0;
}

bool is_no_return(std::string_view name)
{
	return std::binary_search(names.begin(), names.end(), name);
}

// The slot that the entry of an x86 PLT jumps through; i386: with this value of EBX. 0: it is no entry.
std::uint64_t slot_of(Bytes code, std::uint64_t address, Arch arch, std::uint64_t ebx)
{
	ByteCursor cursor(code);
	const std::uint32_t first = cursor.u32();
	const bool endbr = first == 0xfa1e0ff3 || first == 0xfb1e0ff3;
	cursor = ByteCursor(code, endbr ? 4 : 0);
	std::uint8_t opcode = cursor.u8();
	if (opcode == 0xf2) // bnd
		opcode = cursor.u8();
	const std::uint8_t operand = cursor.u8();
	const auto place = static_cast<std::int32_t>(cursor.u32());
	if (!cursor.ok() || opcode != 0xff || (operand != 0x25 && operand != 0xa3))
		return 0;
	if (arch == Arch::x86_64)
		return operand == 0x25 ? address + cursor.position() + static_cast<std::uint64_t>(place) : 0;
	return static_cast<std::uint32_t>((operand == 0x25 ? 0 : ebx) + static_cast<std::uint64_t>(place));
}

// Appends entries of PLTs.
void add_x86_imports(const ElfFile& file, std::vector<std::uint64_t>& addresses)
{
	constexpr std::uint64_t entry = 8; // the least; most have 16 bytes
	const auto imports = uwind::imports(file);
	const std::uint64_t ebx = file.section_address(".got.plt").value_or(file.section_address(".got").value_or(0));
	for (const char* name : {".plt", ".plt.sec", ".plt.got", ".plt.bnd"}) {
		const ElfFile::Found section = file.section(name);
		if (!section || !*section || (*section)->bytes.size() > max_plt_bytes)
			continue;
		for (std::uint64_t at = 0; at < (*section)->bytes.size(); at += entry) {
			const std::uint64_t address = (*section)->address + at;
			const auto import =
				imports.find(slot_of((*section)->bytes.subspan(at), address, file.arch(), ebx));
			if (import != imports.end() && is_no_return(import->second))
				addresses.push_back(address);
		}
	}
}

} // namespace

std::vector<std::uint64_t> no_return_functions(const ElfFile& file)
{
	std::vector<std::uint64_t> addresses = functions_named(file, names);
	if (file.arch() != Arch::arm64)
		add_x86_imports(file, addresses);
	std::sort(addresses.begin(), addresses.end());
	return addresses;
}

std::vector<std::uint32_t> arm_no_return(const ElfFile& file)
{
	std::vector<std::uint32_t> addresses;
	const auto imports = uwind::imports(file);
	for (const ElfSection& section : code_sections(file)) {
		if (section.bytes.size() > max_plt_bytes || section.address % 4)
			continue;
		for (std::uint32_t at = 0; at + 4 <= section.bytes.size(); at += 4) {
			const auto address = static_cast<std::uint32_t>(section.address) + at;
			const std::uint32_t slot = may_begin_entry(word_at(section.bytes, at))
							   ? slot_of(section.bytes.subspan(at), address)
							   : 0;
			const auto import = slot ? imports.find(slot) : imports.end();
			if (import == imports.end() || !is_no_return(import->second))
				continue;
			addresses.push_back(address - thumb_stub_bytes);
			addresses.push_back(address);
		}
	}
	std::sort(addresses.begin(), addresses.end());
	return addresses;
}

} // namespace uwind
