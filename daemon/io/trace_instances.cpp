// SPDX-License-Identifier: GPL-2.0
// The kernel's function tracer, in instances of tracefs.
#include "io/trace_instances.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/handle.h"

namespace uwind {
namespace {

Status write_file(const std::string& path, const std::string& text)
{
	const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
	if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
		return errno_error(errno, path);
	return Nothing{};
}

// Of this name, until it is destroyed: what traces goes with its folder.
class Instance : public FunctionTracers::Tracing {
public:
	explicit Instance(std::string folder) : folder_(std::move(folder)) {}
	Instance(const Instance&) = delete;
	Instance& operator=(const Instance&) = delete;
	~Instance() override
	{
		(void)write_file(folder_ + "/current_tracer", "nop");
		::rmdir(folder_.c_str());
	}

	Status begin(const std::string& pattern)
	{
		if (!pattern.empty())
			if (auto chosen = write_file(folder_ + "/set_ftrace_filter", pattern); !chosen)
				return chosen;
		return write_file(folder_ + "/current_tracer", "function");
	}

private:
	const std::string folder_;
};

double now_ns()
{
	constexpr double ns_of_s = 1e9;
	timespec now{};
	::clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<double>(now.tv_sec) * ns_of_s + static_cast<double>(now.tv_nsec);
}

} // namespace

// One that an earlier run left behind is taken over.
Result<std::unique_ptr<FunctionTracers::Tracing>> TraceInstances::trace(const std::string& name,
									const std::string& pattern)
{
	const std::string path = folder_ + "/instances/" + name;
	if (::mkdir(path.c_str(), 0700) && errno != EEXIST)
		return errno_error(errno, path);
	auto instance = std::make_unique<Instance>(path);
	if (const auto begun = instance->begin(pattern); !begun)
		return begun.error();
	return std::unique_ptr<Tracing>(std::move(instance));
}

double TraceInstances::call_ns(std::uint64_t calls)
{
	const double begin = now_ns();
	for (std::uint64_t i = 0; i < calls; i++)
		(void)::getppid();
	return (now_ns() - begin) / static_cast<double>(calls);
}

} // namespace uwind
