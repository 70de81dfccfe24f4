// SPDX-License-Identifier: GPL-2.0
// A file that grows while a program runs: what it has so far can be read if the program is killed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

class AppendFile {
public:
	// An older file of that name becomes NAME.old.
	static Result<AppendFile> create(const std::string& path, mode_t mode);
	// Kept in memory until there is some more, or flush().
	Status append(std::string_view bytes);
	Status flush();
	std::uint64_t bytes() const { return bytes_; }

private:
	AppendFile(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

	std::string path_;
	UniqueFd fd_;
	std::string waiting_;
	std::uint64_t bytes_ = 0; // all of them
};

} // namespace uwind
