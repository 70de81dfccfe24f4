// SPDX-License-Identifier: GPL-2.0
// Records of perf other than samples.
#include "perf_data/other_records.h"

#include <algorithm>
#include <sys/mman.h>

#include "base/text.h"
#include "perf_data/sample.h"

namespace uwind::perf_data {
namespace {

using Found = std::optional<PerfRecord>;

// A text that NULs pad. Without one it contradicts itself.
std::string text_at(ByteCursor& cursor)
{
	const Bytes bytes = cursor.take(cursor.left());
	const auto end = std::find(bytes.begin(), bytes.end(), 0);
	if (end == bytes.end())
		cursor.fail();
	return std::string(bytes.begin(), end);
}

void read_thread(ByteCursor& cursor, PerfThread& thread)
{
	thread.pid = cursor.u32();
	thread.tid = cursor.u32();
}

// Which file it is: by its place on a disk, or by its build-id.
void read_identity(ByteCursor& cursor, bool by_build_id, PerfMapping& mapping)
{
	ByteCursor identity(cursor.take(24));
	if (by_build_id) {
		const std::uint8_t bytes = identity.u8();
		identity.skip(3);
		mapping.build_id = digits_of(identity.take(std::min<std::size_t>(bytes, build_id_bytes)));
		return;
	}
	mapping.mapping.dev_major = identity.u32();
	mapping.mapping.dev_minor = identity.u32();
	mapping.mapping.inode = identity.u64();
}

Found mapping_in(ByteCursor cursor, std::uint32_t type, std::uint16_t misc)
{
	PerfMapping record;
	read_thread(cursor, record);
	record.mapping.start = cursor.u64();
	const std::uint64_t bytes = cursor.u64();
	record.mapping.end = record.mapping.start + bytes;
	record.mapping.pgoff = cursor.u64();
	record.executable = !(misc & misc_13);
	if (type == PERF_RECORD_MMAP2) {
		read_identity(cursor, misc & misc_mmap_build_id, record);
		record.executable = cursor.u32() & PROT_EXEC;
		cursor.skip(4);
	}
	record.mapping.path = text_at(cursor);
	record.kernel = (misc & misc_mode) == misc_kernel;
	// The kernel's may end where addresses do.
	if (record.mapping.end < record.mapping.start)
		record.mapping.end = ~std::uint64_t{0};
	return cursor.ok() && bytes ? Found(std::move(record)) : std::nullopt;
}

Found name_in(ByteCursor cursor, std::uint16_t misc)
{
	PerfName record;
	read_thread(cursor, record);
	record.comm = text_at(cursor);
	record.exec = misc & misc_13;
	return cursor.ok() ? Found(std::move(record)) : std::nullopt;
}

Found fork_in(ByteCursor cursor, std::uint16_t misc)
{
	PerfFork record;
	record.pid = cursor.u32();
	record.parent = cursor.u32();
	record.tid = cursor.u32();
	cursor.skip(4);
	record.time_ns = cursor.u64();
	record.before = misc & misc_13;
	return cursor.ok() ? Found(record) : std::nullopt;
}

Found exit_in(ByteCursor cursor)
{
	PerfExit record;
	record.pid = cursor.u32();
	cursor.skip(4);
	record.tid = cursor.u32();
	cursor.skip(4);
	record.time_ns = cursor.u64();
	return cursor.ok() ? Found(record) : std::nullopt;
}

Found deferred_in(ByteCursor cursor)
{
	PerfDeferredChain record;
	record.cookie = cursor.u64();
	record.user_chain = chain_at(cursor, false).user;
	return cursor.ok() ? Found(std::move(record)) : std::nullopt;
}

Found symbol_in(ByteCursor cursor)
{
	KernelRegionEvent record;
	KernelRegion& region = record.region;
	region.start = cursor.u64();
	region.bytes = cursor.u32();
	const bool is_program = cursor.u16() == PERF_RECORD_KSYMBOL_TYPE_BPF;
	const bool goes = cursor.u16() & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	record.change = goes ? KernelRegionChange::goes : KernelRegionChange::comes;
	region.symbol = text_at(cursor);
	region.owner = owner_of_region(is_program, region.symbol);
	return cursor.ok() && !region.symbol.empty() ? Found(std::move(record)) : std::nullopt;
}

// An event's id comes before the number.
Found lost_in(ByteCursor cursor, std::uint32_t type)
{
	if (type == PERF_RECORD_LOST)
		cursor.skip(8);
	const PerfLost record{cursor.u64()};
	return cursor.ok() ? Found(record) : std::nullopt;
}

Found record_in(const Sorter::Record& record, Bytes own)
{
	const ByteCursor cursor(own);
	switch (record.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mapping_in(cursor, record.type, record.misc);
	case PERF_RECORD_COMM:
		return name_in(cursor, record.misc);
	case PERF_RECORD_FORK:
		return fork_in(cursor, record.misc);
	case PERF_RECORD_EXIT:
		return exit_in(cursor);
	case record_callchain_deferred:
		return deferred_in(cursor);
	case record_ksymbol:
		return symbol_in(cursor);
	default:
		return lost_in(cursor, record.type);
	}
}

// Whose chain it is stands only at its end: process and thread come first there.
void read_owner(const Attribute& attribute, Bytes trailer, PerfDeferredChain& record)
{
	ByteCursor cursor(trailer);
	if (attribute.sample_type & PERF_SAMPLE_TID)
		read_thread(cursor, record);
	if (attribute.sample_type & PERF_SAMPLE_TIME)
		record.time_ns = cursor.u64();
}

} // namespace

Kind kind_of(std::uint32_t type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_LOST:
	case PERF_RECORD_COMM:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_FORK:
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_LOST_SAMPLES:
	case record_ksymbol:
	case record_callchain_deferred:
		return Kind::read;
	default:
		break;
	}
	const bool is_known =
		(type && type <= record_callchain_deferred) || (type >= record_of_perf && type <= record_compressed_2);
	return is_known ? Kind::ignored : Kind::unknown;
}

std::optional<PerfRecord> other_record_in(const Attribute& attribute, const Sorter::Record& record)
{
	const std::size_t trailer = trailer_bytes(attribute);
	if (record.body.size() < trailer)
		return std::nullopt;
	const std::size_t own = record.body.size() - trailer;
	Found found = record_in(record, Bytes(record.body).first(own));
	if (!found)
		return found;
	if (auto* chain = std::get_if<PerfDeferredChain>(&*found))
		read_owner(attribute, Bytes(record.body).subspan(own), *chain);
	const auto time = time_of(attribute, record.type, record.body);
	std::visit(
		[&](auto& one) {
			if constexpr (requires { one.time_ns; })
				one.time_ns = time.value_or(one.time_ns);
		},
		*found);
	return found;
}

} // namespace uwind::perf_data
