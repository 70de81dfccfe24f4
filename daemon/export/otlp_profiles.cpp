// SPDX-License-Identifier: GPL-2.0
// A report as resources of an OTLP message. Attributes' names are those of OpenTelemetry's semantic conventions; those
// that begin with "uwind." are our own.
#include "export/otlp_profiles.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "export/json_text.h"
#include "export/losses.h"

namespace uwind {
namespace {

void add(otlp::Resource& resource, const char* key, const std::string& value)
{
	if (value.empty())
		return;
	otlp::KeyValue& attribute = *resource.add_attributes();
	attribute.set_key(key);
	attribute.mutable_value()->set_string_value(utf8(value));
}

void add(otlp::Resource& resource, const char* key, std::uint32_t number)
{
	if (!number)
		return;
	otlp::KeyValue& attribute = *resource.add_attributes();
	attribute.set_key(key);
	attribute.mutable_value()->set_int_value(number);
}

std::string arch_of(const Host& host)
{
	return host.arch == "x86_64" ? "amd64" : host.arch;
}

} // namespace

OtlpProfiles::OtlpProfiles(const Report& report)
    : report_(report), clock_(report), measures_(measures_of(report)), dictionary_(report)
{
}

// Its arguments may be secrets: the conventions want them to be left out.
void OtlpProfiles::set_resource(const ReportProcess& process, otlp::Resource& resource) const
{
	add(resource, "process.pid", process.pid);
	add(resource, "process.parent_pid", process.details.parent_pid);
	add(resource, "process.vpid", process.details.namespace_pid);
	add(resource, "process.linux.cgroup", process.details.cgroup);
	add(resource, "container.id", process.details.container);
	add(resource, "process.executable.name",
	    process.exe.empty() ? process.comm : std::string(basename_of(process.exe)));
	add(resource, "process.executable.path", process.exe);
	add(resource, "host.name", report_.host.hostname);
	add(resource, "host.arch", arch_of(report_.host));
	add(resource, "os.type", "linux");
	add(resource, "os.description", "Linux " + report_.host.kernel);
}

void OtlpProfiles::set(otlp::ValueType& type, const std::string& name, const char* unit)
{
	type.set_type_strindex(dictionary_.string(name));
	type.set_unit_strindex(dictionary_.string(unit));
}

// The report has names of processes: they are their first threads', too.
std::vector<std::int32_t> OtlpProfiles::attributes_of(const ReportSample& sample)
{
	std::vector<std::int32_t> attributes = {dictionary_.attribute("thread.id", std::int64_t{sample.tid}),
						dictionary_.attribute("cpu.logical_number", std::int64_t{sample.cpu})};
	if (sample.tid == sample.pid)
		attributes.push_back(dictionary_.attribute("thread.name", report_.processes[sample.process].comm));
	if (sample.off_cpu)
		attributes.push_back(
			dictionary_.attribute("uwind.off_cpu.reason", report_.off_cpu[*sample.off_cpu].reason));
	return attributes;
}

void OtlpProfiles::add_samples(const Measure& measure, const Samples& samples, otlp::Profile& profile)
{
	std::map<std::pair<std::int32_t, std::vector<std::int32_t>>, int> rows;
	for (const ReportSample& sample : samples) {
		const std::int32_t stack = dictionary_.stack({sample.user_stack, sample.kernel_stack});
		const auto [known, is_new] = rows.try_emplace({stack, attributes_of(sample)}, profile.samples_size());
		otlp::Sample& row = is_new ? *profile.add_samples() : *profile.mutable_samples(known->second);
		if (is_new) {
			row.set_stack_index(stack);
			row.mutable_attribute_indices()->Assign(known->first.second.begin(), known->first.second.end());
		}
		row.add_values(measure.has_periods ? as_signed(*sample.period) : sample.weight);
		row.add_timestamps_unix_nano(clock_.since_1970(sample.time_ns));
	}
}

void OtlpProfiles::add_losses(otlp::Profile& profile)
{
	for (const auto& [reason, count] : lost_requests(report_))
		profile.add_attribute_indices(
			dictionary_.attribute(("uwind.lost." + reason).c_str(), as_signed(count)));
	for (const auto& [reason, count] : incomplete_stacks(report_))
		profile.add_attribute_indices(
			dictionary_.attribute(("uwind.incomplete." + reason).c_str(), as_signed(count)));
	losses_ = true;
}

void OtlpProfiles::fill(const Measure& measure, const Samples& samples, otlp::Profile& profile)
{
	if (measure.has_periods)
		set(*profile.mutable_sample_type(), measure.name, measure.unit());
	else
		set(*profile.mutable_sample_type(), "samples", "count");
	set(*profile.mutable_period_type(), measure.name, measure.unit());
	profile.set_period(as_signed(measure.period));
	profile.set_time_unix_nano(clock_.started_ns());
	profile.set_duration_nano(report_.session.duration_ns);
	if (!losses_)
		add_losses(profile);
	add_samples(measure, samples, profile);
}

void OtlpProfiles::each_resource(const std::function<void(const otlp::ProfilesData&)>& visit)
{
	std::map<Index, std::map<std::size_t, Samples>> samples; // by image and event
	for (const ReportSample& sample : report_.samples)
		if (sample.has_stack())
			samples[sample.process][event_index(report_, sample)].push_back(sample);
	for (auto& [process, events] : samples) {
		otlp::ProfilesData message;
		otlp::ResourceProfiles& resource = *message.add_resource_profiles();
		set_resource(report_.processes[process], *resource.mutable_resource());
		otlp::ScopeProfiles& scope = *resource.add_scope_profiles();
		scope.mutable_scope()->set_name("uwind");
		scope.mutable_scope()->set_version(utf8(report_.host.uwind));
		for (const Measure& measure : measures_) {
			Samples& own = events[measure.event];
			std::ranges::stable_sort(own, {}, &ReportSample::time_ns);
			if (!own.empty())
				fill(measure, own, *scope.add_profiles());
		}
		visit(message);
	}
}

} // namespace uwind
