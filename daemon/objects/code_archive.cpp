// SPDX-License-Identifier: GPL-2.0
// The writer of archives of a report and its files.
#include "objects/code_archive.h"

#include <cerrno>
#include <set>
#include <sys/stat.h>

#include "objects/split_places.h"

namespace uwind {
namespace {

// Names of the archive's files begin without the slash of a folder's.
std::string member_of(const std::string& build_id)
{
	return place_of_build_id(build_id).substr(1);
}

class Packer {
public:
	Packer(ArchiveWriter writer, CodeSearch& search) : writer_(std::move(writer)), search_(search) {}

	Status add_report(std::string_view report) { return writer_.add(report_member, report); }
	Status add(const CodeName& name);
	Status finish() { return writer_.finish(); }
	ArchivedCode& counts() { return counts_; }

private:
	Status add(const std::string& member, const FoundFile& file);
	Status add_shared(const CodeName& name, const FoundFile& file);
	Status add_split(const CodeName& name, const FoundFile& file);
	Status add_linked(const CodeName& name, const FoundFile& file);
	void lacks(const CodeName& name, const std::string& what)
	{
		counts_.missing.push_back(name.path + ": " + what);
	}

	ArchiveWriter writer_;
	CodeSearch& search_;
	std::set<std::string> done_; // members
	ArchivedCode counts_;
};

// Once.
Status Packer::add(const std::string& member, const FoundFile& file)
{
	if (!done_.insert(member).second)
		return Nothing{};
	struct stat facts {};
	counts_.files++;
	counts_.bytes += ::fstat(file.fd->get(), &facts) ? 0 : static_cast<std::uint64_t>(facts.st_size);
	return writer_.add(member, file.fd->get());
}

Status Packer::add_shared(const CodeName& name, const FoundFile& file)
{
	const auto shared = shared_debug_of(file.fd->get());
	if (!shared)
		return Nothing{};
	const auto found = search_.find_shared(file.path, *shared);
	if (found && is_build_id(shared->build_id))
		return add(member_of(shared->build_id) + ".debug", *found);
	lacks(name, shared->name + ", which has what its debug information shares with others, is not there");
	return Nothing{};
}

Status Packer::add_split(const CodeName& name, const FoundFile& file)
{
	std::size_t missing = 0;
	std::string first;
	for (const SplitDebug& split : split_debug_of(file.fd->get())) {
		const auto found = find_split(file.path, split);
		Status added = Nothing{};
		if (found)
			added = add(member_of(name.build_id) + split_member(split.id), *found);
		else if (!missing++)
			first = split.name;
		if (!added)
			return added;
	}
	if (missing)
		lacks(name, "of " + std::to_string(missing) +
				    " units the debug information was split off, and is not there (" + first + ")");
	return Nothing{};
}

// The files in which its debug information goes on.
Status Packer::add_linked(const CodeName& name, const FoundFile& file)
{
	const Status shared = add_shared(name, file);
	return shared ? add_split(name, file) : shared;
}

Status Packer::add(const CodeName& name)
{
	if (!is_build_id(name.build_id)) {
		lacks(name, "it has no build-id, by which it would be found in the archive");
		return Nothing{};
	}
	const auto found = search_.find(name);
	if (!found) {
		lacks(name, found.error().message);
		return Nothing{};
	}
	if (!found->debug && !(found->program && has_debug_information(found->program->elf)))
		lacks(name, found->refused.empty() ? "it has no debug information, and no debug file is there"
						   : found->refused);
	const std::string member = member_of(name.build_id);
	for (const auto& [file, place] :
	     {std::pair(&found->program, member), std::pair(&found->debug, member + ".debug")}) {
		if (!*file)
			continue;
		Status added = add(place, **file);
		if (added)
			added = add_linked(name, **file);
		if (!added)
			return added;
	}
	return Nothing{};
}

} // namespace

Result<ArchivedCode> write_code_archive(std::string_view report, const std::vector<CodeName>& names, CodeSearch& search,
					std::ostream& out)
{
	auto writer = ArchiveWriter::begin(out);
	if (!writer)
		return writer.error();
	Packer packer(std::move(*writer), search);
	Status status = packer.add_report(report);
	for (const CodeName& name : names)
		if (status)
			status = packer.add(name);
	if (status)
		status = packer.finish();
	return status ? Result<ArchivedCode>(std::move(packer.counts())) : status.error();
}

} // namespace uwind
