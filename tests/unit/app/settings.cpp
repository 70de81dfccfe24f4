// SPDX-License-Identifier: GPL-2.0
// The service's configuration: what is read, what is refused and in which words, and
// that its two documents say the same.
#include <catch2/catch.hpp>

#include <fstream>
#include <set>
#include <sstream>

#include "app/settings.h"
#include "base/nearest.h"
#include "unit/source_folder.h"

using namespace uwind;

namespace {

std::vector<std::string> complaints_about(const std::string& text)
{
	return read_settings(text, "f", Settings()).complaints;
}

std::string contents(const std::string& path)
{
	std::ifstream file(in_sources(path));
	std::ostringstream text;
	text << file.rdbuf();
	REQUIRE_FALSE(text.str().empty());
	return text.str();
}

std::set<std::string> known_keys()
{
	std::set<std::string> names;
	for (const SettingKey& key : setting_keys())
		names.insert(key.name);
	return names;
}

const SettingKey& key_of(const std::string& name)
{
	for (const SettingKey& key : setting_keys())
		if (key.name == name)
			return key;
	FAIL("no key " << name);
	return setting_keys().front();
}

// What follows "prefix" on each line that begins with it, up to a blank.
std::vector<std::string> words_behind(const std::string& text, const std::string& prefix)
{
	std::vector<std::string> words;
	std::istringstream lines(text);
	for (std::string line; std::getline(lines, line);)
		if (line.starts_with(prefix))
			words.push_back(line.substr(prefix.size(), line.find(' ', prefix.size()) - prefix.size()));
	return words;
}

} // namespace

TEST_CASE("every key of the configuration is read, the rest stays as it was")
{
	const auto read =
		read_settings("# comment\n\n interval=7\r\n\tdir = /srv/a b#c\nkeep = 1000000\n"
			      "frequency = 499\nevent = cycles\nverbose = yes\n"
			      "cgroup = /system.slice/x.service\ncpus = 5,0-3\nmax_depth = 10\ntable_cache = /c\n"
			      "stack_depth = yes\nno_arguments = yes\n"
			      "keep_tables = /usr, /srv/a b",
			      "f", Settings());
	CHECK(read.complaints.empty());
	CHECK(read.settings.interval_s == 7);
	CHECK(read.settings.folder == "/srv/a b#c");
	CHECK(read.settings.keep == 1'000'000);
	CHECK(read.settings.frequency == 499);
	CHECK(read.settings.event == Event::cycles);
	CHECK(read.settings.verbose);
	CHECK(read.settings.cgroup == "/system.slice/x.service");
	CHECK(read.settings.cpus == std::vector<std::uint32_t>{0, 1, 2, 3, 5});
	CHECK(read.settings.max_depth == 10);
	CHECK(read.settings.stack_depth);
	CHECK(read.settings.no_arguments);
	CHECK(read.settings.table_cache == "/c");
	CHECK(read_settings("table_cache = none", "f", read.settings).settings.table_cache.empty());
	CHECK(read.settings.keep_tables == std::vector<std::string>{"/usr", "/srv/a b"});
	CHECK(read_settings("keep_tables = none", "f", read.settings).settings.keep_tables.empty());
	const auto all = read_settings("cgroup = all\ncpus = all\n", "f", read.settings);
	CHECK(all.complaints.empty());
	CHECK(all.settings.cgroup.empty());
	CHECK(all.settings.cpus.empty());
	Settings base;
	base.keep = 3;
	CHECK(read_settings("interval = 8\n", "f", base).settings.keep == 3);
	CHECK(read_settings("", "f", base).complaints.empty());
}

TEST_CASE("what was read can be written and read again")
{
	Settings settings;
	settings.folder = "/x";
	settings.event = Event::cycles;
	settings.verbose = true;
	settings.interval_s = 86'400;
	settings.cgroup = "/a b";
	settings.cpus = {1, 2, 3, 7};
	settings.max_depth = 1;
	settings.stack_depth = true;
	settings.no_arguments = true;
	settings.table_cache = "";
	settings.keep_tables = {"/usr", "/opt/x"};
	const auto again = read_settings(text_of(settings), "f", Settings());
	CHECK(again.complaints.empty());
	CHECK(text_of(again.settings) == text_of(settings));
	CHECK(text_of(settings) != text_of(Settings()));
}

