// SPDX-License-Identifier: GPL-2.0
#include "positions.h"

#include <algorithm>
#include <csignal>
#include <optional>

namespace truth {

std::uint64_t Cell::all() const
{
	std::uint64_t sum = right + wrong;
	for (const auto& [stop, times] : incomplete)
		sum += times;
	return sum;
}

void Cell::add(Verdict verdict, uw_stop stop)
{
	if (verdict == Verdict::right)
		right++;
	else if (verdict == Verdict::wrong)
		wrong++;
	else if (verdict == Verdict::incomplete)
		incomplete[stop]++;
}

Positions::Positions(Stepping& at, std::vector<uwind::OffsetRange> plts)
    : at_(at), program_(at.target().file_of(at.regs().pc)), plts_(std::move(plts)),
      outside_(at.shadow().calls().size()), activations_{{0, false, {}}}
{
}

Positions::Code Positions::code_of(std::uint64_t pc) const
{
	const std::string& path = at_.target().file_of(pc);
	const std::uint64_t offset = at_.target().offset_of(pc);
	const std::string name = path.substr(path.rfind('/') + 1);
	if (name.rfind("ld-", 0) == 0)
		return Code::linker;
	if (name.rfind("libgcc_s.", 0) == 0 || name.rfind("libstdc++.", 0) == 0)
		return Code::runtime;
	if (path != program_)
		return Code::library;
	const auto holds = [offset](uwind::OffsetRange plt) { return offset >= plt.start && offset < plt.end; };
	return std::any_of(plts_.begin(), plts_.end(), holds) ? Code::plt : Code::program;
}

// Is there a frame of such code between the top and main()?
bool Positions::is_passed_through(Code code) const
{
	const auto& calls = at_.shadow().calls();
	return std::any_of(calls.begin() + static_cast<std::ptrdiff_t>(outside_), calls.end(),
			   [&](const Call& call) { return code_of(call.ra) == code; });
}

std::vector<int> Positions::signals() const
{
	std::vector<int> signals;
	for (const Call& call : at_.shadow().calls())
		if (call.signal)
			signals.push_back(call.signal);
	return signals;
}

// That of a stack whose top frame is not one of the program's own doings; else none of the program's.
Position Positions::position_outside() const
{
	const std::vector<int> handlers = signals();
	if (handlers.size() > 1)
		return Position::nested;
	if (!handlers.empty())
		return handlers.front() == SIGUSR2 ? Position::alternate : Position::handler;
	if (code_ == Code::runtime || is_passed_through(Code::runtime))
		return Position::exception;
	if (code_ == Code::plt || code_ == Code::linker)
		return Position::plt;
	if (code_ == Code::library)
		return Position::library;
	return is_passed_through(Code::library) ? Position::callback : Position::body;
}

// As the ABIs have it: it points at where the caller's is saved, and the return address
// lies above that; gcc's r11 in A32 code points at the return address.
bool Positions::frame_pointer_set(const Call& call) const
{
	Target& target = at_.target();
	const uw_regs& regs = at_.regs();
	const uw_abi& abi = uw_abis[target.arch()];
	const auto record_at = [&](std::uint64_t fp, std::uint64_t offset) {
		std::uint64_t ra = 0;
		return fp >= regs.r[abi.sp] && fp < call.cfa && target.word(fp + offset, ra) &&
		       target.return_address(ra) == call.ra;
	};
	if (abi.lr == UW_NO_REG)
		return regs.r[abi.fp] == call.cfa - 2 * abi.word && record_at(regs.r[abi.fp], abi.word);
	if (target.arch() == UW_ARCH_ARM64)
		return record_at(regs.r[abi.fp], abi.word);
	return record_at(regs.r[abi.fp], abi.word) || record_at(regs.r[abi.fp], 0) ||
	       record_at(regs.r[abi.base], abi.word);
}

Positions::State Positions::state() const
{
	const Call& call = at_.shadow().calls().back();
	return {call.cfa - at_.regs().r[uw_arch_sp(at_.target().arch())], frame_pointer_set(call)};
}

void Positions::settle(const Activation& activation)
{
	std::map<State, std::size_t> times;
	for (const Sample& sample : activation.samples)
		times[sample.state]++;
	if (times.empty())
		return;
	const auto usual = std::max_element(times.begin(), times.end(), [](const auto& left, const auto& right) {
		return left.second < right.second;
	});
	const auto is_usual = [&](const Sample& sample) { return sample.state == usual->first; };
	const auto& samples = activation.samples;
	const auto first = std::find_if(samples.begin(), samples.end(), is_usual);
	const auto last = std::find_if(samples.rbegin(), samples.rend(), is_usual).base();
	for (auto sample = samples.begin(); sample != samples.end(); ++sample) {
		const Position position = !activation.calls ? Position::leaf
					  : sample < first  ? Position::prologue
					  : sample < last   ? Position::body
							    : Position::epilogue;
		cells_[static_cast<int>(position)].add(sample->verdict, sample->stop);
		if (sample->state.frame_pointer)
			with_frame_pointer_.add(sample->verdict, sample->stop);
	}
}

bool Positions::follow()
{
	const auto& calls = at_.shadow().calls();
	const std::size_t inside = calls.size() < outside_ ? 0 : calls.size() - outside_ + 1;
	while (activations_.size() > inside ||
	       (activations_.size() > 1 &&
		activations_.back().number != calls[outside_ + activations_.size() - 2].number)) {
		settle(activations_.back());
		activations_.pop_back();
	}
	while (activations_.size() < inside) {
		const Call& call = calls[outside_ + activations_.size() - 1];
		activations_.back().calls |= !call.signal;
		activations_.push_back({call.number, false, {}});
	}
	code_ = code_of(at_.regs().pc);
	return inside != 0;
}

void Positions::add(Verdict verdict, uw_stop stop)
{
	const Position outside = position_outside();
	if (outside == Position::body)
		activations_.back().samples.push_back({state(), verdict, stop});
	else
		cells_[static_cast<int>(outside)].add(verdict, stop);
}

} // namespace truth
