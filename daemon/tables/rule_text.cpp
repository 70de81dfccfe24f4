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
	if (arch == Arch::arm64 && number <= UW_ARM64_SP)
		return number == UW_ARM64_SP ? "sp" : "x" + std::to_string(number);
	return "reg" + std::to_string(number);
}

std::string rule_text(const Rule& rule, Arch arch)
{
	switch (rule.kind) {
	case UW_RULE_NONE:
		return "none";
	case UW_RULE_OUTERMOST:
		return "outermost";
	case UW_RULE_SIGFRAME:
		return "signal frame";
	case UW_RULE_THREAD_START:
		return "thread start";
	case UW_RULE_UNKNOWN:
		return "unknown";
	case UW_RULE_FRAME:
		break;
	default:
		return "?";
	}
	const bool in_link = arch == Arch::arm64 && rule.ra_place == UW_PLACE_SAME;
	std::string text = "cfa=" + cfa_text(rule, arch) + " ra=";
	text += in_link ? "x30" : place_text(rule.ra_place, rule.ra_reg, rule.ra_off, arch);
	text += (arch == Arch::arm64 ? " x29=" : " rbp=") + place_text(rule.fp_place, rule.fp_reg, rule.fp_off, arch);
	constexpr std::int32_t word = 8;
	if (rule.rbx_slot == UW_RBX_LOST)
		text += " rbx=lost";
	else if (rule.rbx_slot)
		text += " rbx=[" + sum("cfa", -word * rule.rbx_slot) + "]";
	return text;
}

} // namespace uwind
