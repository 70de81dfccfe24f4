// SPDX-License-Identifier: GPL-2.0
// The kernel's text at any time of a log.
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "app/text_names.h"
#include "app/text_replay.h"

using namespace uwind;

namespace {

using Content = std::vector<std::uint8_t>;

constexpr std::uint64_t base = 0xffffffff81000000;

TextArea area(std::uint64_t time_ns, std::uint64_t address, Content bytes)
{
	TextArea made;
	made.time_ns = time_ns;
	made.address = address;
	made.length = bytes.size();
	made.bytes = std::move(bytes);
	made.name = "an area";
	return made;
}

TextEdit edit(std::uint64_t from_ns, std::uint64_t until_ns, std::uint64_t address, Content before, Content after)
{
	TextEdit made;
	made.from_ns = from_ns;
	made.until_ns = until_ns;
	made.address = address;
	made.before = std::move(before);
	made.after = std::move(after);
	return made;
}

TextLog log_of(std::vector<TextEntry> entries)
{
	TextLog log;
	log.head.begin_ns = 100;
	log.entries = std::move(entries);
	log.entries.emplace_back(TextEnd{1000, 0});
	return log;
}

Content first(const TextLog& log, std::uint64_t time_ns, std::uint64_t address, std::uint64_t length)
{
	const auto answer = TextReplay(log).at(time_ns, address, length);
	REQUIRE(answer);
	REQUIRE(answer->covered == TextAnswer::Covered::yes);
	REQUIRE(answer->possible.size() == 1);
	return answer->possible.front();
}

// Changes, and areas that come and go, each of which fits what the earlier ones have left.
class RandomLog {
public:
	explicit RandomLog(unsigned seed) : random_(seed) {}

	std::vector<TextEntry> entries(std::size_t count)
	{
		std::vector<TextEntry> made;
		made.emplace_back(add(base, true));
		while (made.size() < count)
			made.push_back(next());
		return made;
	}

private:
	std::uint64_t number(std::uint64_t below) { return random_() % below; }

	TextEntry add(std::uint64_t address, bool at_begin)
	{
		Content bytes(64 + number(64));
		for (auto& byte : bytes)
			byte = static_cast<std::uint8_t>(random_());
		TextArea made = area(++time_, address, bytes);
		made.at_begin = at_begin;
		state_.forward(made);
		return made;
	}

	TextEntry next()
	{
		const std::uint64_t slot = base + (1 + number(3)) * 4096;
		const auto there = state_.areas().find(slot);
		if (number(8) == 0 && there == state_.areas().end())
			return add(slot, false);
		if (number(8) == 0 && there != state_.areas().end()) {
			TextArea gone = area(++time_, slot, there->second.bytes);
			gone.comes = false;
			state_.forward(gone);
			return gone;
		}
		const auto& chosen =
			*std::next(state_.areas().begin(), static_cast<std::ptrdiff_t>(number(state_.areas().size())));
		const std::size_t length = 1 + number(8), at = number(chosen.second.bytes.size() - length);
		const Bytes old = state_.at(chosen.first + at, length);
		Content now(length);
		for (auto& byte : now)
			byte = static_cast<std::uint8_t>(number(4));
		time_ += 2;
		TextEdit made = edit(time_ - number(2), time_, chosen.first + at, Content(old.begin(), old.end()), now);
		state_.forward(made);
		return made;
	}

	std::mt19937 random_;
	TextState state_;
	std::uint64_t time_ = 100;
};

std::map<std::uint64_t, Content> contents(const TextState& state)
{
	std::map<std::uint64_t, Content> found;
	for (const auto& [address, one] : state.areas())
		found[address] = one.bytes;
	return found;
}

} // namespace

TEST_CASE("random changes forwards and then backwards give the base again, and each answer on the way")
{
	for (unsigned seed = 1; seed <= 50; seed++) {
		const TextLog log = log_of(RandomLog(seed).entries(200));
		TextState state;
		state.forward(log.entries.front());
		const auto begin = contents(state);
		std::vector<std::map<std::uint64_t, Content>> passed;
		for (std::size_t i = 1; i < log.entries.size(); i++) {
			passed.push_back(contents(state));
			state.forward(log.entries[i]);
			for (const auto& [address, bytes] : contents(state))
				if (i % 20 == 0 && time_of(log.entries[i]) <= TextReplay(log).end_ns())
					CHECK(first(log, time_of(log.entries[i]), address, bytes.size()) == bytes);
		}
		for (std::size_t i = log.entries.size(); i-- > 1;) {
			state.backward(log.entries[i]);
			CHECK(contents(state) == passed[i - 1]);
		}
		CHECK(contents(state) == begin);
		CHECK(state.contradictions() == 0);
	}
}

