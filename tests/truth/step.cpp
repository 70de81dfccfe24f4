// SPDX-License-Identifier: GPL-2.0
// Runs a program instruction by instruction and compares what the core walks after
// each with a shadow stack.
//
// Usage: truth_step [--whole] [--method METHOD] PROGRAM [ARGUMENT]...
// From the program's entry point, or (--whole) from the dynamic linker's first
// instruction; a program of this machine, of 64 or 32 bits. Prints how many stacks were
// right, and where they were not, and how frames were found; exit status 1 if a stack was
// wrong, or no frame of a right one was found by METHOD (sframe-v2, eh_frame, …).
#include "judge.h"
#include "model/words.h"
#include "traced.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace truth {

namespace {

class Stepper {
public:
	explicit Stepper(pid_t pid) : program_(pid) {}
	void run();
	bool wrong() const { return count_[static_cast<int>(Verdict::wrong)] != 0; }
	// Was any frame of a right stack found by this method?
	bool used(const std::string& method) const { return methods_.count(method) != 0; }

private:
	void check();
	void report() const;

	Stepping program_;
	std::uint64_t steps_ = 0, count_[nr_verdicts] = {};
	std::map<std::string, std::uint64_t> places_[nr_verdicts];
	std::map<std::string, std::uint64_t> methods_; // frames of right stacks
};

void Stepper::check()
{
	constexpr std::uint64_t most_shown = 5;
	const std::uint64_t pc = program_.regs().pc;
	const Stack stack = program_.target().walk(program_.regs());
	const Verdict verdict = judge(stack, program_);
	count_[static_cast<int>(verdict)]++;
	if (verdict == Verdict::right) {
		for (const Frame& frame : stack.frames)
			methods_[uwind::method_words[frame.method]]++;
		return;
	}
	auto& places = places_[static_cast<int>(verdict)];
	if (!places[program_.target().name_of(pc)]++ && places.size() <= most_shown)
		show(stdout, verdict_words[static_cast<int>(verdict)], stack, program_, steps_);
}

void Stepper::report() const
{
	for (int verdict = 1; verdict < nr_verdicts; verdict++)
		for (const auto& [place, times] : places_[verdict])
			std::printf("%s at %s: %llu times\n", verdict_words[verdict], place.c_str(),
				    static_cast<unsigned long long>(times));
	for (const auto& [method, frames] : methods_)
		std::printf("frames by %s: %llu\n", method.c_str(), static_cast<unsigned long long>(frames));
	std::printf("steps %llu", static_cast<unsigned long long>(steps_));
	for (int verdict = 0; verdict < nr_verdicts; verdict++)
		std::printf(", %s %llu", verdict_words[verdict], static_cast<unsigned long long>(count_[verdict]));
	std::printf("\n");
}

void Stepper::run()
{
	do {
		check();
		steps_++;
	} while (program_.step());
	report();
}

struct Options {
	bool whole = false;
	const char* method = nullptr;
	char** command = nullptr;
};

// False: they are not understood, or there is no program.
bool parse(char** arguments, Options& options)
{
	for (; *arguments && **arguments == '-'; arguments++) {
		if (std::strcmp(*arguments, "--whole") == 0)
			options.whole = true;
		else if (std::strcmp(*arguments, "--method") == 0 && arguments[1])
			options.method = *++arguments;
		else
			return false;
	}
	options.command = arguments;
	return *arguments != nullptr;
}

bool step_through(pid_t pid, const char* method)
{
	Stepper stepper(pid);
	stepper.run();
	kill(pid, SIGKILL);
	if (!method || stepper.used(method))
		return !stepper.wrong();
	std::printf("no frame was found by %s\n", method);
	return false;
}

} // namespace

} // namespace truth

int main(int, char** argv)
{
	truth::Options options;
	if (!truth::parse(argv + 1, options)) {
		std::fputs("usage: truth_step [--whole] [--method METHOD] PROGRAM [ARGUMENT]...\n", stderr);
		return 64;
	}
	const pid_t pid = truth::start(options.command);
	if (pid < 0 || (!options.whole && !truth::run_to(pid, {truth::entry_of(pid)}))) {
		std::fprintf(stderr, "truth_step: %s did not come to its entry point\n", options.command[0]);
		return 70;
	}
	return truth::step_through(pid, options.method) ? 0 : 1;
}
