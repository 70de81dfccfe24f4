// SPDX-License-Identifier: GPL-2.0
// One row of a table: of all stacks of a program, those that are exactly the shadow's, by
// position of the top frame (positions.h).
//
// Usage: truth_matrix --header
//        truth_matrix [--code] [--libraries EVERY] --main ADDRESS TITLE PROGRAM
// From the first instruction of main(), which lies at ADDRESS of the file, to its last; while
// the program runs it is sent SIGUSR1 and SIGUSR2. Standard output: TITLE and the cells, as
// Markdown; standard error: the first stacks that were not right.
//   --code             the program has no tables: reading its code, and frame pointers, must do
//   --libraries EVERY  in libraries, look at one instruction of so many
// Exit status 1: a stack was wrong, or more than one in 10,000 too short; with --code: more
// than one in a hundred was wrong or too short, or one whose frame pointer was set up.
#include "model/words.h"
#include "positions.h"
#include "traced.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <set>

namespace truth {

namespace {

struct Options {
	bool code = false;
	std::uint64_t libraries = 1, main = 0;
	const char* title = nullptr;
	char** command = nullptr;
};

class Row {
public:
	Row(pid_t pid, const Options& options) : options_(options), program_(pid) {}
	// The exit status.
	int run(std::uint64_t main, std::vector<uwind::OffsetRange> plts);

private:
	void look(Positions& positions);
	bool is_news(Verdict verdict);
	void disturb(const Positions& positions);
	bool good(const Positions& positions) const;
	void print(const Positions& positions) const;

