// SPDX-License-Identifier: GPL-2.0
// The PMUs of a machine.
#include "events/pmu.h"

#include <algorithm>
#include <bit>
#include <cerrno>

#include "events/glob.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

const std::string devices = "/sys/bus/event_source/devices";

std::string folder_of(const std::string& pmu)
{
	return devices + "/" + pmu;
}

// A name that is a file's, and not a path.
bool is_file_name(std::string_view name)
{
	return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != "..";
}

std::vector<std::string> listed(EventSources& sources, const std::string& folder)
{
	auto names = sources.list(folder);
	return names ? std::move(*names) : std::vector<std::string>();
}

Result<std::string> read_line(EventSources& sources, const std::string& pmu, const char* folder,
			      const std::string& name)
{
	if (!is_file_name(name))
		return Error{ENOENT, "'" + name + "' is no name"};
	const auto text = sources.read(folder_of(pmu) + "/" + folder + "/" + name);
	if (!text)
		return Error{ENOENT, text.error().message};
	return std::string(trimmed(*text));
}

// What follows a PMU's name as the user gave it: nothing, or a number, perhaps after '_'.
bool is_number_suffix(std::string_view rest)
{
	if (rest.starts_with('_'))
		rest.remove_prefix(1);
	return std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool matches(std::string_view given, std::string_view pmu)
{
	constexpr std::string_view uncore = "uncore_";
	if (given == pmu || (has_wildcard(given) && glob_matches(given, pmu)))
		return true;
	if (pmu.starts_with(given) && is_number_suffix(pmu.substr(given.size())))
		return true;
	return pmu.starts_with(uncore) && !given.starts_with(uncore) && matches(given, pmu.substr(uncore.size()));
}

// "3" or "0-7": sets these bits.
bool add_bits(std::uint64_t& bits, std::string_view range)
{
	const auto [first, rest] = halves(range, '-');
	const auto low = parse_integer(first), high = rest ? parse_integer(*rest) : low;
	if (!low || !high || *low > *high || *high > 63)
		return false;
	for (std::uint64_t bit = *low; bit <= *high; bit++)
		bits |= std::uint64_t{1} << bit;
	return true;
}

} // namespace

std::vector<std::string> pmu_names(EventSources& sources)
{
	return listed(sources, devices);
}

Result<Pmu> find_pmu(EventSources& sources, const std::string& name)
{
	const auto text = is_file_name(name) ? sources.read(folder_of(name) + "/type") : Result<std::string>(Error{});
	const auto type = text ? parse_integer(trimmed(*text)) : std::nullopt;
	if (!type || *type > 0xffffffff)
		return Error{ENOENT, "this machine has no PMU " + with_nearest(name, pmu_names(sources))};
	const auto files = listed(sources, folder_of(name));
	return Pmu{name, static_cast<std::uint32_t>(*type),
		   name == "cpu" || std::count(files.begin(), files.end(), "cpus") > 0};
}

std::vector<Pmu> core_pmus(EventSources& sources)
{
	std::vector<Pmu> found;
	for (const std::string& name : pmu_names(sources))
		if (const auto pmu = find_pmu(sources, name); pmu && pmu->is_core)
			found.push_back(*pmu);
	return found;
}

std::vector<Pmu> matching_pmus(EventSources& sources, std::string_view name)
{
	std::vector<Pmu> found;
	for (const std::string& pmu : pmu_names(sources))
		if (!name.empty() && matches(name, pmu))
			if (const auto read = find_pmu(sources, pmu))
				found.push_back(*read);
	// A PMU of exactly that name is meant alone.
	for (const Pmu& pmu : found)
		if (pmu.name == name)
			return {pmu};
	return found.empty() && name == "cpu" ? core_pmus(sources) : found;
}

std::vector<std::string> pmu_terms(EventSources& sources, const std::string& pmu)
{
	return listed(sources, folder_of(pmu) + "/format");
}

// NAME.scale and the like describe NAME.
std::vector<std::string> pmu_events(EventSources& sources, const std::string& pmu)
{
	auto names = listed(sources, folder_of(pmu) + "/events");
	std::erase_if(names, [](const std::string& name) { return name.find('.') != std::string::npos; });
	return names;
}

Result<PmuFormat> pmu_format(EventSources& sources, const std::string& pmu, const std::string& term)
{
	const auto text = read_line(sources, pmu, "format", term);
	if (!text)
		return text.error();
	const auto format = parse_format(*text);
	if (!format)
		return Error{EINVAL, "the kernel's form of the term '" + term + "' is not supported: " + *text};
	return *format;
}

Result<std::string> pmu_event_terms(EventSources& sources, const std::string& pmu, const std::string& event)
{
	if (event.find('.') != std::string::npos)
		return Error{ENOENT, "'" + event + "' is no name of an event"};
	return read_line(sources, pmu, "events", event);
}

std::optional<PmuFormat> parse_format(std::string_view text)
{
	constexpr std::string_view words[] = {"config", "config1", "config2"};
	const auto [word, ranges] = halves(text, ':');
	const auto found = std::find(std::begin(words), std::end(words), word);
	if (found == std::end(words) || !ranges)
		return std::nullopt;
	PmuFormat format{static_cast<unsigned>(found - std::begin(words)), 0};
	for (const std::string_view range : cut(*ranges, ','))
		if (!add_bits(format.bits, range))
			return std::nullopt;
	return format;
}

std::optional<std::uint64_t> with_value(std::uint64_t word, const PmuFormat& format, std::uint64_t value)
{
	const int width = std::popcount(format.bits);
	if (width < 64 && value >> width)
		return std::nullopt;
	word &= ~format.bits;
	for (std::uint64_t left = format.bits; left; left &= left - 1, value >>= 1)
		if (value & 1)
			word |= left & -left;
	return word;
}

} // namespace uwind
