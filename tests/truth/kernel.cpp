// SPDX-License-Identifier: GPL-2.0
// The module against the core: a program is stopped again and again, the core walks
// it, the module is asked for its stack, and the program goes on by one instruction.
//
// Usage: truth_kernel STOPS PROGRAM [ARGUMENT]...
// uwindd must be running, for the tables. Prints what it compared; exit status 1 if
// a record differed, or if one did not come.
#include "io/machine.h"
#include "target.h"
#include "traced.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

namespace truth {

namespace {

using uwind::StackRecord;

constexpr std::uint32_t table_seconds = 120; // at most, until the daemon has registered what it met
constexpr std::uint32_t enough_equal = 40;   // in a row: it has

class Comparison {
public:
	Comparison(uwind::Machine& machine, pid_t pid)
	    : machine_(machine), pid_(pid), target_(static_cast<std::uint32_t>(pid), own_arch())
	{
	}

	// Until the module's tables are there: it says what the core says, again and again. False: the program or the
	// module is gone.
	bool warm_up();
	bool stop_and_ask();
	// Takes what has come; waits so long for something.
	void take(std::chrono::milliseconds timeout);
	int report();
	std::size_t open() const { return expected_.size(); }

private:
	bool run_a_while();
	bool step();
	void compare(const StackRecord& record);
	void show(const Stack& stack, const StackRecord& record);

	uwind::Machine& machine_;
	const pid_t pid_;
	Target target_;
	std::mt19937 random_{1};
	std::map<std::uint64_t, Stack> expected_; // by cookie
	std::uint64_t stops_ = 0, equal_ = 0, different_ = 0, lost_ = 0, frames_ = 0;
	std::uint32_t equal_in_a_row_ = 0;
	bool warming_up_ = true;
};

bool Comparison::step()
{
	int status = 0;
	return ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr) == 0 && waitpid(pid_, &status, 0) == pid_ &&
	       WIFSTOPPED(status);
}

// Then some instructions, so that no system call is being restarted.
bool Comparison::run_a_while()
{
	int status = 0;
	if (ptrace(PTRACE_CONT, pid_, nullptr, nullptr) != 0)
		return false;
	std::this_thread::sleep_for(std::chrono::microseconds(100 + random_() % 3000));
	kill(pid_, SIGSTOP);
	if (waitpid(pid_, &status, 0) != pid_ || !WIFSTOPPED(status))
		return false;
	for (unsigned steps = 1 + random_() % 4; steps; steps--)
		if (!step())
			return false;
	return true;
}

bool Comparison::warm_up()
{
	const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(table_seconds);
	while (equal_in_a_row_ < enough_equal && std::chrono::steady_clock::now() < end) {
		if (!stop_and_ask())
			return false;
		take(std::chrono::milliseconds(0));
	}
	take(std::chrono::milliseconds(500));
	warming_up_ = false;
	stops_ = expected_.size();
	return true;
}

bool Comparison::stop_and_ask()
{
	uw_regs regs;
	if (!run_a_while() || !read_registers(pid_, regs))
		return false;
	target_.forget_memory();
	Stack stack = target_.walk(regs);
	const auto cookie = machine_.device->ask(pid_);
	if (!cookie) {
		std::printf("truth_kernel: %s\n", cookie.error().message.c_str());
		return false;
	}
	expected_[*cookie] = std::move(stack);
	stops_++;
	return step();
}

void Comparison::take(std::chrono::milliseconds timeout)
{
	for (;;) {
		const auto batch = machine_.stream->receive(timeout);
		if (!batch || !*batch)
			return;
		for (const uwind::Record& record : (*batch)->records)
			if (const auto* stack = std::get_if<StackRecord>(&record))
				compare(*stack);
	}
}

std::vector<uwind::StackFrame> frames_of(const StackRecord& record)
{
	std::vector<uwind::StackFrame> frames;
	for (const auto* part = record.stack.get(); part; part = part->below.get())
		frames.insert(frames.end(), part->frames.begin(), part->frames.end());
	return frames;
}

// Of a record without a stack NONE, which no walk ends with.
uwind::Stop stop_of(const StackRecord& record)
{
	return record.stack ? record.stack->stop : uwind::Stop::NONE;
}

void Comparison::show(const Stack& stack, const StackRecord& record)
{
	const auto frames = frames_of(record);
	constexpr std::uint64_t most_shown = 5;
	if (different_ > most_shown)
		return;
	std::printf("different: core stops %s, module %d\n", stack.stop_text(), static_cast<int>(stop_of(record)));
	for (std::size_t i = 0; i < std::max(stack.frames.size(), frames.size()); i++) {
		const std::uint64_t core = i < stack.frames.size() ? stack.frames[i].pc : 0;
		const std::uint64_t module = i < frames.size() ? frames[i].pc : 0;
		std::printf("    core %-36s module %s\n", target_.name_of(core).c_str(),
			    target_.name_of(module).c_str());
	}
}

void Comparison::compare(const StackRecord& record)
{
	const auto found = expected_.find(record.cookie);
	if (found == expected_.end())
		return;
	const Stack stack = std::move(found->second);
	expected_.erase(found);
	const auto frames = frames_of(record);
	bool same = !record.lost && static_cast<int>(stop_of(record)) == static_cast<int>(stack.stop) &&
		    frames.size() == stack.frames.size();
	for (std::size_t i = 0; same && i < stack.frames.size(); i++)
		same = frames[i].pc == stack.frames[i].pc &&
		       static_cast<int>(frames[i].method) == static_cast<int>(stack.frames[i].method);
	equal_in_a_row_ = same ? equal_in_a_row_ + 1 : 0;
	if (warming_up_)
		return;
	lost_ += record.lost.has_value();
	frames_ += stack.frames.size();
	equal_ += same;
	different_ += !same;
	if (!same)
		show(stack, record);
}

int Comparison::report()
{
	std::printf("stops %llu, frames %llu, equal %llu, different %llu (lost %llu), unanswered %zu\n",
		    static_cast<unsigned long long>(stops_), static_cast<unsigned long long>(frames_),
		    static_cast<unsigned long long>(equal_), static_cast<unsigned long long>(different_),
		    static_cast<unsigned long long>(lost_), expected_.size());
	return different_ || !expected_.empty() || !equal_;
}

int fail(const std::string& message)
{
	std::fprintf(stderr, "truth_kernel: %s\n", message.c_str());
	return 70;
}

int run(std::uint64_t stops, char** command)
{
	auto machine = uwind::Machine::open();
	if (!machine)
		return fail(machine.error().message);
	const pid_t pid = start(command);
	if (pid < 0)
		return fail("the program did not start");
	uwind::SessionOptions options;
	options.targets = {pid};
	if (const auto session = (*machine)->device->start_session(options); !session)
		return fail(session.error().message);
	Comparison comparison(**machine, pid);
	if (!comparison.warm_up())
		return fail("the program ended early");
	while (stops-- && comparison.stop_and_ask())
		comparison.take(std::chrono::milliseconds(0));
	comparison.take(std::chrono::milliseconds(1000));
	kill(pid, SIGKILL);
	return comparison.report();
}

} // namespace

} // namespace truth

int main(int argc, char** argv)
{
	if (argc < 3) {
		std::fputs("usage: truth_kernel STOPS PROGRAM [ARGUMENT]...\n", stderr);
		return 64;
	}
	return truth::run(std::strtoull(argv[1], nullptr, 10), argv + 2);
}
