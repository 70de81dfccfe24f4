// SPDX-License-Identifier: GPL-2.0
// What pieces of generated code are called, each name once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "app/code_times.h"
#include "model/report.h"

namespace uwind {

class CodeLabels {
public:
	using Label = CodeTimes::Label;
	static constexpr std::size_t most_labels = 4u << 20;
	static constexpr std::size_t most_text_bytes = 128u << 20; // of all names together
	static constexpr std::size_t most_name_bytes = 4096;       // the rest of a name is left out

	struct Place {
		std::uint64_t start = 0; // of the code
		std::string_view name;
		std::string_view notes;  // path of the file that says so
		std::string_view source; // "": not known
		std::uint32_t line = 0;
	};
	// 0: there is no room for more.
	Label label_of(const Place& place);

	// For a frame that lies in code of that label. address: of the frame.
	void name(Label label, ReportFrame& frame, Report& report);

private:
	using Text = std::uint32_t; // its number
	struct Kept {
		std::uint64_t start;
		Text name, notes, source;
		std::uint32_t line;

		auto operator<=>(const Kept&) const = default;
	};

	std::optional<Text> text(std::string_view text);

	std::map<std::string, Text, std::less<>> numbers_;
	std::vector<const std::string*> texts_; // keys of numbers_
	std::size_t text_bytes_ = 0;
	std::map<Kept, Label> labels_;
	std::vector<const Kept*> kept_; // keys of labels_, by label - 1
	std::map<Text, Index> modules_; // in the report
};

} // namespace uwind
