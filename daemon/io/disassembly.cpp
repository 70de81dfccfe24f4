// SPDX-License-Identifier: GPL-2.0
// Machine code as assembly, by libcapstone.
#include "io/disassembly.h"

#include <algorithm>
#include <capstone/capstone.h>

#include "base/text.h"

namespace uwind {
namespace {

// Of one architecture, with the operands of instructions.
class Disassembler {
public:
	explicit Disassembler(Arch arch) : arch_(arch)
	{
		const bool is_x86 = arch == Arch::x86_64;
		if (::cs_open(is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, is_x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN,
			      &handle_) != CS_ERR_OK)
			return;
		::cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
		if (is_x86)
			::cs_option(handle_, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		one_ = ::cs_malloc(handle_);
	}
	Disassembler(const Disassembler&) = delete;
	Disassembler& operator=(const Disassembler&) = delete;
	~Disassembler()
	{
		if (one_)
			::cs_free(one_, 1);
		if (handle_)
			::cs_close(&handle_);
	}

	Instruction next(Bytes code, std::uint64_t address)
	{
		const std::uint8_t* at = code.data();
		std::size_t left = code.size();
		std::uint64_t now = address;
		if (!one_ || !::cs_disasm_iter(handle_, &at, &left, &now, one_))
			return data(code, address);
		Instruction found;
		found.address = address;
		found.bytes.assign(code.begin(), code.begin() + one_->size);
		found.text = one_->mnemonic;
		if (one_->op_str[0])
			found.text += std::string(" ") + one_->op_str;
		found.target = target();
		return found;
	}

private:
	Instruction data(Bytes code, std::uint64_t address) const
	{
		const std::size_t length = arch_ == Arch::x86_64 ? 1 : std::min<std::size_t>(4, code.size());
		Instruction found;
		found.address = address;
		found.bytes.assign(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(length));
		found.text = length == 4 ? ".word " + hex(word_at(code, 0)) : ".byte " + hex(code[0]);
		for (std::size_t i = 1; length != 4 && i < length; i++)
			found.text += ", " + hex(code[i]);
		return found;
	}

	std::optional<std::uint64_t> target() const
	{
		if (!::cs_insn_group(handle_, one_, CS_GRP_JUMP) && !::cs_insn_group(handle_, one_, CS_GRP_CALL))
			return std::nullopt;
		if (arch_ == Arch::x86_64) {
			const cs_x86& x86 = one_->detail->x86;
			if (x86.op_count == 1 && x86.operands[0].type == X86_OP_IMM)
				return static_cast<std::uint64_t>(x86.operands[0].imm);
			return std::nullopt;
		}
		const cs_arm64& arm64 = one_->detail->arm64;
		if (arm64.op_count && arm64.operands[arm64.op_count - 1].type == ARM64_OP_IMM)
			return static_cast<std::uint64_t>(arm64.operands[arm64.op_count - 1].imm);
		return std::nullopt;
	}

	Arch arch_;
	csh handle_ = 0;
	cs_insn* one_ = nullptr;
};

} // namespace

std::vector<Instruction> disassemble(Arch arch, Bytes code, std::uint64_t address)
{
	Disassembler disassembler(arch);
	std::vector<Instruction> found;
	while (!code.empty()) {
		found.push_back(disassembler.next(code, address));
		address += found.back().bytes.size();
		code = code.subspan(found.back().bytes.size());
	}
	return found;
}

} // namespace uwind
