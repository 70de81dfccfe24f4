// SPDX-License-Identifier: GPL-2.0
// Result<T>: a value, or an error with the context that was added on its way up.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace uwind {

// What failed. code is an errno; message names the thing and says what to do.
struct Error {
	int code = 0;
	std::string message;
};

template <typename T>
class [[nodiscard]] Result {
public:
	Result(T value) : state_(std::move(value)) {}
	Result(Error error) : state_(std::move(error)) {}

	explicit operator bool() const { return state_.index() == 0; }
	T& value() { return std::get<0>(state_); }
	const T& value() const { return std::get<0>(state_); }
	T& operator*() { return value(); }
	const T& operator*() const { return value(); }
	T* operator->() { return &value(); }
	const T* operator->() const { return &value(); }
	const Error& error() const { return std::get<1>(state_); }

	// The error, its message prefixed with "context: ".
	Error error(const std::string& context) const { return Error{error().code, context + ": " + error().message}; }

private:
	std::variant<T, Error> state_;
};

struct Nothing {};
using Status = Result<Nothing>;

inline Error errno_error(int code, const std::string& what)
{
	return Error{code, what + ": " + std::strerror(code)};
}

} // namespace uwind
