// SPDX-License-Identifier: GPL-2.0
// One recording of perf, from its first record to the report.
#include "convert/conversion.h"

#include <algorithm>

namespace uwind {
namespace {

// What cannot be told from a deferred sample's absent chain, or a kernel thread, has these names in counters.lost.
constexpr char no_deferred_chain[] = "no_deferred_chain", not_recorded[] = "not_recorded", no_room[] = "no_room";

std::shared_ptr<const StackPart> kernel_stack_of(const PerfSample& sample)
{
	auto addresses = sample.kernel_chain;
	if (addresses.empty() && !sample.in_user_mode && sample.ip)
		addresses.push_back(sample.ip);
	if (addresses.empty())
		return nullptr;
	auto part = std::make_shared<StackPart>();
	for (const std::uint64_t pc : addresses) {
		StackFrame& frame = part->frames.emplace_back();
		frame.pc = frame.offset = pc;
		frame.method = part->frames.size() == 1 ? Method::PC : Method::KERNEL;
	}
	part->depth = part->frames.size();
	part->stop = part->depth < usual_chain_frames ? Stop::OUTERMOST : Stop::DEPTH;
	return part;
}

EventRecord event_of(const PerfSample& sample, const RecordedImage& image)
{
	EventRecord event;
	event.start_time_ns = image.start_time_ns;
	event.exec_id = image.exec_id;
	event.tgid = image.pid;
	event.tid = sample.tid;
	event.comm = image.comm;
	event.cookie = sample.cookie.value_or(0);
	event.time_ns = sample.time_ns;
	event.period = sample.period;
	event.cpu = sample.cpu;
	if (sample.event)
		event.counter = static_cast<std::uint8_t>(*sample.event);
	event.kernel_stack = kernel_stack_of(sample);
	return event;
}

} // namespace

Conversion::Conversion(const ConversionPorts& ports, PerfRecording& recording, const ConversionOptions& options)
    : recording_(recording), ports_(ports), processes_(spaces_, ports.processes),
      kernel_(ports.kernel_names, ports.processes.host().kernel, recording.header()),
      symbols_(ports.objects, processes_, modules_),
      files_({processes_, ports.objects, ports.unwinder}, modules_,
	     {recording.header().build_ids, kernel_.is_ours(), options.perf_folder}),
      walks_(ports.unwinder, files_, modules_, options.max_frames), aggregate_(processes_, known_, options.limits),
      deferred_([this](const PerfSample& sample, bool has_chain) { finish(sample, has_chain); })
{
	aggregate_.set_timeline(kernel_.timeline());
	if (RecordedImage* idle = spaces_.of(0))
		idle->comm = "swapper";
}

Result<Report> Conversion::run()
{
	for (;;) {
		auto record = recording_.next();
		if (!record)
			return record.error();
		if (!*record)
			break;
		std::visit([this](const auto& one) { take(one); }, **record);
	}
	deferred_.finish();
	return report();
}

void Conversion::take(const PerfMapping& record)
{
	if (record.kernel)
		kernel_.take(record);
	else
		spaces_.take(record);
}

void Conversion::take(PerfSample sample)
{
	if (sample.pid == ~0u)
		sample.pid = sample.tid = 0;
	tally_.samples++;
	tally_.first_ns = std::min(tally_.first_ns, sample.time_ns);
	tally_.last_ns = std::max(tally_.last_ns, sample.time_ns);
	if (sample.cookie)
		deferred_.add(std::move(sample));
	else
		finish(sample, false);
}

void Conversion::take(const PerfDeferredChain& record)
{
	tally_.counts["deferred_chains_unmatched"] += !deferred_.add(record);
}

// Whichever knows more: a walk of the copied stack, or the kernel's chain.
RecordedStack Conversion::stack_of(const PerfSample& sample, RecordedImage& image)
{
	RecordedStack stack;
	if (sample.registers) {
		tally_.counts["samples_without_stack_bytes"] += sample.registers->stack.get().empty();
		stack = walks_.walk(*sample.registers, *image.code);
	}
	if (!sample.user_chain.empty() && (!stack.part || stack.part->depth < sample.user_chain.size())) {
		const Arch arch = sample.registers ? sample.registers->arch : Arch::none;
		stack = walks_.adopt(sample.user_chain, arch, *image.code);
	}
	if ((!stack.part || !stack.part->depth) && sample.in_user_mode && sample.ip) {
		tally_.counts["samples_without_chain"]++;
		stack = walks_.adopt({sample.ip}, Arch::none, *image.code);
	}
	return stack;
}

// Kernel threads have no registers in user space, and map nothing.
const char* Conversion::loss_of(const PerfSample& sample, bool has_chain, const RecordedImage& image) const
{
	if (sample.cookie && !has_chain)
		return no_deferred_chain;
	const bool is_kernel = !sample.pid || (sample.has_registers && !sample.registers) || image.code->empty();
	return is_kernel ? loss_words[unsigned(Loss::KTHREAD)] : not_recorded;
}

void Conversion::finish(const PerfSample& sample, bool has_chain)
{
	RecordedImage* image = spaces_.of(sample.pid);
	if (!image) {
		tally_.lost[no_room]++;
		return;
	}
	EventRecord event = event_of(sample, *image);
	RecordedStack stack = stack_of(sample, *image);
	if (!stack.part || !stack.part->depth) {
		const std::string loss = loss_of(sample, has_chain, *image);
		event.lost = loss_named(loss);
		tally_.lost[loss]++;
		return aggregate_.add(event, nullptr, [](auto...) {});
	}
	StackRecord answer;
	static_cast<ThreadRecord&>(answer) = event;
	answer.cookie = event.cookie;
	answer.word_bits = stack.word_bits;
	answer.stack = std::move(stack.part);
	tally_.answered++;
	tally_.stops[name_of(answer.stack->stop)]++;
	aggregate_.add(event, &answer, [](auto...) {});
}

} // namespace uwind
