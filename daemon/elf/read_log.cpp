// SPDX-License-Identifier: GPL-2.0
// What was read of a file: pieces that may overlap, and what they are together.
#include "elf/read_log.h"

#include <algorithm>

namespace uwind {
namespace {

bool begins_with(Bytes bytes, Bytes start)
{
	return std::ranges::equal(bytes.first(std::min(bytes.size(), start.size())),
				  start.first(std::min(bytes.size(), start.size())));
}

} // namespace

// Two pieces at one offset are the longer one.
void ReadLog::add(std::uint64_t offset, Bytes bytes)
{
	if (!whole_ || bytes.empty())
		return;
	const auto [place, is_new] = pieces_.try_emplace(offset, bytes);
	if (is_new)
		whole_ = pieces_.size() <= max_pieces;
	else if (bytes.data() != place->second.data())
		whole_ = begins_with(bytes, place->second);
	if (bytes.size() > place->second.size())
		place->second = bytes;
}

std::optional<ReadLog::Read> ReadLog::read(const Digest::Key& key) const
{
	if (!whole_)
		return std::nullopt;
	Read read;
	Digest digest(key);
	Bytes last; // the piece that reaches furthest
	std::uint64_t start = 0;
	for (const auto& [offset, bytes] : pieces_) {
		const std::uint64_t end = start + last.size();
		const std::uint64_t known = offset < end ? end - offset : 0;
		if (known && !begins_with(last.subspan(offset - start), bytes))
			return std::nullopt;
		if (bytes.size() <= known)
			continue;
		if (read.places.empty() || offset > end)
			read.places.push_back({offset, 0});
		read.places.back().bytes += bytes.size() - known;
		digest.add(bytes.subspan(known));
		start = offset;
		last = bytes;
	}
	read.digest = digest.value();
	return read;
}

} // namespace uwind
