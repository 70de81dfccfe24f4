// SPDX-License-Identifier: GPL-2.0
// Records how the kernel's text changes, of a kernel that tells of it late, or not at all.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "app/text_recorder.h"
#include "app/text_replay.h"

using namespace uwind;

namespace {

using Content = std::vector<std::uint8_t>;
using std::chrono::milliseconds;

constexpr std::uint64_t kernel = 0xffffffff81000000;
constexpr std::uint64_t module = 0xffffffffc0000000;

class FakeKernel : public KernelText {
public:
	std::map<std::uint64_t, Content> memory{{kernel, Content(4096, 1)}};
	std::vector<TextArea> loaded; // modules
	std::uint64_t clock_ns = 1000;

	Result<std::vector<TextArea>> areas() override
	{
		std::vector<TextArea> found = loaded;
		TextArea own;
		own.address = kernel;
		own.length = 4096;
		own.name = "kernel";
		found.push_back(own);
		return found;
	}
	std::vector<TextArea> modules() override { return loaded; }
	Status read(std::uint64_t address, std::span<std::uint8_t> bytes) override
	{
		for (const auto& [begin, content] : memory)
			if (address >= begin && address - begin + bytes.size() <= content.size()) {
				std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(address - begin),
					    bytes.size(), bytes.begin());
				return Nothing{};
			}
		return Error{EFAULT, "not there"};
	}
	std::vector<TextSymbol> symbols(const std::optional<std::string>& of) override
	{
		return {{of ? module : kernel, of ? "of_module" : "_stext", of.value_or("")}};
	}
	TextSites sites(const std::optional<std::string>&) override { return {}; }
	std::uint64_t now_ns() override { return clock_ns += 10; }

	TextArea load(const std::string& name)
	{
		memory[module] = Content(4096, 9);
		TextArea area;
		area.place = TextPlace::module;
		area.address = module;
		area.length = 4096;
		area.name = name;
		loaded.push_back(area);
		return area;
	}
	void poke(std::uint64_t address, const Content& bytes)
	{
		auto content = std::prev(memory.upper_bound(address));
		std::copy(bytes.begin(), bytes.end(),
			  content->second.begin() + static_cast<std::ptrdiff_t>(address - content->first));
	}
};

class FakeChanges : public TextChanges {
public:
	std::deque<std::vector<TextEvent>> batches; // of one read() each; an empty one: nothing in time

	Status start() override { return Nothing{}; }
	Result<std::vector<TextEvent>> read(milliseconds) override
	{
		if (batches.empty())
			return std::vector<TextEvent>();
		auto batch = std::move(batches.front());
		batches.pop_front();
		return batch;
	}
	void interrupt() override {}
	void stop() override {}
};

struct Watched {
	FakeKernel machine;
	FakeChanges changes;
	std::vector<TextEntry> entries;
	TextRecorder recorder{changes, machine, Arch::x86_64, [this](const TextEntry& entry) {
				      entries.push_back(entry);
				      return Status(Nothing{});
			      }};

	// What the kernel does, and what it says of it.
	TextEvent poke(std::uint64_t address, const Content& after)
	{
		TextChange change;
		change.address = address;
		change.before = Content(after.size());
		REQUIRE(machine.read(address, change.before));
		change.after = after;
		change.from_ns = change.until_ns = machine.now_ns();
		machine.poke(address, after);
		return change;
	}
	TextEvent region(bool comes, TextOwner owner, const std::string& name, std::uint64_t bytes = 4096)
	{
		TextRegion made;
		made.comes = comes;
		made.owner = owner;
		made.name = name;
		made.time_ns = machine.now_ns();
		made.ranges = {{module, bytes}};
		return made;
	}
	void run() { REQUIRE(recorder.run_for(milliseconds(1))); }

	template <typename T>
	std::vector<T> all() const
	{
		std::vector<T> found;
		for (const TextEntry& entry : entries)
			if (const T* one = std::get_if<T>(&entry))
				found.push_back(*one);
		return found;
	}

	// The entries lead from the first image to what memory has, and back.
	void check_replay()
	{
		std::stable_sort(entries.begin(), entries.end(),
				 [](const TextEntry& a, const TextEntry& b) { return time_of(a) < time_of(b); });
		TextState state;
		for (const TextEntry& entry : entries)
			state.forward(entry);
		for (const auto& [address, area] : state.areas()) {
			Content now(area.length);
			if (!area.bytes.empty() && machine.read(address, now))
				CHECK(area.bytes == now);
		}
		for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
			state.backward(*entry);
		CHECK(state.contradictions() == 0);
		CHECK(state.areas().empty());
	}
};

} // namespace

