// SPDX-License-Identifier: GPL-2.0
// The counters of a session, as the contract has them.
#include "io/device_counters.h"

#include <algorithm>
#include <cstring>

#include "io/device_call.h"

namespace uwind {
namespace {

static_assert(most_events == UWIND_MAX_COUNTERS && most_filter_steps == UWIND_MAX_FILTER_STEPS &&
	      most_filter_text + 1 == UWIND_FILTER_TEXT);
static_assert(off_cpu_type == UWIND_TYPE_OFF_CPU && off_cpu_no_wakers == UWIND_OFF_CPU_NO_WAKERS);
static_assert(function_type == UWIND_TYPE_FUNCTION && function_return == UWIND_CALL_RETURN &&
	      most_functions == UWIND_MAX_FUNCTIONS && most_returns == UWIND_MAX_RETURNS &&
	      most_arguments == UWIND_MAX_ARGUMENTS);
static_assert(offsetof(uwind_call, duration_ns) == call_duration_offset &&
	      offsetof(uwind_call, value) == call_value_offset &&
	      offsetof(uwind_call, arguments) == call_arguments_offset);
static_assert(int(FilterKind::comm) == UWIND_FILTER_COMM && int(FilterCompare::not_glob) == UWIND_FILTER_NOT_GLOB);

std::uint16_t next_of(std::uint8_t next)
{
	return next == filter_take ? UWIND_FILTER_TAKE : next == filter_leave ? UWIND_FILTER_LEAVE : next;
}

uwind_filter_step step_of(const FilterStep& step)
{
	uwind_filter_step raw{};
	raw.kind = static_cast<std::uint8_t>(step.kind);
	raw.compare = static_cast<std::uint8_t>(step.compare);
	raw.is_signed = step.is_signed;
	raw.offset = static_cast<std::uint16_t>(step.offset);
	raw.bytes = static_cast<std::uint16_t>(step.bytes);
	raw.if_true = next_of(step.if_true);
	raw.if_false = next_of(step.if_false);
	raw.value = step.value;
	std::memcpy(raw.text, step.text.data(), std::min(step.text.size(), most_filter_text));
	return raw;
}

std::uint32_t flags_of(const EventSpec& event, bool is_frequency, bool kernel_stacks)
{
	return (is_frequency ? UWIND_COUNTER_FREQUENCY : 0) | (event.exclude_user ? UWIND_COUNTER_NO_USER : 0) |
	       (event.exclude_kernel ? UWIND_COUNTER_NO_KERNEL : 0) |
	       (event.exclude_hv ? UWIND_COUNTER_NO_HYPERVISOR : 0) | (event.exclude_host ? UWIND_COUNTER_NO_HOST : 0) |
	       (event.exclude_guest ? UWIND_COUNTER_NO_GUEST : 0) | (event.exclude_idle ? UWIND_COUNTER_NO_IDLE : 0) |
	       (kernel_stacks ? UWIND_COUNTER_KERNEL_STACK : 0);
}

uwind_counter counter_of(const EventSpec& event, const SessionOptions& options)
{
	const Rate rate = rate_of(event, options);
	const bool is_ours = event.type == off_cpu_type || event.type == function_type;
	uwind_counter raw{};
	raw.size = sizeof(raw);
	raw.flags = is_ours ? UWIND_COUNTER_KERNEL_STACK : flags_of(event, rate.is_frequency, options.kernel_stacks);
	raw.type = event.type;
	raw.bp_type = event.bp_type;
	raw.config = event.config;
	raw.config1 = event.config1_text.empty() ? event.config1 : user_pointer(event.config1_text.c_str());
	raw.config2 = event.config2;
	if (event.type == function_type) {
		raw.config1 = user_pointer(event.functions.data());
		raw.config2 = event.functions.size();
	}
	raw.rate = rate.value;
	raw.precise = event.precise;
	return raw;
}

} // namespace

DeviceCounters::DeviceCounters(const SessionOptions& options)
{
	steps_.reserve(options.events.size());
	for (const EventSpec& event : options.events) {
		auto& steps = steps_.emplace_back();
		for (const FilterStep& step : event.filter_steps)
			steps.push_back(step_of(step));
		list_.push_back(counter_of(event, options));
		list_.back().filter = user_pointer(steps.data());
		list_.back().nr_filter = static_cast<std::uint32_t>(steps.size());
	}
}

} // namespace uwind
