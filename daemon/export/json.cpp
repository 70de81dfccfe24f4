// SPDX-License-Identifier: GPL-2.0
// The JSON report: written piece by piece, since a tree of a large report would
// take many times its memory.
#include "export/json.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "base/text.h"

namespace uwind {
namespace {

std::string quoted(const std::string& text)
{
	return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string or_null(const std::string& text)
{
	return text.empty() ? "null" : quoted(text);
}

template <typename T>
std::string or_null(const std::optional<T>& number)
{
	return number ? std::to_string(*number) : "null";
}

template <typename List, typename Write>
void write_list(const char* name, const List& list, std::ostream& out, Write write)
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
void write_row(const List& list, std::ostream& out, Text text)
{
	out << '[';
	const char* separator = "";
	for (const auto& entry : list) {
		out << separator << text(entry);
		separator = ",";
	}
	out << ']';
}

void write_host(const Host& host, std::ostream& out)
{
	out << " \"host\": {\"kernel\": " << quoted(host.kernel) << ", \"arch\": " << quoted(host.arch)
	    << ", \"hostname\": " << quoted(host.hostname) << ", \"boot_id\": " << quoted(host.boot_id)
	    << ", \"uwind\": " << quoted(host.uwind) << ", \"abi\": " << host.abi << "},\n";
}

// Only what was asked for.
void write_filters(const ReportSession& session, std::ostream& out)
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
}

void write_events(const std::vector<ReportEvent>& events, std::ostream& out)
{
	out << ", \"events\": ";
	write_row(events, out, [](const ReportEvent& event) {
		return "{\"name\": " + quoted(event.name) +
		       (event.is_frequency ? ", \"frequency_hz\": " : ", \"period\": ") + std::to_string(event.rate) +
		       '}';
	});
}

void write_conversion(const ReportConversion& converted, std::ostream& out)
{
	out << ", \"converted\": {\"from\": \"perf.data\", \"perf\": " << or_null(converted.perf)
	    << ", \"clock\": " << quoted(converted.clock) << '}';
}

void write_session(const ReportSession& session, std::ostream& out)
{
	out << " \"session\": {\"event\": " << quoted(session.event)
	    << (session.is_frequency ? ", \"frequency_hz\": " : ", \"period\": ") << session.rate
	    << ", \"started\": " << quoted(session.started) << ", \"duration_ns\": " << session.duration_ns
	    << ", \"target\": " << quoted(session.target);
	if (!session.events.empty())
		write_events(session.events, out);
	write_filters(session, out);
	if (session.converted)
		write_conversion(*session.converted, out);
	out << "},\n";
}

void write_process(const ReportProcess& process, std::ostream& out)
{
	out << "{\"pid\": " << process.pid << ", \"comm\": " << quoted(process.comm)
	    << ", \"exe\": " << quoted(process.exe) << ", \"start_time_ns\": " << process.start_time_ns
	    << ", \"word_bits\": " << unsigned(process.word_bits) << '}';
}

void write_module(const ReportModule& module, std::ostream& out)
{
	out << "{\"path\": " << quoted(module.path) << ", \"build_id\": " << or_null(module.build_id)
	    << ", \"table\": " << (module.table ? quoted(name_of(*module.table)) : "null")
	    << ", \"rows\": " << module.rows << ", \"bytes\": " << module.bytes
	    << ", \"table_known_ns\": " << or_null(module.table_known_ns) << '}';
}

void write_frame(const ReportFrame& frame, std::ostream& out)
{
	out << "{\"address\": \"" << hex(frame.address) << "\", \"module\": " << or_null(frame.module)
	    << ", \"offset\": \"" << hex(frame.offset)
	    << "\", \"symbol\": " << (frame.symbol ? quoted(*frame.symbol) : "null")
	    << ", \"symbol_offset\": " << (frame.symbol ? std::to_string(frame.symbol_offset) : "null")
	    << ", \"kernel\": " << (frame.kernel ? "true" : "false") << '}';
}

void write_stack(const ReportStack& stack, std::ostream& out)
{
	out << "{\"frames\": ";
	write_row(stack.frames, out, [](Index index) { return index; });
	out << ", \"methods\": ";
	write_row(stack.methods, out, [](Method m) { return '"' + frame_method_name(m) + '"'; });
	out << ", \"stack_bytes\": ";
	write_row(stack.stack_bytes, out, [](const auto& bytes) { return or_null(bytes); });
	out << ", \"stop\": \"" << name_of(stack.stop)
	    << "\", \"complete\": " << (is_complete(stack.stop) ? "true" : "false")
	    << (stack.finished_later ? ", \"finished\": \"later\"}" : "}");
}

void write_waker(const ReportWaker& waker, std::ostream& out)
{
	out << "{\"process\": " << waker.process << ", \"pid\": " << waker.pid << ", \"tid\": " << waker.tid
	    << ", \"interrupt\": " << (waker.interrupt ? "true" : "false")
	    << ", \"user_stack\": " << or_null(waker.user_stack)
	    << ", \"kernel_stack\": " << or_null(waker.kernel_stack) << '}';
}

void write_off_cpu(const ReportSample& sample, const ReportOffCpu& off_cpu, std::ostream& out)
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

void write_value_type(const KernelValue& value, std::ostream& out)
{
	out << '{';
	if (!value.name.empty())
		out << "\"name\": " << quoted(value.name) << ", ";
	out << "\"type\": " << quoted(value.type) << ", \"kind\": \"" << value_kinds[std::size_t(value.kind)] << "\"}";
}

void write_function(const ReportFunction& function, std::ostream& out)
{
	out << "{\"address\": \"" << hex(function.address) << "\", \"name\": " << or_null(function.name)
	    << ", \"module\": " << or_null(function.module) << ", \"parameters\": ";
	if (!function.signature) {
		out << "null, \"returns\": null}";
		return;
	}
	const char* separator = "";
	out << '[';
	for (const KernelValue& parameter : function.signature->parameters) {
		out << separator;
		write_value_type(parameter, out);
		separator = ", ";
	}
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

void write_call(const ReportCall& call, const ReportFunction& function, std::ostream& out)
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

void write_sample(const ReportSample& sample, const Report& report, std::ostream& out)
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

std::string numbers(const std::map<std::string, std::uint64_t>& counts)
{
	return nlohmann::json(counts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write_counters(const ReportCounters& counters, std::ostream& out)
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

void write_json(const Report& report, std::ostream& out)
{
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
	write_counters(report.counters, out);
	out << "}\n";
}

} // namespace uwind
