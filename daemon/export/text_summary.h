// SPDX-License-Identifier: GPL-2.0
// A log of the kernel's text in a terminal: how often what changed it, and each change.
#pragma once

#include <iosfwd>
#include <string>

#include "model/text_counts.h"
#include "model/text_log.h"

namespace uwind {

// "jump label"
const char* text_kind_name(TextKind kind);
const char* text_place_name(TextPlace place);

TextCounts counts_of(const TextLog& log);
// What a program that has recorded says at its end, in one line.
std::string closing_text(const TextCounts& counts);
// Sums by kind, and the keys and functions that changed most often.
void write_text_summary(const TextLog& log, std::ostream& out);
// A line for each entry, in the order of time.
void write_text_changes(const TextLog& log, std::ostream& out);
// By include/uwind-report.schema.json. uwind: the version of the program that writes.
void write_text_json(const TextLog& log, const std::string& uwind, std::ostream& out);

} // namespace uwind
