// SPDX-License-Identifier: GPL-2.0
// Where debug information that was split off is: where it was made, in an archive, and where libdw looks for it.
#pragma once

#include <optional>
#include <string>

#include "objects/code_search.h"

namespace uwind {

inline constexpr char report_member[] = "report.json";

// ".dwo/00112233445566ff.dwo": after the name of the file that it was split off from.
std::string split_member(std::uint64_t id);

// Where the file at that path, or its compilation, says that it is. Nothing: it is not there.
std::optional<FoundFile> find_split(const std::string& beside, const SplitDebug& split);

// Below a folder of an unpacked archive: puts the file of this build-id, and what was split off from it, where libdw
// finds both. Names that are absolute, or leave more than eight folders, are not followed.
Status lay_out_split(const std::string& folder, const std::string& build_id);

} // namespace uwind
