// SPDX-License-Identifier: GPL-2.0
// The words of stacks, from the contract's lists.
#include "model/words.h"

#include <span>

#include "base/text.h"

namespace uwind {
namespace {

#define UWIND_COMPLETE(name, json, complete) complete != 0,
constexpr bool stop_complete[] = {UWIND_STOP_LIST(UWIND_COMPLETE)};
#undef UWIND_COMPLETE

using Names = std::span<const char* const>;

std::string name_in(Names names, unsigned number, const char* kind)
{
	if (number < names.size())
		return names[number];
	return std::string(kind) + "-" + std::to_string(number);
}

std::optional<std::uint8_t> number_in(Names names, std::string_view name, std::string_view kind)
{
	for (std::size_t i = 0; i < names.size(); i++)
		if (name == names[i])
			return static_cast<std::uint8_t>(i);
	if (name.size() <= kind.size() || !name.starts_with(kind) || name[kind.size()] != '-')
		return std::nullopt;
	const auto number = parse_number(name.substr(kind.size() + 1));
	if (!number || *number < names.size() || *number > 255)
		return std::nullopt;
	return static_cast<std::uint8_t>(*number);
}

} // namespace

std::string name_of(Stop stop)
{
	return name_in(stop_words, unsigned(stop), "stop");
}
std::string name_of(Method method)
{
	return name_in(method_words, unsigned(method), "method");
}
std::string name_of(Loss loss)
{
	return name_in(loss_words, unsigned(loss), "loss");
}

std::optional<Stop> stop_named(std::string_view name)
{
	const auto number = number_in(stop_words, name, "stop");
	return number ? std::optional(Stop(*number)) : std::nullopt;
}

std::optional<Method> method_named(std::string_view name)
{
	const auto number = number_in(method_words, name, "method");
	return number ? std::optional(Method(*number)) : std::nullopt;
}

std::optional<Loss> loss_named(std::string_view name)
{
	const auto number = number_in(loss_words, name, "loss");
	return number ? std::optional(Loss(*number)) : std::nullopt;
}

bool is_complete(Stop stop)
{
	return unsigned(stop) < number_of_stops && stop_complete[unsigned(stop)];
}

Method frame_method(Method method)
{
	const bool sframe = method == Method::SFRAME_V2 || method == Method::SFRAME_V3;
	return sframe ? Method::SFRAME_V1 : method;
}

std::string frame_method_name(Method method)
{
	return frame_method(method) == Method::SFRAME_V1 ? "sframe" : name_of(method);
}

std::optional<Method> frame_method_named(std::string_view name)
{
	return name == "sframe" ? Method::SFRAME_V1 : method_named(name);
}

bool is_exact(Method method)
{
	return method == Method::PC || method == Method::SIGFRAME;
}

} // namespace uwind
