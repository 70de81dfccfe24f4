// SPDX-License-Identifier: GPL-2.0
// Changes of the kernel's text as perf tells of them: each on x86, and BPF programs and trampolines everywhere.
#include "io/text_changes_perf.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>

#include "base/text.h"
#include "io/clock.h"
#include "io/event_machine.h"
#include "io/module_text.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t all_rings_bytes = std::size_t{64} << 20;
constexpr std::size_t ring_most_bytes = std::size_t{8} << 20;
constexpr std::size_t ring_least_bytes = std::size_t{512} << 10;
constexpr std::size_t most_names = 65536;

perf_event_attr attributes_of(std::uint32_t type, std::uint64_t config)
{
	perf_event_attr attributes{};
	attributes.type = type;
	attributes.config = config;
	attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attributes.sample_id_all = 1;
	attributes.use_clockid = 1;
	attributes.clockid = CLOCK_MONOTONIC;
	attributes.watermark = 1;
	attributes.wakeup_watermark = 1;
	return attributes;
}

std::uint32_t number_after(std::string_view text, std::string_view word)
{
	const std::size_t at = text.find(word);
	if (at == std::string_view::npos)
		return 0;
	text.remove_prefix(at + word.size());
	const std::size_t end = text.find_first_not_of("0123456789");
	return static_cast<std::uint32_t>(parse_number(text.substr(0, end)).value_or(0));
}

} // namespace

Status TextChangesPerf::start()
{
	wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (!wake_)
		return errno_error(errno, "eventfd");
	if (what_ == What::everything)
		find_module_events();
	auto opened = open_cpus();
	if (!opened)
		stop();
	else
		remember_threads();
	return opened;
}

// Without them, modules are found by looking at /proc/modules.
void TextChangesPerf::find_module_events()
{
	EventMachine machine;
	const auto tracing = machine.tracing();
	if (!tracing)
		return;
	for (const bool comes : {true, false}) {
		const std::string folder = *tracing + "/events/module/" + (comes ? "module_load" : "module_free");
		const auto format = read_text(folder + "/format");
		if (!format)
			continue;
		const auto name = format->find("char[] name;");
		if (name == std::string::npos)
			continue;
		const ModuleEvent event{number_after(*format, "ID: "),
					number_after(std::string_view(*format).substr(name), "offset:"), comes};
		if (event.id)
			module_events_.push_back(event);
	}
}

Status TextChangesPerf::open_cpus()
{
	const auto cpus = online_.look();
	if (!cpus)
		return cpus.error();
	ring_bytes_ =
		std::clamp(all_rings_bytes / std::max<std::size_t>(cpus->size(), 1), ring_least_bytes, ring_most_bytes);
	for (const std::uint32_t cpu : *cpus)
		if (auto opened = open_cpu(cpu); !opened && opened.error().code != ENODEV)
			return opened;
	return Nothing{};
}

Status TextChangesPerf::open_cpu(std::uint32_t cpu)
{
	perf_event_attr attributes = attributes_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	attributes.ksymbol = 1;
	attributes.comm = attributes.task = 1;
	attributes.text_poke = what_ != What::symbols_only;
	auto ring = PerfRing::open(attributes, cpu, ring_bytes_, "changes of kernel text");
	if (!ring)
		return ring.error();
	Cpu opened{std::move(*ring), {}, 0, clock_ns(CLOCK_MONOTONIC)};
	for (const ModuleEvent& event : module_events_) {
		attributes = attributes_of(PERF_TYPE_TRACEPOINT, event.id);
		attributes.sample_type |= PERF_SAMPLE_RAW;
		attributes.sample_period = 1;
		if (auto joined = opened.ring.join(attributes, "modules"))
			opened.joined.push_back(std::move(*joined));
	}
	cpus_.erase(cpu);
	cpus_.emplace(cpu, std::move(opened));
	return Nothing{};
}

