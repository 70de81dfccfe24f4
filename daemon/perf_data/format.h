// SPDX-License-Identifier: GPL-2.0
// Numbers of perf.data files that the kernel's header does not have, or has only since Linux 6.19.
#pragma once

#include <cstdint>
#include <linux/perf_event.h>

namespace uwind::perf_data {

// Records that perf itself writes.
enum : std::uint32_t {
	record_ksymbol = 17,
	record_callchain_deferred = 22,
	record_of_perf = 64, // the first of them
	record_finished_round = 68,
	record_auxtrace = 71, // bytes follow that its header does not count
	record_compressed = 81,
	record_compressed_2 = 83,
};

// Sections after the data, by the bit in the header that says there is one.
enum : unsigned {
	feature_build_id = 2,
	feature_hostname = 3,
	feature_osrelease = 4,
	feature_version = 5,
	feature_arch = 6,
	feature_cmdline = 11,
	feature_event_desc = 12,
	feature_dir_format = 24,
	feature_compressed = 27,
	number_of_features = 256,
};

// Marks in a chain of addresses.
enum : std::uint64_t {
	context_kernel = static_cast<std::uint64_t>(-128),
	context_user = static_cast<std::uint64_t>(-512),
	context_user_deferred = static_cast<std::uint64_t>(-640), // a cookie follows
	context_first = static_cast<std::uint64_t>(-4095),
};

// Bits of a record's misc that have other names for other types.
enum : std::uint16_t {
	misc_mode = 7,
	misc_kernel = 1,
	misc_user = 2,
	misc_13 = 1 << 13,            // a mapping of data; a name by exec; a fork before the recording
	misc_mmap_build_id = 1 << 14, // of PERF_RECORD_MMAP2
	misc_build_id_size = 1 << 15, // of the entries of feature_build_id
};

enum : std::uint64_t {
	sample_read_lost = 1u << 4,
	branch_hw_index = 1u << 17,
	branch_counters = 1u << 19,
};

inline constexpr std::size_t build_id_bytes = 20;
inline constexpr std::size_t record_head_bytes = 8;

} // namespace uwind::perf_data
