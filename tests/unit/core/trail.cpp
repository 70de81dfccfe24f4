// SPDX-License-Identifier: GPL-2.0
// A walk goes along a trail as far as the stack is the same, and no further. That it finds the same as without one is
// asked of every walk, and of worlds that differ by a word (remembered.h).
#include <catch2/catch.hpp>

#include "unit/core/world.h"

extern "C" {
#include "alone.h"
}

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;
constexpr u32 frame_words = 4;
constexpr u32 first_frames = 36; // in the first of two mappings of code

struct NamedFrame : uw_frame {
	u32 id;
};

// A stack of frames of 32 bytes, each in a function of its own; the last one is the outermost, with a word above its
// SP.
class Stack {
public:
	explicit Stack(u32 depth, const uw_rule& rule = x86_rule(UW_X86_SP, 32)) : words_(depth * frame_words + 1)
	{
		draft_.add(0, rule);
		draft_.add(0x7000, kind_rule(UW_RULE_OUTERMOST));
		table_ = std::make_unique<Table>(draft_.draft);
		code_[0] = {text, text + 16 * first_frames, 0, &table_->table, 1, UW_METHOD_EH_FRAME};
		code_[1] = code_[0];
		code_[1].start = code_[0].end;
		code_[1].end = text + 0x8000;
		code_[1].offset = 16 * first_frames;
		for (u32 i = 0; i < depth; i++) {
			call(i, i + 1 < depth ? text + 16 * (i + 1) : text + 0x7010);
			save_fp(i, i + 1);
		}
	}

	// Frame n returns there.
	void call(u32 n, u64 ra) { words_[n * frame_words + 3] = ra; }

	// Frame n's caller has the FP of that frame.
	void save_fp(u32 n, u32 of) { words_[n * frame_words + 2] = fp(of); }

	// Where frame n has saved that.
	static u64 saved_fp(u32 n) { return fp(n); }

	// From frame n on, which is at that pc.
	std::vector<NamedFrame> walk(u32 n = 0, u64 pc = text, u32 max_frames = 300)
	{
		const uw_port_slice slice{stack, words_.size() * 8, reinterpret_cast<const u8*>(words_.data())};
		uw_port port{};
		port.code = code_;
		port.nr_codes = 2;
		port.busy_at_look = busy_at_look;
		port.absent = absent;
		port.slices = &slice;
		port.nr_slices = 1;
		port.word_bytes = 8;
		port.key = key;
		std::vector<uw_frame> frames(first_room ? first_room : max_frames), more(max_frames);
		port.more = has_more_room ? more.data() : nullptr;
		uw_walk walk{};
		walk.regs.pc = pc;
		walk.regs.r[UW_X86_SP] = stack + n * frame_words * 8;
		walk.regs.r[UW_X86_FP] = fp(n);
		walk.regs.known = 1u << UW_X86_SP | 1u << UW_X86_FP;
		walk.arch = UW_ARCH_X86_64;
		walk.max_frames = static_cast<u32>(frames.size());
		walk.most_frames = max_frames;
		walk.frames = frames.data();
		memory.lend(walk);
		uw_walk_run(&walk, &port);
		nr_filled = walk.nr_filled;
		uw_walk_fill(&walk);
		std::vector<NamedFrame> named;
		for (u32 i = 0; i < walk.nr_frames; i++)
			named.push_back({walk.frames[i], uw_walk_id(&walk, i)});
		nr_frames = walk.nr_frames;
		stop = walk.stop;
		regs = walk.regs;
		reads = port.reads;
		return named;
	}

	// All of it becomes a trail.
	void tread() { walk(); }

	// What the last walk did not look up itself.
	u32 followed() const { return memory.along->on_trail ? nr_frames - memory.along->met_frame : 0; }

	// How often it left the trail.
	u32 leaves() const { return UW_TRAIL_LEAVES - memory.along->leaves_left; }

	Memory memory;
	u32 key = 7;
	u32 busy_at_look = 0;
	u32 first_room = 0; // for so many frames, and then for all; 0: for all
	bool has_more_room = true;
	u64 absent = 0;
	u32 nr_frames = 0;
	u32 nr_filled = 0;
	enum uw_stop stop = UW_STOP_NONE;
	uw_regs regs{};
	u32 reads = 0;

private:
	static u64 fp(u32 n) { return stack + n * frame_words * 8 + 16; }

