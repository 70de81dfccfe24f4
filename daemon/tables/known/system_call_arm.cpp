// SPDX-License-Identifier: GPL-2.0
// The number of a system call is in r7: Linux' EABI. Encodings: Arm Architecture
// Reference Manual, F5.1 (mov, svc, b, blx). glibc's frame for a signal handler is
// described for exceptions (EHABI) as if a call had been made there.
#include "tables/known/system_call_arm.h"

#include "elf/segments.h"
#include "tables/known/clone_call_parts.h"

extern "C" {
#include "types.h"
}

#include <cstring>
#include <optional>

namespace uwind {
namespace {

enum : unsigned { sys_sigreturn = 119, sys_clone = 120, sys_rt_sigreturn = 173 };

// From SP: struct ucontext's 20 bytes before struct sigcontext, and before these, in the
// frame of rt_sigreturn, 128 bytes of siginfo.
constexpr std::int32_t sigcontext_off = 20, rt_sigcontext_off = 148;

constexpr std::uint64_t max_branch_distance = 12, max_thread_start_bytes = 64;

// Instructions of one mode, one after the other.
class ArmCode {
public:
	ArmCode(Bytes bytes, bool thumb) : bytes_(bytes), thumb_(thumb) {}

	unsigned step() const { return thumb_ ? 2 : 4; }
	// 0: it ends here.
	unsigned bytes_at(std::uint64_t at) const;
	// Those of 32 bits of Thumb have their first halfword on top.
	std::uint32_t at(std::uint64_t at) const;
	// Calls with each place where r7 gets a number right before a system call, and the system call's; rising.
	template <typename Visit>
	void for_each_numbered_call(const Visit& visit) const;
	// The number that r7 gets; nothing: another instruction.
	std::optional<unsigned> number_at(std::uint64_t at) const;
	bool is_svc(std::uint64_t at) const;
	bool is_call(std::uint64_t at) const;
	bool is_jump(std::uint64_t at) const;
	// mov lr, #0.
	bool clears_link(std::uint64_t at) const;
	// Where it goes if the result was 0; nothing: another instruction.
	std::optional<std::uint64_t> branch_if_zero(std::uint64_t at) const;

private:
	std::uint16_t half(std::uint64_t at) const;

