// SPDX-License-Identifier: GPL-2.0
// What this machine has.
#include "events/catalogue.h"

#include <algorithm>
#include <cerrno>

#include "events/functions.h"
#include "events/glob.h"
#include "events/names.h"
#include "events/pmu.h"
#include "events/probes.h"
#include "events/text_parts.h"
#include "events/tracepoints.h"

namespace uwind {
namespace {

bool forbids(const Status& status)
{
	return !status && (status.error().code == EACCES || status.error().code == EPERM);
}

class Catalogue {
public:
	Catalogue(EventSources& sources, const std::vector<std::string>& patterns)
	    : sources_(sources), patterns_(patterns)
	{
	}

	EventList run()
	{
		tried(hardware_events(), "hardware event");
		add_all(software_events(), "software event");
		tried(cache_events(), "cache event");
		pmu_events_of_all();
		add("rHEX", "raw event");
		add("PMU/TERM=VALUE,.../", "raw event");
		add("mem:ADDRESS[/LENGTH][:rwx]", "breakpoint");
		add("offcpu", "threads that waited, or that others kept from running");
		add(std::string(function_form), "calls of functions of the kernel, or their returns");
		add("requests", "requests of BPF programs and modules");
		probes();
		tracepoints();
		notes();
		return std::move(list_);
	}

private:
	void add(const std::string& name, const std::string& kind)
	{
		if (wanted(name) || wanted(kind))
			list_.events.push_back({name, kind});
	}

	bool wanted(const std::string& text) const
	{
		return patterns_.empty() ||
		       std::any_of(patterns_.begin(), patterns_.end(), [&](const std::string& pattern) {
			       return has_wildcard(pattern) ? glob_matches(pattern, text)
							    : text.find(pattern) != std::string::npos;
		       });
	}

	void add_all(const std::vector<NamedEvent>& events, const char* kind)
	{
		for (const NamedEvent& event : events) {
			add(event.name, kind);
			for (const std::string& alias : event.aliases)
				add(alias, std::string(kind) + ", the same as " + event.name);
		}
	}

	// Those that the machine can open. Where it may not be asked, all are listed.
	void tried(const std::vector<NamedEvent>& events, const char* kind)
	{
		std::vector<NamedEvent> there;
		for (const NamedEvent& event : events) {
			const Status opened = sources_.try_event(event.event);
			forbidden_ |= forbids(opened);
			opened_ |= static_cast<bool>(opened);
			if (opened || forbids(opened))
				there.push_back(event);
		}
		const std::size_t before = list_.events.size();
		add_all(there, kind);
		untried_listed_ |= forbidden_ && list_.events.size() > before;
	}

	void pmu_events_of_all()
	{
		for (const std::string& pmu : pmu_names(sources_))
			for (const std::string& event : pmu_events(sources_, pmu))
				add(pmu + "/" + event + "/", "PMU event");
	}

	void probes()
	{
		for (const ProbeForm& form : probe_forms()) {
			if (find_pmu(sources_, form.pmu))
				add(form.form, "probe");
			else
				note(std::string(form.pmu) + " probes are missing: this kernel has no " + form.option);
		}
	}

	void tracepoints()
	{
		const auto found = find_tracepoints(sources_, "*", "*", static_cast<std::size_t>(-1));
		if (!found)
			return note("tracepoints are not listed: " + found.error().message);
		add("syscall:NAME[:ret]", "tracepoint, the same as syscalls:sys_enter_NAME, sys_exit_NAME");
		add("signal", "tracepoint, the same as signal:signal_deliver");
		for (const TracepointName& one : *found)
			add(one.subsystem + ":" + one.name, "tracepoint");
	}

	// Who asked for some events, and found them, need not know what else is missing.
	void notes()
	{
		const bool all = patterns_.empty() || list_.events.empty();
		if (!all)
			list_.notes.clear();
		else if (core_pmus(sources_).empty() && !opened_)
			note("this machine has no PMU of its CPUs: no hardware and no cache events");
		if (!forbidden_ || !untried_listed_)
			return;
		const auto level = sources_.read("/proc/sys/kernel/perf_event_paranoid");
		note("hardware and cache events are listed without being tried: kernel.perf_event_paranoid is " +
		     (level ? std::string(trimmed(*level)) : "set") + ", and this user has no CAP_PERFMON");
	}

	void note(const std::string& text)
	{
		if (!std::count(list_.notes.begin(), list_.notes.end(), text))
			list_.notes.push_back(text);
	}

	EventSources& sources_;
	const std::vector<std::string>& patterns_;
	EventList list_;
	bool forbidden_ = false; // hardware events could not be tried
	bool untried_listed_ = false;
	bool opened_ = false; // one could be opened
};

} // namespace

EventList list_events(EventSources& sources, const std::vector<std::string>& patterns)
{
	return Catalogue(sources, patterns).run();
}

} // namespace uwind
