// SPDX-License-Identifier: GPL-2.0
// A file whose parts are read one by one.
#pragma once

#include <string>
#include <vector>

#include "base/handle.h"
#include "base/result.h"

namespace uwind::perf_data {

struct Part {
	std::uint64_t offset = 0;
	std::uint64_t bytes = 0;
};

class FileBytes {
public:
	// EISDIR, and EINVAL if it is no regular file: with what to do instead.
	static Result<FileBytes> open(const std::string& path);

	const std::string& path() const { return path_; }
	std::uint64_t size() const { return size_; }
	std::int64_t modified() const { return modified_; } // seconds since 1970
	bool holds(const Part& part) const { return part.offset <= size_ && part.bytes <= size_ - part.offset; }
	// what: for the error if the file does not hold all of it, or it has more bytes than most.
	Result<std::vector<std::uint8_t>> read(const Part& part, const char* what, std::uint64_t most) const;
	// EINVAL; the message begins with the path.
	Error wrong(const std::string& what) const { return Error{EINVAL, path_ + ": " + what}; }

private:
	FileBytes(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

	std::string path_;
	UniqueFd fd_;
	std::uint64_t size_ = 0;
	std::int64_t modified_ = 0;
};

} // namespace uwind::perf_data
