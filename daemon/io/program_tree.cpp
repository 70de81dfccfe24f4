// SPDX-License-Identifier: GPL-2.0
// The ELF files below some folders.
#include "io/program_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace uwind {
namespace {

// Of the kernels' own file systems those that may be mounted. linux/magic.h has not all of them.
constexpr std::uint32_t mqueue_magic = 0x19800202, configfs_magic = 0x62656570, fusectl_magic = 0x65735543;
constexpr std::uint32_t no_programs[] = {
	PROC_SUPER_MAGIC, SYSFS_MAGIC,      DEBUGFS_MAGIC, TRACEFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC,
	BPF_FS_MAGIC,     SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC,   DEVPTS_SUPER_MAGIC, PSTOREFS_MAGIC,
	EFIVARFS_MAGIC,   BINFMTFS_MAGIC,   NSFS_MAGIC,    mqueue_magic,  configfs_magic,     fusectl_magic,
};

bool is_kernels_own(int folder)
{
	struct statfs status {};
	return !::fstatfs(folder, &status) &&
	       std::ranges::find(no_programs, static_cast<std::uint32_t>(status.f_type)) != std::end(no_programs);
}

// What was there a moment ago may be gone, and a link may lead nowhere, or to itself.
bool is_gone(int code)
{
	return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

bool is_elf(int fd)
{
	char magic[SELFMAG] = "";
	return ::pread(fd, magic, SELFMAG, 0) == SELFMAG && !std::memcmp(magic, ELFMAG, SELFMAG);
}

std::string counted(std::size_t number, const std::string& what)
{
	return "more than " + std::to_string(number) + " " + what;
}

} // namespace

ProgramTree::ProgramTree(std::vector<std::string> paths, std::int64_t changed_since_s)
    : ProgramTree(std::move(paths), changed_since_s, Limits())
{
}

ProgramTree::ProgramTree(std::vector<std::string> paths, std::int64_t changed_since_s, const Limits& limits)
    : paths_(std::move(paths)), changed_since_s_(changed_since_s), limits_(limits)
{
}

std::optional<Result<ProgramFile>> ProgramTree::next()
{
	Found found;
	while (!found && !ended_)
		found = step();
	return found;
}

ProgramTree::Found ProgramTree::step()
{
	if (folder_)
		return look_at_next_in_folder();
	if (!waiting_.empty()) {
		const std::string path = std::move(waiting_.back());
		waiting_.pop_back();
		return enter(path);
	}
	if (next_path_ < paths_.size())
		return look_at(paths_[next_path_++], Origin::named);
	ended_ = true;
	return std::nullopt;
}

ProgramTree::Found ProgramTree::enter(const std::string& path)
{
	folder_.reset(::opendir(path.c_str()));
	if (!folder_)
		return is_gone(errno) ? Found() : errno_error(errno, path);
	if (is_kernels_own(::dirfd(folder_.get())))
		folder_.reset();
	folder_path_ = path.ends_with('/') ? path : path + "/";
	return std::nullopt;
}

ProgramTree::Found ProgramTree::look_at_next_in_folder()
{
	const dirent* entry = ::readdir(folder_.get());
	if (!entry) {
		folder_.reset();
		return std::nullopt;
	}
	const std::string name = entry->d_name;
	if (name == "." || name == "..")
		return std::nullopt;
	if (++names_ > limits_.names)
		return end_at_limit(folder_path_, counted(limits_.names, "files and folders"));
	if (entry->d_type != DT_REG && entry->d_type != DT_DIR && entry->d_type != DT_LNK &&
	    entry->d_type != DT_UNKNOWN)
		return std::nullopt;
	return look_at(folder_path_ + name, Origin::below);
}

ProgramTree::Found ProgramTree::look_at(const std::string& path, Origin origin)
{
	struct stat status {};
	if (::stat(path.c_str(), &status))
		return origin == Origin::below && is_gone(errno) ? Found() : errno_error(errno, path);
	if (S_ISREG(status.st_mode))
		return look_at_file(path, status, origin);
	if (!S_ISDIR(status.st_mode))
		return origin == Origin::below ? Found() : Error{EINVAL, path + ": neither a file nor a folder"};
	if (!folders_.emplace(status.st_dev, status.st_ino).second)
		return std::nullopt;
	if (folders_.size() > limits_.folders)
		return end_at_limit(path, counted(limits_.folders, "folders"));
	waiting_.push_back(path);
	return std::nullopt;
}

// Another file may have its name by now, even one that is not regular.
ProgramTree::Found ProgramTree::look_at_file(const std::string& path, const struct stat& status, Origin origin)
{
	const bool old = status.st_ctim.tv_sec < changed_since_s_;
	const auto bytes = static_cast<std::uint64_t>(status.st_size);
	if (old || (origin == Origin::below && bytes < sizeof(Elf32_Ehdr)) ||
	    files_.contains({status.st_dev, status.st_ino}))
		return std::nullopt;
	UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
	if (!fd)
		return is_gone(errno) ? Found() : errno_error(errno, path);
	struct stat opened {};
	if (::fstat(fd.get(), &opened) || opened.st_dev != status.st_dev || opened.st_ino != status.st_ino)
		return std::nullopt;
	if (!is_elf(fd.get()))
		return origin == Origin::below ? Found() : Error{EBADMSG, path + ": not an ELF file"};
	files_.emplace(status.st_dev, status.st_ino);
	if (files_.size() > limits_.files)
		return end_at_limit(path, counted(limits_.files, "programs and libraries"));
	if (bytes > limits_.bytes)
		return Error{EFBIG, path + ": has more than " + std::to_string(limits_.bytes >> 20) +
					    " MiB, so that no table of it is kept"};
	return ProgramFile{path, std::move(fd)};
}

ProgramTree::Found ProgramTree::end_at_limit(const std::string& path, const std::string& what)
{
	ended_ = true;
	waiting_.clear();
	folder_.reset();
	return Error{E2BIG, path + ": the rest is left out, since there are " + what + ": name fewer folders"};
}

} // namespace uwind