TEST_CASE("an edit whose old bytes are not there is a contradiction")
{
	TextState state;
	state.forward(area(100, base, {1, 2, 3, 4}));
	state.forward(edit(110, 110, base + 1, {2}, {7}));
	CHECK(state.contradictions() == 0);
	state.forward(edit(120, 120, base + 1, {2}, {8}));
	CHECK(state.contradictions() == 1);
	state.forward(edit(130, 130, base + 3, {4, 5}, {4, 6})); // over the end
	CHECK(state.contradictions() == 2);
	state.forward(edit(130, 130, base - 4096, {4, 5}, {4, 6})); // of no text that is known
	CHECK(state.contradictions() == 2);
}

TEST_CASE("within the bounds of a change, both texts are possible")
{
	const TextLog log = log_of({area(100, base, {1, 2, 3, 4}), edit(200, 300, base + 1, {2, 3}, {8, 9}),
				    edit(250, 310, base + 3, {4}, {7})});
	const TextReplay replay(log);
	CHECK(first(log, 200, base, 4) == Content{1, 2, 3, 4});
	CHECK(first(log, 310, base, 4) == Content{1, 8, 9, 7});
	CHECK(first(log, 305, base, 3) == Content{1, 8, 9}); // the other change is of other bytes
	const auto both = replay.at(260, base, 4);
	REQUIRE(both);
	CHECK(both->possible == std::vector<Content>{{1, 2, 3, 4}, {1, 8, 9, 4}, {1, 8, 9, 7}});
	CHECK(replay.at(201, base, 1)->possible.size() == 1);
}

TEST_CASE("a part of a change that reaches into a range is applied to it")
{
	const TextLog log = log_of({area(100, base, {1, 2, 3, 4, 5}), edit(200, 200, base + 1, {2, 3, 4}, {7, 8, 9})});
	CHECK(first(log, 200, base + 2, 1) == Content{8});
	CHECK(first(log, 200, base + 3, 2) == Content{9, 5});
	CHECK(first(log, 199, base + 3, 2) == Content{4, 5});
	CHECK(first(log, 200, base, 2) == Content{1, 7});
}

TEST_CASE("text is covered from when it comes until it goes")
{
	TextArea gone = area(400, base, {1, 2});
	gone.comes = false;
	TextArea unknown = area(500, base, {});
	unknown.length = 2;
	unknown.content_known = false;
	const TextLog log = log_of({area(200, base, {1, 2}), gone, unknown});
	const TextReplay replay(log);
	CHECK(replay.at(199, base, 1)->covered == TextAnswer::Covered::no);
	CHECK(first(log, 200, base, 5) == Content{1, 2}); // the area ends there
	CHECK(replay.at(400, base, 1)->covered == TextAnswer::Covered::no);
	CHECK(replay.at(500, base, 1)->covered == TextAnswer::Covered::unknown);
	CHECK(replay.at(300, base + 2, 1)->covered == TextAnswer::Covered::no);
	CHECK(replay.at(99, base, 1).error().code == ERANGE);
	CHECK(replay.at(1001, base, 1).error().code == ERANGE);
}

TEST_CASE("bytes that were seen only when they were changed are said to be")
{
	TextEdit late = edit(300, 300, base, {5}, {5});
	late.before_known = false;
	const TextLog log = log_of({area(100, base, {5, 6}), late});
	CHECK(TextReplay(log).at(200, base, 1)->known_since_ns == 300);
	CHECK_FALSE(TextReplay(log).at(300, base, 1)->known_since_ns);
	CHECK_FALSE(TextReplay(log).at(200, base + 1, 1)->known_since_ns);
}

TEST_CASE("addresses have names, and names have addresses")
{
	TextNames names;
	names.add({{0x1000, "first", ""}, {0x2000, "second", "tun"}});
	names.add({{0x2000, "renamed", "tap"}, {0x1800, "add", ""}});
	CHECK(names.text(0x1000) == "first");
	CHECK(names.text(0x17ff) == "first+0x7ff");
	CHECK(names.text(0x2004) == "renamed+0x4 [tap]");
	CHECK(names.text(0xfff).empty());
	CHECK(names.address_of("renamed+0x10") == 0x2010);
	CHECK(names.address_of("add") == 0x1800); // though these are hexadecimal digits
	CHECK(names.address_of("ffffffff81000000") == 0xffffffff81000000);
	CHECK(names.address_of("0x20") == 0x20);
	CHECK_FALSE(names.address_of("second"));
	CHECK_FALSE(names.address_of("first+"
				     "x"));
	CHECK(names.after(0x1000)->name == "add");
	CHECK(names.after(0x2000) == nullptr);
}
