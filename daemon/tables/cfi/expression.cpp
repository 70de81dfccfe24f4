// SPDX-License-Identifier: GPL-2.0
// A stack machine over symbolic values.
//
// Compilers use three kinds of expression: a register plus an offset, possibly
// read through (stacks that were realigned, hand-written assembly), and in the
// PLT one that depends on the pc: the entry's last instructions run with one
// more word on the stack,
//
//     rsp + 8 + (((rip & 15) >= 11) << 3)
//
// So a value is a linear form over one register, one read of memory, or one
// comparison of the pc's low bits; anything else is not understood.
#include "tables/cfi/expression.h"

#include <utility>

namespace uwind {
namespace {

enum : std::uint8_t {
	op_addr = 0x03,
	op_deref = 0x06,
	op_const1u = 0x08,
	op_const1s = 0x09,
	op_const2u = 0x0a,
	op_const2s = 0x0b,
	op_const4u = 0x0c,
	op_const4s = 0x0d,
	op_const8u = 0x0e,
	op_const8s = 0x0f,
	op_constu = 0x10,
	op_consts = 0x11,
	op_dup = 0x12,
	op_drop = 0x13,
	op_over = 0x14,
	op_swap = 0x16,
	op_and = 0x1a,
	op_minus = 0x1c,
	op_mul = 0x1e,
	op_neg = 0x1f,
	op_plus = 0x22,
	op_plus_uconst = 0x23,
	op_shl = 0x24,
	op_ge = 0x2a,
	op_gt = 0x2b,
	op_lit0 = 0x30,
	op_lit31 = 0x4f,
	op_breg0 = 0x70,
	op_breg31 = 0x8f,
	op_bregx = 0x92,
	op_nop = 0x96,
};

constexpr unsigned max_operations = 256;
constexpr unsigned max_depth = 16;
constexpr std::int64_t max_constant = std::int64_t{1} << 32;

// Whether a register is the pc, which has a number on x86 only.
bool is_pc(Arch arch, std::uint64_t number)
{
	return (arch == Arch::x86_64 && number == 16) || (arch == Arch::i386 && number == 8);
}

Symbolic constant(std::int64_t value)
{
	Symbolic result;
	result.offset = value;
	return result;
}

class Evaluation {
public:
	Evaluation(Bytes expression, Arch arch) : cursor_(expression), arch_(arch) {}

	void push(Symbolic value);
	std::optional<Symbolic> run();

private:
	Symbolic pop();
	void fail() { ok_ = false; }
	void step(std::uint8_t op);
	bool push_constant(std::uint8_t op);
	void push_register(std::uint64_t number);
	bool shuffle(std::uint8_t op);
	void binary(std::uint8_t op);
	void plus(Symbolic left, Symbolic right);
	void deref();
	void and_mask(const Symbolic& left, const Symbolic& right);
	void compare(const Symbolic& left, const Symbolic& right, bool or_equal);
	void scale(Symbolic left, std::int64_t factor);

