// SPDX-License-Identifier: GPL-2.0
// Bytes of the kernel's memory, by /proc/kcore: an ELF core file of the running kernel (elf(5)).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

class KernelMemory {
public:
	static constexpr std::size_t most_segments = 4096;

	// ENOENT: the kernel has no such file; EPERM, EACCES: this user may not; EPROTO: it is no core file of 64 bits.
	static Result<KernelMemory> open(const std::string& path = "/proc/kcore");
	// All of the bytes. EFAULT: some are not in the file.
	Status read(std::uint64_t address, std::span<std::uint8_t> bytes) const;

private:
	struct Segment {
		std::uint64_t address, bytes, offset;
	};

	KernelMemory(UniqueFd fd, std::vector<Segment> segments) : fd_(std::move(fd)), segments_(std::move(segments)) {}

	UniqueFd fd_;
	std::vector<Segment> segments_;
};

} // namespace uwind
