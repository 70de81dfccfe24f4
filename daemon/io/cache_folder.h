// SPDX-License-Identifier: GPL-2.0
// A folder of files that can be made again: bounded, and nobody else's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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

	// The same folder for one who stores ahead of need: nothing that was used since then is removed for it.
	// used_since_ns: since 1970, by the clock that file systems take times from (cache_clock_ns).
	CacheFolder sparing(std::int64_t used_since_ns) const;

	const std::string& path() const { return path_; }
	std::uint64_t max_bytes() const { return max_bytes_; }
	std::uint64_t bytes() const; // in it now, counted anew
	// Random bytes that belong to the folder, in its file "key", which stays: made when they are first asked for.
	Result<Digest::Key> key() const;
	struct Content {
		std::unique_ptr<std::uint8_t[]> memory;
		std::size_t size = 0;
		operator Bytes() const { return {memory.get(), size}; }
	};
	// Nothing: there is no such file, or it cannot be read. It counts as used now.
	std::optional<Content> find(const std::string& name) const;
	// The file appears whole or not at all. When the folder has more than max_bytes, an eighth of them becomes
	// free: what was not used for longest goes. EFBIG: it alone has more than a quarter of them. ENOSPC: the
	// disk is full, or, of a folder that is sparing(), nothing may be removed.
	Status store(const std::string& name, Bytes bytes) const;

private:
	// One for all copies.
	struct Shared {
		std::atomic<std::uint64_t> bytes; // in it, as far as this process knows
		std::mutex sparing;               // held by one who looks for room, until it is used
	};

	CacheFolder(std::string path, std::uint64_t max_bytes);
	Status write(const std::string& name, Bytes bytes) const;
	Status store_sparing(const std::string& name, Bytes bytes) const;
	std::uint64_t make_room(std::uint64_t wanted) const;

	std::string path_;
	std::uint64_t max_bytes_;
	std::shared_ptr<Shared> shared_;
	std::optional<std::int64_t> used_since_ns_; // what was used since is not removed; nothing: anything is
};

// Now, as the times of files have it.
std::int64_t cache_clock_ns();

} // namespace uwind
