// SPDX-License-Identifier: GPL-2.0
// Opcodes: Intel SDM, volume 2. An instruction that writes SP, FP or the base register
// is either understood or makes that register unknown.
#include "tables/code/x86/frame.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr std::int64_t max_frame_bytes = 1 << 24;

// Numbers in instructions; both architectures' DWARF numbers differ.
enum : std::uint8_t { reg_ax = 0, reg_bx = 3, reg_sp = 4, reg_bp = 5 };

// Of the group with an immediate.
enum : unsigned { group_add = 0, group_sub = 5 };

bool compares(std::uint8_t opcode)
{
	return opcode >= 0x38 && opcode <= 0x3d;
}

// Register 4 is AH there, or SPL, which nobody writes.
bool operates_on_bytes(const X86Instruction& instruction)
{
	const std::uint8_t op = instruction.opcode;
	if (instruction.vector)
		return false;
	if (instruction.map == OpcodeMap::two)
		return (op >= 0x90 && op <= 0x9f) || op == 0xb0 || op == 0xc0; // setcc, cmpxchg, xadd
	const bool constant = op >= 0xb0 && op <= 0xb7;
	const bool even = (op < 0x40 && (op & 7) < 4) || (op >= 0x80 && op <= 0x8a) || op == 0xc0 || op == 0xc6 ||
			  op == 0xd0 || op == 0xd2 || op == 0xf6 || op == 0xfe;
	return instruction.map == OpcodeMap::one && (constant || (even && !(op & 1)));
}

// Of the other maps' instructions, those that write a general register; most have
// vector registers, whose numbers mean nothing here.
bool writes_reg(const X86Instruction& instruction)
{
	const std::uint8_t op = instruction.opcode;
	if (instruction.map == OpcodeMap::three_38 || instruction.map == OpcodeMap::three_3a)
		return op >= 0xf0;
	switch (op) {
	case 0x02: // lar, lsl
	case 0x03:
	case 0x2c: // conversions
	case 0x2d:
	case 0x50: // movmskps
	case 0x93: // kmov
	case 0xaf: // imul
	case 0xb2: // lss, lfs, lgs
	case 0xb4:
	case 0xb5:
	case 0xb6: // movzx
	case 0xb7:
	case 0xb8: // popcnt
	case 0xbc: // bsf, bsr
	case 0xbd:
	case 0xbe: // movsx
	case 0xbf:
	case 0xc0: // xadd
	case 0xc1:
	case 0xc5: // pextrw
	case 0xd7: // pmovmskb
		return true;
	default:
		return op >= 0x40 && op <= 0x4f; // cmov
	}
}

bool writes_rm(const X86Instruction& instruction)
{
	const std::uint8_t op = instruction.opcode;
	if (instruction.map == OpcodeMap::three_38)
		return false;
	if (instruction.map == OpcodeMap::three_3a)
		return op >= 0x14 && op <= 0x17; // pextr
	switch (op) {
	case 0x00: // sldt and its like
	case 0x01:
	case 0x20: // from control and debug registers
	case 0x21:
	case 0x7e: // movd
	case 0xa4: // shld, shrd
	case 0xa5:
	case 0xac:
	case 0xad:
	case 0xab: // bts, btr, btc
	case 0xb3:
	case 0xbb:
	case 0xba:
	case 0xae: // rdfsbase
	case 0xb0: // cmpxchg
	case 0xb1:
	case 0xc0: // xadd
	case 0xc1:
	case 0xc7: // rdrand
		return true;
	default:
		return op >= 0x90 && op <= 0x9f; // setcc
	}
}

} // namespace

X86Frame::X86Frame(Arch arch) : arch_(arch), word_(static_cast<std::uint8_t>(word_bytes(arch))), cfa_from_sp_(word_) {}

X86Frame X86Frame::unknown(Arch arch)
{
	X86Frame frame(arch);
	for (const std::uint8_t reg : {reg_sp, reg_bp, reg_bx})
		frame.change(reg);
	return frame;
}

bool X86Frame::loses_sp(const X86Instruction& instruction, Arch arch)
{
	const bool immediate = instruction.is(0x81) && instruction.on_register() && !instruction.narrow;
	const unsigned what = instruction.extension();
	X86Frame frame(arch);
	frame.cfa_from_sp_ = max_frame_bytes / 2;
	frame.execute(instruction);
	// Go's frames may be larger than any that are read from code.
	return !frame.sp_known_ && !(immediate && (what == group_add || what == group_sub));
}

X86Frame::Saved* X86Frame::saved(std::uint8_t reg)
{
	return reg == reg_bp ? &fp_ : reg == reg_bx ? &base_ : nullptr;
}

void X86Frame::forget_sp()
{
	sp_known_ = false;
	cfa_from_sp_ = 0;
}

