// SPDX-License-Identifier: GPL-2.0
// Runs a program instruction by instruction and compares what the core walks after
// each with a shadow stack.
//
// Usage: truth_step [--limit STEPS] PROGRAM [ARGUMENT]...
// Prints "steps N right N short N wrong N" and the places; exit status 1 if a stack
// was wrong or short.
#include "registers.h"
#include "shadow.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace truth {

namespace {

enum class Verdict { right, incomplete, wrong };
const char* const names[] = {"right", "short", "wrong"};

// A stack that ends early is short if all that it shows is true.
Verdict judge(const Stack& stack, std::uint64_t pc, const std::vector<Call>& calls)
{
	const std::size_t expected = calls.size() + 1;
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		if (i >= expected)
			return Verdict::wrong;
		const Frame& frame = stack.frames[i];
		if (frame.pc != (i ? calls[calls.size() - i].ra : pc))
			return Verdict::wrong;
		if (i + 1 < expected && frame.cfa && frame.cfa != calls[calls.size() - 1 - i].cfa)
			return Verdict::wrong;
	}
	if (stack.complete())
		return stack.frames.size() == expected ? Verdict::right : Verdict::wrong;
	return Verdict::incomplete;
}

class Stepper {
public:
	explicit Stepper(pid_t pid) : pid_(pid), target_(static_cast<std::uint32_t>(pid), own_arch()) {}
	// False if a stack was wrong or short.
	bool run(std::uint64_t limit);

private:
	bool step();
	void check();
	void show(const char* what, const Stack& stack) const;
	void report() const;

	const pid_t pid_;
	Target target_;
	Shadow shadow_;
	uw_regs regs_{};
	std::uint64_t steps_ = 0, count_[3] = {};
	std::map<std::string, std::uint64_t> places_[3]; // by verdict
};

// False: the program has ended.
bool Stepper::step()
{
	const uw_regs before = regs_;
	int status = 0;
	if (ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) != 0 || waitpid(pid_, &status, 0) != pid_ ||
	    !WIFSTOPPED(status) || !read_registers(pid_, regs_))
		return false;
	target_.forget_memory();
	shadow_.note(before, regs_, target_);
	return true;
}

void Stepper::show(const char* what, const Stack& stack) const
{
	std::printf("%s at %s, step %llu: stop %s\n", what, target_.name_of(regs_.pc).c_str(),
		    static_cast<unsigned long long>(steps_), stack.stop_text());
	for (const Frame& frame : stack.frames)
		std::printf("    ours   %-40s cfa %llx\n", target_.name_of(frame.pc).c_str(),
			    static_cast<unsigned long long>(frame.cfa));
	for (auto call = shadow_.calls().rbegin(); call != shadow_.calls().rend(); ++call)
		std::printf("    shadow %-40s cfa %llx\n", target_.name_of(call->ra).c_str(),
			    static_cast<unsigned long long>(call->cfa));
}

void Stepper::check()
{
	constexpr std::uint64_t most_shown = 5;
	const Stack stack = target_.walk(regs_);
	const Verdict verdict = judge(stack, regs_.pc, shadow_.calls());
	count_[static_cast<int>(verdict)]++;
	if (verdict == Verdict::right)
		return;
	auto& places = places_[static_cast<int>(verdict)];
	if (!places[target_.name_of(regs_.pc)]++ && places.size() <= most_shown)
		show(names[static_cast<int>(verdict)], stack);
}

void Stepper::report() const
{
	for (int verdict = 1; verdict < 3; verdict++)
		for (const auto& [place, times] : places_[verdict])
			std::printf("%s at %s: %llu times\n", names[verdict], place.c_str(),
				    static_cast<unsigned long long>(times));
	std::printf("steps %llu right %llu short %llu wrong %llu\n", static_cast<unsigned long long>(steps_),
		    static_cast<unsigned long long>(count_[0]), static_cast<unsigned long long>(count_[1]),
		    static_cast<unsigned long long>(count_[2]));
}

bool Stepper::run(std::uint64_t limit)
{
	read_registers(pid_, regs_);
	do
		check();
	while (++steps_ < limit && step());
	report();
	return count_[0] == steps_;
}

pid_t start(char** command)
{
	const pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
		execvp(command[0], command);
		std::perror(command[0]);
		_exit(127);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL);
	return pid;
}

} // namespace

} // namespace truth

int main(int argc, char** argv)
{
	std::uint64_t limit = ~std::uint64_t{0};
	int first = 1;
	if (argc > 2 && std::strcmp(argv[1], "--limit") == 0) {
		limit = std::strtoull(argv[2], nullptr, 10);
		first = 3;
	}
	if (first >= argc) {
		std::fputs("usage: truth_step [--limit STEPS] PROGRAM [ARGUMENT]...\n", stderr);
		return 64;
	}
	const pid_t pid = truth::start(argv + first);
	if (pid < 0)
		return 70;
	const bool good = truth::Stepper(pid).run(limit);
	kill(pid, SIGKILL);
	return good ? 0 : 1;
}
