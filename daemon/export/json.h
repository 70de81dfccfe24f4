// SPDX-License-Identifier: GPL-2.0
// The JSON report (include/uwind-report.schema.json): writing and reading.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

constexpr char first_of_report = '{';
constexpr char report_schema[] = "uwind-report/1";

// Of stack_depth.
constexpr std::size_t most_threads_with_depth = 1000;
constexpr std::size_t most_functions_with_frame = 100;

// One entry of an array per line. Bytes that are not UTF-8 become U+FFFD.
void write_json(const Report& report, std::ostream& out);

// Keys that it does not know are skipped; anything else that is not as the
// schema says is an error that names the place.
Result<Report> read_json(std::string_view text);
// The same. What is read takes the memory of what is in it, and not that of its text.
Result<Report> read_json(std::istream& in);

} // namespace uwind
