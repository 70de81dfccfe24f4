// SPDX-License-Identifier: GPL-2.0
// The beginning of a perf.data file: where its parts are.
#pragma once

#include <map>

#include "perf_data/file_bytes.h"

namespace uwind::perf_data {

struct FileHeader {
	std::uint64_t attribute_bytes = 0; // of an entry of attributes
	Part attributes;
	Part data;
	std::map<unsigned, Part> features;
};

// All parts lie in the file. An error says what the file is, and what to do.
Result<FileHeader> read_file_header(const FileBytes& file);

} // namespace uwind::perf_data
