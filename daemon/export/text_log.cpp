// SPDX-License-Identifier: GPL-2.0
// The file format of a log of the kernel's text: uwind-text-log(5) documents it.
#include "export/text_log.h"

#include <algorithm>
#include <cerrno>
#include <optional>

namespace uwind {
namespace {

constexpr std::string_view magic = "uwindtxt";
static_assert(magic[0] == first_of_text_log);
constexpr std::uint32_t version = 1;
constexpr std::uint32_t clock_monotonic = 1;
constexpr std::uint32_t most_text_bytes = 65536; // of a name
constexpr std::uint32_t most_callers = 64;

enum : std::uint32_t {
	type_symbols = 1,
	type_area = 2,
	type_edit = 3,
	type_loss = 4,
	type_look = 5,
	type_end = 6,
};

enum : std::uint32_t {
	area_comes = 1,
	area_at_begin = 2,
	area_content_known = 4,
	edit_before_known = 1,
};

// Appends little-endian numbers, and texts and bytes with their lengths before them.
class Writer {
public:
	void number(std::uint64_t value, unsigned bytes)
	{
		for (unsigned i = 0; i < bytes; i++)
			bytes_ += static_cast<char>(value >> (8 * i));
	}
	void u32(std::uint64_t value) { number(value, 4); }
	void u64(std::uint64_t value) { number(value, 8); }
	void text(std::string_view text)
	{
		text = text.substr(0, most_text_bytes);
		u32(text.size());
		bytes_ += text;
	}
	void bytes(const std::vector<std::uint8_t>& bytes)
	{
		u32(bytes.size());
		bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
	}
	void author(const TextAuthor& author)
	{
		u32(author.pid);
		u32(author.tid);
		u32(author.cpu);
		text(author.comm);
	}
	std::string take() { return std::move(bytes_); }

private:
	std::string bytes_;
};

std::uint32_t write(Writer& out, const TextSymbols& symbols)
{
	out.u64(symbols.time_ns);
	out.u32(symbols.symbols.size());
	for (const TextSymbol& symbol : symbols.symbols) {
		out.u64(symbol.address);
		out.text(symbol.name);
		out.text(symbol.module);
	}
	return type_symbols;
}

std::uint32_t write(Writer& out, const TextArea& area)
{
	out.u32((area.comes ? area_comes : 0u) | (area.at_begin ? area_at_begin : 0u) |
		(area.content_known ? area_content_known : 0u));
	out.u32(static_cast<std::uint32_t>(area.place));
	out.u64(area.time_ns);
	out.u64(area.address);
	out.u64(area.length);
	out.author(area.author);
	out.text(area.name);
	out.bytes(area.bytes);
	return type_area;
}

std::uint32_t write(Writer& out, const TextEdit& edit)
{
	out.u32(edit.before_known ? edit_before_known : 0u);
	out.u32(static_cast<std::uint32_t>(edit.kind));
	out.u64(edit.from_ns);
	out.u64(edit.until_ns);
	out.u64(edit.address);
	out.author(edit.author);
	out.text(edit.what);
	const std::size_t callers = std::min<std::size_t>(edit.callers.size(), most_callers);
	out.u32(callers);
	for (std::size_t i = 0; i < callers; i++)
		out.u64(edit.callers[i]);
	out.bytes(edit.before);
	out.bytes(edit.after);
	return type_edit;
}

std::uint32_t write(Writer& out, const TextLoss& loss)
{
	out.u64(loss.time_ns);
	out.u64(loss.count);
	return type_loss;
}

std::uint32_t write(Writer& out, const TextLook& look)
{
	out.u64(look.time_ns);
	out.u64(look.bytes);
	out.u64(look.different);
	out.u32(look.tries);
	return type_look;
}

std::uint32_t write(Writer& out, const TextEnd& end)
{
	out.u64(end.time_ns);
	out.u64(end.unplaced);
	return type_end;
}

std::string text_in(ByteCursor& in)
{
	const std::uint32_t length = in.u32();
	if (length > most_text_bytes)
		in.fail();
	const Bytes bytes = in.ok() ? in.take(length) : Bytes{};
	return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::vector<std::uint8_t> bytes_in(ByteCursor& in)
{
	const Bytes bytes = in.take(in.u32());
	return {bytes.begin(), bytes.end()};
}

TextAuthor author_in(ByteCursor& in)
{
	TextAuthor author;
	author.pid = in.u32();
	author.tid = in.u32();
	author.cpu = in.u32();
	author.comm = text_in(in);
	return author;
}

TextEntry symbols_in(ByteCursor& in)
{
	TextSymbols symbols;
	symbols.time_ns = in.u64();
	const std::uint32_t count = in.u32();
	for (std::uint32_t i = 0; i < count && in.ok(); i++) {
		TextSymbol symbol;
		symbol.address = in.u64();
		symbol.name = text_in(in);
		symbol.module = text_in(in);
		symbols.symbols.push_back(std::move(symbol));
	}
	return symbols;
}

TextEntry area_in(ByteCursor& in)
{
	TextArea area;
	const std::uint32_t flags = in.u32();
	const std::uint32_t place = in.u32();
	area.comes = flags & area_comes;
	area.at_begin = flags & area_at_begin;
	area.content_known = flags & area_content_known;
	area.place = static_cast<TextPlace>(place);
	area.time_ns = in.u64();
	area.address = in.u64();
	area.length = in.u64();
	area.author = author_in(in);
	area.name = text_in(in);
	area.bytes = bytes_in(in);
	if (place >= text_places || area.bytes.size() != (area.content_known ? area.length : 0) ||
	    area.address + area.length < area.address)
		in.fail();
	return area;
}

TextEntry edit_in(ByteCursor& in)
{
	TextEdit edit;
	edit.before_known = in.u32() & edit_before_known;
	const std::uint32_t kind = in.u32();
	edit.kind = static_cast<TextKind>(kind);
	edit.from_ns = in.u64();
	edit.until_ns = in.u64();
	edit.address = in.u64();
	edit.author = author_in(in);
	edit.what = text_in(in);
	const std::uint32_t callers = in.u32();
	for (std::uint32_t i = 0; i < callers && in.ok(); i++)
		edit.callers.push_back(in.u64());
	edit.before = bytes_in(in);
	edit.after = bytes_in(in);
	if (kind >= text_kinds || callers > most_callers || edit.from_ns > edit.until_ns ||
	    edit.before.size() != edit.after.size())
		in.fail();
	return edit;
}

TextEntry loss_in(ByteCursor& in)
{
	TextLoss loss;
	loss.time_ns = in.u64();
	loss.count = in.u64();
	return loss;
}

TextEntry look_in(ByteCursor& in)
{
	TextLook look;
	look.time_ns = in.u64();
	look.bytes = in.u64();
	look.different = in.u64();
	look.tries = in.u32();
	return look;
}

TextEntry end_in(ByteCursor& in)
{
	TextEnd end;
	end.time_ns = in.u64();
	end.unplaced = in.u64();
	return end;
}

// Nothing: of no type that is known. The cursor has failed where the entry contradicts itself.
std::optional<TextEntry> entry_in(std::uint32_t type, ByteCursor& in)
{
	switch (type) {
	case type_symbols:
		return symbols_in(in);
	case type_area:
		return area_in(in);
	case type_edit:
		return edit_in(in);
	case type_loss:
		return loss_in(in);
	case type_look:
		return look_in(in);
	case type_end:
		return end_in(in);
	default:
		return std::nullopt;
	}
}

Result<TextLogHead> head_in(ByteCursor& in)
{
	if (!std::ranges::equal(in.take(magic.size()), magic))
		return Error{EPROTO, "this is no log of kernel text"};
	if (const std::uint32_t found = in.u32(); in.ok() && found != version)
		return Error{EPROTO, "the log is of version " + std::to_string(found) +
					     ", and this program reads version " + std::to_string(version)};
	ByteCursor fields(in.take(in.u32()));
	TextLogHead head;
	const std::uint32_t arch = fields.u32();
	const std::uint32_t clock = fields.u32();
	head.begin_ns = fields.u64();
	head.begin_s = static_cast<std::int64_t>(fields.u64());
	head.boot_id = text_in(fields);
	head.release = text_in(fields);
	head.arch = static_cast<Arch>(arch);
	if (!in.ok() || !fields.ok() || clock != clock_monotonic ||
	    (head.arch != Arch::x86_64 && head.arch != Arch::arm64))
		return Error{EINVAL, "the log's head is broken or cut short"};
	return head;
}

} // namespace

std::string text_log_head(const TextLogHead& head)
{
	Writer fields;
	fields.u32(static_cast<std::uint32_t>(head.arch));
	fields.u32(clock_monotonic);
	fields.u64(head.begin_ns);
	fields.u64(static_cast<std::uint64_t>(head.begin_s));
	fields.text(head.boot_id);
	fields.text(head.release);
	const std::string text = fields.take();
	Writer out;
	out.u32(version);
	out.u32(text.size());
	return std::string(magic) + out.take() + text;
}

std::string text_log_entry(const TextEntry& entry)
{
	Writer payload, head;
	const std::uint32_t type = std::visit([&](const auto& one) { return write(payload, one); }, entry);
	const std::string bytes = payload.take();
	head.u32(type);
	head.u32(bytes.size());
	return head.take() + bytes;
}

// Entries of types that are not known are left out: a later version may add some.
Result<TextLog> read_text_log(Bytes file)
{
	ByteCursor in(file);
	auto head = head_in(in);
	if (!head)
		return head.error();
	TextLog log;
	log.head = std::move(*head);
	bool ended = false;
	while (in.left() >= 8) {
		const std::uint64_t at = in.position();
		const std::uint32_t type = in.u32();
		const std::uint32_t length = in.u32();
		if (length > in.left())
			break;
		ByteCursor payload(in.take(length));
		auto entry = entry_in(type, payload);
		if (!payload.ok())
			return Error{EINVAL, "the entry at byte " + std::to_string(at) + " is broken"};
		ended = type == type_end;
		if (entry)
			log.entries.push_back(std::move(*entry));
	}
	log.cut_short = !ended || in.left() > 0;
	std::stable_sort(log.entries.begin(), log.entries.end(),
			 [](const TextEntry& a, const TextEntry& b) { return time_of(a) < time_of(b); });
	return log;
}

} // namespace uwind
