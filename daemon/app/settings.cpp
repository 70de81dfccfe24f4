// SPDX-License-Identifier: GPL-2.0
// The keys of the service's configuration, and the reader of its file.
#include "app/settings.h"

#include <algorithm>
#include <map>
#include <type_traits>

#include "base/cpu_list.h"
#include "base/nearest.h"
#include "base/text.h"

namespace uwind {
namespace {

template <auto Member>
using ValueOf = std::remove_reference_t<decltype(std::declval<Settings>().*Member)>;

template <auto Member, std::uint64_t Least, std::uint64_t Most>
bool set_number(Settings& settings, std::string_view value)
{
	const auto number = parse_number(value);
	if (!number || *number < Least || *number > Most)
		return false;
	settings.*Member = static_cast<ValueOf<Member>>(*number);
	return true;
}

template <auto Member>
std::string get_number(const Settings& settings)
{
	return std::to_string(settings.*Member);
}

// A relative path would depend on the folder in which the service was started.
bool set_folder(Settings& settings, std::string_view value)
{
	if (value.empty() || value.front() != '/')
		return false;
	settings.folder = value;
	return true;
}

bool set_event(Settings& settings, std::string_view value)
{
	for (const Event event : {Event::cpu_clock, Event::cycles}) {
		if (value == name_of(event)) {
			settings.event = event;
			return true;
		}
	}
	return false;
}

constexpr std::string_view everything = "all", nothing = "none";

std::string_view trimmed(std::string_view text)
{
	constexpr std::string_view blanks = " \t\r";
	const auto begin = text.find_first_not_of(blanks);
	if (begin == std::string_view::npos)
		return {};
	return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// A path, or a word for none.
template <auto Member, const std::string_view& Word>
bool set_path_or(Settings& settings, std::string_view value)
{
	if (value != Word && !value.starts_with('/'))
		return false;
	settings.*Member = value == Word ? "" : value;
	return true;
}

template <auto Member, const std::string_view& Word>
std::string get_path_or(const Settings& settings)
{
	return std::string((settings.*Member).empty() ? Word : settings.*Member);
}

bool set_cpus(Settings& settings, std::string_view value)
{
	const auto cpus = value == everything ? std::vector<std::uint32_t>() : parse_cpus(value);
	if (cpus)
		settings.cpus = *cpus;
	return cpus.has_value();
}

std::string get_cpus(const Settings& settings)
{
	return settings.cpus.empty() ? std::string(everything) : text_of_cpus(settings.cpus);
}

constexpr std::size_t most_paths = 64;

// Paths with commas between them, or a word for none.
bool set_keep_tables(Settings& settings, std::string_view value)
{
	std::vector<std::string> paths;
	for (bool more = value != nothing; more;) {
		const auto comma = value.find(',');
		const std::string_view path = trimmed(value.substr(0, comma));
		if (!path.starts_with('/') || paths.size() == most_paths)
			return false;
		paths.emplace_back(path);
		more = comma != std::string_view::npos;
		value.remove_prefix(more ? comma + 1 : 0);
	}
	settings.keep_tables = std::move(paths);
	return true;
}

std::string get_keep_tables(const Settings& settings)
{
	std::string text;
	for (const std::string& path : settings.keep_tables)
		text += (text.empty() ? "" : ",") + path;
	return text.empty() ? std::string(nothing) : text;
}

template <bool Settings::*Member>
bool set_flag(Settings& settings, std::string_view value)
{
	if (value != "yes" && value != "no")
		return false;
	settings.*Member = value == "yes";
	return true;
}

template <bool Settings::*Member>
std::string get_flag(const Settings& settings)
{
	return settings.*Member ? "yes" : "no";
}

constexpr SettingKey keys[] = {
	{"interval", "--interval", "Seconds that one report covers", "a number from 1 to 86400", "10", false, false,
	 set_number<&Settings::interval_s, 1, 86'400>, get_number<&Settings::interval_s>},
	{"dir", "--dir", "Folder of the reports; created if missing", "a path that begins with '/'",
	 "/var/lib/uwind/reports", true, false, set_folder, [](const Settings& settings) { return settings.folder; }},
	{"keep", "--keep", "How many reports are kept", "a number from 1 to 1000000", "360", false, false,
	 set_number<&Settings::keep, 1, 1'000'000>, get_number<&Settings::keep>},
	{"frequency", "-F,--frequency", "Samples per second of each CPU", "a number from 1 to 100000", "99", false,
	 false, set_number<&Settings::frequency, 1, 100'000>, get_number<&Settings::frequency>},
	{"event", "-e,--event", "What triggers a sample: cpu-clock or cycles", "cpu-clock or cycles", "cpu-clock",
	 false, false, set_event, [](const Settings& settings) { return std::string(name_of(settings.event)); }},
	{"cgroup", "-G,--cgroup", "Only this cgroup (version 2) and those below it",
	 "all, or a path that begins with '/'", "/system.slice", false, false,
	 set_path_or<&Settings::cgroup, everything>, get_path_or<&Settings::cgroup, everything>},
	{"cpus", "-C,--cpus", "Only these CPUs: 0-3,5", "all, or numbers and ranges of them", "0-3,5", false, false,
	 set_cpus, get_cpus},
	{"max_depth", "--max-depth", "Most frames of one stack", "a number from 1 to 4096", "512", false, false,
	 set_number<&Settings::max_depth, 1, most_frames>, get_number<&Settings::max_depth>},
	{"stack_bytes", "--stack-bytes", "Most bytes of stack that come with a sample whose table is not there yet",
	 "a number from 0 to 16384", "16384", false, false, set_number<&Settings::stack_bytes, 0, most_stack_bytes>,
	 get_number<&Settings::stack_bytes>},
	{"stack_depth", "--stack-depth", "Reports say how deep stacks were, and which frames are the largest",
	 "yes or no", "yes", false, true, set_flag<&Settings::stack_depth>, get_flag<&Settings::stack_depth>},
	{"no_arguments", "--no-arguments", "Reports do not have the arguments of processes, which may be secrets",
	 "yes or no", "yes", false, true, set_flag<&Settings::no_arguments>, get_flag<&Settings::no_arguments>},
	{"table_cache", "--table-cache", "Folder in which tables are kept, or none",
	 "none, or a path that begins with '/'", default_table_cache, true, false,
	 set_path_or<&Settings::table_cache, nothing>, get_path_or<&Settings::table_cache, nothing>},
	{"keep_tables", "--keep-tables", "Files and folders of which tables are kept before they run, or none",
	 "none, or at most 64 paths that begin with '/', with commas between them", "/usr,/opt", false, false,
	 set_keep_tables, get_keep_tables},
	{"verbose", "-v,--verbose", "Log details, such as files without unwind information", "yes or no", "yes", false,
	 true, set_flag<&Settings::verbose>, get_flag<&Settings::verbose>},
};

std::string unknown(std::string_view name)
{
	std::vector<std::string> names;
	for (const SettingKey& key : keys)
		names.emplace_back(key.name);
	std::string text = "there is no key '" + std::string(name) + "'";
	if (const std::string meant = nearest(name, names); !meant.empty())
		return text + ": did you mean '" + meant + "'?";
	text += ": the keys are";
	for (const std::string& known : names)
		text += (known == names.front() ? " " : ", ") + known;
	return text;
}

const SettingKey* key_named(std::string_view name)
{
	const auto* found = std::ranges::find_if(keys, [&](const SettingKey& key) { return name == key.name; });
	return found == std::end(keys) ? nullptr : found;
}

class Reader {
public:
	explicit Reader(const Settings& base) : settings_(base) {}

	// What is wrong with the line; "": nothing.
	std::string take(std::string_view line, unsigned number)
	{
		line = trimmed(line);
		if (line.empty() || line.front() == '#')
			return "";
		const auto equals = line.find('=');
		if (equals == std::string_view::npos)
			return "'" + std::string(line) + "' is no setting: write key = value, or # before a comment";
		const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
		const SettingKey* key = key_named(name);
		if (!key)
			return unknown(name);
		if (const auto [before, is_new] = lines_.emplace(key, number); !is_new)
			return std::string(key->name) + " was set in line " + std::to_string(before->second) +
			       " already: remove one of the two";
		return key->set(settings_, value) ? "" : complaint_about(*key, value);
	}

	const Settings& settings() const { return settings_; }

private:
	Settings settings_;
	std::map<const SettingKey*, unsigned> lines_; // the line that set each
};

} // namespace

std::span<const SettingKey> setting_keys()
{
	return keys;
}

std::string complaint_about(const SettingKey& key, std::string_view value)
{
	Settings unused;
	if (key.set(unused, value))
		return "";
	const auto comment = value.find(" #");
	const bool commented = comment != std::string_view::npos && key.set(unused, trimmed(value.substr(0, comment)));
	return std::string(key.name) + " is '" + std::string(value) + "', but must be " + key.allowed +
	       (commented ? "; a comment needs a line of its own" : "") + ", for example: " + key.name + " = " +
	       key.example;
}

ReadSettings read_settings(std::string_view text, const std::string& file, const Settings& base)
{
	Reader reader(base);
	ReadSettings result;
	for (unsigned number = 1; !text.empty(); number++) {
		const auto end = text.find('\n');
		if (const std::string wrong = reader.take(text.substr(0, end), number); !wrong.empty())
			result.complaints.push_back(file + ":" + std::to_string(number) + ": " + wrong);
		text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
	}
	result.settings = reader.settings();
	return result;
}

std::string text_of(const Settings& settings)
{
	std::string text;
	for (const SettingKey& key : keys)
		text += std::string(key.name) + " = " + key.get(settings) + "\n";
	return text;
}

} // namespace uwind
