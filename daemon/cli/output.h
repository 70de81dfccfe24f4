// SPDX-License-Identifier: GPL-2.0
// What verbs write: to a file, or to standard output.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

// "-": standard output. A file appears whole or not at all, in place of an older one, and is its owner's only. If its
// name ends in ".zst", what is written is compressed.
Status write_to(const std::string& path, const std::function<void(std::ostream&)>& writer);
// As it is written; of an error no file appears.
Status write_unless_failed(const std::string& path, const std::function<Status(std::ostream&)>& writer);

// What a file of that name holds of a report, by its end: ".perf.data", ".pb.gz" or ".pprof" (pprof), ".otlp",
// ".otlp.json"; the name may be no more than that, without the first dot. All others hold JSON. ".zst" after it: the
// same, compressed.
using ReportWriter = std::function<void(const Report&, std::ostream&)>;
ReportWriter writer_of(const std::string& path);

} // namespace uwind
