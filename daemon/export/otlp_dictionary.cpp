// SPDX-License-Identifier: GPL-2.0
// The tables that all profiles of an OTLP message share.
#include "export/otlp_dictionary.h"

#include "export/addresses.h"
#include "export/inlined.h"
#include "export/json_text.h"

namespace uwind {

OtlpDictionary::OtlpDictionary(const Report& report, std::size_t max_frames)
    : report_(report), max_frames_(max_frames), files_(report), tables_(*message_.mutable_dictionary()),
      location_of_(2 * report.frames.size())
{
	constexpr std::size_t trace_bytes = 16, span_bytes = 8;
	string("");
	place(attributes_, *tables_.mutable_attribute_table(), {});
	place(mappings_, *tables_.mutable_mapping_table(), {});
	place(functions_, *tables_.mutable_function_table(), {});
	place(locations_, *tables_.mutable_location_table(), {});
	place(stacks_, *tables_.mutable_stack_table(), {});
	otlp::Link& link = *tables_.add_link_table();
	link.set_trace_id(std::string(trace_bytes, '\0'));
	link.set_span_id(std::string(span_bytes, '\0'));
}

template <typename Row>
std::int32_t OtlpDictionary::place(Places& places, Table<Row>& table, const Row& row)
{
	const auto [known, is_new] = places.try_emplace(row.SerializeAsString(), table.size());
	if (is_new)
		*table.Add() = row;
	return known->second;
}

std::int32_t OtlpDictionary::string(const std::string& text)
{
	const auto [known, is_new] = strings_.try_emplace(utf8(text), tables_.string_table_size());
	if (is_new)
		tables_.add_string_table(known->first);
	return known->second;
}

std::int32_t OtlpDictionary::attribute(const char* key, const otlp::AnyValue& value)
{
	otlp::KeyValueAndUnit row;
	row.set_key_strindex(string(key));
	*row.mutable_value() = value;
	return place(attributes_, *tables_.mutable_attribute_table(), row);
}

std::int32_t OtlpDictionary::attribute(const char* key, const std::string& text)
{
	otlp::AnyValue value;
	value.set_string_value(utf8(text));
	return attribute(key, value);
}

std::int32_t OtlpDictionary::attribute(const char* key, std::int64_t number)
{
	otlp::AnyValue value;
	value.set_int_value(number);
	return attribute(key, value);
}

std::int32_t OtlpDictionary::mapping(const ReportFrame& frame, std::uint64_t address)
{
	const Mapped mapped = files_.of(frame, address);
	const ReportModule& module = report_.modules[mapped.module];
	otlp::Mapping row;
	row.set_memory_start(mapped.address);
	row.set_memory_limit(mapped.address + mapped.bytes);
	row.set_file_offset(mapped.file_offset);
	row.set_filename_strindex(string(module.path));
	if (!module.build_id.empty())
		row.add_attribute_indices(attribute("process.executable.build_id.gnu", module.build_id));
	return place(mappings_, *tables_.mutable_mapping_table(), row);
}

std::int32_t OtlpDictionary::function(const ReportInlined& function)
{
	otlp::Function row;
	row.set_name_strindex(string(function.symbol));
	row.set_filename_strindex(string(function.source.file));
	return place(functions_, *tables_.mutable_function_table(), row);
}

std::int32_t OtlpDictionary::new_location(Index index, bool is_return)
{
	const ReportFrame& frame = report_.frames[index];
	otlp::Location row;
	row.set_address(address_in_code(frame, is_return));
	if (frame.module)
		row.set_mapping_index(mapping(frame, row.address()));
	for (const ReportInlined& inlined : functions_at(report_, index)) {
		otlp::Line& line = *row.add_lines();
		line.set_function_index(function(inlined));
		line.set_line(inlined.source.line);
	}
	row.add_attribute_indices(attribute("profile.frame.type", std::string(frame.kernel ? "kernel" : "native")));
	return place(locations_, *tables_.mutable_location_table(), row);
}

std::int32_t OtlpDictionary::location(Index frame, bool is_return)
{
	std::int32_t& number = location_of_[2 * std::size_t{frame} + (is_return ? 1 : 0)];
	if (!number)
		number = new_location(frame, is_return);
	return number;
}

void OtlpDictionary::add_frames(const ReportStack& stack, otlp::Stack& row)
{
	for (std::size_t i = 0; i < stack.frames.size(); i++)
		row.add_location_indices(location(stack.frames[i], is_return(stack, i)));
}

std::int32_t OtlpDictionary::stack(const BothStacks& stacks)
{
	if (const auto known = stack_of_.find(stacks); known != stack_of_.end())
		return known->second;
	std::size_t frames = 0;
	for (const auto& stack : {stacks.kernel, stacks.user})
		frames += stack ? report_.stacks[*stack].frames.size() : 0;
	if (frames > max_frames_ - frames_)
		return 0;
	otlp::Stack row;
	for (const auto& stack : {stacks.kernel, stacks.user})
		if (stack)
			add_frames(report_.stacks[*stack], row);
	frames_ += frames;
	return stack_of_[stacks] = place(stacks_, *tables_.mutable_stack_table(), row);
}

} // namespace uwind