TEST_CASE("what changes while the first image is read is undone in it, and is a change")
{
	Watched watched;
	watched.changes.batches = {{watched.poke(kernel + 8, {2}), watched.poke(kernel + 8, {3})}};
	watched.machine.clock_ns = 100; // both happen once it has begun
	REQUIRE(watched.recorder.begin());
	REQUIRE(watched.all<TextArea>().size() == 1);
	CHECK(watched.all<TextArea>()[0].bytes == Content(4096, 1));
	REQUIRE(watched.all<TextEdit>().size() == 2);
	CHECK(watched.all<TextEdit>()[1].before == Content{2});
	watched.check_replay();
}

TEST_CASE("a change whose old bytes nobody has written is preceded by an unexplained one")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.poke(kernel + 8, {7, 7}); // without notice
	watched.changes.batches = {{watched.poke(kernel + 8, {8, 8})}};
	watched.run();
	const auto edits = watched.all<TextEdit>();
	REQUIRE(edits.size() == 2);
	CHECK(edits[0].kind == TextKind::unexplained);
	CHECK(edits[0].after == Content{7, 7});
	CHECK(edits[0].until_ns == edits[1].from_ns);
	CHECK(edits[0].from_ns < edits[0].until_ns);
	CHECK(watched.recorder.counts().different == 2);
	watched.check_replay();
}

TEST_CASE("a look finds what nobody has said, between the last look and this one")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	REQUIRE(watched.recorder.look());
	const std::uint64_t before_ns = watched.machine.now_ns();
	watched.machine.poke(kernel + 100, {5, 5, 1, 5});
	watched.machine.poke(kernel + 3000, {6});
	REQUIRE(watched.recorder.look());
	const auto edits = watched.all<TextEdit>();
	REQUIRE(edits.size() == 2);
	CHECK(edits[0].address == kernel + 100);
	CHECK(edits[0].after == Content{5, 5, 1, 5});
	CHECK(edits[0].before == Content{1, 1, 1, 1});
	CHECK(edits[0].from_ns < before_ns);
	CHECK(edits[0].until_ns > before_ns);
	CHECK(watched.all<TextLook>()[1].different == 5);
	REQUIRE(watched.recorder.look());
	CHECK(watched.all<TextEdit>().size() == 2);
	watched.check_replay();
}

TEST_CASE("a difference that is said only after it was seen is no unexplained one")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	auto late = watched.poke(kernel + 100, {5});
	watched.changes.batches = {{}, {}, {std::move(late)}};
	REQUIRE(watched.recorder.look());
	const auto edits = watched.all<TextEdit>();
	REQUIRE(edits.size() == 1);
	CHECK(edits[0].kind != TextKind::unexplained);
	CHECK(watched.all<TextLook>()[0].different == 0);
	watched.check_replay();
}

TEST_CASE("text that comes is what it was when it came, though it is read later")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.load("tun");
	auto comes = watched.region(true, TextOwner::MODULE, "tun");
	watched.changes.batches = {{std::move(comes), watched.poke(module + 16, {4})},
				   {watched.poke(module + 16, {3})}};
	watched.run();
	const auto areas = watched.all<TextArea>();
	REQUIRE(areas.size() == 2);
	CHECK(areas[1].bytes == Content(4096, 9));
	CHECK(watched.all<TextSymbols>().size() == 2);
	watched.check_replay();
	watched.changes.batches = {{watched.region(false, TextOwner::MODULE, "tun")}};
	watched.machine.loaded.clear();
	watched.run();
	CHECK_FALSE(watched.all<TextArea>().back().comes);
	CHECK(watched.all<TextArea>().back().bytes[16] == 3);
	watched.check_replay();
}

TEST_CASE("text that is gone when it is told of has the content that was told with it")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	auto comes = watched.region(true, TextOwner::MODULE, "tun", 64);
	std::get<TextRegion>(comes).content = Content(64, 9);
	TextChange change;
	change.address = module + 16;
	change.before = {9};
	change.after = {3};
	change.from_ns = change.until_ns = watched.machine.now_ns();
	watched.changes.batches = {{std::move(comes), change, watched.region(false, TextOwner::MODULE, "tun", 64)}};
	watched.run();
	const auto areas = watched.all<TextArea>();
	REQUIRE(areas.size() == 3);
	CHECK(areas[1].content_known);
	CHECK(areas[1].bytes == Content(64, 9));
	CHECK(areas[2].bytes[16] == 3);
	CHECK(watched.recorder.counts().different == 0);
	watched.check_replay();
}

