// SPDX-License-Identifier: GPL-2.0
// The file of a log of the kernel's text: written, read back, cut short and broken; and what a report says of it.
#include <catch2/catch.hpp>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/text_log.h"
#include "export/text_summary.h"

using namespace uwind;

namespace {

TextArea an_area()
{
	TextArea area;
	area.at_begin = true;
	area.place = TextPlace::module;
	area.time_ns = 1000;
	area.address = 0xffffffffc0000000;
	area.length = 3;
	area.name = "tun";
	area.bytes = {1, 2, 3};
	return area;
}

TextEdit an_edit()
{
	TextEdit edit;
	edit.from_ns = 1500;
	edit.until_ns = 2000;
	edit.address = 0xffffffffc0000001;
	edit.before = {2, 3};
	edit.after = {4, 5};
	edit.kind = TextKind::jump_label;
	edit.what = "sched_schedstats";
	edit.author = {7, 8, 1, "sysctl"};
	edit.callers = {0xffffffff81000010};
	return edit;
}

const TextLogHead head{Arch::arm64, 1000, 1'800'000'000, "an-id", "6.1.0"};

std::vector<TextEntry> entries()
{
	return {TextSymbols{1000, {{0xffffffff81000000, "_stext", ""}, {0xffffffffc0000000, "tun_open", "tun"}}},
		an_area(),
		an_edit(),
		TextLoss{2500, 4},
		TextLook{3000, 3, 0, 1},
		TextEnd{3100, 2}};
}

std::string file_of(const std::vector<TextEntry>& all)
{
	std::string file = text_log_head(head);
	for (const TextEntry& entry : all)
		file += text_log_entry(entry);
	return file;
}

Result<TextLog> read(const std::string& file)
{
	return read_text_log(Bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size()));
}

} // namespace

TEST_CASE("a log of kernel text is read as it was written")
{
	const std::string file = file_of(entries());
	const auto log = read(file);
	REQUIRE(log);
	CHECK_FALSE(log->cut_short);
	CHECK(log->head.arch == Arch::arm64);
	CHECK(log->head.release == "6.1.0");
	CHECK(log->head.boot_id == "an-id");
	REQUIRE(log->entries.size() == 6);
	std::string again = text_log_head(log->head);
	for (const TextEntry& entry : log->entries)
		again += text_log_entry(entry);
	CHECK(again == file);
}

TEST_CASE("a log that is cut anywhere gives its whole entries, or says that its head is broken")
{
	const std::string file = file_of(entries());
	const std::size_t head_bytes = text_log_head(head).size();
	std::size_t before = 0;
	for (std::size_t length = 0; length < file.size(); length++) {
		const auto log = read(file.substr(0, length));
		if (length < head_bytes) {
			CHECK_FALSE(log);
			continue;
		}
		REQUIRE(log);
		CHECK(log->cut_short);
		CHECK(log->entries.size() >= before);
		before = log->entries.size();
	}
	CHECK(before == 5);
}

TEST_CASE("an entry that contradicts itself is named")
{
	TextEdit edit = an_edit();
	std::swap(edit.from_ns, edit.until_ns);
	const auto backwards = read(file_of({edit}));
	REQUIRE_FALSE(backwards);
	CHECK(backwards.error().code == EINVAL);
	CHECK(backwards.error().message.find("the entry at byte ") == 0);
	edit = an_edit();
	edit.before.pop_back();
	CHECK_FALSE(read(file_of({edit})));
	TextArea area = an_area();
	area.length = 4;
	CHECK_FALSE(read(file_of({area})));
	area = an_area();
	area.address = ~std::uint64_t{0} - 1;
	CHECK_FALSE(read(file_of({area})));
}

TEST_CASE("an entry of a type that is not known is left out")
{
	std::string file = text_log_head(head);
	std::string unknown = text_log_entry(TextLoss{1, 1});
	unknown[0] = 99;
	const auto log = read(file + unknown + text_log_entry(TextEnd{3100, 0}));
	REQUIRE(log);
	CHECK(log->entries.size() == 1);
}

TEST_CASE("entries are given in the order of their times")
{
	TextEdit early = an_edit();
	early.from_ns = early.until_ns = 1200;
	const auto log = read(file_of({an_area(), an_edit(), early, TextEnd{3000, 0}}));
	REQUIRE(log);
	CHECK(time_of(log->entries[1]) == 1200);
}

TEST_CASE("what is no log, or one of another version, is told apart")
{
	CHECK(read("{\"schema\": 1}").error().message.find("no log of kernel text") != std::string::npos);
	std::string file = file_of({});
	file[8] = 9;
	CHECK(read(file).error().message.find("of version 9") != std::string::npos);
}

TEST_CASE("a summary has sums by kind, and what changed most")
{
	std::ostringstream summary, changes;
	const auto log = read(file_of(entries()));
	REQUIRE(log);
	write_text_summary(*log, summary);
	CHECK(summary.str() == "kernel text of 6.1.0 (arm64), from 2027-01-15T08:00:00Z for 0.000002100 s\n"
			       "1 change (jump label 1), 0 KiB of text compared with memory 1 time, 4 records lost\n"
			       "2 changes outside of all known text\n"
			       "bounds in time: median 500 ns, maximum 500 ns\n"
			       "\n"
			       "  changes  kind          of\n"
			       "        1  jump label    sched_schedstats\n");
	write_text_changes(*log, changes);
	CHECK(changes.str() == "+0.000000000  is there  0xffffffffc0000000 tun: 3 bytes (module)\n"
			       "+0.000001000  jump label  0xffffffffc0000001 sched_schedstats: 0203 -> 0405, within "
			       "the 500 ns before, by "
			       "sysctl (7)\n"
			       "+0.000001500  lost: 4 records\n"
			       "+0.000002000  compared: 3 bytes, of which 0 were different without notice\n"
			       "+0.000002100  end\n");
}

TEST_CASE("a log in JSON has each change")
{
	std::ostringstream out;
	write_text_json(*read(file_of(entries())), "1.0", out);
	const auto json = nlohmann::json::parse(out.str());
	CHECK(json["schema"] == "uwind-report/1");
	CHECK(json["host"]["arch"] == "arm64");
	const auto& changes = json["text_changes"];
	CHECK(changes["complete"] == true);
	CHECK(changes["sums"]["kinds"]["jump label"] == 1);
	REQUIRE(changes["entries"].size() == 4);
	CHECK(changes["entries"][1]["before"] == "0203");
	CHECK(changes["entries"][1]["callers"][0] == "0xffffffff81000010");
}
