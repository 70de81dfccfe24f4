// SPDX-License-Identifier: GPL-2.0
// Control groups of version 2, by their paths.
#include "io/cgroup.h"

#include <cerrno>
#include <fcntl.h>
#include <linux/magic.h>
#include <sstream>
#include <sys/vfs.h>

#include "io/text_file.h"

namespace uwind {
namespace {

// Where cgroup2 is mounted; "": nowhere.
std::string mount_point(const std::string& mounts)
{
	const auto text = read_text(mounts);
	std::istringstream lines(text ? *text : "");
	for (std::string line; std::getline(lines, line);) {
		std::istringstream words(line);
		std::string device, place, type;
		if (words >> device >> place >> type && type == "cgroup2")
			return place;
	}
	return "";
}

UniqueFd open_folder(const std::string& path)
{
	return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Error none_there(const std::string& path, const std::string& mount, int code)
{
	const std::string what = "cgroup " + path + ": ";
	if (code == EACCES || code == EPERM)
		return Error{code, what + "no permission to open its folder"};
	if (code == ENOTDIR)
		return Error{EINVAL, what + "not a cgroup, but a file: name the folder that it is in"};
	if (mount.empty())
		return Error{EINVAL,
			     what + "no cgroups of version 2 here: run `mount -t cgroup2 none /sys/fs/cgroup`, or see "
				    "systemd.unified_cgroup_hierarchy"};
	return Error{EINVAL, what + "there is none below " + mount + ": `systemd-cgls` lists the existing ones"};
}

Error not_version_2(const std::string& path, const std::string& mount, bool version_1)
{
	const std::string where = mount.empty() ? "and none of version 2 is mounted here" : "use one below " + mount;
	if (version_1)
		return Error{EINVAL, "cgroup " + path + ": is of version 1, which cannot be sampled: " + where};
	return Error{EINVAL, "cgroup " + path + ": is a folder, but not a cgroup: " + where};
}

} // namespace

Result<UniqueFd> open_cgroup(const std::string& path, const std::string& mounts)
{
	const std::string mount = mount_point(mounts);
	const std::string below = mount.empty() ? "" : mount + "/" + path;
	UniqueFd folder;
	int code = ENOENT;
	for (const std::string& candidate : {below, path.starts_with('/') ? path : ""}) {
		if (folder || candidate.empty())
			continue;
		folder = open_folder(candidate);
		if (!folder && errno != ENOENT)
			code = errno;
	}
	if (!folder)
		return none_there(path, mount, code);
	struct statfs facts {};
	if (::fstatfs(folder.get(), &facts) < 0)
		return errno_error(errno, "cgroup " + path);
	if (facts.f_type != CGROUP2_SUPER_MAGIC)
		return not_version_2(path, mount, facts.f_type == CGROUP_SUPER_MAGIC);
	return folder;
}

} // namespace uwind
