// SPDX-License-Identifier: GPL-2.0
// The unit tests' main function, made by Catch2.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