	ByteCursor cursor_;
	Arch arch_;
	Symbolic stack_[max_depth];
	unsigned depth_ = 0;
	bool ok_ = true;
};

// Offsets are kept far from overflow: two of them can always be added.
void Evaluation::push(Symbolic value)
{
	const bool small = value.offset < max_constant && value.offset > -max_constant && value.add < max_constant &&
			   value.add > -max_constant;
	if (depth_ == max_depth || !small)
		return fail();
	stack_[depth_++] = value;
}

Symbolic Evaluation::pop()
{
	if (!depth_) {
		fail();
		return {};
	}
	return stack_[--depth_];
}

std::optional<Symbolic> Evaluation::run()
{
	for (unsigned i = 0; ok_ && !cursor_.done(); i++) {
		if (i == max_operations)
			return {};
		step(cursor_.u8());
	}
	if (!ok_ || !cursor_.ok() || !depth_)
		return {};
	return stack_[depth_ - 1];
}

void Evaluation::step(std::uint8_t op)
{
	if (op >= op_lit0 && op <= op_lit31)
		return push(constant(op - op_lit0));
	if (op >= op_breg0 && op <= op_breg31)
		return push_register(op - op_breg0);
	if (push_constant(op) || shuffle(op))
		return;
	switch (op) {
	case op_bregx:
		return push_register(cursor_.uleb());
	case op_plus_uconst:
		push(constant(static_cast<std::int64_t>(cursor_.uleb())));
		return binary(op_plus);
	case op_neg:
		return scale(pop(), -1);
	case op_deref:
		return deref();
	case op_nop:
		return;
	default:
		return binary(op);
	}
}

bool Evaluation::push_constant(std::uint8_t op)
{
	std::int64_t value;
	switch (op) {
	case op_const1u:
		value = cursor_.u8();
		break;
	case op_const1s:
		value = static_cast<std::int8_t>(cursor_.u8());
		break;
	case op_const2u:
		value = cursor_.u16();
		break;
	case op_const2s:
		value = static_cast<std::int16_t>(cursor_.u16());
		break;
	case op_const4u:
		value = cursor_.u32();
		break;
	case op_const4s:
		value = static_cast<std::int32_t>(cursor_.u32());
		break;
	case op_addr:
		value = static_cast<std::int64_t>(word_bytes(arch_) == 4 ? cursor_.u32() : cursor_.u64());
		break;
	case op_const8u:
	case op_const8s:
		value = static_cast<std::int64_t>(cursor_.u64());
		break;
	case op_constu:
		value = static_cast<std::int64_t>(cursor_.uleb());
		break;
	case op_consts:
		value = cursor_.sleb();
		break;
	default:
		return false;
	}
	push(constant(value));
	return true;
}

void Evaluation::push_register(std::uint64_t number)
{
	Symbolic value;
	value.offset = cursor_.sleb();
	value.form = is_pc(arch_, number) ? Form::pc_bits : Form::address;
	value.base = value.form == Form::address ? static_cast<std::uint8_t>(number) : 0;
	if (number > 31)
		return fail();
	push(value);
}

bool Evaluation::shuffle(std::uint8_t op)
{
	if (op == op_drop) {
		pop();
	} else if (op == op_dup) {
		const Symbolic top = pop();
		push(top);
		push(top);
	} else if (op == op_swap) {
		const Symbolic top = pop(), below = pop();
		push(top);
		push(below);
	} else if (op == op_over) {
		const Symbolic top = pop(), below = pop();
		push(below);
		push(top);
		push(below);
	} else {
		return false;
	}
	return true;
}

void Evaluation::binary(std::uint8_t op)
{
	const Symbolic right = pop(), left = pop();
	const bool by_constant = right.form == Form::constant;
	if (op == op_plus)
		plus(left, right);
	else if (op == op_and)
		and_mask(left, right);
	else if (op == op_minus && by_constant)
		plus(left, constant(-right.offset));
	else if (op == op_mul && by_constant)
		scale(left, right.offset);
	else if (op == op_shl && by_constant && right.offset >= 0 && right.offset < 16)
		scale(left, std::int64_t{1} << right.offset);
	else if (op == op_ge || op == op_gt)
		compare(left, right, op == op_ge);
	else
		fail();
}

void Evaluation::plus(Symbolic left, Symbolic right)
{
	if (left.form == Form::constant || left.form == Form::pc_step)
		std::swap(left, right);
	if (right.form == Form::constant) {
		if (left.form == Form::memory)
			left.add += right.offset;
		else if (left.form == Form::pc_step || (left.form == Form::pc_bits && left.mask))
			return fail();
		else
			left.offset += right.offset;
		return push(left);
	}
	if (left.form != Form::address || right.form != Form::pc_step)
		return fail();
	left.form = Form::stepped;
	left.mask = right.mask;
	left.threshold = right.threshold;
	left.add = right.add;
	push(left);
}

void Evaluation::deref()
{
	Symbolic value = pop();
	if (value.form != Form::address)
		return fail();
	value.form = Form::memory;
	push(value);
}

// The low bits of the pc: a mask of 15, 31, 63 or 127.
void Evaluation::and_mask(const Symbolic& left, const Symbolic& right)
{
	Symbolic pc = left.form == Form::pc_bits ? left : right;
	const Symbolic& mask = left.form == Form::pc_bits ? right : left;
	const bool low_bits = mask.form == Form::constant && mask.offset >= 15 && mask.offset <= 127 &&
			      !(mask.offset & (mask.offset + 1));
	if (pc.form != Form::pc_bits || pc.mask || pc.offset || !low_bits)
		return fail();
	pc.mask = static_cast<std::uint8_t>(mask.offset);
	push(pc);
}

void Evaluation::compare(const Symbolic& left, const Symbolic& right, bool or_equal)
{
	if (left.form != Form::pc_bits || !left.mask || right.form != Form::constant || right.offset < 0 ||
	    right.offset > left.mask)
		return fail();
	Symbolic step = left;
	step.form = Form::pc_step;
	step.threshold = static_cast<std::uint8_t>(right.offset + (or_equal ? 0 : 1));
	step.add = 1;
	push(step);
}

void Evaluation::scale(Symbolic value, std::int64_t factor)
{
	if (factor > 65536 || factor < -65536)
		return fail();
	if (value.form == Form::constant)
		value.offset *= factor;
	else if (value.form == Form::pc_step)
		value.add *= factor;
	else
		return fail();
	push(value);
}

} // namespace

std::optional<Symbolic> evaluate(Bytes expression, Arch arch, std::optional<Symbolic> start)
{
	Evaluation evaluation(expression, arch);
	if (start)
		evaluation.push(*start);
	return evaluation.run();
}

} // namespace uwind