	const Options& options_;
	Stepping program_;
	std::set<std::uint64_t> met_; // instructions of the program
	std::uint64_t steps_ = 0, in_handler_ = 0;
	std::map<Verdict, std::set<std::uint64_t>> shown_; // instructions
};

// An instruction is shown once, and no more than some of a verdict.
bool Row::is_news(Verdict verdict)
{
	constexpr std::size_t most_shown = 12;
	std::set<std::uint64_t>& shown = shown_[verdict];
	return shown.size() < most_shown && shown.insert(program_.regs().pc).second;
}

void Row::look(Positions& positions)
{
	if (!positions.in_program() && steps_ % options_.libraries != 0)
		return;
	const Stack stack = program_.target().walk(program_.regs());
	const Verdict verdict = judge(stack, program_);
	positions.add(verdict, stack.stop);
	if ((verdict == Verdict::wrong || verdict == Verdict::incomplete) && is_news(verdict))
		show(stderr, verdict_words[static_cast<int>(verdict)], stack, program_, steps_);
}

// Every third instruction of the program is interrupted, the first time that it is
// executed; and one of the handler, another one each time.
void Row::disturb(const Positions& positions)
{
	constexpr std::uint64_t every = 3, handler_instructions = 20;
	if (!positions.in_program())
		return;
	const std::vector<int> signals = positions.signals();
	const std::size_t met = met_.size();
	if (signals.empty() && met_.insert(program_.regs().pc).second && met % every == 0) {
		program_.send(met / every % 2 ? SIGUSR1 : SIGUSR2);
		in_handler_ = 0;
	} else if (signals.size() == 1 && signals.front() == SIGUSR1 &&
		   ++in_handler_ == met / every / 2 % handler_instructions) {
		program_.send(SIGUSR2);
	}
}

Cell sum_of(const Positions& positions)
{
	Cell sum;
	for (int i = 0; i < nr_positions; i++) {
		const Cell& cell = positions.cell(static_cast<Position>(i));
		sum.right += cell.right;
		sum.wrong += cell.wrong;
		for (const auto& [stop, times] : cell.incomplete)
			sum.incomplete[stop] += times;
	}
	return sum;
}

// Of so many stacks one may be something else than right.
bool one_in(std::uint64_t stacks, const Cell& cell)
{
	return cell.right && (cell.all() - cell.right) * stacks <= cell.all();
}

bool Row::good(const Positions& positions) const
{
	const Cell sum = sum_of(positions);
	if (!options_.code)
		return !sum.wrong && one_in(10'000, sum);
	const Cell& set = positions.with_frame_pointer();
	return set.right && set.right == set.all() && one_in(100, sum);
}

void print_cell(const Cell& cell)
{
	const std::uint64_t all = cell.all();
	if (!all)
		std::printf(" – |");
	else if (cell.right == all)
		std::printf(" 100 of %llu |", static_cast<unsigned long long>(all));
	else // rounded down: what is not 100 does not look so
		std::printf(" **%llu.%02llu** of %llu |", static_cast<unsigned long long>(cell.right * 100 / all),
			    static_cast<unsigned long long>(cell.right * 10000 / all % 100),
			    static_cast<unsigned long long>(all));
}

void Row::print(const Positions& positions) const
{
	const Cell sum = sum_of(positions);
	std::printf("| %s |", options_.title);
	for (int i = 0; i < nr_positions; i++)
		print_cell(positions.cell(static_cast<Position>(i)));
	print_cell(positions.with_frame_pointer());
	std::printf(" %llu |", static_cast<unsigned long long>(sum.wrong));
	const char* separator = " ";
	for (const auto& [stop, times] : sum.incomplete) {
		std::printf("%s%s %llu", separator, uwind::stop_words[stop], static_cast<unsigned long long>(times));
		separator = ", ";
	}
	std::printf("%s|\n", sum.incomplete.empty() ? " 0 " : " ");
}

int Row::run(std::uint64_t main, std::vector<uwind::OffsetRange> plts)
{
	while (program_.regs().pc != main)
		if (!program_.step())
			return 70;
	Positions positions(program_, std::move(plts));
	while (positions.follow()) {
		look(positions);
		disturb(positions);
		steps_++;
		if (!program_.step())
			return 70;
	}
	print(positions);
	return good(positions) ? 0 : 1;
}

void print_header()
{
	std::printf("| ABI | compiler | options | set | tables |");
	for (const char* word : position_words)
		std::printf(" %s |", word);
	std::printf(" frame pointer set up | wrong | short |\n|");
	for (int i = 0; i < 5 + nr_positions + 3; i++)
		std::printf("---|");
	std::printf("\n");
}

// File offsets of the sections with PLTs, whatever they have: none is an empty range.
std::vector<uwind::OffsetRange> plts_of(const uwind::ElfFile& file)
{
	std::vector<uwind::OffsetRange> plts;
	for (const char* name : {".plt", ".plt.got", ".plt.sec", ".iplt"})
		if (const auto section = file.section(name); section && *section)
			plts.push_back({static_cast<std::uint32_t>((*section)->offset),
					static_cast<std::uint32_t>((*section)->offset + (*section)->bytes.size())});
	return plts;
}

// False: they are not understood, or something is missing.
bool parse(char** arguments, Options& options)
{
	for (; *arguments && **arguments == '-'; arguments++) {
		if (std::strcmp(*arguments, "--code") == 0)
			options.code = true;
		else if (std::strcmp(*arguments, "--libraries") == 0 && arguments[1])
			options.libraries = std::strtoull(*++arguments, nullptr, 0);
		else if (std::strcmp(*arguments, "--main") == 0 && arguments[1])
			options.main = std::strtoull(*++arguments, nullptr, 0);
		else
			return false;
	}
	if (!arguments[0] || !arguments[1] || !options.libraries || !options.main)
		return false;
	options.title = *arguments++;
	options.command = arguments;
	return true;
}

std::uint64_t without_thumb(std::uint64_t address, uwind::Arch arch)
{
	return arch == uwind::Arch::arm ? address & ~1ull : address;
}

// What is added to the file's addresses: the program is moved as a whole.
std::uint64_t bias_of(pid_t pid, const uwind::ElfFile& file)
{
	return without_thumb(entry_of(pid), file.arch()) - file.entry();
}

int run_row(const Options& options)
{
	const uwind::UniqueFd fd(open(options.command[0], O_RDONLY | O_CLOEXEC));
	const auto file = uwind::ElfFile::open(fd.get());
	const pid_t pid = file ? start(options.command) : -1;
	int status = 70;
	if (pid > 0 && run_to(pid, {entry_of(pid)}))
		status = Row(pid, options)
				 .run(without_thumb(options.main, file->arch()) + bias_of(pid, *file), plts_of(*file));
	if (status == 70)
		std::fprintf(stderr, "truth_matrix: %s did not come to its main() and out of it\n", options.command[0]);
	if (pid > 0)
		kill(pid, SIGKILL);
	return status;
}

} // namespace

} // namespace truth

int main(int, char** argv)
{
	truth::Options options;
	if (argv[1] && std::strcmp(argv[1], "--header") == 0) {
		truth::print_header();
		return 0;
	}
	if (!truth::parse(argv + 1, options)) {
		std::fputs("usage: truth_matrix --header\n"
			   "       truth_matrix [--code] [--libraries EVERY] --main ADDRESS TITLE PROGRAM\n",
			   stderr);
		return 64;
	}
	return truth::run_row(options);
}
