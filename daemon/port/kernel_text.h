// SPDX-License-Identifier: GPL-2.0
// The kernel's own text in memory, where it is, and the places that the kernel patches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/text_log.h"

namespace uwind {

// An instruction that the kernel patches, and what for.
struct TextSite {
	std::uint64_t address = 0;
	std::string what; // the key's name: "sched_schedstats", "nf_hooks_needed+48"
};

struct TextSites {
	std::vector<TextSite> jump_labels;
	std::vector<TextSite> static_calls;
};

class KernelText {
public:
	virtual ~KernelText() = default;

	// What is there now, without its bytes: the kernel's own, modules, BPF, trampolines. EPERM: addresses are
	// hidden.
	virtual Result<std::vector<TextArea>> areas() = 0;
	// The modules among them.
	virtual std::vector<TextArea> modules() = 0;
	// Bytes of kernel memory, all of them. EFAULT: some are not there.
	virtual Status read(std::uint64_t address, std::span<std::uint8_t> bytes) = 0;
	// Names of code. module: of that only; nothing: all.
	virtual std::vector<TextSymbol> symbols(const std::optional<std::string>& module) = 0;
	// module: of that; nothing: the kernel's own.
	virtual TextSites sites(const std::optional<std::string>& module) = 0;
	// CLOCK_MONOTONIC
	virtual std::uint64_t now_ns() = 0;
};

} // namespace uwind
