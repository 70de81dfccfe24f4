// SPDX-License-Identifier: GPL-2.0
// Square brackets are a read of memory.
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

std::string sum(const std::string& base, std::int32_t offset)
{
	if (!offset)
		return base;
	return base + (offset > 0 ? "+" : "") + std::to_string(offset);
}

std::string place_text(std::uint8_t place, std::uint8_t reg, std::int32_t offset, Arch arch)
{
	switch (place) {
	case UW_PLACE_SAME:
		return "same";
	case UW_PLACE_CFA_MEM:
		return "[" + sum("cfa", offset) + "]";
	case UW_PLACE_CFA_VAL:
		return sum("cfa", offset);
	case UW_PLACE_REG_MEM:
		return "[" + sum(register_name(arch, reg), offset) + "]";
	case UW_PLACE_REG_VAL:
		return sum(register_name(arch, reg), offset);
	case UW_PLACE_LOST:
		return "lost";
	default:
		return "?";
	}
}

std::string cfa_text(const Rule& rule, Arch arch)
{
	const std::string inner = sum(register_name(arch, rule.cfa_reg), rule.cfa_off);
	return rule.cfa_kind == UW_CFA_MEM ? sum("[" + inner + "]", rule.cfa_add) : inner;
}

} // namespace

std::string register_name(Arch arch, unsigned number)
{
	static constexpr const char* amd64[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
						"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
	if (arch == Arch::x86_64 && number < std::size(amd64))
		return amd64[number];
	static constexpr const char* i386[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip"};
	static constexpr const char* arm[] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
					      "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
	if (arch == Arch::i386 && number < std::size(i386))
		return i386[number];
	if (arch == Arch::arm && number < std::size(arm))
		return arm[number];
	if (arch == Arch::arm64 && number <= UW_ARM64_SP)
		return number == UW_ARM64_SP ? "sp" : "x" + std::to_string(number);
	return "reg" + std::to_string(number);
}

namespace {

std::string frame_text(const Rule& rule, Arch arch)
{
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch)];
	const bool in_link = abi.lr != UW_NO_REG && rule.ra_place == UW_PLACE_SAME;
	std::string text = "cfa=" + cfa_text(rule, arch) + " ra=";
	text += in_link ? register_name(arch, abi.lr) : place_text(rule.ra_place, rule.ra_reg, rule.ra_off, arch);
	text += " " + register_name(arch, abi.fp) + "=" + place_text(rule.fp_place, rule.fp_reg, rule.fp_off, arch);
	if (rule.base_slot == UW_BASE_LOST)
		text += " " + register_name(arch, abi.base) + "=lost";
	else if (rule.base_slot)
		text += " " + register_name(arch, abi.base) + "=[" + sum("cfa", -abi.word * rule.base_slot) + "]";
	return text;
}

} // namespace

std::string rule_text(const Rule& rule, Arch arch)
{
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch)];
	switch (rule.kind) {
	case UW_RULE_NONE:
		return "none";
	case UW_RULE_OUTERMOST:
		return "outermost";
	case UW_RULE_SIGFRAME:
		return rule.cfa_off ? "signal frame at " + sum(register_name(arch, abi.sp), rule.cfa_off)
				    : "signal frame";
	case UW_RULE_THREAD_START:
		return "thread start";
	case UW_RULE_UNKNOWN:
		return "unknown";
	case UW_RULE_CLONE:
		return "thread start if " + register_name(arch, UW_RESULT_REG) + "=0, else " + frame_text(rule, arch);
	case UW_RULE_FRAME:
	case UW_RULE_READ:
		return frame_text(rule, arch);
	default:
		return "?";
	}
}

} // namespace uwind
