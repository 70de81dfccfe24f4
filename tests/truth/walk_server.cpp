// SPDX-License-Identifier: GPL-2.0
// Walks a stopped process that another program traces, as often as it is asked to.
//
// Usage: truth_walk PID 64|32
// Standard input, a line each: "ours" or "both" (64 bits), and registers in hexadecimal, by
// DWARF number, pc last: those of 32-bit Arm as far as LR, and pc with Thumb's bit. Standard output, a line of JSON
// each:
//   { "stop": "outermost", "complete": true, "frames": [[pc, cfa or 0, "libc.so.6+0x1"], …],
//     "libunwind": [[pc, cfa or 0], …] }      the latter for "both"
// Or "stop" and microseconds: after them the process gets SIGPWR, again and again
// until the next line comes (threads that end take signals along); no answer.
#include "remote_libunwind.h"
#include "target.h"
#include "traced.h"

#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <thread>

namespace {

using nlohmann::json;

bool parse_registers(std::istream& in, uw_arch arch, uw_regs& regs)
{
	const unsigned count = uw_abis[arch].nr_regs;
	regs = uw_regs{};
	for (unsigned i = 0; i < count; i++)
		in >> std::hex >> regs.r[i];
	regs.known = count == 32 ? ~0u : (1u << count) - 1;
	in >> std::hex >> regs.pc;
	regs.thumb = arch == UW_ARCH_ARM && (regs.pc & 1);
	regs.pc -= regs.thumb;
	return static_cast<bool>(in);
}

json answer(truth::Target& target, const uw_regs& regs)
{
	const truth::Stack stack = target.walk(regs);
	json frames = json::array();
	for (const truth::Frame& frame : stack.frames)
		frames.push_back({frame.pc, frame.cfa, target.name_of(frame.pc)});
	return {{"stop", stack.stop_text()}, {"complete", stack.complete()}, {"frames", std::move(frames)}};
}

void stop_later(pid_t pid, std::istream& in)
{
	unsigned microseconds = 0;
	in >> microseconds;
	std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
	pollfd input{STDIN_FILENO, POLLIN, 0};
	constexpr int a_while = 50; // milliseconds
	while (kill(pid, SIGPWR) == 0 && poll(&input, 1, a_while) == 0)
		continue;
}

json answer_both(truth::Target& target, truth::RemoteLibunwind& libunwind, const uw_regs& regs)
{
	json result = answer(target, regs);
	for (const truth::Frame& frame : libunwind.walk(regs))
		result["libunwind"].push_back({frame.pc, frame.cfa});
	return result;
}

} // namespace

int main(int argc, char** argv)
{
	const std::string bits = argc == 3 ? argv[2] : "";
	if (bits != "64" && bits != "32") {
		std::cerr << "usage: truth_walk PID 64|32\n";
		return 64;
	}
	std::setvbuf(stdin, nullptr, _IONBF, 0); // a line that waits in a buffer is not seen by poll()
	const auto pid = static_cast<std::uint32_t>(std::stoul(argv[1]));
	const uw_arch arch = bits == "32" ? truth::own_compat_arch() : truth::own_arch();
	truth::Target target(pid, arch);
	truth::RemoteLibunwind libunwind(pid, target);
	for (std::string line; std::getline(std::cin, line);) {
		std::istringstream in(line);
		std::string what;
		uw_regs regs;
		in >> what;
		if (what == "stop") {
			stop_later(static_cast<pid_t>(pid), in);
			continue;
		}
		if (!parse_registers(in, arch, regs)) {
			std::cerr << "truth_walk: not a line of registers: " << line << "\n";
			return 64;
		}
		target.forget_memory();
		std::cout << (what == "both" ? answer_both(target, libunwind, regs) : answer(target, regs)).dump()
			  << std::endl;
	}
	return 0;
}