	Draft draft_{8, 8};
	std::unique_ptr<Table> table_;
	uw_port_code code_[2]{};
	std::vector<u64> words_;
};

} // namespace

TEST_CASE("the same stack is walked along its trail, and its frames have the same ids")
{
	Stack stack(40);
	stack.tread();
	const auto before = stack.walk(), now = stack.walk();
	REQUIRE(stack.stop == UW_STOP_OUTERMOST);
	REQUIRE(now.size() == 41);
	REQUIRE(stack.followed() == 40);
	REQUIRE(now.front().id == 0);
	for (u32 i = 1; i < now.size(); i++) {
		REQUIRE(now[i].id != 0);
		REQUIRE(now[i].id == before[i].id);
		REQUIRE((i == 1 || now[i].id != now[i - 1].id));
	}
}

TEST_CASE("a walk that goes on in room for more frames finds the same, along a trail and without one")
{
	const auto same = [](const std::vector<NamedFrame>& a, const std::vector<NamedFrame>& b) {
		return std::ranges::equal(a, b, [](const NamedFrame& x, const NamedFrame& y) {
			return x.pc == y.pc && x.offset == y.offset && x.file == y.file && x.method == y.method &&
			       x.stack_bytes == y.stack_bytes;
		});
	};
	for (u32 room : {1u, 2u, 63u, 64u, 65u, 128u, 199u, 200u}) {
		Stack enough(200), grows(200);
		grows.first_room = room;
		for (int times = 0; times < 3; times++) {
			const auto expected = enough.walk(), found = grows.walk();
			REQUIRE(expected.size() == 201);
			REQUIRE(same(expected, found));
			REQUIRE(grows.stop == UW_STOP_OUTERMOST);
			REQUIRE(grows.followed() == enough.followed());
		}
	}
}

TEST_CASE("a walk for which there is no more room ends there")
{
	Stack stack(200);
	stack.first_room = 128;
	stack.has_more_room = false;
	REQUIRE(stack.walk().size() == 128);
	REQUIRE(stack.stop == UW_STOP_DEPTH);
}

TEST_CASE("frames at the end of a stack that are as they were are left on the trail")
{
	Stack stack(40);
	stack.tread();
	REQUIRE(stack.nr_filled == 41);
	stack.walk();
	REQUIRE(stack.nr_filled == 1);
	stack.call(20, text + 0x1000);
	stack.walk();
	REQUIRE(stack.nr_filled == 22);
	REQUIRE(stack.walk(0, text, 30).size() == 30);
	REQUIRE(stack.nr_filled == 30);
}

TEST_CASE("new inner frames lead to the trail, and become a part of it")
{
	Stack stack(40);
	stack.tread();
	const auto before = stack.walk(5, text + 0x50);
	REQUIRE(stack.followed() == 35);
	stack.call(2, text + 0x1000);
	const auto now = stack.walk();
	REQUIRE(now.at(3).pc == text + 0x1000);
	REQUIRE(now.at(10).id == before.at(5).id);
	stack.walk();
	REQUIRE(stack.followed() == 40);
}

TEST_CASE("a return address that has changed is followed where it leads, and the trail is met again")
{
	Stack stack(40);
	stack.tread();
	const auto before = stack.walk();
	stack.call(20, text + 0x1000);
	const auto now = stack.walk();
	REQUIRE(now.at(21).pc == text + 0x1000);
	REQUIRE(now.at(22).id == before.at(22).id);
	REQUIRE(now.at(21).id != before.at(21).id);
	REQUIRE(now.at(5).id != before.at(5).id);
	REQUIRE(now.at(40).id == before.at(40).id);
}

TEST_CASE("a frame pointer that has changed is followed where it leads")
{
	const u32 n = GENERATE(0, 10); // before the trail is met; on it
	Stack stack(40, x86_rule(UW_X86_FP, 16, -16));
	stack.tread();
	REQUIRE(stack.walk().size() == 41);
	REQUIRE(stack.followed() == 40);
	stack.save_fp(n, n + 3);
	const auto now = stack.walk();
	REQUIRE(now.size() == 39);
	REQUIRE(now.at(n + 1).pc == text + 16 * (n + 1));
	REQUIRE(now.at(n + 2).pc == text + 16 * (n + 4));
}

