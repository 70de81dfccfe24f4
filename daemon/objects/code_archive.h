// SPDX-License-Identifier: GPL-2.0
// A report and all files that its names come from, in one archive: made where they are, used where they are not.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "io/archive.h"
#include "io/scratch_folder.h"
#include "objects/code_search.h"

// report.json                        the report, as it was
// .build-id/xx/yyyy                  a program or library, by its build-id xxyyyy
// .build-id/xx/yyyy.debug            its debug file, or one that others share (dwz)
// .build-id/xx/yyyy.dwo/IIIIIIIIIIIIIIII.dwo   debug information that was split off from it, by the unit's id
//
// Unpacked, that is a folder of debug files as gdb and other programs know it.
namespace uwind {

struct ArchivedCode {
	std::size_t files = 0;
	std::uint64_t bytes = 0;
	std::vector<std::string> missing; // "PATH: why"
};

// Errors of writing.
Result<ArchivedCode> write_code_archive(std::string_view report, const std::vector<CodeName>& names, CodeSearch& search,
					std::ostream& out);

// What such an archive has, in files of this machine for as long as this.
class CodeArchive {
public:
	// Errors of ArchiveReader. EINVAL: the archive is not one of a report.
	static Result<CodeArchive> unpack(const std::string& path, ArchiveLimits limits = {});

	const std::string& report() const { return report_; }
	// Nothing but the archive.
	CodePlaces places() const { return {{}, {scratch_.path()}}; }

private:
	CodeArchive(ScratchFolder scratch, std::string report)
	    : scratch_(std::move(scratch)), report_(std::move(report))
	{
	}

	ScratchFolder scratch_;
	std::string report_;
};

} // namespace uwind
