// SPDX-License-Identifier: GPL-2.0
// Sources of which each file is read once, as the kernel makes long lists anew for each reader.
#pragma once

#include <map>

#include "port/event_sources.h"

namespace uwind {

// For a moment: what changes meanwhile is not seen.
class ReadOnce : public EventSources {
public:
	explicit ReadOnce(EventSources& sources) : sources_(sources) {}

	Result<std::string> read(const std::string& path) override
	{
		const auto known = texts_.find(path);
		return known == texts_.end() ? texts_.emplace(path, sources_.read(path)).first->second : known->second;
	}

	Result<std::vector<std::string>> list(const std::string& folder) override { return sources_.list(folder); }
	Result<std::string> tracing() override { return sources_.tracing(); }
	Status try_event(const EventSpec& event) override { return sources_.try_event(event); }
	Result<ProbeFile> probe_file(const std::string& path) override { return sources_.probe_file(path); }

private:
	EventSources& sources_;
	std::map<std::string, Result<std::string>> texts_; // by path
};

} // namespace uwind
