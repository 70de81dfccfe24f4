// SPDX-License-Identifier: GPL-2.0
// The JSON report: written, read back, checked against its schema.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/json.h"
#include "unit/export/sample_report.h"
#include "unit/source_folder.h"

using namespace uwind;

namespace {

std::string json_of(const Report& report)
{
	std::ostringstream out;
	write_json(report, out);
	return out.str();
}

nlohmann::json parsed(const Report& report)
{
	return nlohmann::json::parse(json_of(report));
}

std::string error_of(const nlohmann::json& json)
{
	const auto report = read_json(json.dump());
	return report ? "" : report.error().message;
}

// A return with types, and a call of a function without.
Report with_calls()
{
	Report report = sample_report();
	ReportFunction read{0xffffffff81000100, "vfs_read", "", KernelSignature{}};
	read.signature->parameters = {{"file", "struct file *", ValueKind::pointer, 8, std::uint8_t(0)},
				      {"count", "unsigned int", ValueKind::is_unsigned, 4, std::uint8_t(1)},
				      {"pair", "struct pair", ValueKind::other, 8, std::nullopt}};
	read.signature->returns = KernelValue{"", "int", ValueKind::is_signed, 4, std::nullopt};
	report.functions = {read, {0xffffffffc0000100, "hook", "nf", std::nullopt}};
	report.calls = {{0, true, 99, 0xfffffffb, {0xffff888000000000, 0x700000005, 3, 4, 5, 6}},
			{1, false, 0, 0, {1, 2, 3, 4, 5, 6}}};
	report.samples[0].call = 0;
	report.samples[1].call = 1;
	return report;
}

} // namespace

TEST_CASE("a report that is written and read back is written the same again")
{
	const std::string text = json_of(sample_report());
	const auto read = read_json(text);
	REQUIRE(read);
	CHECK(json_of(*read) == text);
	CHECK(read->samples[0].cookie == 0xfedcba9876543210);
	CHECK(read->samples[4].lost == Loss::EXEC);
	CHECK(read->stacks == sample_report().stacks);
	CHECK(read->counters.pending == 1);
}

TEST_CASE("a period takes the frequency's place")
{
	Report report = sample_report();
	report.session.is_frequency = false;
	report.session.rate = 20000;
	const auto json = parsed(report);
	CHECK(json["session"]["period"] == 20000);
	CHECK_FALSE(json["session"].contains("frequency_hz"));
	CHECK_FALSE(read_json(json.dump())->session.is_frequency);
}

TEST_CASE("a session says what was left of its target, and only what was asked for")
{
	const auto plain = parsed(sample_report());
	for (const char* key : {"cgroup", "cpus", "excluded", "max_depth"})
		CHECK_FALSE(plain["session"].contains(key));
	Report report = sample_report();
	report.session.cgroup = "/a \"b\"";
	report.session.cpus = "0-3,5";
	report.session.excluded = {7, 9};
	report.session.max_depth = 10;
	const auto json = parsed(report);
	CHECK(json["session"]["cgroup"] == "/a \"b\"");
	CHECK(json["session"]["excluded"] == nlohmann::json({7, 9}));
	CHECK(json["session"]["max_depth"] == 10);
	const auto read = read_json(json.dump());
	REQUIRE(read);
	CHECK(json_of(*read) == json_of(report));
	auto bad = json;
	bad["session"]["excluded"] = {"seven"};
	CHECK_THAT(error_of(bad), Catch::Contains("session.excluded"));
}

TEST_CASE("since when a module's table was known comes back: reports that say nothing of it mean always")
{
	Report report = sample_report();
	report.modules[0].table_known_ns = 12;
	report.modules[1].table_known_ns.reset();
	auto json = parsed(report);
	CHECK(json["modules"][1]["table_known_ns"].is_null());
	CHECK(json_of(*read_json(json.dump())) == json_of(report));
	for (auto& module : json["modules"])
		module.erase("table_known_ns");
	const auto read = read_json(json.dump());
	REQUIRE(read);
	for (const ReportModule& module : read->modules)
		CHECK(module.table_known_ns == 0);
}

