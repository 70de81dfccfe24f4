// SPDX-License-Identifier: GPL-2.0
// The machine that this program runs on, as `uwind doctor` looks at it.
#include "io/this_machine.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <grp.h>
#include <memory>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "io/debug_file.h"
#include "io/device.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t most_option_bytes = 4 << 20;

std::string name_of_user(uid_t uid)
{
	const passwd* entry = ::getpwuid(uid);
	return entry ? entry->pw_name : std::to_string(uid);
}

std::string name_of_group(gid_t gid)
{
	const group* entry = ::getgrgid(gid);
	return entry ? entry->gr_name : std::to_string(gid);
}

// "updates/dkms/uwind.ko.xz" in "updates/dkms/uwind.ko.xz: …" of modules.dep; "": not there.
std::string listed_module(const std::string& dependencies)
{
	std::size_t begin = 0;
	while (begin < dependencies.size()) {
		const auto end = std::min(dependencies.find('\n', begin), dependencies.size());
		const std::string_view line = std::string_view(dependencies).substr(begin, end - begin);
		const std::string_view path = line.substr(0, line.find(':'));
		if (basename_of(path).starts_with("uwind.ko"))
			return std::string(path);
		begin = end + 1;
	}
	return "";
}

} // namespace

RunningKernel ThisMachine::kernel()
{
	utsname name{};
	::uname(&name);
	return {name.release, name.machine};
}

Result<std::string> ThisMachine::kernel_options()
{
	const std::string release = kernel().release;
	for (const std::string& path : {"/boot/config-" + release, "/lib/modules/" + release + "/config"})
		if (auto text = read_text(path, most_option_bytes))
			return text;
	return read_gzip("/proc/config.gz");
}

Result<std::string> ThisMachine::read(const std::string& path)
{
	return read_text(path);
}

bool ThisMachine::exists(const std::string& path)
{
	return ::access(path.c_str(), F_OK) == 0;
}

std::optional<DeviceNode> ThisMachine::device(const std::string& path)
{
	struct stat status {};
	if (::stat(path.c_str(), &status) < 0 || !S_ISCHR(status.st_mode))
		return std::nullopt;
	return DeviceNode{status.st_mode & 07777u, name_of_user(status.st_uid), name_of_group(status.st_gid),
			  ::access(path.c_str(), R_OK | W_OK) == 0};
}

Result<ModuleVersion> ThisMachine::loaded_module()
{
	const auto device = Device::open();
	if (!device)
		return device.error();
	return (*device)->version();
}

ModuleFile ThisMachine::module_file()
{
	const std::string folder = "/lib/modules/" + kernel().release + "/";
	const auto dependencies = read_text(folder + "modules.dep", most_option_bytes);
	if (const std::string listed = dependencies ? listed_module(*dependencies) : ""; !listed.empty())
		return {folder + listed, true, has_signature(folder + listed)};
	for (const char* place : {"extra/uwind.ko", "updates/uwind.ko", "updates/dkms/uwind.ko"})
		if (exists(folder + place))
			return {folder + place, false, has_signature(folder + place)};
	return {};
}

Caller ThisMachine::caller()
{
	Caller caller;
	caller.user = name_of_user(::geteuid());
	std::array<gid_t, 1024> groups{};
	const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
	for (int i = 0; i < count; i++)
		caller.groups.push_back(name_of_group(groups[static_cast<std::size_t>(i)]));
	caller.groups.push_back(name_of_group(::getegid()));
	if (const auto status = read_text("/proc/self/status"))
		caller.capabilities = effective_capabilities(*status);
	return caller;
}

// The C library that this program is linked with.
DebugOfLibrary ThisMachine::debug_of_c_library()
{
	Dl_info info{};
	if (!::dladdr(reinterpret_cast<void*>(&::gnu_get_libc_version), &info) || !info.dli_fname)
		return {};
	const UniqueFd fd(::open(info.dli_fname, O_RDONLY | O_CLOEXEC));
	const auto elf = ElfFile::open_any(fd.get());
	if (!elf)
		return {info.dli_fname, ""};
	const DebugFile debug = find_debug_file(*elf, {info.dli_fname, debug_folder});
	return {info.dli_fname, debug.elf ? debug.path : ""};
}

// The kernel looks for exactly these words at the end of the file.
bool has_signature(const std::string& path)
{
	constexpr std::string_view mark = "~Module signature appended~\n";
	const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	std::array<char, mark.size()> end{};
	const off_t size = fd ? ::lseek(fd.get(), 0, SEEK_END) : -1;
	if (size < static_cast<off_t>(mark.size()))
		return false;
	const off_t at = size - static_cast<off_t>(mark.size());
	const ssize_t length = ::pread(fd.get(), end.data(), end.size(), at);
	return length == static_cast<ssize_t>(end.size()) && std::string_view(end.data(), end.size()) == mark;
}

Result<std::string> read_gzip(const std::string& path)
{
	const std::unique_ptr<gzFile_s, FreeWith<&gzclose>> file(::gzopen(path.c_str(), "rbe"));
	if (!file)
		return errno_error(errno ? errno : ENOMEM, path);
	std::string text;
	std::array<char, 16384> part{};
	for (;;) {
		const int length = ::gzread(file.get(), part.data(), static_cast<unsigned>(part.size()));
		if (length < 0)
			return Error{EBADMSG, path + ": is not what gzip writes"};
		text.append(part.data(), static_cast<std::size_t>(length));
		if (length == 0)
			return text;
		if (text.size() > most_option_bytes)
			return errno_error(EFBIG, path);
	}
}

std::uint64_t effective_capabilities(const std::string& status)
{
	constexpr std::string_view name = "\nCapEff:\t";
	const auto begin = status.find(name);
	if (begin == std::string::npos)
		return 0;
	const auto digits = begin + name.size();
	return parse_number(std::string_view(status).substr(digits, status.find('\n', digits) - digits), 16)
		.value_or(0);
}

} // namespace uwind
