// SPDX-License-Identifier: GPL-2.0
// The fields of a tracepoint. A line of its format:
//	field:char prev_comm[16];	offset:8;	size:16;	signed:0;
#include "events/fields.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include "events/text_parts.h"

namespace uwind {
namespace {

constexpr std::string_view common = "common_";

// The value after "key:", up to the semicolon.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key)
{
	for (const std::string_view part : cut(line, ';'))
		if (const auto [name, value] = halves(trimmed(part), ':'); name == key && value)
			return trimmed(*value);
	return std::nullopt;
}

bool has(std::string_view text, std::string_view word)
{
	return text.find(word) != std::string_view::npos;
}

// "__data_loc char[] name", "__rel_loc char[] name"
void set_dynamic(FilterField& field, std::string_view type)
{
	field.kind = type.starts_with("__rel_loc") ? FilterKind::rel_loc : FilterKind::data_loc;
	const auto [loc, item] = halves(type, ' ');
	if (!trimmed(item.value_or("")).starts_with("char") || field.bytes != 4)
		field.refused = "it is a dynamic array of numbers";
}

void set_plain(FilterField& field, std::string_view type, bool is_array)
{
	if (is_array && has(type, "char"))
		field.kind = FilterKind::chars;
	else if (is_array)
		field.refused = "it is an array of numbers";
	else if (has(type, "char") && type.ends_with('*'))
		field.refused = "it is a pointer to text, and the text is not in the entry";
	else if (field.bytes != 1 && field.bytes != 2 && field.bytes != 4 && field.bytes != 8)
		field.refused = "it is a structure of " + std::to_string(field.bytes) + " bytes";
}

std::optional<FilterField> parse_field(std::string_view line)
{
	auto declared = value_of(line, "field");
	const auto offset = parse_integer(value_of(line, "offset").value_or("")),
		   bytes = parse_integer(value_of(line, "size").value_or(""));
	if (!declared || !offset || !bytes || *offset > 0xffff || *bytes > 0xffff)
		return std::nullopt;
	const bool dynamic = declared->starts_with("__data_loc") || declared->starts_with("__rel_loc");
	const auto bracket = dynamic ? std::string_view::npos : declared->find('[');
	declared = trimmed(declared->substr(0, bracket));
	const auto space = declared->find_last_of(" *");
	if (space == std::string_view::npos)
		return std::nullopt;
	FilterField field;
	field.name = declared->substr(space + 1);
	field.is_signed = value_of(line, "signed") == "1";
	field.offset = static_cast<std::uint32_t>(*offset);
	field.bytes = static_cast<std::uint32_t>(*bytes);
	const std::string_view type = trimmed(declared->substr(0, space + 1));
	if (dynamic)
		set_dynamic(field, type);
	else
		set_plain(field, type, bracket != std::string_view::npos);
	return field;
}

// Fields of the moment, not of the entry.
std::optional<FilterField> pseudo_field(std::string_view name)
{
	if (name == "CPU" || name == "cpu")
		return FilterField{std::string(name), FilterKind::cpu, false, 4, 0, ""};
	if (name == "COMM" || name == "comm")
		return FilterField{std::string(name), FilterKind::comm, false, 0, 0, ""};
	return std::nullopt;
}

Error unknown(const std::vector<FilterField>& fields, std::string_view name)
{
	std::vector<std::string> known = {"cpu", "comm"};
	std::string own;
	for (const FilterField& field : fields) {
		known.push_back(field.name);
		if (!field.name.starts_with(common))
			own += (own.empty() ? "" : ", ") + field.name;
	}
	return Error{EINVAL,
		     "no field is called " + with_nearest(name, known) + (own.empty() ? "" : "; it has " + own)};
}

} // namespace

std::vector<FilterField> parse_fields(std::string_view format)
{
	std::vector<FilterField> fields;
	for (const std::string_view line : cut(format, '\n'))
		if (trimmed(line).starts_with("field:"))
			if (auto field = parse_field(trimmed(line)))
				fields.push_back(std::move(*field));
	return fields;
}

Result<FilterField> find_field(const std::vector<FilterField>& fields, std::string_view name)
{
	const auto known = std::find_if(fields.begin(), fields.end(),
					[name](const FilterField& field) { return field.name == name; });
	const auto pseudo = pseudo_field(name);
	if (known == fields.end() && pseudo)
		return *pseudo;
	if (known == fields.end())
		return unknown(fields, name);
	if (!known->refused.empty())
		return Error{EINVAL, "the field '" + known->name + "' cannot be compared: " + known->refused};
	return *known;
}

} // namespace uwind
