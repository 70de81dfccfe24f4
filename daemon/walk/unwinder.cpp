// SPDX-License-Identifier: GPL-2.0
// The kernel module's walk, of what it has sent.
#include "walk/unwinder.h"

#include <algorithm>

#include "walk/packed_table.h"
#include "walk/popped.h"

extern "C" {
#include "uw_port_walk.h"
#include "walk.h"
}

namespace uwind {
namespace {

// Addresses of programs have 48 bits; above them arm64 puts authentication codes.
constexpr std::uint64_t arm64_pac_mask = ~0ull << 48;

const uw_table no_rows{};

static_assert(std::tuple_size_v<decltype(Unfinished::registers)> == UW_NR_REGS);

uw_missed missed_of(const Unfinished& unfinished)
{
	uw_missed missed{};
	missed.regs.pc = unfinished.pc;
	std::ranges::copy(unfinished.registers, missed.regs.r);
	missed.regs.known = unfinished.known;
	missed.regs.on_stack = unfinished.on_stack;
	missed.regs.thumb = unfinished.thumb;
	missed.at.method = static_cast<u8>(unfinished.method);
	missed.at.exact = unfinished.exact;
	missed.at.doubted = unfinished.doubted;
	missed.at.aapcs = unfinished.r11;
	missed.at.signal_frames = unfinished.signal_frames;
	missed.nr_frames = unfinished.nr_frames;
	return missed;
}

// Files are numbered by their place, from 1.
std::vector<uw_port_code> codes_of(const std::vector<CodeMapping>& mappings, uw_arch arch)
{
	std::vector<uw_port_code> codes;
	for (const CodeMapping& mapping : mappings) {
		const auto* packed = static_cast<const PackedTable*>(mapping.table.get());
		uw_port_code code{};
		code.start = mapping.start;
		code.end = mapping.end;
		code.offset = mapping.offset;
		code.file = static_cast<u32>(codes.size() + 1);
		if (packed && packed->arch() == arch) {
			code.table = &packed->table();
			code.method = static_cast<u8>(packed->method());
		} else if (packed || mapping.has_none) {
			code.table = &no_rows;
		}
		codes.push_back(code);
	}
	return codes;
}

StackFrame frame_of(const uw_frame& raw)
{
	StackFrame frame;
	frame.pc = raw.pc;
	frame.offset = raw.offset;
	frame.file = raw.file;
	if (raw.stack_bytes != UW_STACK_BYTES_UNKNOWN)
		frame.stack_bytes = raw.stack_bytes;
	frame.method = Method(raw.method);
	return frame;
}

uw_port port_of(const std::vector<uw_port_code>& codes, const std::vector<uw_port_slice>& slices, uw_arch arch)
{
	uw_port port{};
	port.code = codes.data();
	port.nr_codes = static_cast<u32>(codes.size());
	port.slices = slices.data();
	port.nr_slices = static_cast<u32>(slices.size());
	port.word_bytes = uw_abis[arch].word;
	port.pac_mask = arch == UW_ARCH_ARM64 ? arm64_pac_mask : 0;
	return port;
}

} // namespace

Result<std::shared_ptr<const UnwindTable>> CoreUnwinder::table(const TableContent& content)
{
	auto packed = pack(content);
	if (!packed)
		return packed.error();
	return std::shared_ptr<const UnwindTable>(std::move(*packed));
}

GoneOn CoreUnwinder::go_on(const Unfinished& unfinished, std::vector<StackFrame> before,
			   const std::vector<CodeMapping>& mappings, std::uint32_t max_frames)
{
	const auto arch = static_cast<uw_arch>(unfinished.arch);
	const auto codes = codes_of(mappings, arch);
	const auto& bytes = unfinished.stack.get();
	const PoppedRegisters popped(unfinished, codes);
	std::vector<uw_port_slice> slices = popped.slices();
	slices.insert(slices.begin(), {unfinished.registers[uw_arch_sp(arch)], bytes.size(), bytes.data()});
	uw_port port = port_of(codes, slices, arch);
	const uw_missed from = missed_of(unfinished);
	uw_missed missed{};
	uw_walk walk{};
	walk.arch = arch;
	walk.max_frames = std::max(max_frames, static_cast<std::uint32_t>(before.size()));
	const auto frames = std::make_unique_for_overwrite<uw_frame[]>(walk.max_frames);
	walk.frames = frames.get();
	walk.missed = &missed;
	uw_walk_go_on(&walk, &from, &port);

	GoneOn result{std::move(before), Stop(walk.stop), std::nullopt};
	for (u32 i = unfinished.nr_frames; i < walk.nr_frames; i++)
		result.frames.push_back(frame_of(frames[i]));
	if (missed.file)
		result.missed = missed.file - 1;
	return result;
}

} // namespace uwind
