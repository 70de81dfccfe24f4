// SPDX-License-Identifier: GPL-2.0
// The kernel's deepest stacks in the JSON report.
#include <algorithm>

#include "export/kernel_stacks.h"

namespace uwind {
namespace {

using Json = nlohmann::json;

struct Flag {
	const char* name;
	bool KernelStackFrame::*member;
};

constexpr Flag flags[] = {
	{"exact", &KernelStackFrame::exact},         {"interrupted", &KernelStackFrame::interrupted},
	{"registers", &KernelStackFrame::registers}, {"crosses", &KernelStackFrame::crosses},
	{"entered", &KernelStackFrame::entered},
};

Json json_of(const KernelStackFrame& frame)
{
	Json json = {{"address", hex(frame.address)},
		     {"symbol", frame.symbol ? Json(*frame.symbol) : Json()},
		     {"symbol_offset", frame.symbol_offset},
		     {"module", frame.module.empty() ? Json() : Json(frame.module)},
		     {"stack", kernel_stack_places[frame.place]},
		     {"depth", frame.depth},
		     {"static_bytes", frame.static_bytes},
		     {"dynamic_bytes", frame.dynamic_bytes},
		     {"ahead_bytes", frame.ahead_bytes},
		     {"flags", Json::array()}};
	for (const Flag& flag : flags)
		if (frame.*flag.member)
			json["flags"].push_back(flag.name);
	return json;
}

Json json_of(const KernelStack& stack)
{
	Json json = {{"of", stack.of_task ? "task" : "cpu"},
		     {"entry", kernel_entries[stack.entry]},
		     {"stack", kernel_stack_places[stack.place]},
		     {"time_ns", stack.time_ns},
		     {"cpu", stack.cpu},
		     {"pid", stack.pid},
		     {"tid", stack.tid},
		     {"comm", stack.comm},
		     {"depth", stack.depth},
		     {"stack_bytes", stack.stack_bytes},
		     {"complete", stack.complete},
		     {"truncated", stack.truncated},
		     {"frames", Json::array()}};
	for (const KernelStackFrame& frame : stack.frames)
		json["frames"].push_back(json_of(frame));
	return json;
}

// The place of a word that is read. An unknown one is an error.
template <std::size_t N>
std::uint8_t word(JsonMembers& in, const char* key, const std::array<const char*, N>& words)
{
	std::string text;
	in.text(key, text);
	const auto found = std::find(words.begin(), words.end(), text);
	if (found != words.end())
		return static_cast<std::uint8_t>(found - words.begin());
	in.fail(key, "is unknown to this version");
	return 0;
}

void read_flags(JsonMembers& in, KernelStackFrame& frame)
{
	for (const Json& entry : in.list("flags"))
		for (const Flag& flag : flags)
			if (entry.is_string() && entry.get_ref<const std::string&>() == flag.name)
				frame.*flag.member = true;
}

void read(JsonMembers in, KernelStackFrame& frame)
{
	std::optional<std::string> module;
	in.hexadecimal("address", frame.address);
	in.text_or_null("symbol", frame.symbol);
	in.number("symbol_offset", frame.symbol_offset);
	in.text_or_null("module", module);
	frame.module = module.value_or("");
	frame.place = word(in, "stack", kernel_stack_places);
	in.number("depth", frame.depth);
	in.number("static_bytes", frame.static_bytes);
	in.number("dynamic_bytes", frame.dynamic_bytes);
	in.number("ahead_bytes", frame.ahead_bytes);
	read_flags(in, frame);
}

void read(JsonMembers in, KernelStack& stack)
{
	std::uint32_t pid = 0, tid = 0;
	stack.of_task = word(in, "of", std::array<const char*, 2>{"cpu", "task"}) == 1;
	stack.entry = word(in, "entry", kernel_entries);
	stack.place = word(in, "stack", kernel_stack_places);
	in.number("time_ns", stack.time_ns);
	in.number("cpu", stack.cpu);
	in.number("pid", pid);
	in.number("tid", tid);
	stack.pid = static_cast<std::int32_t>(pid);
	stack.tid = static_cast<std::int32_t>(tid);
	in.text("comm", stack.comm);
	in.number("depth", stack.depth);
	in.number("stack_bytes", stack.stack_bytes);
	in.flag("complete", stack.complete);
	in.flag("truncated", stack.truncated);
	for (std::size_t i = 0; i < in.list("frames").size(); i++)
		read(in.entry("frames", i), stack.frames.emplace_back());
}

std::string text_of(const Json& json)
{
	return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

void write_kernel_stacks_json(const KernelStacks& stacks, TextWriter& out)
{
	out << "{\"counters\": " << text_of(Json(stacks.counters)) << ", \"stacks\": [";
	const char* separator = "\n  ";
	for (const KernelStack& stack : stacks.stacks) {
		out << separator << text_of(json_of(stack));
		separator = ",\n  ";
	}
	out << "\n ]}";
}

void read_kernel_stacks(JsonMembers in, KernelStacks& stacks)
{
	if (!in.get("counters").is_object())
		in.fail("counters", "is not an object");
	else
		for (const auto& [name, value] : in.get("counters").items())
			stacks.counters[name] = in.unsigned_in<std::uint64_t>(value, "counters." + name).value_or(0);
	for (std::size_t i = 0; i < in.list("stacks").size(); i++)
		read(in.entry("stacks", i), stacks.stacks.emplace_back());
}

} // namespace uwind
