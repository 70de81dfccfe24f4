// SPDX-License-Identifier: GPL-2.0
// What processes write about the code that they generate, found through /proc.
#pragma once

#include "port/generated_code.h"

namespace uwind {

// Holds three descriptors of a process.
class SystemGeneratedCode : public GeneratedCode {
public:
	Result<std::unique_ptr<GeneratingProcess>> process(std::uint32_t pid) override;
	ClockReading clocks() override;
};

} // namespace uwind
