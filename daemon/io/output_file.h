// SPDX-License-Identifier: GPL-2.0
// A file that appears whole or not at all.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <sys/types.h>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// Written next to its place and renamed into it. A place that is not a regular
// file (a terminal, a pipe, /dev/null) is written to directly.
class OutputFile {
public:
	enum class Older { replace, keep_as_old }; // keep_as_old: renamed to PATH.old

	static Result<OutputFile> create(const std::string& path, mode_t mode, Older older);
	OutputFile(OutputFile&& other) noexcept;
	OutputFile& operator=(OutputFile&&) = delete;
	~OutputFile(); // what was not committed is removed

	Status write(const std::function<void(std::ostream&)>& writer);
	Status commit();

private:
	OutputFile(std::string path, std::string temporary, UniqueFd fd, Older older);

	std::string path_;
	std::string temporary_; // "": none, or renamed
	UniqueFd fd_;
	Older older_;
};

} // namespace uwind
