// SPDX-License-Identifier: GPL-2.0
// Anyone may have made the program and its link. A file that they name is inspected before
// it is opened, checked before it is used, and read for a bounded time.
#include "io/debug_file.h"

#include <algorithm>
#include <sys/stat.h>
#include <vector>
#include <zlib.h>

#include "base/text.h"
#include "elf/sections.h"
#include "io/procfs.h"

namespace uwind {
namespace {

constexpr std::uint64_t max_checksum_bytes = 256u << 20;
constexpr std::size_t max_link_bytes = 4096;

// The contents of .gnu_debuglink: a file's name, padded to four bytes, and its checksum.
struct DebugLink {
	std::string name; // "": no link
	std::uint32_t checksum = 0;
};

// A name with a slash could name any file, so it is ignored.
DebugLink link_of(const ElfFile& file)
{
	const ElfFile::Found found = unloaded_section(file, ".gnu_debuglink");
	if (!found || !*found || (*found)->bytes.size() > max_link_bytes)
		return {};
	const Bytes bytes = (*found)->bytes;
	const auto end = std::find(bytes.begin(), bytes.end(), 0);
	const auto length = static_cast<std::size_t>(end - bytes.begin()), padded = (length + 4) & ~std::size_t(3);
	DebugLink link{std::string(bytes.begin(), end), 0};
	if (padded + 4 != bytes.size() || link.name.find('/') != std::string::npos)
		return {};
	link.checksum = word_at(bytes, padded);
	return link;
}

// The file's CRC-32, as .gnu_debuglink has it.
Result<std::uint32_t> checksum_of(int fd)
{
	std::vector<unsigned char> part(256 << 10);
	uLong sum = crc32(0, nullptr, 0);
	std::uint64_t at = 0;
	for (;;) {
		const ssize_t length = ::pread(fd, part.data(), part.size(), static_cast<off_t>(at));
		if (length < 0)
			return errno_error(errno, "cannot be read");
		if (length == 0)
			return static_cast<std::uint32_t>(sum);
		sum = crc32(sum, part.data(), static_cast<uInt>(length));
		at += static_cast<std::uint64_t>(length);
		if (at > max_checksum_bytes)
			return Error{EFBIG, "is too large for its checksum to be compared"};
	}
}

// Searches for one program's debug file.
class Search {
public:
	Search(const ElfFile& program, const DebugPlaces& places)
	    : places_(places), build_id_(program.build_id()), link_(link_of(program))
	{
	}

	DebugFile run();

private:
	std::vector<std::string> linked_paths() const;
	bool take(const std::string& path, bool linked);
	Status check(const DebugFile& file, bool linked) const;

	const DebugPlaces& places_;
	const std::string build_id_;
	const DebugLink link_;
	DebugFile found_;
};

std::vector<std::string> Search::linked_paths() const
{
	const std::size_t slash = places_.program.rfind('/');
	if (link_.name.empty() || slash == std::string::npos)
		return {};
	const std::string folder = places_.program.substr(0, slash + 1);
	return {folder + link_.name, folder + ".debug/" + link_.name, places_.folder + folder + link_.name};
}

Status Search::check(const DebugFile& file, bool linked) const
{
	const std::string& id = file.elf->build_id();
	if (!id.empty() && !build_id_.empty())
		return id == build_id_ ? Status(Nothing{})
				       : Error{ESTALE, "its build-id is " + id + ", not " + build_id_};
	if (!linked)
		return Error{ESTALE, "it has no build-id"};
	const auto sum = checksum_of(file.fd.get());
	if (!sum)
		return sum.error();
	if (*sum == link_.checksum)
		return Nothing{};
	return Error{ESTALE, "its checksum is " + hex(*sum) + ", not " + hex(link_.checksum)};
}

// If several files do not fit, the message names the first.
bool Search::take(const std::string& path, bool linked)
{
	auto opened = Procfs().open_path(path);
	if (!opened || path == places_.program)
		return false;
	DebugFile file;
	file.path = path;
	file.fd = std::move(opened->fd);
	auto elf = ElfFile::open_any(file.fd.get());
	Status fits = elf ? Status(Nothing{}) : elf.error();
	if (elf) {
		file.elf = std::move(*elf);
		fits = check(file, linked);
	}
	if (fits)
		found_ = std::move(file);
	else if (found_.refused.empty())
		found_.refused = path + " is not the debug file of " + places_.program + ": " + fits.error().message;
	return bool(fits);
}

DebugFile Search::run()
{
	bool done = is_build_id(build_id_) && take(places_.folder + place_of_build_id(build_id_) + ".debug", false);
	for (const std::string& path : linked_paths())
		done = done || take(path, true);
	return std::move(found_);
}

} // namespace

bool is_build_id(const std::string& text)
{
	return text.size() >= 4 && text.size() <= 128 && text.size() % 2 == 0 &&
	       text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string place_of_build_id(const std::string& build_id)
{
	return "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2);
}

UniqueFd open_debug_file(const std::string& build_id)
{
	if (!is_build_id(build_id))
		return {};
	auto opened = Procfs().open_path(debug_folder + place_of_build_id(build_id) + ".debug");
	return opened ? std::move(opened->fd) : UniqueFd();
}

DebugFile find_debug_file(const ElfFile& program, const DebugPlaces& places)
{
	return Search(program, places).run();
}

} // namespace uwind
