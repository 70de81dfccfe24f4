// SPDX-License-Identifier: GPL-2.0
// Lists of CPU numbers as people and the kernel write them: "0-3,5".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// In ascending order, each once. Nothing: text has another form, or a number above 65535.
std::optional<std::vector<std::uint32_t>> parse_cpus(std::string_view text);

// The shortest text for numbers in ascending order. "" for none.
std::string text_of_cpus(const std::vector<std::uint32_t>& cpus);

} // namespace uwind
