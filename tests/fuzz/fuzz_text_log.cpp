// SPDX-License-Identifier: GPL-2.0
// Any bytes as a log of the kernel's text: what is read is written as the same entries, holds no more than the file
// does, and can be replayed and asked for any range.
#include <ostream>
#include <streambuf>
#include <string>

#include "app/text_replay.h"
#include "export/text_log.h"
#include "export/text_summary.h"

namespace {

using namespace uwind;

void expect(bool is_so)
{
	if (!is_so)
		__builtin_trap();
}

std::string written(const TextLog& log)
{
	std::string file = text_log_head(log.head);
	for (const TextEntry& entry : log.entries)
		file += text_log_entry(entry);
	return file;
}

void check_answers(const TextLog& log, std::uint64_t time_ns, std::uint64_t address)
{
	constexpr std::uint64_t length = 16;
	const auto answer = TextReplay(log).at(time_ns, address, length);
	if (!answer)
		return;
	expect(answer->possible.size() <= TextReplay::most_possible);
	for (const auto& bytes : answer->possible)
		expect(bytes.size() <= length && bytes.size() == answer->possible.front().size());
}

// Forwards and backwards: if nothing contradicts itself, the beginning is empty again.
void check_replay(const TextLog& log)
{
	TextState state;
	for (const TextEntry& entry : log.entries)
		state.forward(entry);
	const bool fits = state.contradictions() == 0;
	for (auto entry = log.entries.rbegin(); entry != log.entries.rend(); ++entry)
		state.backward(*entry);
	expect(!fits || state.contradictions() > 0 || state.areas().empty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	const auto log = read_text_log(Bytes(data, size));
	if (!log)
		return 0;
	const std::string file = written(*log);
	expect(file.size() <= size);
	const auto again = read_text_log(Bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
	expect(again && written(*again) == file);
	check_replay(*log);
	for (const TextEntry& entry : log->entries)
		if (const auto* edit = std::get_if<TextEdit>(&entry)) {
			check_answers(*log, edit->from_ns, edit->address);
			check_answers(*log, edit->until_ns, edit->address - 3);
		}
	struct Nowhere : std::streambuf {
		int_type overflow(int_type c) override { return traits_type::not_eof(c); }
	} nowhere;
	std::ostream out(&nowhere);
	write_text_summary(*log, out);
	write_text_changes(*log, out);
	write_text_json(*log, "1", out);
	return 0;
}
