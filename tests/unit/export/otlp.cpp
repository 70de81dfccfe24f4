// SPDX-License-Identifier: GPL-2.0
// OTLP's profiles, read by the protocol's published files, and by our own. 10 s.
#include "export/otlp.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "export/inlined.h"
#include "export/otlp_dictionary.h"
#include "unit/export/profiles.h"

using namespace uwind;

namespace {

bool protobuf_is_there()
{
	return std::system(
		       "/usr/bin/python3 -c 'import google.protobuf' 2>/dev/null && command -v protoc >/dev/null") ==
		       0 ||
	       skipped("Debian's python3-protobuf or protoc is not there");
}

bool is_as_published(const Report& report)
{
	const ProfileFiles files;
	files.add("report.json", written(write_json, report));
	files.add("report.otlp", written(write_otlp, report));
	files.add("report.otlp.json", written(write_otlp_json, report));
	return files.passes("check_otlp.py", "report.json report.otlp report.otlp.json");
}

otlp::ProfilesData message_of(const Report& report)
{
	otlp::ProfilesData message;
	REQUIRE(message.ParseFromString(written(write_otlp, report)));
	return message;
}

std::map<std::string, std::string> attributes_of(const otlp::ProfilesDictionary& tables,
						 const google::protobuf::RepeatedField<std::int32_t>& indices)
{
	std::map<std::string, std::string> attributes;
	for (const std::int32_t index : indices) {
		const otlp::KeyValueAndUnit& row = tables.attribute_table(index);
		attributes[tables.string_table(row.key_strindex())] = row.value().has_string_value()
									      ? row.value().string_value()
									      : std::to_string(row.value().int_value());
	}
	return attributes;
}

} // namespace

TEST_CASE("readers of OTLP as it is published find all that a report has")
{
	if (!protobuf_is_there())
		return;
	std::mt19937 random(7);
	for (int i = 0; i < 4; i++)
		CHECK(is_as_published(any_profiled_report(random)));
	Report report = any_profiled_report(random);
	report.samples[3].period.reset(); // its event has weights, then
	report.samples[4].event.reset();  // a request
	report.processes[0].details = {1, 2, {"prog", "secret"}, "/a.slice", "0123"};
	CHECK(is_as_published(report));
	CHECK(is_as_published(sample_report()));
	report.samples.clear();
	CHECK(is_as_published(report));
}

TEST_CASE("OTLP has the same bytes for the same report")
{
	std::mt19937 random(8), again(8);
	const Report report = any_profiled_report(random), same = any_profiled_report(again);
	CHECK(written(write_otlp, report) == written(write_otlp, same));
	CHECK(written(write_otlp_json, report) == written(write_otlp_json, same));
}

TEST_CASE("a resource is a program image, and what happened on one stack of one thread is one sample")
{
	Report report = sample_report();
	report.session.started_ns = 500'000'000;
	report.processes[0].details.parent_pid = 7;
	report.samples = {sample_of(0, 3'000'000'000, 0, 2), sample_of(1, 2'000'000'000, 1, 1),
			  sample_of(0, 1'000'000'000, 0, 5), sample_of(0, 1'000'000'000, {}, 1)};
	const otlp::ProfilesData message = message_of(report);
	const otlp::ProfilesDictionary& tables = message.dictionary();
	REQUIRE(message.resource_profiles_size() == 2);
	const auto& resource = message.resource_profiles(0).resource();
	CHECK(resource.attributes(0).key() == "process.pid");
	CHECK(resource.attributes(0).value().int_value() == 10);
	CHECK(resource.attributes(1).key() == "process.parent_pid");
	CHECK(resource.attributes(1).value().int_value() == 7);
	CHECK(resource.attributes(2).value().string_value() == "prog");
	const otlp::Profile& profile = message.resource_profiles(0).scope_profiles(0).profiles(0);
	CHECK(tables.string_table(profile.sample_type().type_strindex()) == "samples");
	CHECK(tables.string_table(profile.period_type().type_strindex()) == "cpu-clock");
	CHECK(profile.period() == 1'000'000'000 / 99);
	CHECK(profile.time_unix_nano() == 1769903999'000'000'000);
	REQUIRE(profile.samples_size() == 1);
	const otlp::Sample& sample = profile.samples(0);
	REQUIRE(sample.values_size() == 2);
	CHECK(sample.values(0) == 5);
	CHECK(sample.values(1) == 2);
	CHECK(sample.timestamps_unix_nano(0) == 1769903999'500'000'000);
	CHECK(sample.timestamps_unix_nano(1) == 1769904001'500'000'000);
	CHECK(attributes_of(tables, sample.attribute_indices()) ==
	      std::map<std::string, std::string>{
		      {"thread.id", "10"}, {"cpu.logical_number", "1"}, {"thread.name", "prog"}});
	CHECK(attributes_of(tables, profile.attribute_indices()) ==
	      std::map<std::string, std::string>{
		      {"uwind.lost.exec", "3"}, {"uwind.lost.pending", "1"}, {"uwind.incomplete.no_table", "2"}});
}

TEST_CASE("OTLP without inlined functions has one line for each place")
{
	std::mt19937 random(9);
	Report report = any_profiled_report(random);
	const auto most_lines = [&] {
		int most = 0;
		const otlp::ProfilesData message = message_of(report);
		for (const otlp::Location& location : message.dictionary().location_table())
			most = std::max(most, location.lines_size());
		return most;
	};
	CHECK(most_lines() == 3);
	forget_inlined(report);
	CHECK(most_lines() == 1);
}

TEST_CASE("texts that are no UTF-8 are made so in OTLP, and in its JSON the same")
{
	Report report = sample_report();
	report.processes[0].comm = "a\xff";
	report.modules[0].path = "/bin/\xc3";
	report.frames[0].symbol = "f\xe2\x82";
	const otlp::ProfilesData message = message_of(report);
	CHECK(message.dictionary().string_table().size() > 0);
	CHECK(nlohmann::json::parse(written(write_otlp_json, report)).at("dictionary").at("stringTable").size() ==
	      std::size_t(message.dictionary().string_table_size()));
	CHECK(written(write_otlp, report).find("/bin/\xef\xbf\xbd") != std::string::npos);
}

TEST_CASE("stacks that OTLP's message has no room for are none, and the others stay")
{
	const Report report = sample_report();
	OtlpDictionary dictionary(report, 5);
	CHECK(dictionary.stack({0, {}}) == 1);
	CHECK(dictionary.stack({1, {}}) == 2);
	CHECK(dictionary.stack({2, {}}) == 0);
	CHECK(dictionary.stack({0, {}}) == 1);
	CHECK(dictionary.message().dictionary().stack_table_size() == 3);
}

TEST_CASE("stacks that differ in how they end alone are one in OTLP")
{
	Report report = sample_report();
	report.stacks.push_back(report.stacks[0]);
	report.stacks.back().stop = Stop::NO_TABLE;
	OtlpDictionary dictionary(report);
	CHECK(dictionary.stack({0, {}}) == dictionary.stack({3, {}}));
}

TEST_CASE("more samples than OTLP's message has room for are refused")
{
	Report report = sample_report();
	CHECK(check_otlp(report));
	report.samples.resize(otlp_max_samples + 1);
	REQUIRE(!check_otlp(report));
	CHECK_THAT(check_otlp(report).error().message, Catch::StartsWith("the report has 16777217 samples, and "));
}
