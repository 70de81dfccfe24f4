// SPDX-License-Identifier: GPL-2.0
// What processes write about the code that they generate, found through /proc.
//
// A runtime may write its map only as it exits, when nothing of the process is left in /proc. So what leads there is
// opened while it runs: its folder in /proc, which is never another process', its /tmp, and its jitdump.
#include "io/generated_code.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <linux/openat2.h>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/handle.h"
#include "base/text.h"
#include "io/clock.h"
#include "io/maps.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t most_maps_bytes = 64u << 20;

std::uint64_t processor_cycles()
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	std::uint64_t cycles;
	asm volatile("mrs %0, cntvct_el0" : "=r"(cycles));
	return cycles;
#else
	return 0;
#endif
}

// The path's links, absolute ones too, stay in the folder.
UniqueFd open_below(int folder, const char* path, std::uint64_t flags)
{
	open_how how{};
	how.flags = flags | O_CLOEXEC;
	how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
	return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof(how))));
}

// Leads to what it is of.
std::string path_of(const UniqueFd& fd)
{
	return "/proc/self/fd/" + std::to_string(fd.get());
}

class OpenNotes : public CodeNotes {
public:
	OpenNotes(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

	Result<std::size_t> read(std::span<std::uint8_t> into) override
	{
		std::size_t have = 0;
		while (have < into.size()) {
			const ssize_t got = ::pread(fd_.get(), into.data() + have, into.size() - have, at_);
			if (got < 0 && errno != EINTR)
				return errno_error(errno, path_);
			if (got == 0)
				break;
			have += got > 0 ? static_cast<std::size_t>(got) : 0;
			at_ += got > 0 ? got : 0;
		}
		return have;
	}

	std::string path() const override { return path_; }

private:
	const UniqueFd fd_;
	const std::string path_;
	off_t at_ = 0;
};

// What /proc/PID/status says of it.
struct Identity {
	std::string number; // in its own namespace of processes
	uid_t user = 0;     // effective
};

std::optional<Identity> identity_in(std::string_view status)
{
	Identity identity;
	bool has_user = false;
	for (std::string_view left = status; !left.empty();) {
		std::string_view line = next_part(left, '\n');
		const std::string_view key = next_part(line, '\t');
		if (key == "NSpid:") {
			const auto last = line.rfind('\t');
			identity.number = line.substr(last == line.npos ? 0 : last + 1);
		} else if (key == "Uid:") {
			next_part(line, '\t');
			const auto user = parse_number(next_part(line, '\t'));
			has_user = user.has_value();
			identity.user = static_cast<uid_t>(user.value_or(0));
		}
	}
	if (!has_user || !parse_number(identity.number))
		return std::nullopt;
	return identity;
}

class SystemProcess : public GeneratingProcess {
public:
	SystemProcess(UniqueFd proc, Identity identity) : proc_(std::move(proc)), identity_(std::move(identity))
	{
		const UniqueFd root(::openat(proc_.get(), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
		tmp_ = open_below(root.get(), "tmp", O_PATH | O_DIRECTORY);
		find_dump();
	}

	Result<std::unique_ptr<CodeNotes>> perf_map() override
	{
		const std::string name = "perf-" + identity_.number + ".map";
		if (!tmp_)
			return errno_error(ENOENT, "/tmp/" + name);
		// O_NONBLOCK: a FIFO must not block.
		UniqueFd fd(::openat(tmp_.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
		return checked(std::move(fd), "/tmp/" + name);
	}

	Result<std::unique_ptr<CodeNotes>> jitdump() override
	{
		if (!dump_)
			find_dump();
		if (!dump_)
			return std::unique_ptr<CodeNotes>();
		UniqueFd fd(::open(path_of(dump_).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
		return checked(std::move(fd), dump_path_);
	}

	bool has_ended() override { return ::faccessat(proc_.get(), "status", F_OK, 0) < 0; }

private:
	// A file of its user or of root, as perf wants it.
	Result<std::unique_ptr<CodeNotes>> checked(UniqueFd fd, const std::string& path) const
	{
		struct stat status {};
		if (!fd || ::fstat(fd.get(), &status) < 0)
			return errno_error(errno, path);
		if (!S_ISREG(status.st_mode))
			return Error{EINVAL, path + ": not a regular file"};
		if (status.st_uid != 0 && status.st_uid != identity_.user)
			return Error{EPERM, path + ": it belongs to another user than the process, and not to root"};
		return std::unique_ptr<CodeNotes>(std::make_unique<OpenNotes>(std::move(fd), path));
	}

	// Runtimes map the beginning of their jitdump so that it is seen. O_PATH: nothing happens, whatever it is.
	void find_dump()
	{
		const auto maps = read_text(path_of(proc_) + "/maps", most_maps_bytes);
		if (!maps)
			return;
		const std::string name = "jit-" + identity_.number + ".dump";
		for (std::string_view left = *maps; !left.empty();) {
			const auto mapping = parse_maps_line(next_part(left, '\n'));
			if (mapping && basename_of(mapping->path) == name && open_dump(*mapping))
				return;
		}
	}

	bool open_dump(const Mapping& mapping)
	{
		char range[64];
		std::snprintf(range, sizeof(range), "map_files/%llx-%llx",
			      static_cast<unsigned long long>(mapping.start),
			      static_cast<unsigned long long>(mapping.end));
		dump_ = UniqueFd(::openat(proc_.get(), range, O_PATH | O_CLOEXEC));
		if (!dump_) {
			const UniqueFd root(::openat(proc_.get(), "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
			dump_ = open_below(root.get(), mapping.path.c_str(), O_PATH);
		}
		struct stat status {};
		if (!dump_ || ::fstat(dump_.get(), &status) < 0 || status.st_ino != mapping.inode)
			dump_.reset();
		dump_path_ = mapping.path;
		return bool(dump_);
	}

	const UniqueFd proc_; // its folder in /proc
	const Identity identity_;
	UniqueFd tmp_, dump_; // O_PATH
	std::string dump_path_;
};

} // namespace

Result<std::unique_ptr<GeneratingProcess>> SystemGeneratedCode::process(std::uint32_t pid)
{
	const std::string folder = "/proc/" + std::to_string(pid);
	UniqueFd proc(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
	const auto status = read_text(path_of(proc) + "/status");
	const auto identity = status ? identity_in(*status) : std::nullopt;
	if (!identity)
		return errno_error(ESRCH, "process " + std::to_string(pid));
	return std::unique_ptr<GeneratingProcess>(std::make_unique<SystemProcess>(std::move(proc), *identity));
}

ClockReading SystemGeneratedCode::clocks()
{
	ClockReading now;
	now.monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	now.boottime_ns = clock_ns(CLOCK_BOOTTIME);
	now.cycles = processor_cycles();
	return now;
}

} // namespace uwind
