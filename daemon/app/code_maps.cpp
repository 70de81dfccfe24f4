// SPDX-License-Identifier: GPL-2.0
// What processes have mapped.
#include "app/code_maps.h"

namespace uwind {
namespace {

constexpr std::uint64_t fresh_ns = 200'000'000; // a library may be loaded where another one was

} // namespace

bool CodeMaps::agree(const std::vector<Mapping>& mappings, const Unfinished& unfinished)
{
	const auto* mapping = mapping_at(mappings, unfinished.lookup());
	const auto missed = modules_.of_number(unfinished.file);
	return mapping && missed && modules_.of_mapping(*mapping) == missed;
}

// Also where nothing is known of the file.
bool CodeMaps::may_agree(const std::vector<Mapping>& mappings, const Unfinished& unfinished)
{
	return mapping_at(mappings, unfinished.lookup()) &&
	       (!modules_.of_number(unfinished.file) || agree(mappings, unfinished));
}

// Null: another process has the number by now, or none.
CodeMaps::Mappings CodeMaps::read(const StackRecord& record)
{
	const auto facts = processes_.describe(record.tgid);
	if (!facts || !started_at(*facts, record.start_time_ns))
		return nullptr;
	auto mappings = processes_.mappings(record.tgid);
	return mappings ? std::make_shared<const std::vector<Mapping>>(std::move(*mappings)) : nullptr;
}

CodeMaps::Mappings CodeMaps::of(const StackRecord& record)
{
	const Key key{record.tgid, record.start_time_ns, record.exec_id};
	const auto now = clock_.boottime_ns();
	if (known_.size() >= most_processes && !known_.contains(key))
		known_.clear();
	Known& known = known_[key];
	const bool agreed = known.mappings && may_agree(*known.mappings, *record.unfinished);
	if (!agreed || now - known.read_ns > fresh_ns)
		if (auto mappings = read(record))
			known = {std::move(mappings), now};
	return known.mappings && may_agree(*known.mappings, *record.unfinished) ? known.mappings : nullptr;
}

} // namespace uwind