TEST_CASE("a mistyped key is refused with its line and the nearest known key")
{
	CHECK(complaints_about("\nintervall = 3") ==
	      std::vector<std::string>{"f:2: there is no key 'intervall': did you mean 'interval'?"});
	CHECK(complaints_about("evnet = cycles") ==
	      std::vector<std::string>{"f:1: there is no key 'evnet': did you mean 'event'?"});
	CHECK(complaints_about("colour = red") ==
	      std::vector<std::string>{
		      "f:1: there is no key 'colour': the keys are interval, dir, keep, frequency, "
		      "event, cgroup, cpus, max_depth, stack_bytes, stack_depth, no_arguments, table_cache, "
		      "keep_tables, verbose"});
	CHECK(complaints_about(std::string(1 << 20, 'x') + " = 1").size() == 1);
}

TEST_CASE("a wrong value is refused with what is allowed and an example that is")
{
	CHECK(complaints_about("interval = 0") ==
	      std::vector<std::string>{"f:1: interval is '0', but must be a number from 1 to 86400, for example: "
				       "interval = 10"});
	CHECK(complaints_about("event = page-faults") ==
	      std::vector<std::string>{"f:1: event is 'page-faults', but must be cpu-clock or cycles, for example: "
				       "event = cpu-clock"});
	CHECK(complaints_about("cpus = 3-1") ==
	      std::vector<std::string>{
		      "f:1: cpus is '3-1', but must be all, or numbers and ranges of them, for example: "
		      "cpus = 0-3,5"});
	CHECK(complaints_about("cgroup = system.slice") ==
	      std::vector<std::string>{
		      "f:1: cgroup is 'system.slice', but must be all, or a path that begins with '/', "
		      "for example: cgroup = /system.slice"});
	CHECK_THAT(complaints_about("max_dept = 5").at(0), Catch::EndsWith("did you mean 'max_depth'?"));
	CHECK_THAT(complaints_about("keep = 5 # five").at(0), Catch::Contains("a comment needs a line of its own"));
	for (const char* line :
	     {"interval = 86401", "interval = ten", "interval =", "interval = -1", "interval = 1 0", "keep = 0",
	      "keep = 1000001", "frequency = 0", "frequency = 100001", "dir = reports", "dir =", "verbose = true",
	      "stack_depth = 1", "event =", "keep = 99999999999999999999"}) {
		INFO(line);
		CHECK(complaints_about(line).size() == 1);
	}
	for (const char* line : {"cpus =", "cpus = 0 1", "cpus = 65536", "cgroup =", "max_depth = 0",
				 "max_depth = 4097", "keep_tables =", "keep_tables = usr", "keep_tables = /usr,",
				 "keep_tables = /usr,opt", "keep_tables = /usr:none,none"}) {
		INFO(line);
		CHECK(complaints_about(line).size() == 1);
	}
	for (const SettingKey& key : setting_keys())
		CHECK(complaint_about(key, key.example).empty());
}

TEST_CASE("as many paths as a message allows are allowed, not one more")
{
	const SettingKey& key = key_of("keep_tables");
	CHECK_THAT(key.allowed, Catch::Contains("at most 64 paths"));
	std::string paths = "/0";
	for (int i = 1; i < 64; i++)
		paths += ",/" + std::to_string(i);
	CHECK(complaint_about(key, paths).empty());
	CHECK_FALSE(complaint_about(key, paths + ",/64").empty());
}

TEST_CASE("the numbers that a message allows are allowed, those beyond are not")
{
	for (const SettingKey& key : setting_keys()) {
		unsigned long long least = 0, most = 0;
		if (std::sscanf(key.allowed, "a number from %llu to %llu", &least, &most) != 2)
			continue;
		Settings settings;
		INFO(key.name);
		CHECK(key.set(settings, std::to_string(least)));
		CHECK_FALSE(key.set(settings, std::to_string(least - 1)));
		CHECK(key.set(settings, std::to_string(most)));
		CHECK_FALSE(key.set(settings, std::to_string(most + 1)));
		CHECK(key.get(settings) == std::to_string(most));
	}
}