// Threads that are there already.
void TextChangesPerf::remember_threads()
{
	comms_.clear();
	std::error_code failed;
	const auto each = [&](const std::filesystem::path& folder, auto take) {
		const std::filesystem::directory_iterator end;
		for (auto entry = std::filesystem::directory_iterator(folder, failed); !failed && entry != end;
		     entry.increment(failed))
			if (const auto id = parse_number(entry->path().filename().string()))
				take(entry->path(), static_cast<std::uint32_t>(*id));
	};
	each("/proc", [&](const std::filesystem::path& process, std::uint32_t) {
		each(process / "task", [&](const std::filesystem::path& thread, std::uint32_t tid) {
			auto comm = read_text((thread / "comm").string());
			if (!comm || comms_.size() >= most_names)
				return;
			while (!comm->empty() && comm->back() == '\n')
				comm->pop_back();
			comms_[tid] = *comm;
		});
	});
}

// A CPU's ring was read before that of another one: what both passes have and is not later than the first one's last is
// complete, since a change that follows another one on another CPU does so after that one's record was written.
Result<std::vector<TextEvent>> TextChangesPerf::read(std::chrono::milliseconds timeout)
{
	std::vector<TextEvent> events;
	const std::uint64_t deadline_ns =
		clock_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(timeout.count()) * 1'000'000;
	for (bool waited = false; true; waited = true) {
		std::vector<Timed> timed = std::move(held_);
		held_.clear();
		drain_all(timed);
		std::uint64_t last_ns = 0;
		for (const Timed& one : timed)
			last_ns = std::max(last_ns, one.time_ns);
		if (!timed.empty())
			drain_all(timed);
		const auto later = std::stable_partition(timed.begin(), timed.end(),
							 [&](const Timed& one) { return one.time_ns <= last_ns; });
		held_.assign(std::make_move_iterator(later), std::make_move_iterator(timed.end()));
		timed.erase(later, timed.end());
		events = release(std::move(timed));
		tell_losses(events);
		if (auto looked = look_for_cpus(events); !looked)
			return looked.error();
		const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
		if (!events.empty() || now >= deadline_ns || (waited && timeout.count() == 0))
			return events;
		if (held_.empty()) {
			wait(std::chrono::milliseconds((deadline_ns - now) / 1'000'000 + 1));
			std::uint64_t woken = 0;
			if (::read(wake_.get(), &woken, sizeof(woken)) == sizeof(woken))
				return events;
		}
	}
}

void TextChangesPerf::drain_all(std::vector<Timed>& to)
{
	for (auto& [number, cpu] : cpus_)
		cpu.ring.drain([&](Bytes record) { decode(record, to); });
}

void TextChangesPerf::decode(Bytes record, std::vector<Timed>& to) const
{
	const std::uint32_t type = word_at(record, 0);
	const Bytes body = record.subspan(sizeof(perf_event_header));
	if (type == PERF_RECORD_SAMPLE)
		return decode_module(body, to);
	if (auto event = text_event_in(record)) {
		const std::uint64_t time_ns = time_of(*event);
		to.push_back({time_ns, std::move(*event)});
		return;
	}
	if (type != PERF_RECORD_COMM && type != PERF_RECORD_FORK)
		return;
	ByteCursor cursor(body);
	Named named;
	const std::uint64_t time_ns = ByteCursor(body, body.size() < 24 ? body.size() : body.size() - 16).u64();
	cursor.skip(4);
	if (type == PERF_RECORD_COMM) {
		named.tid = cursor.u32();
		const Bytes name = cursor.take(cursor.left());
		const auto* text = reinterpret_cast<const char*>(name.data());
		named.comm.assign(text, ::strnlen(text, name.size()));
	} else {
		cursor.skip(4);
		named.tid = cursor.u32();
		named.parent = cursor.u32();
	}
	if (cursor.ok())
		to.push_back({time_ns, std::move(named)});
}

