// SPDX-License-Identifier: GPL-2.0
// What tracing a function of the kernel costs.
//
// A tracer's cost is what a system call takes longer with it than without it, in the same situation: while nobody else
// traces, while the kernel's function tracer is on another function, and while it is on all of them. Of several
// measurements the shortest counts, since whatever interrupts one makes it longer.
#include "app/function_bench.h"

#include <algorithm>
#include <cerrno>

namespace uwind {
namespace {

constexpr int measurements = 3;
constexpr std::int32_t nobody = 1; // a process that makes no system calls meanwhile, or few

struct Situation {
	const char* others;
	bool traces;
	std::string FunctionBench::*pattern; // null: all functions
};

constexpr Situation situations[] = {
	{"nothing", false, nullptr},
	{"another function", true, &FunctionBench::different},
	{"all functions", true, nullptr},
};

class Measurement {
public:
	explicit Measurement(const FunctionBench& bench) : bench_(bench) {}

	Result<FunctionCosts> run()
	{
		for (const Situation& situation : situations)
			if (const auto measured = run(situation); !measured)
				return measured.error();
		return std::move(costs_);
	}

private:
	using Tracing = std::unique_ptr<FunctionTracers::Tracing>;

	Status run(const Situation& situation)
	{
		Tracing others;
		if (situation.traces) {
			auto tracing = bench_.tracers.trace("uwind-others",
							    situation.pattern ? bench_.*situation.pattern : "");
			if (!tracing)
				return tracing.error();
			others = std::move(*tracing);
		}
		others_ = situation.others;
		base_ns_ = shortest_ns();
		costs_.push_back({others_, "", base_ns_, 0});
		if (auto ours = run_ours(); !ours)
			return ours;
		return run_stock();
	}

	Status run_ours()
	{
		EventSpec returned = bench_.call;
		returned.config = function_return;
		const struct {
			const char* tracer;
			const EventSpec& event;
			std::int32_t target;
		} sessions[] = {
			{"uwind, of another process", bench_.call, nobody},
			{"uwind, noted", bench_.call, bench_.self},
			{"uwind, return of another process", returned, nobody},
			{"uwind, return noted", returned, bench_.self},
		};
		for (const auto& [tracer, event, target] : sessions)
			if (auto measured = run_session(tracer, event, target); !measured)
				return measured;
		return Nothing{};
	}

	Status run_session(const char* tracer, const EventSpec& event, std::int32_t target)
	{
		SessionOptions options;
		options.event = Event::listed;
		options.events = {event};
		options.targets = {target};
		if (const auto started = bench_.kernel.start_session(options); !started)
			return started.error("tracing " + event.name);
		auto enabled = bench_.kernel.enable_session();
		if (enabled)
			add(tracer);
		const auto stopped = bench_.kernel.stop_session();
		if (!enabled || !stopped)
			return enabled ? stopped.error() : enabled;
		return bench_.stops() ? Status(errno_error(EINTR, "the measurement")) : Nothing{};
	}

	Status run_stock()
	{
		const auto tracing = bench_.tracers.trace("uwind-traced", bench_.traced);
		if (!tracing)
			return tracing.error();
		add("function tracer");
		return Nothing{};
	}

	void add(const char* tracer)
	{
		const double ns = shortest_ns();
		costs_.push_back({others_, tracer, ns, ns - base_ns_});
	}

	double shortest_ns()
	{
		double shortest = bench_.tracers.call_ns(bench_.calls);
		for (int i = 1; i < measurements; i++)
			shortest = std::min(shortest, bench_.tracers.call_ns(bench_.calls));
		return shortest;
	}

	const FunctionBench& bench_;
	std::string others_;
	double base_ns_ = 0;
	FunctionCosts costs_;
};

} // namespace

Result<FunctionCosts> measure_function_costs(const FunctionBench& bench)
{
	return Measurement(bench).run();
}

} // namespace uwind
