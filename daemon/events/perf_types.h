// SPDX-License-Identifier: GPL-2.0
// The fixed numbers of perf_event_attr's type and bp_type (linux/perf_event.h, linux/hw_breakpoint.h).
#pragma once

#include <cstdint>

namespace uwind {

inline constexpr std::uint32_t perf_type_hardware = 0;
inline constexpr std::uint32_t perf_type_software = 1;
inline constexpr std::uint32_t perf_type_tracepoint = 2;
inline constexpr std::uint32_t perf_type_cache = 3;
inline constexpr std::uint32_t perf_type_raw = 4;
inline constexpr std::uint32_t perf_type_breakpoint = 5;

// Where several kinds of CPUs have PMUs, the type of one of them is in config's high half.
inline constexpr unsigned extended_type_shift = 32;

inline constexpr std::uint32_t breakpoint_read = 1;
inline constexpr std::uint32_t breakpoint_write = 2;
inline constexpr std::uint32_t breakpoint_execute = 4;

} // namespace uwind