void X86Frame::forget_fp()
{
	fp_known_ = false;
	cfa_from_fp_ = 0;
}

void X86Frame::move_sp(std::int64_t bytes)
{
	const std::int64_t cfa = cfa_from_sp_ - bytes;
	if (!sp_known_ || cfa < 0 || cfa > max_frame_bytes)
		return forget_sp();
	cfa_from_sp_ = static_cast<std::int32_t>(cfa);
}

// A register gets another value.
void X86Frame::change(std::uint8_t reg)
{
	holder_.in_register &= reg != holder_reg();
	if (reg == reg_sp)
		forget_sp();
	if (reg == reg_bp)
		forget_fp();
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register)
		place->where = Where::lost;
}

// Where a memory operand lies, if that can be said.
bool X86Frame::address_of(const X86Instruction& instruction, std::int64_t& below_cfa) const
{
	const bool by_sp = instruction.rm == reg_sp && sp_known_, by_fp = instruction.rm == reg_bp && fp_known_;
	if (!instruction.has_modrm || instruction.mod == 3 || !instruction.plain_base || (!by_sp && !by_fp))
		return false;
	below_cfa = std::int64_t{by_sp ? cfa_from_sp_ : cfa_from_fp_} - instruction.displacement;
	return true;
}

void X86Frame::push_register(std::uint8_t reg)
{
	move_sp(-word_);
	if (rounded_ && sp_known_ && reg == holder_reg() && holder_.in_register)
		holder_.slot = cfa_from_sp_;
	Saved* const place = saved(reg);
	if (place && place->where == Where::in_register && sp_known_)
		*place = {Where::on_stack, cfa_from_sp_};
}

void X86Frame::pop_register(std::uint8_t reg)
{
	Saved* const place = saved(reg);
	const bool restored = place && sp_known_ && *place == Saved{Where::on_stack, cfa_from_sp_};
	change(reg);
	holder_.in_register |= reg == holder_reg() && sp_known_ && holder_.slot && holder_.slot == cfa_from_sp_;
	if (restored)
		*place = Saved{};
	if (reg != reg_sp)
		move_sp(word_);
}

// What lies above can be found no more, unless it is in its register.
void X86Frame::round_sp()
{
	for (Saved* const place : {&fp_, &base_})
		if (place->where == Where::on_stack)
			*place = {Where::lost, 0};
	rounded_ = true;
	forget_fp();
	sp_known_ = true;
	cfa_from_sp_ = 0;
}

void X86Frame::go_back_to_cfa(std::int64_t below_cfa)
{
	round_sp();
	rounded_ = false;
	sp_known_ = below_cfa >= 0 && below_cfa <= max_frame_bytes;
	cfa_from_sp_ = sp_known_ ? static_cast<std::int32_t>(below_cfa) : 0;
	holder_ = {};
}

void X86Frame::leave()
{
	sp_known_ = fp_known_;
	cfa_from_sp_ = fp_known_ ? cfa_from_fp_ : 0;
	pop_register(reg_bp);
}

void X86Frame::store(std::uint8_t reg, const X86Instruction& instruction)
{
	std::int64_t below_cfa = 0;
	Saved* const place = saved(reg);
	const bool whole = !instruction.narrow && (word_ == 4 || instruction.wide);
	if (place && whole && place->where == Where::in_register && address_of(instruction, below_cfa) &&
	    below_cfa > word_ && below_cfa <= max_frame_bytes)
		*place = {Where::on_stack, static_cast<std::int32_t>(below_cfa)};
}

void X86Frame::load(std::uint8_t reg, const X86Instruction& instruction)
{
	std::int64_t below_cfa = 0;
	Saved* const place = saved(reg);
	const bool whole = !instruction.narrow && (word_ == 4 || instruction.wide);
	const bool restored = place && whole && address_of(instruction, below_cfa) && place->where == Where::on_stack &&
			      place->below_cfa == below_cfa;
	change(reg);
	holder_.in_register |= reg == holder_reg() && whole && holder_.slot && address_of(instruction, below_cfa) &&
			       holder_.slot == below_cfa;
	if (restored)
		*place = Saved{};
}

void X86Frame::move_register(std::uint8_t to, std::uint8_t from)
{
	if (to == reg_sp && from == reg_bp && fp_known_) {
		sp_known_ = true;
		cfa_from_sp_ = cfa_from_fp_;
		return;
	}
	change(to);
	if (to == reg_bp && from == reg_sp && sp_known_) {
		fp_known_ = true;
		cfa_from_fp_ = cfa_from_sp_;
	}
}