TEST_CASE("an empty report is valid JSON")
{
	CHECK(read_json(json_of(Report())));
}

TEST_CASE("names that are not UTF-8 do not break the JSON")
{
	Report report = sample_report();
	report.processes[0].comm = "\xff\x01\"\\";
	CHECK(parsed(report)["processes"][0]["comm"] == "\xEF\xBF\xBD\x01\"\\");
}

TEST_CASE("keys that a later version adds are skipped")
{
	auto json = parsed(sample_report());
	json["new"] = 1;
	json["frames"][0]["inlined"] = nlohmann::json::array();
	json["counters"]["new"] = {{"a", 1}};
	CHECK(error_of(json) == "");
}

TEST_CASE("what is wrong in a report is named with its place")
{
	using Edit = void (*)(nlohmann::json&);
	const auto [edit, message] = GENERATE(table<Edit, std::string>({
		{[](auto& j) { j["schema"] = "uwind-report/9"; },
		 "schema: is \"uwind-report/9\", not \"uwind-report/1\""},
		{[](auto& j) { j.erase("schema"); }, "schema: is missing"},
		{[](auto& j) { j = 3; }, ": is not an object"},
		{[](auto& j) { j["host"] = 3; }, "host: is not an object"},
		{[](auto& j) { j["host"].erase("kernel"); }, "host.kernel: is missing"},
		{[](auto& j) { j["session"].erase("frequency_hz"); }, "session.period: is missing"},
		{[](auto& j) { j["processes"] = 1; }, "processes: is not a list"},
		{[](auto& j) { j["processes"][1]["comm"] = 1; }, "processes[1].comm: is not a string"},
		{[](auto& j) { j["processes"][1]["pid"] = -1; }, "processes[1].pid: is not a number, or too large"},
		{[](auto& j) { j["processes"][1]["pid"] = 1ull << 32; },
		 "processes[1].pid: is not a number, or too large"},
		{[](auto& j) { j["modules"][0]["table"] = "tea"; }, "modules[0].table: is unknown to this version"},
		{[](auto& j) { j["frames"][0]["address"] = "12"; },
		 "frames[0].address: is not a number in hexadecimal"},
		{[](auto& j) { j["frames"][0]["kernel"] = 0; }, "frames[0].kernel: is not true or false"},
		{[](auto& j) { j["frames"][0]["module"] = 2; }, "frames[0]: names a module that is not there"},
		{[](auto& j) { j["stacks"][0]["frames"][0] = 5; }, "stacks[0]: names a frame that is not there"},
		{[](auto& j) { j["stacks"][0]["methods"] = {"pc"}; },
		 "stacks[0]: frames, methods and stack_bytes differ in length"},
		{[](auto& j) { j["stacks"][0]["methods"][1] = "magic"; },
		 "stacks[0].methods: has a word that is unknown to this version"},
		{[](auto& j) { j["stacks"][1]["stop"] = "tired"; }, "stacks[1].stop: is unknown to this version"},
		{[](auto& j) { j["stacks"][2]["finished"] = "soon"; },
		 "stacks[2].finished: is unknown to this version"},
		{[](auto& j) { j["samples"][0]["process"] = 2; }, "samples[0]: names a process that is not there"},
		{[](auto& j) { j["samples"][3]["user_stack"] = 3; }, "samples[3]: names a stack that is not there"},
		{[](auto& j) { j["samples"][3]["lost"] = "keys"; }, "samples[3].lost: is unknown to this version"},
		{[](auto& j) { j["counters"]["lost"].erase("pending"); }, "counters.lost.pending: is missing"},
		{[](auto& j) { j["counters"]["stops"] = 4; }, "counters.stops: is not an object"},
	}));
	auto json = parsed(sample_report());
	edit(json);
	CHECK(error_of(json) == message);
}

