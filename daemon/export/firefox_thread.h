// SPDX-License-Identifier: GPL-2.0
// The tables of one thread in a profile for the Firefox Profiler.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "export/rows.h"
#include "export/threads.h"
#include "model/report.h"

namespace uwind {

// Each table's columns are filled together; rows refer to rows of other tables by their number.
class FirefoxThread {
public:
	enum Category : unsigned { user, kernel }; // in the order in which the profile lists them

	explicit FirefoxThread(const Report& report) : report_(report) {}

	// A row of the stack table: what the kernel did for the thread lies on the thread's own stack. Nothing: it has
	// no frames.
	std::optional<std::size_t> add_stack(const ReportSample& sample);

	struct Frame {
		// In its library; of a caller it is in the call, not after it. Nothing: JavaScript has no such number.
		std::optional<std::uint64_t> address;
		std::size_t function = 0;
		std::optional<std::size_t> symbol; // of the code that it is in, also if the function was inlined there
		Category category = user;
		std::uint32_t inline_depth = 0;
		std::optional<std::uint32_t> line;
	};
	struct Function {
		std::size_t name = 0; // a string
		std::optional<std::size_t> resource;
		std::optional<std::size_t> file; // a string
	};
	struct Symbol { // with an address
		Index library = 0;
		std::uint64_t address = 0;
		std::size_t name = 0; // a string
	};
	struct Resource { // a library
		Index library = 0;
		std::size_t name = 0; // a string
	};
	struct Stack {
		std::size_t frame = 0;
		std::optional<std::size_t> prefix; // nothing: the outermost
	};

	const std::vector<std::string>& strings() const { return strings_.all(); }
	const std::vector<Frame>& frames() const { return frames_.all(); }
	const std::vector<Function>& functions() const { return functions_.all(); }
	const std::vector<Symbol>& symbols() const { return symbols_.all(); }
	const std::vector<Resource>& resources() const { return resources_.all(); }
	const std::vector<Stack>& stacks() const { return stacks_.all(); }

private:
	std::size_t string(const std::string& text);
	std::size_t frame(Index index, bool returns);
	std::size_t function(const ReportFrame& frame, const std::string& name);
	std::optional<std::size_t> file(const ReportFrame& frame);
	std::size_t symbol(const ReportFrame& frame);
	std::size_t resource(Index module);
	std::optional<std::size_t> add(const ReportStack& stack, std::optional<std::size_t> prefix);

	const Report& report_;
	Rows<std::string, std::string> strings_;
	Rows<std::pair<Index, bool>, Frame> frames_;
	Rows<std::tuple<std::optional<Index>, std::string, std::optional<std::size_t>>, Function> functions_;
	Rows<std::pair<Index, std::uint64_t>, Symbol> symbols_;
	Rows<Index, Resource> resources_;
	Rows<std::pair<std::optional<std::size_t>, std::size_t>, Stack> stacks_;
};

} // namespace uwind
