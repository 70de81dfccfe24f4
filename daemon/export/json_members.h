// SPDX-License-Identifier: GPL-2.0
// Reading JSON that anybody may have written: each member has the type that it should have, or its place is said.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/text.h"

namespace uwind {

// Reads the members of one JSON object; remembers the first thing that is wrong.
class JsonMembers {
public:
	using Json = nlohmann::json;

	JsonMembers(const Json& object, std::string place, std::string& error)
	    : object_(object), place_(std::move(place)), error_(error)
	{
		if (!object_.is_object())
			fail("", "is not an object");
	}

	bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

	const Json& get(const char* key)
	{
		static const Json nothing;
		if (has(key))
			return object_[key];
		fail(key, "is missing");
		return nothing;
	}

	template <typename T>
	void number(const char* key, T& value)
	{
		if (auto read = unsigned_in<T>(get(key), key))
			value = *read;
	}

	template <typename T>
	void number_or_null(const char* key, std::optional<T>& value)
	{
		if (!get(key).is_null())
			value = unsigned_in<T>(get(key), key);
	}

	void text(const char* key, std::string& value)
	{
		if (get(key).is_string())
			value = get(key).get<std::string>();
		else
			fail(key, "is not a string");
	}

	void text_or_null(const char* key, std::optional<std::string>& value)
	{
		if (!get(key).is_null())
			text(key, value.emplace());
	}

	void flag(const char* key, bool& value)
	{
		if (get(key).is_boolean())
			value = get(key).get<bool>();
		else
			fail(key, "is not true or false");
	}

	void hexadecimal(const char* key, std::uint64_t& value)
	{
		std::string digits;
		text(key, digits);
		const auto parsed = digits.starts_with("0x") ? parse_number(digits.substr(2), 16) : std::nullopt;
		if (parsed)
			value = *parsed;
		else
			fail(key, "is not a number in hexadecimal");
	}

	template <typename T>
	std::optional<T> unsigned_in(const Json& json, const std::string& key)
	{
		if (json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<T>::max())
			return static_cast<T>(json.get<std::uint64_t>());
		fail(key, "is not a number, or too large");
		return std::nullopt;
	}

	const Json& list(const char* key)
	{
		if (!get(key).is_array())
			fail(key, "is not a list");
		return get(key);
	}

	JsonMembers object(const char* key) { return JsonMembers(get(key), place_of(key), error_); }
	// One of that list.
	JsonMembers entry(const char* key, std::size_t index)
	{
		return JsonMembers(list(key)[index], place_of(std::string(key) + "[" + std::to_string(index) + "]"),
				   error_);
	}

	void fail(const std::string& key, const std::string& what)
	{
		if (error_.empty())
			error_ = place_of(key) + ": " + what;
	}

private:
	std::string place_of(const std::string& key) const
	{
		return key.empty() ? place_ : place_.empty() ? key : place_ + "." + key;
	}

	const Json& object_;
	const std::string place_;
	std::string& error_;
};

} // namespace uwind
