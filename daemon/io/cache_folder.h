// SPDX-License-Identifier: GPL-2.0
// A folder of files that can be made again: bounded, and nobody else's.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_cursor.h"
#include "base/result.h"

namespace uwind {

// Safe to use from several threads and processes.
class CacheFolder {
public:
	static constexpr std::uint64_t default_bytes = 256 << 20;

	// Creates the folder (0700) if it is missing. EPERM: others than root and this user may write to it, or to a
	// folder above it.
	static Result<CacheFolder> open(const std::string& path, std::uint64_t max_bytes = default_bytes);

	const std::string& path() const { return path_; }
	// 32 random bytes that belong to the folder, in PATH.key: made when they are first asked for.
	Result<std::array<std::uint8_t, 32>> key() const;
	// Nothing: there is no such file, or it cannot be read. It counts as used now.
	std::optional<std::vector<std::uint8_t>> find(const std::string& name) const;
	// The file appears whole or not at all. When the folder has more than max_bytes, an eighth of them becomes
	// free: what was not used for longest goes. EFBIG: it alone has more than a quarter of them.
	Status store(const std::string& name, Bytes bytes) const;

private:
	CacheFolder(std::string path, std::uint64_t max_bytes);
	void remove_oldest() const;

	std::string path_;
	std::uint64_t max_bytes_;
	std::unique_ptr<std::atomic<std::uint64_t>> bytes_; // in it, as far as this process knows
};

} // namespace uwind
