// SPDX-License-Identifier: GPL-2.0
// A log of the kernel's text in a terminal: how often what changed it, and each change.
#include "export/text_summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>

#include "base/text.h"

namespace uwind {
namespace {

constexpr std::size_t most_rows = 20;
constexpr std::array<const char*, text_kinds> kind_names = {"unknown",      "jump label",  "static call",
							    "kprobe",       "ftrace",      "BPF",
							    "alternatives", "module load", "unexplained"};
constexpr std::array<const char*, text_places> place_names = {"kernel", "module", "BPF", "out of line"};

std::string plural(std::uint64_t count, const std::string& noun)
{
	return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string seconds(std::uint64_t ns)
{
	constexpr std::uint64_t ns_of_s = 1'000'000'000;
	char text[48];
	std::snprintf(text, sizeof(text), "%llu.%09llu", static_cast<unsigned long long>(ns / ns_of_s),
		      static_cast<unsigned long long>(ns % ns_of_s));
	return text;
}

// "jump label 40, ftrace 12"; "": none
std::string kinds_in(const TextCounts& counts)
{
	std::string text;
	for (std::size_t kind = 0; kind < text_kinds; kind++)
		if (counts.edits[kind])
			text += (text.empty() ? "" : ", ") + std::string(kind_names[kind]) + " " +
				std::to_string(counts.edits[kind]);
	return text;
}

std::uint64_t all_edits(const TextCounts& counts)
{
	std::uint64_t sum = 0;
	for (const std::uint64_t edits : counts.edits)
		sum += edits;
	return sum;
}

void write_bounds(const TextLog& log, std::ostream& out)
{
	std::vector<std::uint64_t> widths;
	for (const TextEntry& entry : log.entries)
		if (const auto* edit = std::get_if<TextEdit>(&entry);
		    edit && edit->kind != TextKind::unexplained && edit->until_ns > edit->from_ns)
			widths.push_back(edit->until_ns - edit->from_ns);
	if (widths.empty())
		return;
	std::sort(widths.begin(), widths.end());
	out << "bounds in time: median " << widths[widths.size() / 2] << " ns, maximum " << widths.back() << " ns\n";
}

void write_most(const TextLog& log, std::ostream& out)
{
	std::map<std::pair<TextKind, std::string>, std::uint64_t> sums;
	for (const TextEntry& entry : log.entries)
		if (const auto* edit = std::get_if<TextEdit>(&entry))
			sums[{edit->kind, edit->what}]++;
	std::vector<std::pair<std::uint64_t, const std::pair<TextKind, std::string>*>> rows;
	for (const auto& [what, count] : sums)
		rows.emplace_back(count, &what);
	std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
	if (!rows.empty())
		out << "\n  changes  kind          of\n";
	for (std::size_t i = 0; i < rows.size() && i < most_rows; i++) {
		char line[64];
		std::snprintf(line, sizeof(line), "%9llu  %-12s  ", static_cast<unsigned long long>(rows[i].first),
			      text_kind_name(rows[i].second->first));
		out << line << (rows[i].second->second.empty() ? "?" : printable(rows[i].second->second)) << "\n";
	}
	if (rows.size() > most_rows)
		out << "and " << rows.size() - most_rows << " more\n";
}

// Lines of one log.
struct Lines {
	const TextLog& log;
	std::ostream& out;

	std::string at(std::uint64_t ns) const { return "+" + seconds(ns - std::min(ns, log.head.begin_ns)) + "  "; }
};

std::string named(std::uint64_t address, const std::string& name)
{
	return hex(address) + (name.empty() ? "" : " " + printable(name));
}

std::string by(const TextAuthor& author)
{
	if (!author.pid && author.comm.empty())
		return "";
	return ", by " + printable(author.comm.empty() ? "?" : author.comm) + " (" + std::to_string(author.pid) + ")";
}

void write_line(const Lines& to, const TextEdit& edit)
{
	to.out << to.at(edit.until_ns) << text_kind_name(edit.kind) << "  " << named(edit.address, edit.what) << ": "
	       << digits_of(edit.before) << " -> " << digits_of(edit.after);
	if (!edit.before_known)
		to.out << " (the old bytes are not known)";
	if (edit.until_ns > edit.from_ns)
		to.out << ", within the " << edit.until_ns - edit.from_ns << " ns before";
	to.out << by(edit.author) << "\n";
}

void write_line(const Lines& to, const TextArea& area)
{
	const char* what = area.at_begin ? "is there" : area.comes ? "comes" : "goes";
	to.out << to.at(area.time_ns) << what << "  " << named(area.address, area.name) << ": "
	       << plural(area.length, "byte") << " (" << text_place_name(area.place) << ")"
	       << (area.content_known ? "" : ", content not known") << by(area.author) << "\n";
}

void write_line(const Lines& to, const TextLoss& loss)
{
	to.out << to.at(loss.time_ns)
	       << "lost: " << (loss.count ? plural(loss.count, "record") : "what a new CPU did before it was watched")
	       << "\n";
}

void write_line(const Lines& to, const TextLook& look)
{
	to.out << to.at(look.time_ns) << "compared: " << plural(look.bytes, "byte") << ", of which " << look.different
	       << " were different without notice\n";
}

void write_line(const Lines&, const TextSymbols&) {}

void write_line(const Lines& to, const TextEnd& end)
{
	to.out << to.at(end.time_ns) << "end\n";
}

} // namespace

const char* text_kind_name(TextKind kind)
{
	return kind_names[static_cast<std::size_t>(kind)];
}

const char* text_place_name(TextPlace place)
{
	return place_names[static_cast<std::size_t>(place)];
}

TextCounts counts_of(const TextLog& log)
{
	TextCounts counts;
	for (const TextEntry& entry : log.entries) {
		if (const auto* edit = std::get_if<TextEdit>(&entry))
			counts.edits[static_cast<std::size_t>(edit->kind)]++;
		else if (const auto* area = std::get_if<TextArea>(&entry))
			counts.bytes += area->comes ? area->length : std::uint64_t{0} - area->length;
		else if (const auto* loss = std::get_if<TextLoss>(&entry))
			counts.lost += loss->count;
		else if (const auto* look = std::get_if<TextLook>(&entry))
			counts.different += look->different, counts.looks++;
		else if (const auto* end = std::get_if<TextEnd>(&entry))
			counts.unplaced = end->unplaced;
	}
	return counts;
}

std::string closing_text(const TextCounts& counts)
{
	const std::string kinds = kinds_in(counts);
	std::string text = plural(all_edits(counts), "change") + (kinds.empty() ? "" : " (" + kinds + ")");
	text += ", " + std::to_string(counts.bytes >> 10) + " KiB of text compared with memory " +
		plural(counts.looks, "time");
	if (counts.lost)
		text += ", " + plural(counts.lost, "record") + " lost";
	if (counts.different)
		text += ", " + plural(counts.different, "byte") + " changed without notice";
	return text;
}

void write_text_summary(const TextLog& log, std::ostream& out)
{
	const TextCounts counts = counts_of(log);
	const std::uint64_t end_ns = log.entries.empty() ? log.head.begin_ns : time_of(log.entries.back());
	out << "kernel text of " << printable(log.head.release) << " (" << arch_name(log.head.arch) << "), from "
	    << rfc3339(log.head.begin_s) << " for " << seconds(end_ns - std::min(end_ns, log.head.begin_ns)) << " s\n"
	    << closing_text(counts) << "\n";
	if (counts.unplaced)
		out << plural(counts.unplaced, "change") << " outside of all known text\n";
	if (log.cut_short)
		out << "the log is cut short: what came after its last whole entry is not known\n";
	write_bounds(log, out);
	write_most(log, out);
}

void write_text_changes(const TextLog& log, std::ostream& out)
{
	const Lines lines{log, out};
	for (const TextEntry& entry : log.entries)
		std::visit([&](const auto& one) { write_line(lines, one); }, entry);
}

} // namespace uwind