TEST_CASE("a step of the trail whose saved frame pointer cannot be read at once is a general one")
{
	Stack stack(40, x86_rule(UW_X86_SP, 32, -16));
	stack.tread();
	stack.walk();
	REQUIRE(stack.reads == 0);
	const u64 fp = stack.regs.r[UW_X86_FP];
	stack.absent = stack.saved_fp(39);
	REQUIRE(stack.walk().size() == 41);
	REQUIRE(stack.reads == 2);
	REQUIRE(stack.stop == UW_STOP_OUTERMOST);
	REQUIRE(stack.regs.r[UW_X86_FP] == fp);
}

TEST_CASE("a walk that has left its trail often meets it no more")
{
	const u32 apart = 2 * UW_ALONE_SIGHT;
	Stack stack(60);
	stack.tread();
	for (u32 n = 1; n < UW_TRAIL_LEAVES; n++)
		stack.call(apart * n, text + 0x1000);
	stack.tread();
	for (u32 n = 1; n < UW_TRAIL_LEAVES; n++)
		stack.call(apart * n, text + 16 * (apart * n + 1));
	stack.walk();
	REQUIRE(stack.followed() == 60 - apart * (UW_TRAIL_LEAVES - 1) - 1);
	for (u32 n = 1; n <= UW_TRAIL_LEAVES; n++)
		stack.call(apart * n, text + 0x1000);
	stack.walk();
	REQUIRE(stack.followed() == 0);
	REQUIRE(stack.stop == UW_STOP_OUTERMOST);
	stack.walk();
	REQUIRE(stack.followed() == 60);
}

TEST_CASE("a trail is met where the stack leads as it does for some steps, not where pc and SP are the same by chance")
{
	Stack stack(40);
	stack.tread();
	for (u32 n = 4; n < 40; n += UW_ALONE_SIGHT)
		stack.call(n, text + 0x1000);
	stack.walk();
	REQUIRE(stack.followed() == 3); // to the stack's end
	REQUIRE(stack.leaves() == 1);
}

TEST_CASE("of a deep stack the outer steps are the trail")
{
	Stack stack(200);
	stack.tread();
	const auto now = stack.walk();
	REQUIRE(now.size() == 201);
	REQUIRE(stack.followed() == UW_TRAIL_STEPS + 1);
	REQUIRE(now.at(200 - UW_TRAIL_STEPS).id != 0);
	REQUIRE(stack.walk().at(200 - UW_TRAIL_STEPS).id == now.at(200 - UW_TRAIL_STEPS).id);
}

TEST_CASE("frames that do not lead to the stack's end have no ids")
{
	Stack stack(40);
	stack.tread();
	for (const NamedFrame& frame : stack.walk(0, text, 30))
		REQUIRE(frame.id == 0);
	REQUIRE(stack.stop == UW_STOP_DEPTH);
	stack.call(30, 0);
	for (const NamedFrame& frame : stack.walk())
		REQUIRE(frame.id == 0);
	REQUIRE(stack.stop == UW_STOP_ZERO_RA);
}

TEST_CASE("a trail of another key is not met")
{
	Stack stack(40);
	stack.tread();
	const u32 id = stack.walk().at(20).id;
	stack.key = 8;
	stack.walk();
	REQUIRE(stack.followed() == 0);
	REQUIRE(stack.walk().at(20).id != id);
	REQUIRE(stack.followed() == 40);
}

TEST_CASE("a walk that ends as a mapping cannot be looked at leaves true frames")
{
	Stack stack(40);
	stack.tread();
	stack.busy_at_look = 2;
	const auto cut = stack.walk();
	REQUIRE(stack.stop == UW_STOP_BUSY);
	REQUIRE(cut.size() == first_frames + 1);
	stack.busy_at_look = 0;
	for (const auto& frames : {cut, stack.walk()})
		for (u32 i = 0; i < first_frames; i++)
			REQUIRE(frames.at(i).stack_bytes == 32);
	REQUIRE(stack.stop == UW_STOP_OUTERMOST);
}
