// SPDX-License-Identifier: GPL-2.0
// The lines of /proc/kallsyms.
#include "io/kallsyms_text.h"

#include <algorithm>
#include <fcntl.h>
#include <set>
#include <unistd.h>

#include "io/text_file.h"

namespace uwind {
namespace {

constexpr char path[] = "/proc/kallsyms";
constexpr std::size_t most_bytes = 64u << 20;
constexpr std::size_t chunk_bytes = 64u << 10;

std::size_t underscores(std::string_view name)
{
	return std::min(name.find_first_not_of('_'), name.size());
}

// Of several names for one address, as perf chooses: code, not local, with few underscores before it, long.
bool is_better(const KernelSymbolLine& a, const KernelSymbolLine& b)
{
	if (a.is_code() != b.is_code())
		return a.is_code();
	const bool a_global = a.type < 'a', b_global = b.type < 'a';
	if (a_global != b_global)
		return a_global;
	if (underscores(a.name) != underscores(b.name))
		return underscores(a.name) < underscores(b.name);
	return a.name.size() > b.name.size();
}

} // namespace

std::optional<KernelSymbolLine> symbol_in(std::string_view line)
{
	const std::size_t space = line.find(' ');
	if (space == std::string_view::npos || line.size() < space + 4)
		return std::nullopt;
	const auto address = parse_number(line.substr(0, space), 16);
	KernelSymbolLine symbol;
	symbol.type = line[space + 1];
	if (!address || *address == 0)
		return std::nullopt;
	symbol.address = *address;
	symbol.name = line.substr(space + 3);
	const std::size_t tab = symbol.name.find('\t');
	if (tab == std::string_view::npos)
		return symbol;
	symbol.module = symbol.name.substr(tab + 1);
	symbol.name = symbol.name.substr(0, tab);
	if (symbol.module.size() > 2 && symbol.module.front() == '[' && symbol.module.back() == ']')
		symbol.module = symbol.module.substr(1, symbol.module.size() - 2);
	return symbol;
}

namespace {

// A module's lines come in one piece. Where it has more, these are functions of its init that ftrace remembers for
// traces: they are gone, and others may lie in their place. They come last, and may follow that module's own.
class Remembered {
public:
	bool is_next(KernelSymbolLine& symbol)
	{
		if (symbol.module != current_) {
			passed_.insert(current_);
			current_ = symbol.module;
			piece_++;
		}
		symbol.piece = piece_;
		return !current_.empty() && passed_.contains(current_);
	}

private:
	unsigned piece_ = 0;
	std::string_view current_;
	std::set<std::string_view> passed_;
};

} // namespace

std::vector<KernelSymbolLine> symbols_in(std::string_view text,
					 const std::function<bool(std::string_view line)>& is_wanted)
{
	std::vector<KernelSymbolLine> symbols;
	Remembered remembered;
	each_line(text, [&](std::string_view line) {
		if (!is_wanted(line))
			return;
		if (auto symbol = symbol_in(line); symbol && !remembered.is_next(*symbol))
			symbols.push_back(*symbol);
	});
	std::stable_sort(symbols.begin(), symbols.end(), [](const KernelSymbolLine& a, const KernelSymbolLine& b) {
		if (a.address != b.address)
			return a.address < b.address;
		return a.piece != b.piece ? a.piece < b.piece : is_better(a, b);
	});
	const auto rest =
		std::unique(symbols.begin(), symbols.end(), [](const KernelSymbolLine& a, const KernelSymbolLine& b) {
			return a.address == b.address;
		});
	symbols.erase(rest, symbols.end());
	return symbols;
}

Result<std::string> read_kallsyms()
{
	return read_text(path, most_bytes);
}

std::size_t core_bytes_of(std::string_view kallsyms)
{
	const std::size_t owner = kallsyms.find("]\n");
	if (owner == std::string_view::npos)
		return kallsyms.size();
	const std::size_t before = kallsyms.rfind('\n', owner);
	return before == std::string_view::npos ? 0 : before + 1;
}

// The kernel makes no line before it is asked for.
void OwnedKallsyms::get_ready()
{
	if (ready_ || !core_bytes_)
		return;
	UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
	std::vector<char> passed(chunk_bytes);
	for (std::size_t left = core_bytes_; fd && left;) {
		const ssize_t bytes = ::read(fd.get(), passed.data(), std::min(left, passed.size()));
		if (bytes <= 0)
			return;
		left -= static_cast<std::size_t>(bytes);
	}
	ready_ = std::move(fd);
}

Result<std::string> OwnedKallsyms::read()
{
	if (!ready_) {
		auto text = read_kallsyms();
		if (text)
			core_bytes_ = core_bytes_of(*text);
		return text;
	}
	const UniqueFd fd = std::move(ready_);
	std::string text;
	std::vector<char> chunk(chunk_bytes);
	for (ssize_t bytes; (bytes = ::read(fd.get(), chunk.data(), chunk.size())) > 0 && text.size() < most_bytes;)
		text.append(chunk.data(), static_cast<std::size_t>(bytes));
	return text;
}

} // namespace uwind