// lea
void X86Frame::execute_address(const X86Instruction& instruction)
{
	std::int64_t below_cfa = 0;
	const bool from_holder = instruction.plain_base && instruction.rm == holder_reg() && holder_.in_register;
	if (instruction.reg == reg_sp && from_holder && rounded_ && !instruction.narrow)
		return go_back_to_cfa(-std::int64_t{instruction.displacement});
	const bool known = address_of(instruction, below_cfa) && !instruction.narrow;
	const bool fits = known && below_cfa >= 0 && below_cfa <= max_frame_bytes;
	change(instruction.reg);
	if (instruction.reg == holder_reg() && known && !below_cfa && !rounded_)
		holder_ = {true, 0};
	if (instruction.reg == reg_sp && fits) {
		sp_known_ = true;
		cfa_from_sp_ = static_cast<std::int32_t>(below_cfa);
	}
	if (instruction.reg == reg_bp && fits) {
		fp_known_ = true;
		cfa_from_fp_ = static_cast<std::int32_t>(below_cfa);
	}
}

// push, pop, call and their like; false: another instruction.
bool X86Frame::execute_stack(const X86Instruction& instruction)
{
	const std::uint8_t op = instruction.opcode;
	constexpr int all_registers = 8;
	if (op >= 0x50 && op <= 0x57)
		push_register(instruction.rm);
	else if (op >= 0x58 && op <= 0x5f)
		pop_register(instruction.rm);
	else if (op == 0x68 || op == 0x6a || op == 0x9c || (op < 0x20 && (op & 7) == 6))
		move_sp(-word_);
	else if (op == 0x9d || (op < 0x20 && (op & 7) == 7))
		move_sp(word_);
	else if (op == 0x8f) {
		move_sp(word_);
		write_operand(instruction);
	} else if (op == 0x60 && word_ == 4)
		move_sp(-all_registers * word_);
	else if (op == 0x61 && word_ == 4) {
		move_sp(all_registers * word_);
		change(reg_bp);
		change(reg_bx);
	} else if (op == 0xc9)
		leave();
	else if (op == 0xc8)
		change(reg_sp), change(reg_bp);
	else
		return false;
	if (instruction.narrow)
		forget_sp();
	return true;
}

// The operand that ModRM's rm names, if it is a register.
void X86Frame::write_operand(const X86Instruction& instruction)
{
	if (instruction.on_register())
		change(instruction.rm);
}

// Immediate groups: add, or, adc, sbb, and, sub, xor, cmp.
void X86Frame::execute_group(const X86Instruction& instruction)
{
	constexpr unsigned logical_and = 4, cmp = 7;
	const unsigned what = instruction.extension();
	if (what == cmp || !instruction.on_register())
		return;
	if (what == logical_and && instruction.rm == reg_sp && holder_.in_register && !rounded_)
		return round_sp();
	if (instruction.rm != reg_sp || instruction.narrow || (what != group_add && what != group_sub))
		return change(instruction.rm);
	move_sp(what == group_add ? instruction.immediate : -instruction.immediate);
}

// The eight operations that differ in direction and size only.
void X86Frame::execute_arithmetic(const X86Instruction& instruction)
{
	if (compares(instruction.opcode) || !instruction.has_modrm)
		return;
	if (instruction.opcode & 2)
		change(instruction.reg);
	else
		write_operand(instruction);
}

void X86Frame::execute_one(const X86Instruction& instruction)
{
	const std::uint8_t op = instruction.opcode;
	if (execute_stack(instruction))
		return;
	if (op < 0x40)
		return execute_arithmetic(instruction);
	if (op < 0x50 || (op >= 0xb0 && op <= 0xbf))
		return change(instruction.rm); // inc, dec; mov of a constant
	if (op >= 0x91 && op <= 0x97)
		return change(instruction.rm);
	switch (op) {
	case 0x80:
	case 0x81:
	case 0x83:
		return execute_group(instruction);
	case 0x89:
		return instruction.on_register() ? move_register(instruction.rm, instruction.reg)
						 : store(instruction.reg, instruction);
	case 0x8b:
		return instruction.on_register() ? move_register(instruction.reg, instruction.rm)
						 : load(instruction.reg, instruction);
	case 0x8d:
		return execute_address(instruction);
	case 0x63: // movsxd
	case 0x69: // imul
	case 0x6b:
	case 0x8a:
		return change(instruction.reg);
	case 0x86: // xchg
	case 0x87:
		change(instruction.reg);
		return write_operand(instruction);
	case 0xf6:
	case 0xf7:
		if (instruction.extension() == 2 || instruction.extension() == 3) // not, neg
			write_operand(instruction);
		return;
	case 0xff:
		if (instruction.extension() == 6)
			return move_sp(-word_);
		if (instruction.extension() > 1)
			return;
		return write_operand(instruction);
	case 0x84: // test
	case 0x85:
	case 0xd8: // x87
	case 0xd9:
	case 0xda:
	case 0xdb:
	case 0xdc:
	case 0xdd:
	case 0xde:
	case 0xdf:
		return;
	default:
		if (instruction.has_modrm)
			write_operand(instruction);
	}
}