	Bytes bytes_;
	bool thumb_;
};

std::uint16_t ArmCode::half(std::uint64_t at) const
{
	std::uint16_t value = 0;
	std::memcpy(&value, bytes_.data() + at, sizeof(value));
	return value;
}

unsigned ArmCode::bytes_at(std::uint64_t at) const
{
	constexpr unsigned first_of_two = 29; // the highest five bits
	if (at >= bytes_.size() || bytes_.size() - at < step())
		return 0;
	const unsigned bytes = !thumb_ || half(at) >> 11 >= first_of_two ? 4 : 2;
	return bytes_.size() - at < bytes ? 0 : bytes;
}

std::uint32_t ArmCode::at(std::uint64_t at) const
{
	if (bytes_at(at) == 2)
		return half(at);
	const std::uint32_t low = half(at), high = half(at + 2);
	return thumb_ ? low << 16 | high : high << 16 | low;
}

std::optional<unsigned> ArmCode::number_at(std::uint64_t at) const
{
	const unsigned bytes = bytes_at(at);
	const std::uint32_t word = bytes ? this->at(at) : 0, number = word & 0xff;
	const std::uint32_t move = !thumb_ ? 0xe3a07000 : bytes == 4 ? 0xf04f0700 : 0x2700;
	if (!bytes || word - number != move)
		return {};
	return number;
}

bool ArmCode::is_svc(std::uint64_t at) const
{
	const unsigned bytes = bytes_at(at);
	if (bytes != step())
		return false;
	return thumb_ ? this->at(at) >> 8 == 0xdf : this->at(at) >> 24 == 0xef;
}

// The highest byte of svc is rare.
template <typename Visit>
void ArmCode::for_each_numbered_call(const Visit& visit) const
{
	const std::uint8_t* const begin = bytes_.data();
	const std::uint64_t top = step() - 1;
	for (std::uint64_t byte = top; byte < bytes_.size(); byte++) {
		const void* const found = std::memchr(begin + byte, thumb_ ? 0xdf : 0xef, bytes_.size() - byte);
		if (!found)
			return;
		byte = static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(found) - begin);
		const std::uint64_t svc = byte - top;
		if (svc % step() || !is_svc(svc))
			continue;
		for (const unsigned bytes : {4u, 2u})
			if (svc >= step() + bytes && bytes % step() == 0 && bytes_at(svc - bytes) == bytes &&
			    number_at(svc - bytes))
				visit(svc - bytes, svc);
	}
}

bool ArmCode::is_call(std::uint64_t at) const
{
	const std::uint32_t word = this->at(at);
	if (!thumb_)
		return (word & 0xfffffff0) == 0xe12fff30 || (word & 0xff000000) == 0xeb000000;
	return bytes_at(at) == 2 ? (word & 0xff87) == 0x4780 : (word & 0xf800c000) == 0xf000c000;
}

bool ArmCode::is_jump(std::uint64_t at) const
{
	const std::uint32_t word = this->at(at);
	if (!thumb_)
		return (word & 0xff000000) == 0xea000000;
	return bytes_at(at) == 2 ? word >> 11 == 0x1c : (word & 0xf800d000) == 0xf0009000;
}

bool ArmCode::clears_link(std::uint64_t at) const
{
	return this->at(at) == (thumb_ ? 0xf04f0e00 : 0xe3a0e000);
}

std::optional<std::uint64_t> ArmCode::branch_if_zero(std::uint64_t at) const
{
	const std::uint32_t word = this->at(at);
	const bool branches = thumb_ ? bytes_at(at) == 2 && word >> 8 == 0xd0 : word >> 24 == 0x0a;
	if (!branches)
		return {};
	const std::int32_t delta =
		thumb_ ? static_cast<std::int8_t>(word) * 2 + 4 : (static_cast<std::int32_t>(word << 8) >> 6) + 8;
	return at + static_cast<std::uint64_t>(static_cast<std::int64_t>(delta));
}

struct Found {
	std::uint64_t start, bytes; // in the code
	Rule rule;
};

Rule signal_rule(unsigned number)
{
	Rule rule;
	rule.kind = UW_RULE_SIGFRAME;
	rule.cfa_off = number == sys_sigreturn ? sigcontext_off : rt_sigcontext_off;
	return rule;
}

// From the child's first instruction to its first call, or to a jump with no way back: bionic leaves so.
std::optional<Found> thread_start(const ArmCode& code, std::uint64_t child)
{
	Rule rule;
	rule.kind = UW_RULE_THREAD_START;
	bool cleared = false;
	for (std::uint64_t at = child; at < child + max_thread_start_bytes && code.bytes_at(at);
	     at += code.bytes_at(at)) {
		cleared |= code.clears_link(at);
		if (code.is_call(at) || (cleared && code.is_jump(at)))
			return Found{child, at + code.bytes_at(at) - child, rule};
	}
	return {};
}

// What follows the system call: where the branch of the new thread ends.
std::uint64_t branch_end_after(const ArmCode& code, std::uint64_t svc)
{
	for (std::uint64_t at = svc; at - svc < max_branch_distance && code.bytes_at(at); at += code.bytes_at(at))
		if (code.branch_if_zero(at))
			return at + code.bytes_at(at);
	return 0;
}

std::optional<Found> thread_start_after(const ArmCode& code, std::uint64_t svc)
{
	for (std::uint64_t at = svc; at - svc < max_branch_distance && code.bytes_at(at); at += code.bytes_at(at))
		if (const auto child = code.branch_if_zero(at))
			return thread_start(code, *child);
	return {};
}

std::optional<Found> find_at(const ArmCode& code, std::uint64_t at, std::uint64_t svc)
{
	const std::optional<unsigned> number = code.number_at(at);
	if (*number == sys_sigreturn || *number == sys_rt_sigreturn)
		return Found{at - 1, svc + code.step() - (at - 1), signal_rule(*number)};
	return *number == sys_clone ? thread_start_after(code, svc) : std::nullopt;
}

} // namespace

std::vector<Stretch> system_call_stretches_arm(const ElfFile& file)
{
	std::vector<Stretch> stretches;
	for (const Segment& segment : file.segments()) {
		const Bytes bytes = file.read(segment.address, segment.bytes);
		for (const bool thumb : {true, false}) {
			const ArmCode code(bytes, thumb);
			code.for_each_numbered_call([&](std::uint64_t at, std::uint64_t svc) {
				const std::optional<Found> found = find_at(code, at, svc);
				const auto range = found ? offsets_of(file.segments(), segment.address + found->start,
								      found->bytes)
							 : std::nullopt;
				if (range)
					stretches.push_back({range->start, range->end, found->rule});
			});
		}
	}
	return stretches;
}

std::vector<CloneCall> clone_calls_arm(const ElfFile& file)
{
	std::vector<CloneCall> calls;
	for (const Segment& segment : file.segments()) {
		const Bytes bytes = file.read(segment.address, segment.bytes);
		const auto offset = [&](std::uint64_t into) {
			return static_cast<std::uint32_t>(segment.offset + into);
		};
		for (const bool thumb : {true, false}) {
			const ArmCode code(bytes, thumb);
			code.for_each_numbered_call([&](std::uint64_t at, std::uint64_t svc) {
				const std::optional<Found> thread =
					code.number_at(at) == sys_clone ? find_at(code, at, svc) : std::nullopt;
				if (!thread)
					return;
				const std::uint64_t after = svc + code.step();
				calls.push_back({offset(at),
						 offset(svc),
						 {offset(after), offset(branch_end_after(code, svc))},
						 {offset(thread->start), offset(thread->start + thread->bytes)},
						 segment.address + after});
			});
		}
	}
	return calls;
}

} // namespace uwind
