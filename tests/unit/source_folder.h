// SPDX-License-Identifier: GPL-2.0
// Where the project's sources are. In a function, so that where they are is no part of what other files are compiled
// from, and a compiler cache serves every copy of the project.
#pragma once

#include <string>

// A path from the project's folder, made absolute.
std::string in_sources(const std::string& path);
