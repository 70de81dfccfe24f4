// SPDX-License-Identifier: GPL-2.0
// A file that appears complete or not at all.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <sys/types.h>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// Written to a temporary file beside its path, then renamed. If the path is not a regular
// file (a terminal, a pipe, /dev/null), it is written to directly.
class OutputFile {
public:
	enum class Older { replace, keep_as_old }; // keep_as_old: an older file is renamed to PATH.old

	static Result<OutputFile> create(const std::string& path, mode_t mode, Older older);
	OutputFile(OutputFile&& other) noexcept;
	OutputFile& operator=(OutputFile&&) = delete;
	~OutputFile(); // removes a file that was not committed

	Status write(const std::function<void(std::ostream&)>& writer);
	Status commit();

private:
	OutputFile(std::string path, std::string temporary, UniqueFd fd, Older older);

	std::string path_;
	std::string temporary_; // "": there is none, or it was renamed
	UniqueFd fd_;
	Older older_;
};

} // namespace uwind