TEST_CASE("every wrong line is complained of, not only the first")
{
	CHECK(complaints_about("hello\nkeep = 1\nkeep = 2\n[x]\n") ==
	      std::vector<std::string>{"f:1: 'hello' is no setting: write key = value, or # before a comment",
				       "f:3: keep was set in line 2 already: remove one of the two",
				       "f:4: '[x]' is no setting: write key = value, or # before a comment"});
}

TEST_CASE("the manual page of the configuration has the keys that are read, with their defaults")
{
	const std::string page = contents("daemon/man/uwindd.conf.5");
	const auto named = words_behind(page, ".BR \\fB");
	std::set<std::string> documented;
	for (const std::string& word : named)
		documented.insert(word.substr(0, word.find('\\')));
	CHECK(documented == known_keys());
	for (const SettingKey& key : setting_keys()) {
		INFO(key.name);
		CHECK_THAT(page, Catch::Contains("Default: \\fB" + key.get(Settings()) + "\\fR"));
	}
	// The numbers that are allowed stand in the page as well.
	for (const char* limit : {"1 to 86400", "1 to 1000000", "1 to 100000", "1 to 4096", "0 to 16384"})
		CHECK_THAT(page, Catch::Contains(limit));
}

TEST_CASE("the manual page of the service has an option for every key")
{
	std::string page = contents("daemon/man/uwindd.8");
	std::erase(page, '\\');
	for (const SettingKey& key : setting_keys()) {
		INFO(key.name);
		const std::string options = key.options;
		CHECK_THAT(page, Catch::Contains(options.substr(options.find("--"))));
	}
}

TEST_CASE("the installed configuration shows every key with its default, and changes nothing")
{
	const std::string file = contents("daemon/systemd/uwindd.conf");
	const auto read = read_settings(file, "uwindd.conf", Settings());
	CHECK(read.complaints.empty());
	CHECK(text_of(read.settings) == text_of(Settings()));
	std::string bare;
	std::istringstream lines(file);
	for (std::string line; std::getline(lines, line);)
		if (line.size() > 1 && line[0] == '#' && line[1] != ' ')
			bare += line.substr(1) + "\n";
	CHECK(bare == text_of(Settings()));
}

TEST_CASE("the default folder of reports is in the one that the unit makes")
{
	const std::string unit = contents("daemon/systemd/uwindd.service");
	const auto state = words_behind(unit, "StateDirectory=");
	REQUIRE(state.size() == 1);
	CHECK("/var/lib/" + state[0] + "/reports" == key_of("dir").get(Settings()));
}

TEST_CASE("the default folder of tables is in the one that the unit makes, for root alone")
{
	const std::string unit = contents("daemon/systemd/uwindd.service");
	REQUIRE(words_behind(unit, "CacheDirectory=").size() == 1);
	CHECK("/var/cache/" + words_behind(unit, "CacheDirectory=")[0] + "/tables" ==
	      key_of("table_cache").get(Settings()));
	CHECK(words_behind(unit, "CacheDirectoryMode=") == std::vector<std::string>{"0700"});
}

TEST_CASE("a word's nearest is the one with fewest changes, or none")
{
	CHECK(edit_distance("", "abc") == 3);
	CHECK(edit_distance("kitten", "sitting") == 3);
	CHECK(edit_distance("ab", "ba") == 1);
	CHECK(edit_distance("same", "same") == 0);
	CHECK(nearest("kep", {"keep", "dir"}) == "keep");
	CHECK(nearest("freq", {"frequency", "event"}).empty());
	CHECK(nearest("xy", {"ab"}).empty());
	CHECK(nearest("dri", {"dir", "drip"}) == "dir");
	CHECK(nearest("", {"ab"}).empty());
}
