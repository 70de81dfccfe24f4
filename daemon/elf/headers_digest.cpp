// SPDX-License-Identifier: GPL-2.0
// All that opening a file has learned of it, as a digest.
#include "elf/headers_digest.h"

namespace uwind {
namespace {

void add(Digest& digest, const ElfHeader& header)
{
	digest.add_text(header.name);
	for (const std::uint64_t field :
	     {std::uint64_t{header.type}, header.address, header.offset, header.bytes, std::uint64_t{header.loaded},
	      std::uint64_t{header.code}, std::uint64_t{header.per_thread}, std::uint64_t{header.number},
	      std::uint64_t{header.link}})
		digest.add_number(field);
}

void add(Digest& digest, const std::vector<Segment>& segments)
{
	digest.add_number(segments.size());
	for (const Segment& segment : segments)
		for (const std::uint64_t field : {segment.address, segment.bytes, segment.offset})
			digest.add_number(field);
}

} // namespace

void add_headers(Digest& digest, const ElfFile& file)
{
	digest.add_number(static_cast<std::uint64_t>(file.arch_));
	digest.add_number(file.entry_);
	digest.add_number(file.raw_entry_);
	digest.add_text(file.build_id_);
	digest.add_number(file.debug_only_);
	digest.add_number(file.image_.file_bytes());
	add(digest, file.segments_);
	add(digest, file.loads_);
	digest.add_number(file.headers_.size());
	for (const ElfHeader& header : file.headers_)
		add(digest, header);
	for (const auto& [type, header] : file.programs_)
		add(digest, header);
}

} // namespace uwind