TEST_CASE("text that is not JSON is said to be none")
{
	CHECK(read_json("{").error().message == "is not JSON");
	CHECK(read_json("").error().message == "is not JSON");
	CHECK(read_json(std::string(100'000, '[')).error().message == "is not JSON");
}

TEST_CASE("a report that is cut off anywhere is said to be no JSON")
{
	const std::string whole = json_of(sample_report());
	const std::size_t end = whole.find_last_of('}');
	for (std::size_t length = 0; length <= end; length++) {
		const auto report = read_json(whole.substr(0, length));
		INFO(length);
		REQUIRE_FALSE(report);
		REQUIRE(report.error().message == "is not JSON");
	}
}

TEST_CASE("a byte of a report that is changed gives a report, or one line that says where it is wrong")
{
	const std::string whole = json_of(sample_report());
	const char change = GENERATE('\0', '-', '9', '"', '[', '\xff');
	for (std::size_t i = 0; i < whole.size(); i++) {
		std::string text = whole;
		text[i] = change;
		const auto report = read_json(text);
		if (report)
			continue;
		INFO(i);
		REQUIRE_FALSE(report.error().message.empty());
		REQUIRE(report.error().message.find('\n') == std::string::npos);
	}
}

TEST_CASE("words that a newer module made up survive")
{
	Report report = sample_report();
	report.stacks[0].stop = Stop(40);
	report.stacks[0].methods[1] = Method(50);
	const auto read = read_json(json_of(report));
	REQUIRE(read);
	CHECK(read->stacks[0].stop == Stop(40));
	CHECK(parsed(report)["stacks"][0]["methods"][1] == "method-50");
}

TEST_CASE("reports are as the schema says")
{
	const std::string path = std::string(std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp") +
				 "/uwind-report-" + std::to_string(::getpid()) + ".json";
	Report period = sample_report();
	period.session.is_frequency = false;
	period.session.converted = ReportConversion{"6.1.187", "monotonic"};
	CHECK(read_json(json_of(period))->session.converted->perf == "6.1.187");
	CHECK(read_json(json_of(period))->session.converted->clock == "monotonic");
	CHECK_FALSE(parsed(sample_report())["session"].contains("converted"));
	period.session.user_only = true;
	CHECK(read_json(json_of(period))->session.user_only);
	CHECK_FALSE(parsed(sample_report())["session"].contains("user_only"));
	Report off_cpu = sample_report();
	off_cpu.off_cpu.emplace_back().reason = "io";
	off_cpu.off_cpu[0].waker.emplace();
	off_cpu.samples[0].off_cpu = 0;
	for (const Report& report : {sample_report(), period, off_cpu, with_calls()}) {
		std::ofstream(path) << json_of(report);
		const std::string command = "python3 " + in_sources("tests/validate_report.py") + " " +
					    in_sources("include/uwind-report.schema.json") + " " + path;
		CHECK(std::system(command.c_str()) == 0);
	}
	std::remove(path.c_str());
}

TEST_CASE("events, and which of them a sample is of, are written and read")
{
	Report report = sample_report();
	CHECK_FALSE(nlohmann::json::parse(json_of(report))["session"].contains("events"));
	report.session.events = {{"cpu-clock", true, 99}, {"sched:sched_switch", false, 1}};
	report.samples[0].event = 1;
	report.samples[0].period = 7;
	report.samples[0].kernel_stack = 1;
	const auto json = nlohmann::json::parse(json_of(report));
	CHECK(json["session"]["events"][1] == nlohmann::json({{"name", "sched:sched_switch"}, {"period", 1}}));
	CHECK_FALSE(json["samples"][1].contains("event"));
	const auto read = read_json(json.dump());
	REQUIRE(read);
	CHECK(read->session.events.at(0).is_frequency);
	CHECK(read->session.events.at(1).name == "sched:sched_switch");
	CHECK(read->samples[0].event == 1u);
	CHECK(read->samples[0].period == 7u);
	CHECK(read->samples[0].kernel_stack == 1u);
	CHECK_FALSE(read->samples[1].event);
	auto bad = json;
	bad["samples"][0]["event"] = 2;
	CHECK_THAT(error_of(bad), Catch::Contains("samples[0]: names an event that is not there"));
	bad = json;
	bad["session"]["events"][1].erase("name");
	CHECK_THAT(error_of(bad), Catch::Contains("session.events[1].name: is missing"));
}

TEST_CASE("calls are written and read, with their arguments as their types say")
{
	const Report report = with_calls();
	const auto json = nlohmann::json::parse(json_of(report));
	CHECK(json["functions"][0]["name"] == "vfs_read");
	CHECK(json["functions"][0]["module"].is_null());
	CHECK(json["functions"][0]["parameters"][1] ==
	      nlohmann::json({{"name", "count"}, {"type", "unsigned int"}, {"kind", "unsigned"}}));
	CHECK(json["functions"][0]["returns"] == nlohmann::json({{"type", "int"}, {"kind", "signed"}}));
	CHECK(json["functions"][1]["parameters"].is_null());
	CHECK(json["samples"][0]["arguments"] == nlohmann::json({"0xffff888000000000", 5, nullptr}));
	CHECK(json["samples"][0]["returned"] == -5);
	CHECK(json["samples"][0]["duration_ns"] == 99);
	CHECK(json["samples"][1]["arguments"] == nlohmann::json({"0x1", "0x2", "0x3", "0x4", "0x5", "0x6"}));
	CHECK_FALSE(json["samples"][1].contains("returned"));
	CHECK_FALSE(json["samples"][2].contains("function"));
	const auto read = read_json(json.dump());
	REQUIRE(read);
	CHECK(json_of(*read) == json_of(report));
	auto bad = json;
	bad["samples"][0]["function"] = 2;
	CHECK_THAT(error_of(bad), Catch::Contains("samples[0]: names a function that is not there"));
	bad = json;
	bad["samples"][0]["arguments"][0] = "12";
	CHECK_THAT(error_of(bad), Catch::Contains("samples[0].arguments: has what is neither a number"));
	bad = json;
	bad["functions"][0]["returns"]["kind"] = "float";
	CHECK_THAT(error_of(bad), Catch::Contains("functions[0].returns.kind: is unknown"));
	bad = json;
	bad["functions"][0].erase("parameters");
	CHECK_THAT(error_of(bad), Catch::Contains("functions[0].parameters: is missing"));
}

TEST_CASE("times off the CPU are written and read, with who ended them")
{
	Report report = sample_report();
	ReportOffCpu off_cpu;
	off_cpu.reason = "lock";
	off_cpu.state = 'S';
	off_cpu.syscall = "futex";
	off_cpu.runnable_ns = 5;
	off_cpu.waker = ReportWaker{1, 11, 12, false, 2, std::nullopt};
	report.off_cpu = {off_cpu, {}};
	report.off_cpu[1].still = true;
	report.off_cpu[1].reason = "other";
	report.samples[0].period = 77;
	report.samples[0].off_cpu = 0;
	report.samples[1].off_cpu = 1;
	const auto json = nlohmann::json::parse(json_of(report));
	CHECK(json["samples"][0]["off_ns"] == 77);
	CHECK(json["samples"][0]["reason"] == "lock");
	CHECK(json["samples"][0]["wait_channel"].is_null());
	CHECK(json["samples"][0]["waker"]["user_stack"] == 2);
	CHECK(json["samples"][1]["still"] == true);
	CHECK_FALSE(json["samples"][2].contains("off_ns"));
	const auto read = read_json(json.dump());
	REQUIRE(read);
	CHECK(json_of(*read) == json_of(report));
	auto bad = json;
	bad["samples"][0]["waker"]["process"] = 9;
	CHECK_THAT(error_of(bad), Catch::Contains("samples[0]: has a waker with a process or a stack"));
	bad = json;
	bad["samples"][0].erase("reason");
	CHECK_THAT(error_of(bad), Catch::Contains("samples[0].reason: is missing"));
}
