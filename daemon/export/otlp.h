// SPDX-License-Identifier: GPL-2.0
// Samples as profiles of the OpenTelemetry protocol (v1development).
#pragma once

#include <cstddef>
#include <iosfwd>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

// Of one report: a message of protobuf is less than 2 GiB.
inline constexpr std::size_t otlp_max_samples = 16'777'216;

// A resource for each program image, in it a profile for each of its events: samples with a stack, by stack, thread and
// CPU, each with its times since 1970 and its values, which are periods, or weights if periods are not known. Why there
// are no stacks, and why stacks are not complete, are attributes of the first profile. The same report gives the same
// bytes. A message ProfilesData, whose bytes are an ExportProfilesServiceRequest, too.
void write_otlp(const Report& report, std::ostream& out);
// The same as a line of JSON.
void write_otlp_json(const Report& report, std::ostream& out);

// EINVAL: there are more samples.
Status check_otlp(const Report& report);

} // namespace uwind
