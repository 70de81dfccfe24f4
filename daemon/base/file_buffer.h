// SPDX-License-Identifier: GPL-2.0
// A file's bytes as a stream has them, and why there are no more.
#pragma once

#include <streambuf>
#include <string>
#include <vector>

#include "base/handle.h"

namespace uwind {

// std::filebuf throws where reading fails, and forgets why opening did.
class FileBuffer : public std::streambuf {
public:
	// "-": standard input
	explicit FileBuffer(const std::string& path);

	// An errno, of opening or reading; there are no further bytes then. 0: none.
	int error() const { return error_; }

protected:
	int_type underflow() override;

private:
	UniqueFd own_; // not that of standard input
	int fd_ = -1;
	int error_ = 0;
	std::vector<char> bytes_;
};

} // namespace uwind
