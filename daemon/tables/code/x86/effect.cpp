// SPDX-License-Identifier: GPL-2.0
// Opcodes: Intel SDM, volume 2. An instruction that writes SP, FP or the base register
// is either understood or makes that register unknown.
#include "tables/code/x86/effect.h"

namespace uwind {
namespace {

// Of the group with an immediate.
enum : unsigned { group_add = 0, group_and = 4, group_sub = 5, group_cmp = 7 };

bool compares(std::uint8_t opcode)
{
	return opcode >= 0x38 && opcode <= 0x3d;
}

// Register 4 is AH there, or SPL, which no compiler writes.
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

// How far below the CFA a memory operand lies, if that can be said.
std::optional<std::int64_t> below_cfa(const X86Instruction& instruction, const X86Frame& frame)
{
	if (!instruction.has_modrm || instruction.mod == 3 || !instruction.plain_base)
		return {};
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.rm);
	return to_cfa ? std::optional(*to_cfa - instruction.displacement) : std::nullopt;
}

bool is_whole(const X86Instruction& instruction, const X86Frame& frame)
{
	return !instruction.narrow && (frame.word() == 4 || instruction.wide);
}

void store(const X86Instruction& instruction, X86Frame& frame)
{
	const auto place = below_cfa(instruction, frame);
	if (place && is_whole(instruction, frame))
		frame.store(instruction.reg, *place);
}

void load(const X86Instruction& instruction, X86Frame& frame)
{
	frame.load(instruction.reg, is_whole(instruction, frame) ? below_cfa(instruction, frame) : std::nullopt);
}

void execute_lea(const X86Instruction& instruction, X86Frame& frame)
{
	const bool sets_sp = instruction.reg == x86_sp && instruction.plain_base && !instruction.narrow;
	if (sets_sp && frame.return_to_cfa(instruction.rm, -std::int64_t{instruction.displacement}))
		return;
	frame.point(instruction.reg, instruction.narrow ? std::nullopt : below_cfa(instruction, frame));
}

// The operand that ModRM's rm names, if it is a register.
void write_operand(const X86Instruction& instruction, X86Frame& frame)
{
	if (instruction.on_register())
		frame.change(instruction.rm);
}

// pusha and popa, of i386 only.
void execute_all_registers(bool pushes, X86Frame& frame)
{
	constexpr int all_registers = 8;
	const int bytes = all_registers * frame.word();
	frame.move_sp(pushes ? -bytes : bytes);
	if (pushes)
		return;
	frame.change(x86_bp);
	frame.change(x86_bx);
}

void leave(X86Frame& frame)
{
	frame.copy(x86_sp, x86_bp);
	frame.pop(x86_bp);
}

// push, pop and their like; false: another instruction.
bool execute_stack(const X86Instruction& instruction, X86Frame& frame)
{
	const std::uint8_t op = instruction.opcode;
	if (op >= 0x50 && op <= 0x57)
		frame.push(instruction.rm);
	else if (op >= 0x58 && op <= 0x5f)
		frame.pop(instruction.rm);
	else if (op == 0x68 || op == 0x6a || op == 0x9c || (op < 0x20 && (op & 7) == 6))
		frame.move_sp(-frame.word());
	else if (op == 0x9d || (op < 0x20 && (op & 7) == 7))
		frame.move_sp(frame.word());
	else if (op == 0x8f) {
		frame.move_sp(frame.word());
		write_operand(instruction, frame);
	} else if ((op == 0x60 || op == 0x61) && frame.word() == 4)
		execute_all_registers(op == 0x60, frame);
	else if (op == 0xc9)
		leave(frame);
	else if (op == 0xc8)
		frame.change(x86_sp), frame.change(x86_bp);
	else
		return false;
	if (instruction.narrow)
		frame.set_sp({});
	return true;
}

// Immediate groups: add, or, adc, sbb, and, sub, xor, cmp.
void execute_group(const X86Instruction& instruction, X86Frame& frame)
{
	const unsigned what = instruction.extension();
	if (what == group_cmp || !instruction.on_register())
		return;
	if (what == group_and && instruction.rm == x86_sp && frame.round_sp())
		return;
	if (instruction.rm != x86_sp || instruction.narrow || (what != group_add && what != group_sub))
		return frame.change(instruction.rm);
	frame.move_sp(what == group_add ? instruction.immediate : -instruction.immediate);
}

// The eight operations that differ in direction and size only.
void execute_arithmetic(const X86Instruction& instruction, X86Frame& frame)
{
	if (compares(instruction.opcode) || !instruction.has_modrm)
		return;
	if (instruction.opcode & 2)
		frame.change(instruction.reg);
	else
		write_operand(instruction, frame);
}

// Group 5: inc, dec, call, jmp, push.
void execute_group_five(const X86Instruction& instruction, X86Frame& frame)
{
	if (instruction.extension() == 6)
		frame.move_sp(-frame.word());
	else if (instruction.extension() <= 1)
		write_operand(instruction, frame);
}

void execute_one(const X86Instruction& instruction, X86Frame& frame)
{
	const std::uint8_t op = instruction.opcode;
	if (execute_stack(instruction, frame))
		return;
	if (op < 0x40)
		return execute_arithmetic(instruction, frame);
	if (op < 0x50 || (op >= 0xb0 && op <= 0xbf))
		return frame.change(instruction.rm); // inc, dec; mov of a constant
	if (op >= 0x91 && op <= 0x97)
		return frame.change(instruction.rm);
	switch (op) {
	case 0x80:
	case 0x81:
	case 0x83:
		return execute_group(instruction, frame);
	case 0x89:
		return instruction.on_register() ? frame.copy(instruction.rm, instruction.reg)
						 : store(instruction, frame);
	case 0x8b:
		return instruction.on_register() ? frame.copy(instruction.reg, instruction.rm)
						 : load(instruction, frame);
	case 0x8d:
		return execute_lea(instruction, frame);
	case 0x63: // movsxd
	case 0x69: // imul
	case 0x6b:
	case 0x8a:
		return frame.change(instruction.reg);
	case 0x86: // xchg
	case 0x87:
		frame.change(instruction.reg);
		return write_operand(instruction, frame);
	case 0xf6:
	case 0xf7:
		if (instruction.extension() == 2 || instruction.extension() == 3) // not, neg
			write_operand(instruction, frame);
		return;
	case 0xff:
		return execute_group_five(instruction, frame);
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
			write_operand(instruction, frame);
	}
}

void execute_any(const X86Instruction& instruction, X86Frame& frame)
{
	if (instruction.map == OpcodeMap::one && !instruction.vector)
		return execute_one(instruction, frame);
	if (instruction.map == OpcodeMap::two && !instruction.has_modrm && instruction.opcode >= 0xc8)
		return frame.change(instruction.rm); // bswap
	if (!instruction.has_modrm)
		return;
	if (writes_reg(instruction))
		frame.change(instruction.reg);
	if (writes_rm(instruction))
		write_operand(instruction, frame);
	if (instruction.vector && instruction.map == OpcodeMap::three_38 && instruction.opcode >= 0xf0)
		frame.change(instruction.other); // BMI
}

} // namespace

void execute(const X86Instruction& instruction, X86Frame& frame)
{
	const X86Frame::Pointer sp = frame.sp();
	execute_any(instruction, frame);
	if (operates_on_bytes(instruction))
		frame.set_sp(sp);
}

void execute_call_of_next(X86Frame& frame)
{
	frame.move_sp(-frame.word());
}

bool loses_sp_x86(const X86Instruction& instruction, Arch arch)
{
	constexpr std::int32_t half_a_frame = 1 << 23; // room to move in both directions
	const bool immediate = instruction.is(0x81) && instruction.on_register() && !instruction.narrow;
	const unsigned what = instruction.extension();
	X86Frame frame(arch);
	frame.set_sp({true, half_a_frame});
	execute(instruction, frame);
	// Go's frames may be larger than any that are read from code.
	return !frame.sp().known && !(immediate && (what == group_add || what == group_sub));
}

} // namespace uwind
