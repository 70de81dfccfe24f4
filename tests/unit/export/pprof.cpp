// SPDX-License-Identifier: GPL-2.0
// pprof's format, read by Go's pprof if that is installed, and by our own messages. 5 s.
#include "export/pprof.h"

#include <catch2/catch.hpp>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <map>

#include "export/pprof.pb.h"
#include "unit/export/profiles.h"

using namespace uwind;

namespace {

pprof::Profile profile_of(const Report& report)
{
	const std::string bytes = written(write_pprof, report);
	google::protobuf::io::ArrayInputStream raw(bytes.data(), int(bytes.size()));
	google::protobuf::io::GzipInputStream unpacked(&raw, google::protobuf::io::GzipInputStream::GZIP);
	pprof::Profile profile;
	REQUIRE(profile.ParseFromZeroCopyStream(&unpacked));
	return profile;
}

std::string text(const pprof::Profile& profile, std::int64_t number)
{
	return profile.string_table(int(number));
}

std::map<std::string, std::string> labels_of(const pprof::Profile& profile, const pprof::Sample& sample)
{
	std::map<std::string, std::string> labels;
	for (const pprof::Label& label : sample.label())
		labels[text(profile, label.key())] =
			label.str() ? text(profile, label.str()) : std::to_string(label.num());
	return labels;
}

bool is_read_by_go(const Report& report)
{
	const ProfileFiles files;
	files.add("report.json", written(write_json, report));
	files.add("report.pb.gz", written(write_pprof, report));
	return files.passes("check_pprof.py", "report.json report.pb.gz", "go tool pprof");
}

} // namespace

TEST_CASE("Go's pprof finds all that a report has")
{
	if (std::system("go version >/dev/null 2>&1") != 0) {
		skipped("go, whose pprof reads profiles, is not installed");
		return;
	}
	std::mt19937 random(17);
	for (int i = 0; i < 2; i++)
		CHECK(is_read_by_go(any_profiled_report(random)));
	Report report = any_profiled_report(random);
	report.samples[3].period.reset();
	report.samples[4].event.reset();
	CHECK(is_read_by_go(report));
}

TEST_CASE("each event has two values in pprof, and the others of a sample are 0")
{
	std::mt19937 random(18);
	const Report report = any_profiled_report(random);
	const pprof::Profile profile = profile_of(report);
	std::vector<std::string> types;
	for (const pprof::ValueType& type : profile.sample_type())
		types.push_back(text(profile, type.type()) + " " + text(profile, type.unit()));
	CHECK(types == std::vector<std::string>{"cpu-clock_samples count", "cpu-clock nanoseconds",
						"page-faults:u_samples count", "page-faults:u count",
						"offcpu_samples count", "offcpu nanoseconds"});
	CHECK(text(profile, profile.default_sample_type()) == "cpu-clock");
	CHECK(text(profile, profile.period_type().type()) == "cpu-clock");
	CHECK(profile.period() == 1'000'000'000 / 99);
	int next = 0;
	for (const ReportSample& sample : report.samples) {
		if (!sample.has_stack())
			continue;
		std::vector<std::int64_t> expected(6);
		expected[2 * *sample.event] = sample.weight;
		expected[2 * *sample.event + 1] = std::int64_t(*sample.period);
		const auto& values = profile.sample(next++).value();
		CHECK(std::vector<std::int64_t>(values.begin(), values.end()) == expected);
	}
	CHECK(profile.sample_size() == next);
}

TEST_CASE("an event whose periods are not known counts samples alone, and one without samples is left out")
{
	Report report = sample_report();
	const pprof::Profile profile = profile_of(report);
	REQUIRE(profile.sample_type_size() == 1);
	CHECK(text(profile, profile.sample_type(0).type()) == "cpu-clock_samples");
	CHECK(text(profile, profile.default_sample_type()) == "cpu-clock_samples");
	report.session.events = {{"cycles", true, 99}, {"page-faults", false, 1}};
	for (ReportSample& sample : report.samples) {
		sample.event = 1;
		sample.period = 3;
	}
	const pprof::Profile other = profile_of(report);
	REQUIRE(other.sample_type_size() == 2);
	CHECK(text(other, other.sample_type(1).type()) == "page-faults");
	CHECK(other.period() == 1);
	report.samples.clear();
	CHECK(profile_of(report).sample_size() == 0);
	CHECK(profile_of(report).sample_type_size() == 2);
}

TEST_CASE("samples have their labels, and the profile its times and what it leaves out")
{
	Report report = sample_report();
	report.samples[0].cpu = 0;
	report.off_cpu.emplace_back().reason = "lock";
	report.samples[0].off_cpu = 0;
	const pprof::Profile profile = profile_of(report);
	REQUIRE(profile.sample_size() == 4);
	CHECK(labels_of(profile, profile.sample(0)) ==
	      std::map<std::string, std::string>{{"pid", "10"},
						 {"tid", "10"},
						 {"cpu", "0"},
						 {"comm", "prog"},
						 {"timestamp_ns", "1000000000"},
						 {"off_cpu", "lock"}});
	CHECK(profile.time_nanos() == 1769903999'000'000'000);
	CHECK(profile.duration_nanos() == 5'000'000'000);
	std::vector<std::string> comments;
	for (const std::int64_t comment : profile.comment())
		comments.push_back(text(profile, comment));
	CHECK(comments == std::vector<std::string>{"uwind 0.1.0: all on box, Linux 6.1.0-1-amd64 (x86_64)",
						   "without a stack, and left out: exec 3, pending 1",
						   "stacks that are not complete: no_table 2"});
}

TEST_CASE("pprof's places are in mappings of their files, with the functions that are inlined there first")
{
	Report report = sample_report();
	report.modules[0].segments = {{0x1000, 0x800, 0x400}};
	report.frames[1].source = ReportSource{"/src/main.c", 12};
	report.frames[1].inlined = {{"inner", {"/src/inner.h", 3}}};
	report.samples = {sample_of(0, 1, 0, 1)};
	const pprof::Profile profile = profile_of(report);
	REQUIRE(profile.mapping_size() == 1);
	const pprof::Mapping& mapping = profile.mapping(0);
	CHECK(mapping.memory_start() == 0x401000);
	CHECK(mapping.memory_limit() == 0x402000);
	CHECK(mapping.file_offset() == 0x400);
	CHECK(text(profile, mapping.filename()) == "/bin/prog");
	CHECK(text(profile, mapping.build_id()) == "00ff");
	CHECK(mapping.has_functions());
	CHECK(mapping.has_inline_frames());
	REQUIRE(profile.location_size() == 3);
	CHECK(profile.location(0).address() == 0x401010);
	CHECK(profile.location(1).address() == 0x40111f); // in the call
	const auto& lines = profile.location(1).line();
	REQUIRE(lines.size() == 2);
	CHECK(text(profile, profile.function(int(lines[0].function_id()) - 1).name()) == "inner");
	CHECK(lines[0].line() == 3);
	CHECK(text(profile, profile.function(int(lines[1].function_id()) - 1).name()) == "main");
	CHECK(text(profile, profile.function(int(lines[1].function_id()) - 1).filename()) == "/src/main.c");
	CHECK(profile.location(2).line_size() == 0); // nothing is known of it
}

TEST_CASE("pprof has the same bytes for the same report")
{
	std::mt19937 random(19), again(19);
	CHECK(written(write_pprof, any_profiled_report(random)) == written(write_pprof, any_profiled_report(again)));
}
