// SPDX-License-Identifier: GPL-2.0
// Processes as /proc shows them.
#include "io/procfs.h"

#include <cerrno>
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "io/maps.h"
#include "io/process_text.h"
#include "io/stack_room.h"
#include "io/text_file.h"

namespace uwind {
namespace {

std::string proc(std::uint32_t pid, const std::string& name)
{
	return "/proc/" + std::to_string(pid) + "/" + name;
}

constexpr std::size_t most_maps_bytes = 64u << 20;

// "": it cannot be read.
std::string text_of(const std::string& path)
{
	auto text = read_text(path);
	return text ? std::move(*text) : "";
}

std::string first_line(const std::string& path)
{
	const std::string text = text_of(path);
	return text.substr(0, text.find('\n'));
}

std::string link_target(const std::string& path)
{
	char target[PATH_MAX];
	const ssize_t length = ::readlink(path.c_str(), target, sizeof(target));
	return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : "";
}

FileIdentity identity_of(const struct stat& status)
{
	return {major(status.st_dev), minor(status.st_dev), status.st_ino, static_cast<std::uint64_t>(status.st_size),
		static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
			static_cast<std::uint64_t>(status.st_mtim.tv_nsec)};
}

// To open a device or a pipe may have effects, so the file's type is checked first.
Result<OpenedFile> open_regular(const std::string& path)
{
	struct stat status {};
	if (::stat(path.c_str(), &status) < 0)
		return errno_error(errno, path);
	if (!S_ISREG(status.st_mode))
		return Error{EINVAL, path + ": not a regular file"};
	OpenedFile file;
	file.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (!file.fd || ::fstat(file.fd.get(), &status) < 0)
		return errno_error(errno, path);
	if (!S_ISREG(status.st_mode))
		return Error{EINVAL, path + ": not a regular file"};
	file.identity = identity_of(status);
	return file;
}

std::string path_of(int fd)
{
	char path[PATH_MAX] = "";
	const std::string link = "/proc/self/fd/" + std::to_string(fd);
	const ssize_t length = ::readlink(link.c_str(), path, sizeof(path));
	return length > 0 && length < PATH_MAX ? std::string(path, static_cast<std::size_t>(length)) : "";
}

bool same_device(const FileIdentity& file, const Mapping& mapping)
{
	return file.dev_major == mapping.dev_major && file.dev_minor == mapping.dev_minor;
}

} // namespace

std::vector<std::uint32_t> Procfs::pids()
{
	std::vector<std::uint32_t> result;
	const std::unique_ptr<DIR, FreeWith<&closedir>> folder(::opendir("/proc"));
	while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
		if (const auto pid = parse_number(entry->d_name))
			result.push_back(static_cast<std::uint32_t>(*pid));
	return result;
}

Result<std::vector<Mapping>> Procfs::mappings(std::uint32_t pid)
{
	const auto text = read_text(proc(pid, "maps"), most_maps_bytes);
	if (!text)
		return text.error();
	const std::string root = link_target(proc(pid, "root"));
	std::vector<Mapping> result;
	for (std::string_view left = *text; !left.empty();)
		if (auto mapping = parse_maps_line(next_part(left, '\n'))) {
			if (root != "/")
				mapping->path = below_root(mapping->path, root);
			result.push_back(std::move(*mapping));
		}
	return result;
}

std::string below_root(std::string_view path, const std::string& root)
{
	return std::string(path.starts_with(root + "/") ? path.substr(root.size()) : path);
}

// The second field is the name in parentheses, which may itself contain ')' and ' '.
std::optional<std::uint64_t> start_ticks_in(std::string_view stat)
{
	const auto behind_name = stat.rfind(')');
	if (behind_name == std::string_view::npos)
		return std::nullopt;
	std::string_view fields = stat.substr(behind_name + 1), field;
	next_part(fields, ' ');
	for (int number = 3; number <= 22; number++)
		field = next_part(fields, ' ');
	return parse_number(field.substr(0, field.find('\n')));
}

Result<ProcessFacts> Procfs::describe(std::uint32_t pid)
{
	const auto ticks = start_ticks_in(text_of(proc(pid, "stat")));
	if (!ticks)
		return errno_error(ESRCH, "process " + std::to_string(pid));
	ProcessFacts facts;
	const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
	facts.start_time_ns = *ticks * (1'000'000'000 / ticks_per_second);
	facts.exe = below_root(without_deleted(link_target(proc(pid, "exe"))), link_target(proc(pid, "root")));
	facts.comm = first_line(proc(pid, "comm"));
	return facts;
}

Result<ProcessDetails> Procfs::details(std::uint32_t pid)
{
	auto details = details_in(text_of(proc(pid, "status")), text_of(proc(pid, "cgroup")));
	if (!details)
		return errno_error(ESRCH, "process " + std::to_string(pid));
	details->arguments = arguments_in(text_of(proc(pid, "cmdline")));
	return std::move(*details);
}

Result<StackRoom> Procfs::stack_room(std::uint32_t pid)
{
	const auto maps = read_text(proc(pid, "maps"), most_maps_bytes);
	if (!maps)
		return maps.error();
	return stack_room_in(*maps, text_of(proc(pid, "limits")));
}

Result<OpenedFile> Procfs::open_path(const std::string& path)
{
	auto file = open_regular(path);
	if (file)
		file->path = path_of(file->fd.get());
	return file;
}

// /proc/PID/map_files leads to the mapped file itself, whatever its path is now. Only its
// inode is compared, since stat() may show another device (btrfs, overlayfs), or its path where
// stat() shows another inode, too (overlayfs). A file that is opened by its path must also
// have the same device.
Result<OpenedFile> Procfs::open_mapped(std::uint32_t pid, const Mapping& mapping)
{
	char range[64];
	std::snprintf(range, sizeof(range), "map_files/%llx-%llx", static_cast<unsigned long long>(mapping.start),
		      static_cast<unsigned long long>(mapping.end));
	const std::string link = proc(pid, range), root = proc(pid, "root");
	Result<OpenedFile> file = open_regular(link);
	if (!file || (file->identity.inode != mapping.inode &&
		      below_root(link_target(link), link_target(root)) != mapping.path)) {
		file = open_regular(root + mapping.path);
		if (!file)
			file = open_regular(mapping.path);
		if (!file)
			return file;
		if (!same_device(file->identity, mapping) || file->identity.inode != mapping.inode)
			return Error{ESTALE, mapping.path + ": another file by now"};
	}
	file->identity.dev_major = mapping.dev_major;
	file->identity.dev_minor = mapping.dev_minor;
	file->identity.inode = mapping.inode;
	return file;
}

Host Procfs::host()
{
	Host host;
	utsname name{};
	if (::uname(&name) == 0) {
		host.kernel = name.release;
		host.hostname = name.nodename;
	}
	host.boot_id = first_line("/proc/sys/kernel/random/boot_id");
	host.uwind = UWIND_VERSION;
	return host;
}

} // namespace uwind
