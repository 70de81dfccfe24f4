// SPDX-License-Identifier: GPL-2.0
// The JSON report, read back. What is wrong is said with its place: "frames[3].module".
#include "base/text.h"
#include "export/json.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "export/json_members.h"
#include "export/kernel_stacks.h"

namespace uwind {
namespace {

using Json = nlohmann::json;
using Members = JsonMembers;

void read(Members in, Host& host)
{
	in.text("kernel", host.kernel);
	in.text("arch", host.arch);
	in.text("hostname", host.hostname);
	in.text("boot_id", host.boot_id);
	in.text("uwind", host.uwind);
	in.number("abi", host.abi);
}

void read(Members in, ReportEvent& event)
{
	in.text("name", event.name);
	event.is_frequency = in.has("frequency_hz");
	in.number(event.is_frequency ? "frequency_hz" : "period", event.rate);
}

void read(Members in, ReportConversion& converted)
{
	std::optional<std::string> perf;
	in.text_or_null("perf", perf);
	converted.perf = perf.value_or("");
	in.text("clock", converted.clock);
}

void read(Members in, ReportSession& session)
{
	in.text("event", session.event);
	session.is_frequency = in.has("frequency_hz");
	in.number(session.is_frequency ? "frequency_hz" : "period", session.rate);
	in.text("started", session.started);
	in.number("duration_ns", session.duration_ns);
	in.text("target", session.target);
	if (in.has("started_ns"))
		in.number("started_ns", session.started_ns.emplace());
	if (in.has("cgroup"))
		in.text("cgroup", session.cgroup);
	if (in.has("cpus"))
		in.text("cpus", session.cpus);
	if (in.has("excluded"))
		for (const Json& pid : in.list("excluded"))
			session.excluded.push_back(in.unsigned_in<std::uint32_t>(pid, "excluded").value_or(0));
	if (in.has("max_depth"))
		in.number("max_depth", session.max_depth);
	session.user_only = in.has("user_only");
	if (in.has("unwatched"))
		for (const Json& kind : in.list("unwatched"))
			session.unwatched.push_back(kind.is_string() ? kind.get<std::string>() : "");
	if (in.has("converted"))
		read(in.object("converted"), session.converted.emplace());
	for (std::size_t i = 0; in.has("events") && i < in.list("events").size(); i++)
		read(in.entry("events", i), session.events.emplace_back());
}

void read(Members in, StackRoom& room)
{
	in.number("mapped_bytes", room.mapped_bytes);
	in.number_or_null("limit_bytes", room.limit_bytes);
}

void read(Members in, ProcessDetails& details)
{
	if (in.has("parent_pid"))
		in.number("parent_pid", details.parent_pid);
	if (in.has("namespace_pid"))
		in.number("namespace_pid", details.namespace_pid);
	if (in.has("arguments"))
		for (const Json& argument : in.list("arguments"))
			details.arguments.push_back(argument.is_string() ? argument.get<std::string>() : "");
	if (in.has("cgroup"))
		in.text("cgroup", details.cgroup);
	if (in.has("container"))
		in.text("container", details.container);
}

void read(Members in, ReportProcess& process)
{
	in.number("pid", process.pid);
	in.text("comm", process.comm);
	in.text("exe", process.exe);
	in.number("start_time_ns", process.start_time_ns);
	in.number("word_bits", process.word_bits);
	if (in.has("stack"))
		read(in.object("stack"), process.stack.emplace());
	read(in, process.details);
	if (in.has("exit_time_ns"))
		in.number("exit_time_ns", process.exit_time_ns.emplace());
}

void read(Members in, Segment& segment)
{
	in.hexadecimal("address", segment.address);
	in.hexadecimal("offset", segment.offset);
	in.number("bytes", segment.bytes);
}

void read(Members in, ReportModule& module)
{
	std::optional<std::string> build_id, table;
	in.text("path", module.path);
	in.text_or_null("build_id", build_id);
	in.text_or_null("table", table);
	in.number("rows", module.rows);
	in.number("bytes", module.bytes);
	if (in.has("table_known_ns")) {
		module.table_known_ns.reset();
		in.number_or_null("table_known_ns", module.table_known_ns);
	}
	for (std::size_t i = 0; in.has("segments") && i < in.list("segments").size(); i++)
		read(in.entry("segments", i), module.segments.emplace_back());
	module.build_id = build_id.value_or("");
	module.table = table ? method_named(*table) : std::nullopt;
	if (table && !module.table)
		in.fail("table", "is unknown to this version");
}

void read(Members in, ReportSource& source)
{
	std::optional<std::string> file;
	std::optional<std::uint32_t> line;
	in.text_or_null("file", file);
	in.number_or_null("line", line);
	source = {file.value_or(""), line.value_or(0)};
}

void read(Members in, ReportInlined& inlined)
{
	std::optional<std::string> symbol;
	in.text_or_null("symbol", symbol);
	inlined.symbol = symbol.value_or("");
	read(in.object("source"), inlined.source);
}

void read(Members in, ReportFrame& frame)
{
	in.hexadecimal("address", frame.address);
	in.number_or_null("module", frame.module);
	in.hexadecimal("offset", frame.offset);
	in.text_or_null("symbol", frame.symbol);
	if (frame.symbol)
		in.number("symbol_offset", frame.symbol_offset);
	in.flag("kernel", frame.kernel);
	if (in.has("source"))
		read(in.object("source"), frame.source.emplace());
	for (std::size_t i = 0; in.has("inlined") && i < in.list("inlined").size(); i++)
		read(in.entry("inlined", i), frame.inlined.emplace_back());
}

void read_methods(Members& in, ReportStack& stack)
{
	for (const Json& entry : in.list("methods")) {
		const auto method =
			entry.is_string() ? frame_method_named(entry.get_ref<const std::string&>()) : std::nullopt;
		if (!method)
			return in.fail("methods", "has a word that is unknown to this version");
		stack.methods.push_back(*method);
	}
}

void read_stack_bytes(Members& in, ReportStack& stack)
{
	for (const Json& entry : in.list("stack_bytes")) {
		if (entry.is_null())
			stack.stack_bytes.push_back(std::nullopt);
		else
			stack.stack_bytes.push_back(in.unsigned_in<std::uint32_t>(entry, "stack_bytes"));
	}
}

void read(Members in, ReportStack& stack)
{
	for (const Json& entry : in.list("frames"))
		stack.frames.push_back(in.unsigned_in<Index>(entry, "frames").value_or(0));
	read_methods(in, stack);
	read_stack_bytes(in, stack);
	std::string word;
	in.text("stop", word);
	if (const auto stop = stop_named(word))
		stack.stop = *stop;
	else
		in.fail("stop", "is unknown to this version");
	stack.finished_later = in.has("finished");
	if (stack.finished_later)
		in.text("finished", word);
	if (stack.finished_later && word != "later")
		in.fail("finished", "is unknown to this version");
	if (stack.methods.size() != stack.frames.size() || stack.stack_bytes.size() != stack.frames.size())
		in.fail("", "frames, methods and stack_bytes differ in length");
}

void read(Members in, ReportWaker& waker)
{
	in.number("process", waker.process);
	in.number("pid", waker.pid);
	in.number("tid", waker.tid);
	in.flag("interrupt", waker.interrupt);
	in.number_or_null("user_stack", waker.user_stack);
	in.number_or_null("kernel_stack", waker.kernel_stack);
}

void read_off_cpu(Members& in, ReportOffCpu& off_cpu)
{
	std::string state;
	std::optional<std::string> syscall, wait_channel;
	in.text("reason", off_cpu.reason);
	in.text("state", state);
	off_cpu.state = state.empty() ? '?' : state[0];
	in.flag("iowait", off_cpu.iowait);
	in.text_or_null("syscall", syscall);
	in.text_or_null("wait_channel", wait_channel);
	off_cpu.syscall = syscall.value_or("");
	off_cpu.wait_channel = wait_channel.value_or("");
	in.number_or_null("runnable_ns", off_cpu.runnable_ns);
	off_cpu.still = in.has("still");
	if (!in.get("waker").is_null())
		read(in.object("waker"), off_cpu.waker.emplace());
}

void read(Members in, KernelValue& value)
{
	std::string kind;
	if (in.has("name"))
		in.text("name", value.name);
	in.text("type", value.type);
	in.text("kind", kind);
	const auto known = std::ranges::find(value_kinds, kind);
	if (known == std::end(value_kinds))
		return in.fail("kind", "is unknown to this version");
	value.kind = ValueKind(known - std::begin(value_kinds));
}

// Values lie where the report has them, not in the registers that they were in.
void read_parameters(Members& in, std::vector<KernelValue>& parameters)
{
	for (std::size_t i = 0; i < in.list("parameters").size(); i++) {
		read(in.entry("parameters", i), parameters.emplace_back());
		if (i < most_arguments)
			parameters.back().register_number = static_cast<std::uint8_t>(i);
	}
}

void read(Members in, ReportFunction& function)
{
	std::optional<std::string> name, module;
	in.hexadecimal("address", function.address);
	in.text_or_null("name", name);
	in.text_or_null("module", module);
	function.name = name.value_or("");
	function.module = module.value_or("");
	if (in.get("parameters").is_null())
		return;
	read_parameters(in, function.signature.emplace().parameters);
	if (!in.get("returns").is_null())
		read(in.object("returns"), function.signature->returns.emplace());
}

// A number, or hexadecimal digits; 0 for null.
std::uint64_t value_in(Members& in, const char* key, const Json& json)
{
	if (json.is_number_unsigned())
		return json.get<std::uint64_t>();
	if (json.is_number_integer())
		return static_cast<std::uint64_t>(json.get<std::int64_t>());
	if (json.is_null())
		return 0;
	const std::string text = json.is_string() ? json.get<std::string>() : "";
	const auto value = text.starts_with("0x") ? parse_number(std::string_view(text).substr(2), 16) : std::nullopt;
	if (!value)
		in.fail(key, "has what is neither a number nor null");
	return value.value_or(0);
}

void read_call(Members& in, Report& report, ReportCall& call)
{
	in.number("function", call.function);
	if (call.function >= report.functions.size())
		return in.fail("function", "is not there, or comes later");
	const Json& arguments = in.list("arguments");
	for (std::size_t i = 0; i < arguments.size() && i < call.arguments.size(); i++) {
		call.arguments[i] = value_in(in, "arguments", arguments[i]);
		if (!arguments[i].is_null())
			continue;
		auto& signature = report.functions[call.function].signature;
		if (signature && i < signature->parameters.size())
			signature->parameters[i].register_number.reset();
	}
	call.returned = in.has("duration_ns");
	if (!call.returned)
		return;
	in.number("duration_ns", call.duration_ns);
	call.value = value_in(in, "returned", in.get("returned"));
}

ReportSample sample_in(Members in, Report& report)
{
	ReportSample sample;
	in.number("time_ns", sample.time_ns);
	in.number("process", sample.process);
	in.number("pid", sample.pid);
	in.number("tid", sample.tid);
	in.number("cpu", sample.cpu);
	in.number("cookie", sample.cookie);
	in.number_or_null("user_stack", sample.user_stack);
	in.number_or_null("kernel_stack", sample.kernel_stack);
	in.number("weight", sample.weight);
	if (in.has("event"))
		sample.event = in.unsigned_in<Index>(in.get("event"), "event");
	if (in.has("period"))
		sample.period = in.unsigned_in<std::uint64_t>(in.get("period"), "period");
	if (in.has("off_ns")) {
		sample.off_cpu = static_cast<Index>(report.off_cpu.size());
		read_off_cpu(in, report.off_cpu.emplace_back());
	}
	if (in.has("function")) {
		sample.call = static_cast<Index>(report.calls.size());
		read_call(in, report, report.calls.emplace_back());
	}
	if (!in.has("lost"))
		return sample;
	std::string word;
	in.text("lost", word);
	sample.lost = loss_named(word);
	if (!sample.lost)
		in.fail("lost", "is unknown to this version");
	return sample;
}

std::map<std::string, std::uint64_t> read_numbers(Members& in, const char* key)
{
	std::map<std::string, std::uint64_t> result;
	if (!in.get(key).is_object()) {
		in.fail(key, "is not an object");
		return result;
	}
	for (const auto& [name, value] : in.get(key).items())
		result[name] = in.unsigned_in<std::uint64_t>(value, std::string(key) + "." + name).value_or(0);
	return result;
}

// Every further number is a counter.
void read(Members in, const Json& json, ReportCounters& counters)
{
	in.number("requested", counters.requested);
	in.number("answered", counters.answered);
	counters.lost = read_numbers(in, "lost");
	counters.stops = read_numbers(in, "stops");
	const auto pending = counters.lost.extract("pending");
	if (pending)
		counters.pending = pending.mapped();
	else
		in.fail("lost.pending", "is missing");
	for (const auto& [name, value] : json.items())
		if (value.is_number_unsigned() && name != "requested" && name != "answered")
			counters.others[name] = value.get<std::uint64_t>();
}

// Takes the entries of the report's lists while they are parsed, and leaves the lists empty: all of them as JSON would
// take many times their memory.
class Entries {
public:
	explicit Entries(Report& report)
	    : lists_{{"processes", [&](const Members& in) { read(in, report.processes.emplace_back()); }},
		     {"modules", [&](const Members& in) { read(in, report.modules.emplace_back()); }},
		     {"frames", [&](const Members& in) { read(in, report.frames.emplace_back()); }},
		     {"stacks", [&](const Members& in) { read(in, report.stacks.emplace_back()); }},
		     {"functions", [&](const Members& in) { read(in, report.functions.emplace_back()); }},
		     {"samples", [&](const Members& in) { report.samples.push_back(sample_in(in, report)); }}}
	{
	}