TEST_CASE("the content of text that has gone before it was read is not known")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.memory[module] = Content(64, 9);
	auto comes = watched.region(true, TextOwner::BPF, "bpf_prog_1", 64);
	watched.changes.batches = {{std::move(comes), watched.region(false, TextOwner::BPF, "bpf_prog_1", 64)}};
	watched.run();
	const auto areas = watched.all<TextArea>();
	REQUIRE(areas.size() == 3);
	CHECK_FALSE(areas[1].content_known);
	CHECK(areas[1].bytes.empty());
	CHECK_FALSE(areas[2].comes);
	watched.check_replay();
}

TEST_CASE("a trampoline that is written after it was told of is followed, and is no mystery")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.memory[module] = Content(64, 0xcc);
	watched.changes.batches = {{watched.region(true, TextOwner::BPF, "bpf_trampoline_1", 64)}};
	watched.run();
	watched.machine.poke(module, {1, 2, 3});
	watched.run();
	const auto edits = watched.all<TextEdit>();
	REQUIRE(edits.size() == 1);
	CHECK(edits[0].kind == TextKind::bpf);
	CHECK(edits[0].what == "bpf_trampoline_1");
	CHECK(edits[0].from_ns < edits[0].until_ns);
	CHECK(watched.recorder.counts().different == 0);
	watched.check_replay();
}

TEST_CASE("after a loss, all text is looked at immediately")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.poke(kernel + 100, {5});
	watched.changes.batches = {{TextLost{3, 0, watched.machine.now_ns()}}};
	watched.run();
	CHECK(watched.all<TextLoss>().at(0).count == 3);
	CHECK(watched.all<TextLook>().size() == 1);
	CHECK(watched.all<TextEdit>().at(0).kind == TextKind::unexplained);
	watched.check_replay();
}

TEST_CASE("modules that come and go without notice are found by a look")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.load("tun");
	REQUIRE(watched.recorder.look());
	CHECK(watched.all<TextArea>().back().name == "tun");
	watched.machine.loaded.clear();
	watched.machine.memory.erase(module);
	REQUIRE(watched.recorder.finish());
	CHECK_FALSE(watched.all<TextArea>().back().comes);
	CHECK(watched.all<TextEnd>().size() == 1);
	watched.check_replay();
}

TEST_CASE("a look leaves modules alone of which something is about to be said")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	watched.machine.load("tun");
	const TextEvent comes = watched.region(true, TextOwner::MODULE, "tun");
	const TextEvent goes = watched.region(false, TextOwner::MODULE, "tun");
	SECTION("it is going while modules are listed")
	{
		watched.changes.batches = {{comes, goes}};
		REQUIRE(watched.recorder.look());
	}
	SECTION("it went and came since modules were listed")
	{
		watched.changes.batches = {{comes}, {}};
		watched.run();
		watched.machine.loaded.clear();
		watched.changes.batches = {{goes, watched.region(true, TextOwner::MODULE, "tun")}, {}};
		REQUIRE(watched.recorder.look());
		watched.changes.batches = {{watched.region(false, TextOwner::MODULE, "tun")}};
	}
	watched.run();
	watched.machine.loaded.clear();
	watched.machine.memory.erase(module);
	REQUIRE(watched.recorder.finish());
	watched.check_replay();
}

TEST_CASE("old bytes that nobody knows are those of the image, and changes elsewhere are counted")
{
	Watched watched;
	REQUIRE(watched.recorder.begin());
	auto unknown = watched.poke(kernel + 4, {6, 6});
	std::get<TextChange>(unknown).before.clear();
	TextChange elsewhere;
	elsewhere.address = 0x1000;
	elsewhere.before = {1};
	elsewhere.after = {2};
	elsewhere.from_ns = elsewhere.until_ns = watched.machine.now_ns();
	watched.changes.batches = {{std::move(unknown), elsewhere}};
	watched.run();
	const auto edits = watched.all<TextEdit>();
	REQUIRE(edits.size() == 2);
	CHECK_FALSE(edits[0].before_known);
	CHECK(edits[0].before == Content{1, 1});
	CHECK(watched.recorder.counts().unplaced == 1);
	watched.check_replay();
}