void X86Frame::execute(const X86Instruction& instruction)
{
	const bool sp_known = sp_known_;
	const std::int32_t cfa_from_sp = cfa_from_sp_;
	execute_any(instruction);
	if (operates_on_bytes(instruction)) {
		sp_known_ = sp_known;
		cfa_from_sp_ = cfa_from_sp;
	}
}

void X86Frame::execute_any(const X86Instruction& instruction)
{
	if (instruction.map == OpcodeMap::one && !instruction.vector)
		return execute_one(instruction);
	if (instruction.map == OpcodeMap::two && !instruction.has_modrm && instruction.opcode >= 0xc8)
		return change(instruction.rm); // bswap
	if (!instruction.has_modrm)
		return;
	if (writes_reg(instruction))
		change(instruction.reg);
	if (writes_rm(instruction))
		write_operand(instruction);
	if (instruction.vector && instruction.map == OpcodeMap::three_38 && instruction.opcode >= 0xf0)
		change(instruction.other); // BMI
}

bool X86Frame::is_impossible() const
{
	const auto popped = [&](const Saved& place) {
		return place.where == Where::on_stack && place.below_cfa > cfa_from_sp_;
	};
	return sp_known_ && ((cfa_from_sp_ < word_ && !rounded_) || popped(fp_) || popped(base_));
}

bool X86Frame::returns_wrongly() const
{
	return rounded_ || !sp_known_ || cfa_from_sp_ != word_;
}

void X86Frame::Saved::join(const Saved& other)
{
	if (!(*this == other))
		*this = {Where::lost, 0};
}

// Go's compiler, for one, uses the base register for anything, and has it or not where ways meet.
bool X86Frame::join(const X86Frame& other)
{
	const bool same_sp = cfa_from_sp_ == other.cfa_from_sp_, same_fp = cfa_from_fp_ == other.cfa_from_fp_;
	const bool known = sp_known_ || fp_known_ || other.sp_known_ || other.fp_known_;
	if (rounded_ != other.rounded_ || (sp_known_ && other.sp_known_ && !same_sp))
		return false;
	if (!other.sp_known_)
		forget_sp();
	if (!other.fp_known_ || !same_fp)
		forget_fp();
	fp_.join(other.fp_);
	base_.join(other.base_);
	holder_.in_register = holder_.in_register && other.holder_.in_register;
	holder_.slot = holder_.slot == other.holder_.slot ? holder_.slot : 0;
	return !known || sp_known_ || fp_known_;
}

// From SP and FP the places of what was saved are known; where the CFA is, the holder
// tells, which lies on the stack unless it was popped.
Rule X86Frame::rounded_rule() const
{
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch_)];
	const std::int32_t from = fp_known_ ? cfa_from_fp_ : cfa_from_sp_;
	const bool on_stack = holder_.slot && (!sp_known_ || holder_.slot <= cfa_from_sp_);
	Rule rule;
	if ((!sp_known_ && !fp_known_) || (!on_stack && !holder_.in_register))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_kind = on_stack ? UW_CFA_MEM : UW_CFA_REG;
	rule.cfa_reg = !on_stack ? holder_reg() : fp_known_ ? abi.fp : abi.sp;
	rule.cfa_off = on_stack ? from - holder_.slot : 0;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word_;
	if (fp_.where == Where::on_stack) {
		rule.fp_place = UW_PLACE_REG_MEM;
		rule.fp_reg = fp_known_ ? abi.fp : abi.sp;
		rule.fp_off = from - fp_.below_cfa;
	} else if (fp_.where == Where::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	if (base_.where != Where::in_register)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

Rule X86Frame::rule() const
{
	if (rounded_)
		return rounded_rule();
	const uw_abi& abi = uw_abis[static_cast<unsigned>(arch_)];
	Rule rule;
	if ((!sp_known_ && !fp_known_) || (sp_known_ && cfa_from_sp_ < word_))
		return rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = sp_known_ ? abi.sp : abi.fp;
	rule.cfa_off = sp_known_ ? cfa_from_sp_ : cfa_from_fp_;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word_;
	if (fp_.where == Where::on_stack) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = -fp_.below_cfa;
	} else if (fp_.where == Where::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	if (base_.where == Where::on_stack && base_.below_cfa % word_ == 0 && base_.below_cfa / word_ < UW_BASE_LOST)
		rule.base_slot = static_cast<std::uint8_t>(base_.below_cfa / word_);
	else if (base_.where != Where::in_register)
		rule.base_slot = UW_BASE_LOST;
	return rule;
}

} // namespace uwind
