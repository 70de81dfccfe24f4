// SPDX-License-Identifier: GPL-2.0
// Runs a program instruction by instruction and compares what the core walks after
// each with a shadow stack.
//
// Usage: truth_step [--whole] [--method METHOD] PROGRAM [ARGUMENT]...
// From the program's entry point, or (--whole) from the dynamic linker's first
// instruction. Prints how many stacks were right, and where they were not, and how
// frames were found; exit status 1 if a stack was wrong, or no frame of a right one
// was found by METHOD (sframe-v2, eh_frame, …).
//
//   short        ends early, by a named stop; what it shows is right
//   overwritten  a return address on the stack is no longer what the call left: the
//                C++ runtime does that while it enters a handler
//   jumping      in longjmp(), whose CFI describes where it jumps to, and at the C++
//                runtime's jump into a handler, before which it has popped its frame
#include "model/words.h"
#include "shadow.h"
#include "traced.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace truth {

namespace {

enum class Verdict { right, incomplete, overwritten, jumping, wrong };
const char* const names[] = {"right", "short", "overwritten", "jumping", "wrong"};
constexpr int nr_verdicts = 5;

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
	void run();
	bool wrong() const { return count_[static_cast<int>(Verdict::wrong)] != 0; }
	// Was any frame of a right stack found by this method?
	bool used(const std::string& method) const { return methods_.count(method) != 0; }

private:
	bool step();
	void check();
	bool in_unwinder(std::uint64_t pc) const
	{
		return target_.file_of(pc).find("/libgcc_s.so") != std::string::npos;
	}
	bool link_overwritten(std::uint64_t pc, const Call& call) const;
	bool overwritten();
	bool jumping(const Stack& stack) const;
	void show(const char* what, const Stack& stack) const;
	void report() const;

	const pid_t pid_;
	Target target_;
	Shadow shadow_;
	uw_regs regs_{};
	std::uint64_t steps_ = 0, count_[nr_verdicts] = {};
	std::map<std::string, std::uint64_t> places_[nr_verdicts];
	std::map<std::string, std::uint64_t> methods_; // frames of right stacks
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

// The topmost frame's return address is in a register, and another one by now.
bool Stepper::link_overwritten(std::uint64_t pc, const Call& call) const
{
	uw_found found{};
	return pc == regs_.pc && own_arch() == UW_ARCH_ARM64 && !target_.find(pc, found) &&
	       found.rule.ra_place == UW_PLACE_SAME && target_.strip(regs_.r[UW_ARM64_LR]) != call.ra;
}

// Is any return address gone from where the frame's rule says the call left it?
bool Stepper::overwritten()
{
	std::uint64_t pc = regs_.pc;
	for (auto call = shadow_.calls().rbegin(); call != shadow_.calls().rend(); ++call) {
		uw_found found{};
		std::uint64_t ra = 0;
		if (in_unwinder(pc) && link_overwritten(pc, *call))
			return true;
		if (in_unwinder(pc) && !target_.find(pc - (pc != regs_.pc), found) &&
		    found.rule.ra_place == UW_PLACE_CFA_MEM &&
		    target_.word(call->cfa + static_cast<std::uint64_t>(std::int64_t{found.rule.ra_off}), ra) &&
		    target_.strip(ra) != call->ra)
			return true;
		pc = call->ra;
	}
	return false;
}

// Behind the place to go to there are none but true frames.
bool Stepper::jumping(const Stack& stack) const
{
	uw_found found{};
	const auto& calls = shadow_.calls();
	if (target_.find(regs_.pc, found) || found.rule.kind != UW_RULE_FRAME || !stack.complete())
		return false;
	const bool own_register =
		found.rule.cfa_reg != uw_arch_sp(own_arch()) && found.rule.cfa_reg != uw_arch_fp(own_arch());
	const std::size_t behind = stack.frames.size() - 2;
	if (stack.frames.size() < 2 || behind > calls.size())
		return false;
	if (!own_register && !(in_unwinder(regs_.pc) && behind == calls.size()))
		return false;
	for (std::size_t i = 0; i < behind; i++)
		if (stack.frames[2 + i].pc != calls[behind - 1 - i].ra)
			return false;
	return true;
}

void Stepper::check()
{
	constexpr std::uint64_t most_shown = 5;
	const Stack stack = target_.walk(regs_);
	Verdict verdict = judge(stack, regs_.pc, shadow_.calls());
	if (verdict == Verdict::wrong)
		verdict = overwritten() ? Verdict::overwritten : jumping(stack) ? Verdict::jumping : verdict;
	count_[static_cast<int>(verdict)]++;
	if (verdict == Verdict::right) {
		for (const Frame& frame : stack.frames)
			methods_[uwind::method_words[frame.method]]++;
		return;
	}
	auto& places = places_[static_cast<int>(verdict)];
	if (!places[target_.name_of(regs_.pc)]++ && places.size() <= most_shown)
		show(names[static_cast<int>(verdict)], stack);
}

void Stepper::report() const
{
	for (int verdict = 1; verdict < nr_verdicts; verdict++)
		for (const auto& [place, times] : places_[verdict])
			std::printf("%s at %s: %llu times\n", names[verdict], place.c_str(),
				    static_cast<unsigned long long>(times));
	for (const auto& [method, frames] : methods_)
		std::printf("frames by %s: %llu\n", method.c_str(), static_cast<unsigned long long>(frames));
	std::printf("steps %llu", static_cast<unsigned long long>(steps_));
	for (int verdict = 0; verdict < nr_verdicts; verdict++)
		std::printf(", %s %llu", names[verdict], static_cast<unsigned long long>(count_[verdict]));
	std::printf("\n");
}

void Stepper::run()
{
	read_registers(pid_, regs_);
	do {
		check();
		steps_++;
	} while (step());
	report();
}

// AT_ENTRY of a program that has just been executed.
std::uint64_t entry_of(pid_t pid)
{
	std::ifstream vector("/proc/" + std::to_string(pid) + "/auxv", std::ios::binary);
	Elf64_auxv_t entry;
	while (vector.read(reinterpret_cast<char*>(&entry), sizeof(entry)))
		if (entry.a_type == AT_ENTRY)
			return entry.a_un.a_val;
	return 0;
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
	if (pid < 0 || (!options.whole && !truth::run_to(pid, truth::entry_of(pid)))) {
		std::fprintf(stderr, "truth_step: %s did not come to its entry point\n", options.command[0]);
		return 70;
	}
	return truth::step_through(pid, options.method) ? 0 : 1;
}
