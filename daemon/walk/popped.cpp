// SPDX-License-Identifier: GPL-2.0
// Registers that the interrupted function has popped already: x86's CFI still says that they lie on the stack.
#include "walk/popped.h"

namespace uwind {
namespace {

// Null: there is none, or the code is not there.
const uw_rule* rule_at(std::uint64_t pc, const std::vector<uw_port_code>& codes)
{
	for (const uw_port_code& code : codes)
		if (pc >= code.start && pc < code.end)
			return code.table ? uw_table_find(code.table, pc - code.start + code.offset) : nullptr;
	return nullptr;
}

bool is_known(const Unfinished& from, unsigned reg)
{
	return from.known >> reg & 1 && !(from.on_stack >> reg & 1);
}

} // namespace

void PoppedRegisters::add(const Unfinished& from, unsigned reg, std::uint64_t address)
{
	const std::uint64_t sp = from.registers[uw_arch_sp(static_cast<uw_arch>(from.arch))];
	if (address < sp && sp - address <= 256 && is_known(from, reg))
		words_.push_back({address, from.registers[reg]});
}

PoppedRegisters::PoppedRegisters(const Unfinished& from, const std::vector<uw_port_code>& codes)
    : word_bytes_(word_bytes(from.arch))
{
	const uw_abi& abi = uw_abis[static_cast<uw_arch>(from.arch)];
	const uw_rule* rule = from.exact ? rule_at(from.pc, codes) : nullptr;
	if (!rule || rule->kind != UW_RULE_FRAME || rule->cfa_kind != UW_CFA_REG || rule->cfa_reg != abi.sp ||
	    !is_known(from, abi.sp))
		return;
	const std::uint64_t cfa = from.registers[abi.sp] + static_cast<std::uint64_t>(std::int64_t{rule->cfa_off});
	if (rule->fp_place == UW_PLACE_CFA_MEM)
		add(from, abi.fp, cfa + static_cast<std::uint64_t>(std::int64_t{rule->fp_off}));
	if (abi.base != UW_NO_REG && rule->base_slot && rule->base_slot != UW_BASE_LOST)
		add(from, abi.base, cfa - std::uint64_t{word_bytes_} * rule->base_slot);
}

std::vector<uw_port_slice> PoppedRegisters::slices() const
{
	std::vector<uw_port_slice> slices;
	for (const Word& word : words_)
		slices.push_back({word.address, word_bytes_, reinterpret_cast<const std::uint8_t*>(&word.value)});
	return slices;
}

} // namespace uwind
