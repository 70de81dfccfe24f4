// SPDX-License-Identifier: GPL-2.0
// perf's map files.
#include "jit/perf_map.h"

#include <limits>
#include <vector>

#include "base/text.h"

namespace uwind {
namespace {

std::optional<std::uint64_t> hex_number(std::string_view text)
{
	if (text.starts_with("0x") || text.starts_with("0X"))
		text.remove_prefix(2);
	return parse_number(text, 16);
}

// Lines of a file, none of which is longer than the buffer.
class Lines {
public:
	explicit Lines(CodeNotes& notes) : notes_(notes), buffer_(most_line_bytes) {}

	// The next line, without its end, or the start of one that is too long. Nothing: no more, or none that can be
	// read.
	std::optional<std::string_view> next()
	{
		for (bool cut = false;;) {
			const std::string_view have = held();
			const auto length = have.find('\n');
			if (length != have.npos) {
				at_ += length + 1;
				if (!cut)
					return have.substr(0, length);
				return too_long_;
			}
			if (have.size() == buffer_.size()) {
				cut = true;
				at_ = end_;
			}
			if (!fill())
				return last(cut);
		}
	}

	const std::optional<Error>& refused() const { return refused_; }
	bool longer() const { return longer_; }

private:
	std::string_view held() const { return {reinterpret_cast<const char*>(buffer_.data()) + at_, end_ - at_}; }

	// What no line ends may still be written, or was the last that was.
	std::optional<std::string_view> last(bool cut)
	{
		if (at_ == end_ && !cut)
			return std::nullopt;
		const std::string_view rest = cut ? too_long_ : held();
		at_ = end_;
		return rest;
	}

	bool fill()
	{
		std::copy(buffer_.begin() + std::ptrdiff_t(at_), buffer_.begin() + std::ptrdiff_t(end_),
			  buffer_.begin());
		end_ -= at_;
		at_ = 0;
		longer_ = total_ >= most_notes_bytes;
		if (longer_)
			return false;
		const auto got = notes_.read({buffer_.data() + end_, buffer_.size() - end_});
		if (!got)
			refused_ = got.error();
		if (!got || !*got)
			return false;
		end_ += *got;
		total_ += *got;
		return true;
	}

	static constexpr std::string_view too_long_ = "too long";

	CodeNotes& notes_;
	std::vector<std::uint8_t> buffer_;
	std::size_t at_ = 0, end_ = 0; // what was read of it, and not yet returned
	std::uint64_t total_ = 0;
	std::optional<Error> refused_;
	bool longer_ = false;
};

} // namespace

std::optional<PerfMapEntry> parse_perf_map_line(std::string_view line)
{
	const auto start = hex_number(next_part(line, ' '));
	const auto bytes = hex_number(next_part(line, ' '));
	if (!start || !bytes || line.empty() || *bytes > std::numeric_limits<std::uint64_t>::max() - *start)
		return std::nullopt;
	return PerfMapEntry{*start, *bytes, line};
}

NotesFlaws read_perf_map(CodeNotes& notes, const std::function<void(const PerfMapEntry&)>& found)
{
	NotesFlaws flaws;
	Lines lines(notes);
	for (std::uint64_t number = 1; const auto line = lines.next(); number++)
		if (const auto entry = parse_perf_map_line(*line))
			found(*entry);
		else if (!flaws.bad++)
			flaws.first = number;
	flaws.longer = lines.longer();
	flaws.refused = lines.refused();
	return flaws;
}

} // namespace uwind
