// SPDX-License-Identifier: GPL-2.0
// The tables of one thread in a profile for the Firefox Profiler.
#include "export/firefox_thread.h"

#include "base/text.h"
#include "export/addresses.h"
#include "export/folded.h"

namespace uwind {
namespace {

// Above it, JavaScript's numbers are not exact.
constexpr std::uint64_t largest_address = (std::uint64_t{1} << 53) - 1;

} // namespace

std::size_t FirefoxThread::string(const std::string& text)
{
	return strings_.of(text, [&] { return text; });
}

std::size_t FirefoxThread::resource(Index module)
{
	return resources_.of(module, [&] {
		return Resource{module, string(std::string(basename_of(report_.modules[module].path)))};
	});
}

std::optional<std::size_t> FirefoxThread::file(const ReportFrame& frame)
{
	if (!frame.source || frame.source->file.empty())
		return std::nullopt;
	return string(frame.source->file);
}

std::size_t FirefoxThread::function(const ReportFrame& frame, const std::string& name)
{
	const auto source = file(frame);
	return functions_.of({frame.module, name, source}, [&] {
		Function row{string(name), {}, source};
		if (frame.module)
			row.resource = resource(*frame.module);
		return row;
	});
}

std::size_t FirefoxThread::symbol(const ReportFrame& frame)
{
	const std::uint64_t address = frame.offset - frame.symbol_offset;
	return symbols_.of({*frame.module, address}, [&] {
		return Symbol{*frame.module, address, string(*frame.symbol)};
	});
}

std::size_t FirefoxThread::frame(Index index, bool returns)
{
	return frames_.of({index, returns}, [&] {
		const ReportFrame& frame = report_.frames[index];
		Frame row;
		const bool is_known = frame.module && frame.offset <= largest_address;
		if (is_known)
			row.address = frame.offset - (returns && frame.offset ? 1 : 0);
		row.function = function(frame, frame_text(report_, index));
		const ReportFrame& outer = frame.inlining ? report_.frames[frame.inlining->frame] : frame;
		if (is_known && outer.symbol)
			row.symbol = symbol(outer);
		row.category = frame.kernel ? kernel : user;
		row.inline_depth = frame.inlining ? frame.inlining->depth : 0;
		if (frame.source && frame.source->line)
			row.line = frame.source->line;
		return row;
	});
}

std::optional<std::size_t> FirefoxThread::add(const ReportStack& stack, std::optional<std::size_t> prefix)
{
	for (std::size_t i = stack.frames.size(); i-- > 0;) {
		const std::size_t row = frame(stack.frames[i], is_return(stack, i));
		prefix = stacks_.of({prefix, row}, [&] { return Stack{row, prefix}; });
	}
	return prefix;
}

std::optional<std::size_t> FirefoxThread::add_stack(const ReportSample& sample)
{
	std::optional<std::size_t> last;
	for (const auto& stack : {sample.user_stack, sample.kernel_stack})
		if (stack)
			last = add(report_.stacks[*stack], last);
	return last;
}

} // namespace uwind
