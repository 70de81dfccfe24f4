// SPDX-License-Identifier: GPL-2.0
// Where tables come from: what an ELF file says about unwinding itself.
#pragma once

#include "base/result.h"
#include "model/table_content.h"

namespace uwind {

class Tables {
public:
	virtual ~Tables() = default;

	// ENODATA: nothing in the file tells how to unwind it; EBADMSG: what does is broken.
	virtual Result<FileContent> of_file(int fd) = 0;
	// fd: a file with the vDSO's contents.
	virtual Result<FileContent> of_vdso(int fd) = 0;
	// How many bytes from the ELF entry point on are entry code; 0: a library, or not known.
	virtual std::uint64_t entry_bytes(int fd) = 0;
};

} // namespace uwind
