// SPDX-License-Identifier: GPL-2.0
// bpf_cookies OBJECT PROGRAM PID TIMES: a line "COOKIE TID" for each of so many calls of a process. It is stopped when
// this begins, goes on, and is stopped again when this ends.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "cookies.h"

namespace {

struct Progress {
	long printed = 0;
	long wanted;
};

int print_call(void* context, void* data, std::size_t)
{
	auto* progress = static_cast<Progress*>(context);
	const auto* call = static_cast<const struct call*>(data);
	if (progress->printed == progress->wanted)
		return 0;
	progress->printed++;
	return std::printf("%llu %u\n", call->cookie, call->tid) < 0 ? -1 : 0;
}

using Object = std::unique_ptr<bpf_object, decltype(&bpf_object__close)>;
using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;
using Ring = std::unique_ptr<ring_buffer, decltype(&ring_buffer__free)>;

bool set_target(bpf_object* object, int pid)
{
	bpf_map* constants = nullptr;
	bpf_map* map = nullptr;
	bpf_object__for_each_map(map, object) if (bpf_map__is_internal(map)) constants = map;
	return constants && bpf_map__set_initial_value(constants, &pid, sizeof(pid)) == 0;
}

int complain(const char* what)
{
	std::perror(what);
	return 1;
}

// The others are not even loaded.
bpf_program* choose(bpf_object* object, const char* name)
{
	bpf_program* program = nullptr;
	bpf_object__for_each_program(program, object) bpf_program__set_autoload(program, false);
	program = bpf_object__find_program_by_name(object, name);
	if (program)
		bpf_program__set_autoload(program, true);
	return program;
}

bool is_stopped(int pid)
{
	std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
	std::string number, name, state;
	return stat >> number >> name >> state && state == "T";
}

// Nobody runs the patched text while the program is detached.
bool stop(int pid)
{
	if (kill(pid, SIGSTOP))
		return false;
	while (kill(pid, 0) == 0)
		if (is_stopped(pid))
			return true;
	return false;
}

int watch(const char* path, const char* name, int pid, Progress progress)
{
	const Object object(bpf_object__open_file(path, nullptr), bpf_object__close);
	if (!object)
		return complain(path);
	bpf_program* program = choose(object.get(), name);
	if (!program || !set_target(object.get(), pid) || bpf_object__load(object.get()))
		return complain("load the program");
	const Link link(bpf_program__attach(program), bpf_link__destroy);
	if (!link)
		return complain("attach the program");
	const int calls = bpf_object__find_map_fd_by_name(object.get(), "calls");
	const Ring ring(ring_buffer__new(calls, print_call, &progress, nullptr), ring_buffer__free);
	if (!ring || kill(pid, SIGCONT))
		return complain("begin");
	// Whatever there is: a ring that was full before anybody looked wakes nobody.
	while (progress.printed < progress.wanted)
		if (ring_buffer__poll(ring.get(), 100) < 0 || ring_buffer__consume(ring.get()) < 0)
			return complain("read what the program says");
	return stop(pid) ? 0 : complain("stop the process");
}

} // namespace

int main(int argc, char** argv)
{
	if (argc != 5) {
		std::fputs("usage: bpf_cookies OBJECT PROGRAM PID TIMES\n", stderr);
		return 64;
	}
	return watch(argv[1], argv[2], std::atoi(argv[3]), {0, std::atol(argv[4])});
}
