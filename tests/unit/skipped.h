// SPDX-License-Identifier: GPL-2.0
// A test that cannot run here says so, and is counted as skipped (main.cpp).
#pragma once

#include <string>

// Notes what the test needs. Always false.
bool skipped(const std::string& reason);