	// As Json::parse() wants it. False: parsed is forgotten.
	bool take(int depth, Json::parse_event_t event, const Json& parsed)
	{
		using Event = Json::parse_event_t;
		if (event == Event::key && depth == 1)
			current_ = list_named(parsed.get_ref<const std::string&>());
		const bool ends = event == Event::object_end || event == Event::array_end || event == Event::value;
		if (!current_ || !ends || depth != 2)
			return true;
		const std::string place = std::string(current_->key) + "[" + std::to_string(current_->count++) + "]";
		if (error_.empty())
			current_->read(Members(parsed, place, error_));
		return false;
	}

	const std::string& error() const { return error_; }

private:
	struct List {
		const char* key;
		std::function<void(const Members&)> read;
		std::size_t count = 0;
	};

	List* list_named(const std::string& key)
	{
		const auto found = std::ranges::find_if(lists_, [&](const List& list) { return key == list.key; });
		return found == lists_.end() ? nullptr : &*found;
	}

	std::vector<List> lists_;
	List* current_ = nullptr; // whose entries are parsed
	std::string error_;       // the first one
};

std::string at(const char* key, std::size_t index, const char* what)
{
	return std::string(key) + "[" + std::to_string(index) + "]: " + what;
}

// Of a sample or a waker.
bool has_stacks(const Report& report, const auto& of)
{
	for (const auto& stack : {of.user_stack, of.kernel_stack})
		if (stack && *stack >= report.stacks.size())
			return false;
	return true;
}

bool has_waker(const Report& report, const ReportSample& sample)
{
	const auto* waker = sample.off_cpu ? &report.off_cpu[*sample.off_cpu].waker : nullptr;
	return !waker || !*waker || ((*waker)->process < report.processes.size() && has_stacks(report, **waker));
}

std::string check_indices(const Report& report)
{
	for (std::size_t i = 0; i < report.frames.size(); i++)
		if (report.frames[i].module.value_or(0) >= report.modules.size() && report.frames[i].module)
			return at("frames", i, "names a module that is not there");
	for (std::size_t i = 0; i < report.stacks.size(); i++)
		for (const Index frame : report.stacks[i].frames)
			if (frame >= report.frames.size())
				return at("stacks", i, "names a frame that is not there");
	for (std::size_t i = 0; i < report.samples.size(); i++) {
		const ReportSample& sample = report.samples[i];
		if (sample.process >= report.processes.size())
			return at("samples", i, "names a process that is not there");
		if (sample.event.value_or(0) >= report.session.events.size() && sample.event)
			return at("samples", i, "names an event that is not there");
		if (!has_stacks(report, sample))
			return at("samples", i, "names a stack that is not there");
		if (!has_waker(report, sample))
			return at("samples", i, "has a waker with a process or a stack that is not there");
	}
	return "";
}

// What is beside the lists, of which entries_error is.
void read_rest(const Json& json, const std::string& entries_error, Report& report, std::string& error)
{
	Members top(json, "", error);
	std::string schema;
	top.text("schema", schema);
	if (error.empty() && schema != report_schema)
		top.fail("schema", "is \"" + schema + "\", not \"" + report_schema + "\"");
	if (!error.empty())
		return;
	read(top.object("host"), report.host);
	read(top.object("session"), report.session);
	for (const char* list : {"processes", "modules", "frames", "stacks", "samples"})
		top.list(list);
	if (top.has("functions"))
		top.list("functions");
	if (error.empty())
		error = entries_error;
	report.stack_depth = top.has("stack_depth");
	if (top.has("kernel_stacks"))
		read_kernel_stacks(top.object("kernel_stacks"), report.kernel_stacks.emplace());
	read(top.object("counters"), top.get("counters"), report.counters);
	if (error.empty())
		error = check_indices(report);
}

// in: text, or a stream of it.
template <typename Input>
Result<Report> report_of(Input&& in)
{
	Report report;
	Entries entries(report);
	const Json json = Json::parse(
		in,
		[&](int depth, Json::parse_event_t event, const Json& parsed) {
			return entries.take(depth, event, parsed);
		},
		false);
	if (json.is_discarded())
		return Error{EINVAL, "is not JSON"};
	std::string error;
	read_rest(json, entries.error(), report, error);
	if (!error.empty())
		return Error{EINVAL, error};
	return report;
}

} // namespace

Result<Report> read_json(std::string_view text)
{
	return report_of(text);
}

Result<Report> read_json(std::istream& in)
{
	return report_of(in);
}

} // namespace uwind