// pid, tid, time, cpu and nothing, then the tracepoint's data and their length.
void TextChangesPerf::decode_module(Bytes body, std::vector<Timed>& to) const
{
	ByteCursor cursor(body);
	TextRegion region;
	region.pid = cursor.u32();
	region.tid = cursor.u32();
	region.time_ns = cursor.u64();
	region.cpu = cursor.u32();
	cursor.skip(4);
	const std::uint32_t bytes = cursor.u32();
	const Bytes raw = cursor.take(bytes);
	if (!cursor.ok() || raw.size() < 4)
		return;
	const auto event = std::find_if(module_events_.begin(), module_events_.end(),
					[&](const ModuleEvent& one) { return one.id == half_at(raw, 0); });
	if (event == module_events_.end() || event->name_offset + 4 > raw.size())
		return;
	const std::uint32_t where = word_at(raw, event->name_offset); // offset, and length above it
	if ((where & 0xffff) >= raw.size())
		return;
	const Bytes name = raw.subspan(where & 0xffff);
	const auto* text = reinterpret_cast<const char*>(name.data());
	region.name.assign(text, ::strnlen(text, name.size()));
	region.comes = event->comes;
	const std::uint64_t time_ns = region.time_ns;
	to.push_back({time_ns, TextEvent(std::move(region))});
}

std::vector<TextEvent> TextChangesPerf::release(std::vector<Timed> timed)
{
	std::stable_sort(timed.begin(), timed.end(),
			 [](const Timed& a, const Timed& b) { return a.time_ns < b.time_ns; });
	std::vector<TextEvent> events;
	for (Timed& one : timed) {
		if (auto* named = std::get_if<Named>(&one.what)) {
			take_name(std::move(*named));
			continue;
		}
		auto& event = std::get<TextEvent>(one.what);
		name(event);
		if (auto* region = std::get_if<TextRegion>(&event);
		    region && region->comes && region->owner == TextOwner::MODULE) {
			region->ranges = {text_of_module(region->name)};
			if (region->ranges.front().bytes == 0)
				continue; // it is gone already
		}
		events.push_back(std::move(event));
	}
	return events;
}

void TextChangesPerf::take_name(Named named)
{
	if (named.parent) {
		const auto parent = comms_.find(named.parent);
		named.comm = parent == comms_.end() ? "" : parent->second;
	}
	if (comms_.size() >= most_names)
		remember_threads();
	if (comms_.size() < most_names)
		comms_[named.tid] = std::move(named.comm);
}

void TextChangesPerf::name(TextEvent& event)
{
	std::visit(
		[&](auto& one) {
			if constexpr (requires { one.comm; })
				if (const auto found = comms_.find(one.tid); found != comms_.end())
					one.comm = found->second;
		},
		event);
}

void TextChangesPerf::tell_losses(std::vector<TextEvent>& events)
{
	for (auto& [number, cpu] : cpus_) {
		const auto lost = cpu.ring.lost();
		const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
		const std::uint64_t before = std::exchange(cpu.lost_ns, now);
		if (!lost || *lost <= cpu.lost)
			continue;
		events.emplace_back(TextLost{*lost - cpu.lost, before, now});
		cpu.lost = *lost;
	}
}

// What a CPU did before its event was opened is not known.
Status TextChangesPerf::look_for_cpus(std::vector<TextEvent>& events)
{
	for (const std::uint32_t cpu : online_.come()) {
		const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
		if (auto opened = open_cpu(cpu); !opened && opened.error().code != ENODEV)
			return opened;
		events.emplace_back(TextLost{0, now, now});
	}
	return Nothing{};
}

void TextChangesPerf::wait(std::chrono::milliseconds timeout)
{
	std::vector<pollfd> fds{{wake_.get(), POLLIN, 0}};
	for (const auto& [number, cpu] : cpus_)
		fds.push_back({cpu.ring.fd(), POLLIN, 0});
	// A CPU that went offline is always ready.
	if (::poll(fds.data(), fds.size(), static_cast<int>(timeout.count())) > 0)
		for (const pollfd& fd : fds)
			if (fd.revents & POLLHUP)
				::usleep(1000);
}

void TextChangesPerf::interrupt()
{
	const std::uint64_t one = 1;
	[[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
}

void TextChangesPerf::stop()
{
	cpus_.clear();
	held_.clear();
	wake_.reset();
}

} // namespace uwind
