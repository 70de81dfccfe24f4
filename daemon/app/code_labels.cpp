// SPDX-License-Identifier: GPL-2.0
// What pieces of generated code are called, each name once.
#include "app/code_labels.h"

namespace uwind {

std::optional<CodeLabels::Text> CodeLabels::text(std::string_view text)
{
	text = text.substr(0, most_name_bytes);
	if (const auto known = numbers_.find(text); known != numbers_.end())
		return known->second;
	if (text_bytes_ + text.size() > most_text_bytes)
		return std::nullopt;
	text_bytes_ += text.size();
	const auto number = static_cast<Text>(texts_.size());
	texts_.push_back(&numbers_.emplace(text, number).first->first);
	return number;
}

CodeLabels::Label CodeLabels::label_of(const Place& place)
{
	const auto name = text(place.name), notes = text(place.notes), source = text(place.source);
	if (!name || !notes || !source)
		return 0;
	const Kept kept{place.start, *name, *notes, *source, place.line};
	if (const auto known = labels_.find(kept); known != labels_.end())
		return known->second;
	if (kept_.size() >= most_labels)
		return 0;
	const auto added = labels_.emplace(kept, static_cast<Label>(kept_.size() + 1)).first;
	kept_.push_back(&added->first);
	return added->second;
}

void CodeLabels::name(Label label, ReportFrame& frame, Report& report)
{
	const Kept& kept = *kept_[label - 1];
	const auto [module, is_new] = modules_.try_emplace(kept.notes, static_cast<Index>(report.modules.size()));
	if (is_new)
		report.modules.emplace_back().path = *texts_[kept.notes];
	frame.module = module->second;
	frame.offset = frame.address;
	frame.symbol = *texts_[kept.name];
	frame.symbol_offset = frame.address - kept.start;
	if (kept.line || !texts_[kept.source]->empty())
		frame.source = ReportSource{*texts_[kept.source], kept.line};
}

} // namespace uwind
