// SPDX-License-Identifier: GPL-2.0
// The JSON report: written piece by piece, since a tree of a large report would
// take many times its memory.
#include "export/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/text_writer.h"
#include "export/depths.h"
#include "export/json_text.h"
#include "export/kernel_stacks.h"

namespace uwind {
namespace {

template <typename List, typename Write>
void write_list(const char* name, const List& list, TextWriter& out, Write write)
{
	out << " \"" << name << "\": [";
	const char* separator = "\n  ";
	for (const auto& entry : list) {
		out << separator;
		write(entry);
		separator = ",\n  ";
	}
	out << "\n ],\n";
}

// [a,b,c], without line breaks.
template <typename List, typename Text>
void write_row(const List& list, TextWriter& out, Text text)
{
	out << '[';
	write_separated(list, out, ",", [&](const auto& entry) { out << text(entry); });
	out << ']';
}

void write_host(const Host& host, TextWriter& out)
{
	out << " \"host\": {\"kernel\": " << quoted(host.kernel) << ", \"arch\": " << quoted(host.arch)
	    << ", \"hostname\": " << quoted(host.hostname) << ", \"boot_id\": " << quoted(host.boot_id)
	    << ", \"uwind\": " << quoted(host.uwind) << ", \"abi\": " << host.abi << "},\n";
}

// Only what was asked for.
void write_filters(const ReportSession& session, TextWriter& out)
{
	if (!session.cgroup.empty())
		out << ", \"cgroup\": " << quoted(session.cgroup);
	if (!session.cpus.empty())
		out << ", \"cpus\": " << quoted(session.cpus);
	if (!session.excluded.empty()) {
		out << ", \"excluded\": ";
		write_row(session.excluded, out, [](std::uint32_t pid) { return pid; });
	}
	if (session.max_depth)
		out << ", \"max_depth\": " << session.max_depth;
	if (session.user_only)
		out << ", \"user_only\": true";
	if (!session.unwatched.empty()) {
		out << ", \"unwatched\": ";
		write_row(session.unwatched, out, quoted);
	}
}

void write_events(const std::vector<ReportEvent>& events, TextWriter& out)
{
	out << ", \"events\": ";
	write_row(events, out, [](const ReportEvent& event) {
		return "{\"name\": " + quoted(event.name) +
		       (event.is_frequency ? ", \"frequency_hz\": " : ", \"period\": ") + std::to_string(event.rate) +
		       '}';
	});
}

void write_conversion(const ReportConversion& converted, TextWriter& out)
{
	out << ", \"converted\": {\"from\": \"perf.data\", \"perf\": " << or_null(converted.perf)
	    << ", \"clock\": " << quoted(converted.clock) << '}';
}

void write_session(const ReportSession& session, TextWriter& out)
{
	out << " \"session\": {\"event\": " << quoted(session.event)
	    << (session.is_frequency ? ", \"frequency_hz\": " : ", \"period\": ") << session.rate
	    << ", \"started\": " << quoted(session.started) << ", \"duration_ns\": " << session.duration_ns
	    << ", \"target\": " << quoted(session.target);
	if (session.started_ns)
		out << ", \"started_ns\": " << *session.started_ns;
	if (!session.events.empty())
		write_events(session.events, out);
	write_filters(session, out);
	if (session.converted)
		write_conversion(*session.converted, out);
	out << "},\n";
}

// What is not known is left out.
void write_details(const ProcessDetails& details, TextWriter& out)
{
	if (details.parent_pid)
		out << ", \"parent_pid\": " << details.parent_pid;
	if (details.namespace_pid)
		out << ", \"namespace_pid\": " << details.namespace_pid;
	if (!details.arguments.empty()) {
		out << ", \"arguments\": ";
		write_row(details.arguments, out, quoted);
	}
	if (!details.cgroup.empty())
		out << ", \"cgroup\": " << quoted(details.cgroup);
	if (!details.container.empty())
		out << ", \"container\": " << quoted(details.container);
}

void write_process(const ReportProcess& process, TextWriter& out)
{
	out << "{\"pid\": " << process.pid << ", \"comm\": " << quoted(process.comm)
	    << ", \"exe\": " << quoted(process.exe) << ", \"start_time_ns\": " << process.start_time_ns
	    << ", \"word_bits\": " << unsigned(process.word_bits);
	if (process.stack)
		out << ", \"stack\": {\"mapped_bytes\": " << process.stack->mapped_bytes
		    << ", \"limit_bytes\": " << or_null(process.stack->limit_bytes) << '}';
	write_details(process.details, out);
	if (process.exit_time_ns)
		out << ", \"exit_time_ns\": " << *process.exit_time_ns;
	out << '}';
}

std::string segment_text(const Segment& segment)
{
	return "{\"address\": \"" + hex(segment.address) + "\", \"offset\": \"" + hex(segment.offset) +
	       "\", \"bytes\": " + std::to_string(segment.bytes) + '}';
}

void write_module(const ReportModule& module, TextWriter& out)
{
	out << "{\"path\": " << quoted(module.path) << ", \"build_id\": " << or_null(module.build_id)
	    << ", \"table\": " << (module.table ? quoted(name_of(*module.table)) : "null")
	    << ", \"rows\": " << module.rows << ", \"bytes\": " << module.bytes
	    << ", \"table_known_ns\": " << or_null(module.table_known_ns);
	if (!module.segments.empty()) {
		out << ", \"segments\": ";
		write_row(module.segments, out, segment_text);
	}
	out << '}';
}

void write_source(const ReportSource& source, TextWriter& out)
{
	out << "{\"file\": " << or_null(source.file)
	    << ", \"line\": " << (source.line ? std::to_string(source.line) : "null") << '}';
}

// Only what is known of them.
void write_lines(const ReportFrame& frame, TextWriter& out)
{
	if (frame.source) {
		out << ", \"source\": ";
		write_source(*frame.source, out);
	}
	if (frame.inlined.empty())
		return;
	out << ", \"inlined\": [";
	write_separated(frame.inlined, out, ", ", [&](const ReportInlined& inlined) {
		out << "{\"symbol\": " << or_null(inlined.symbol) << ", \"source\": ";
		write_source(inlined.source, out);
		out << '}';
	});
	out << ']';
}

void write_frame(const ReportFrame& frame, TextWriter& out)
{
	out << "{\"address\": \"" << hex(frame.address) << "\", \"module\": " << or_null(frame.module)
	    << ", \"offset\": \"" << hex(frame.offset)
	    << "\", \"symbol\": " << (frame.symbol ? quoted(*frame.symbol) : "null")
	    << ", \"symbol_offset\": " << (frame.symbol ? std::to_string(frame.symbol_offset) : "null")
	    << ", \"kernel\": " << (frame.kernel ? "true" : "false");
	write_lines(frame, out);
	out << '}';
}

void write_stack(const ReportStack& stack, TextWriter& out)
{
	out << "{\"frames\": ";
	write_row(stack.frames, out, [](Index index) { return index; });
	out << ", \"methods\": ";
	write_row(stack.methods, out, [](Method m) { return quoted(frame_method_name(m)); });
	out << ", \"stack_bytes\": ";
	write_row(stack.stack_bytes, out, [](const auto& bytes) { return or_null(bytes); });
	out << ", \"stop\": \"" << name_of(stack.stop)
	    << "\", \"complete\": " << (is_complete(stack.stop) ? "true" : "false")
	    << (stack.finished_later ? ", \"finished\": \"later\"}" : "}");
}

void write_waker(const ReportWaker& waker, TextWriter& out)
{
	out << "{\"process\": " << waker.process << ", \"pid\": " << waker.pid << ", \"tid\": " << waker.tid
	    << ", \"interrupt\": " << (waker.interrupt ? "true" : "false")
	    << ", \"user_stack\": " << or_null(waker.user_stack)
	    << ", \"kernel_stack\": " << or_null(waker.kernel_stack) << '}';
}

void write_off_cpu(const ReportSample& sample, const ReportOffCpu& off_cpu, TextWriter& out)
{
	out << ", \"off_ns\": " << sample.period.value_or(0) << ", \"reason\": " << quoted(off_cpu.reason)
	    << ", \"state\": " << quoted(std::string(1, off_cpu.state))
	    << ", \"iowait\": " << (off_cpu.iowait ? "true" : "false") << ", \"syscall\": " << or_null(off_cpu.syscall)
	    << ", \"wait_channel\": " << or_null(off_cpu.wait_channel)
	    << ", \"runnable_ns\": " << or_null(off_cpu.runnable_ns) << (off_cpu.still ? ", \"still\": true" : "")
	    << ", \"waker\": ";
	if (off_cpu.waker)
		write_waker(*off_cpu.waker, out);
	else
		out << "null";
}

void write_value_type(const KernelValue& value, TextWriter& out)
{
	out << '{';
	if (!value.name.empty())
		out << "\"name\": " << quoted(value.name) << ", ";
	out << "\"type\": " << quoted(value.type) << ", \"kind\": \"" << value_kinds[std::size_t(value.kind)] << "\"}";
}

void write_function(const ReportFunction& function, TextWriter& out)
{
	out << "{\"address\": \"" << hex(function.address) << "\", \"name\": " << or_null(function.name)
	    << ", \"module\": " << or_null(function.module) << ", \"parameters\": ";
	if (!function.signature) {
		out << "null, \"returns\": null}";
		return;
	}
	out << '[';
	write_separated(function.signature->parameters, out, ", ",
			[&](const KernelValue& parameter) { write_value_type(parameter, out); });
	out << "], \"returns\": ";
	if (function.signature->returns)
		write_value_type(*function.signature->returns, out);
	else
		out << "null";
	out << '}';
}

// What C calls a number is one; an address, and what is not known, has hexadecimal digits.
std::string value_text(const KernelValue& type, std::uint64_t in_register)
{
	const std::uint64_t value = value_of(type, in_register);
	if (type.kind == ValueKind::is_unsigned)
		return std::to_string(value);
	if (type.kind == ValueKind::is_signed)
		return std::to_string(static_cast<std::int64_t>(value));
	return '"' + hex(value) + '"';
}

std::string argument_text(const KernelValue& type, const ReportCall& call)
{
	return type.register_number ? value_text(type, call.arguments[*type.register_number]) : "null";
}

void write_call(const ReportCall& call, const ReportFunction& function, TextWriter& out)
{
	out << ", \"function\": " << call.function << ", \"arguments\": ";
	if (function.signature)
		write_row(function.signature->parameters, out,
			  [&](const KernelValue& type) { return argument_text(type, call); });
	else
		write_row(call.arguments, out, [](std::uint64_t value) { return value_text({}, value); });
	if (!call.returned)
		return;
	static const std::optional<KernelValue> unknown = KernelValue{};
	const auto& type = function.signature ? function.signature->returns : unknown;
	out << ", \"returned\": " << (type ? value_text(*type, call.value) : "null")
	    << ", \"duration_ns\": " << call.duration_ns;
}

void write_sample(const ReportSample& sample, const Report& report, TextWriter& out)
{
	out << "{\"time_ns\": " << sample.time_ns << ", \"process\": " << sample.process << ", \"pid\": " << sample.pid
	    << ", \"tid\": " << sample.tid << ", \"cpu\": " << sample.cpu << ", \"cookie\": " << sample.cookie
	    << ", \"user_stack\": " << or_null(sample.user_stack)
	    << ", \"kernel_stack\": " << or_null(sample.kernel_stack) << ", \"weight\": " << sample.weight;
	if (sample.event)
		out << ", \"event\": " << *sample.event;
	if (sample.period)
		out << ", \"period\": " << *sample.period;
	if (sample.off_cpu)
		write_off_cpu(sample, report.off_cpu[*sample.off_cpu], out);
	if (sample.call)
		write_call(report.calls[*sample.call], report.functions[report.calls[*sample.call].function], out);
	if (sample.lost)
		out << ", \"lost\": \"" << name_of(*sample.lost) << '"';
	out << '}';
}

void write_thread_depth(const ThreadDepth& thread, TextWriter& out)
{
	const ReportSample& sample = *thread.sample;
	out << "{\"process\": " << sample.process << ", \"pid\": " << sample.pid << ", \"tid\": " << sample.tid
	    << ", \"bytes\": " << thread.bytes << ", \"exact\": " << (thread.exact ? "true" : "false")
	    << ", \"user_stack\": " << *sample.user_stack << ", \"time_ns\": " << sample.time_ns
	    << ", \"samples\": " << thread.samples << '}';
}

void write_large_frame(const LargeFrame& large, TextWriter& out)
{
	out << "{\"frame\": " << large.frame << ", \"bytes\": " << large.bytes << ", \"user_stack\": " << large.stack
	    << '}';
}

// The first ones of the list, and how many others there are.
template <typename List, typename Write>
void write_most(const char* name, List list, std::size_t most, TextWriter& out, Write write)
{
	const std::size_t left_out = list.size() - std::min(list.size(), most);
	list.resize(list.size() - left_out);
	write_list(name, list, out, write);
	out << " \"" << name << "_left_out\": " << left_out;
}

// It follows from the samples, so that it is not read back.
void write_depths(const Report& report, TextWriter& out)
{
	out << " \"stack_depth\": {\n";
	write_most("threads", depths_of(report), most_threads_with_depth, out,
		   [&](const auto& thread) { write_thread_depth(thread, out); });
	out << ",\n";
	write_most("functions", largest_frames(report), most_functions_with_frame, out,
		   [&](const auto& large) { write_large_frame(large, out); });
	out << "\n },\n";
}

std::string numbers(const std::map<std::string, std::uint64_t>& counts)
{
	return nlohmann::json(counts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_counters(const ReportCounters& counters, TextWriter& out)
{
	auto lost = counters.lost;
	lost["pending"] = counters.pending;
	out << " \"counters\": {\"requested\": " << counters.requested << ", \"answered\": " << counters.answered
	    << ",\n  \"lost\": " << numbers(lost) << ",\n  \"stops\": " << numbers(counters.stops);
	for (const auto& [name, count] : counters.others)
		out << ",\n  " << quoted(name) << ": " << count;
	out << "}\n";
}

} // namespace

void write_json(const Report& report, std::ostream& stream)
{
	TextWriter out(stream);
	out << "{\"schema\": \"" << report_schema << "\",\n";
	write_host(report.host, out);
	write_session(report.session, out);
	write_list("processes", report.processes, out, [&](const auto& p) { write_process(p, out); });
	write_list("modules", report.modules, out, [&](const auto& m) { write_module(m, out); });
	write_list("frames", report.frames, out, [&](const auto& f) { write_frame(f, out); });
	write_list("stacks", report.stacks, out, [&](const auto& s) { write_stack(s, out); });
	if (!report.functions.empty())
		write_list("functions", report.functions, out, [&](const auto& f) { write_function(f, out); });
	write_list("samples", report.samples, out, [&](const auto& s) { write_sample(s, report, out); });
	if (report.stack_depth)
		write_depths(report, out);
	if (report.kernel_stacks) {
		out << " \"kernel_stacks\": ";
		write_kernel_stacks_json(*report.kernel_stacks, out);
		out << ",\n";
	}
	write_counters(report.counters, out);
	out << "}\n";
}

} // namespace uwind
