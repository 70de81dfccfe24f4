// SPDX-License-Identifier: GPL-2.0
// The words of stacks: why a walk stopped, how a frame was found, why a request
// was lost. Made from the contract's lists, so that no list is written twice.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "uwind_words.h"

namespace uwind {

#define UWIND_MODEL_STOP(name, json, complete) name,
enum class Stop : std::uint8_t { UWIND_STOP_LIST(UWIND_MODEL_STOP) };
#undef UWIND_MODEL_STOP

#define UWIND_MODEL_WORD(name, json) name,
enum class Method : std::uint8_t { UWIND_METHOD_LIST(UWIND_MODEL_WORD) };
enum class Loss : std::uint8_t { UWIND_LOSS_LIST(UWIND_MODEL_WORD) };
#undef UWIND_MODEL_WORD

#define UWIND_MODEL_NAME(name, json, ...) json,
inline constexpr const char *stop_words[] = {UWIND_STOP_LIST(UWIND_MODEL_NAME)};
inline constexpr const char *method_words[] = {UWIND_METHOD_LIST(UWIND_MODEL_NAME)};
inline constexpr const char *loss_words[] = {UWIND_LOSS_LIST(UWIND_MODEL_NAME)};
#undef UWIND_MODEL_NAME

inline constexpr unsigned number_of_stops = std::size(stop_words);
inline constexpr unsigned number_of_methods = std::size(method_words);
inline constexpr unsigned number_of_losses = std::size(loss_words);

// Numbers that only a newer module has are named "stop-40", "method-40" …; the
// readers of names accept these.
std::string name_of(Stop stop);
std::string name_of(Method method);
std::string name_of(Loss loss);
std::optional<Stop> stop_named(std::string_view name);
std::optional<Method> method_named(std::string_view name);
std::optional<Loss> loss_named(std::string_view name);

// Does the stack end where the thread began?
bool is_complete(Stop stop);

// Reports name a frame's method "sframe" for all versions, since the version is
// a property of the module's table: all three become SFRAME_V1.
Method frame_method(Method method);
std::string frame_method_name(Method method);
std::optional<Method> frame_method_named(std::string_view name);

// Is the frame's address the next instruction to execute, not a return address?
bool is_exact(Method method);

} // namespace uwind
