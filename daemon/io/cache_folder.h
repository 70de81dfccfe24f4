// SPDX-License-Identifier: GPL-2.0
// A folder of files that can be made again: bounded, and nobody else's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
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
	// Random bytes that belong to the folder, in its file "key", which stays: made when they are first asked for.
	Result<Digest::Key> key() const;
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
