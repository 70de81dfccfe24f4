// SPDX-License-Identifier: GPL-2.0
// The kernel's text as /proc/kallsyms, /proc/modules, /sys/module and /proc/kcore show it.
#pragma once

#include "io/kallsyms_text.h"
#include "io/kernel_memory.h"
#include "port/kernel_text.h"
#include "port/text_changes.h"

namespace uwind {

class KernelImage : public KernelText {
public:
	// Errors of KernelMemory::open(). EPERM: addresses are hidden (kernel.kptr_restrict).
	static Result<KernelImage> open();

	Result<std::vector<TextArea>> areas() override;
	std::vector<TextArea> modules() override;
	Status read(std::uint64_t address, std::span<std::uint8_t> bytes) override;
	std::vector<TextSymbol> symbols(const std::optional<std::string>& module) override;
	TextSites sites(const std::optional<std::string>& module) override;
	std::uint64_t now_ns() override;

private:
	explicit KernelImage(KernelMemory memory) : memory_(std::move(memory)) {}
	std::uint64_t own(std::string_view symbol) const;
	std::vector<std::uint8_t> table(const TextRange& range);
	TextRange between(std::string_view begin, std::string_view end) const;
	std::string name_of_data(std::uint64_t address) const;
	void read_symbols();

	KernelMemory memory_;
	std::string text_;                    // of /proc/kallsyms
	std::vector<KernelSymbolLine> lines_; // by address; of text_
	bool fresh_ = false;                  // they were read just now, for what is asked first
};

// In a table of entries of 16 bytes: offsets of the instruction and its target from where they stand, 32 bits each, and
// of the key, 64 bits, whose two low bits are flags. As pairs of the instruction's and the key's addresses.
std::vector<std::pair<std::uint64_t, std::uint64_t>> jump_labels_in(Bytes table, std::uint64_t address);
// The same of entries of 8 bytes: offsets of the instruction and the key, 32 bits each.
std::vector<std::pair<std::uint64_t, std::uint64_t>> static_calls_in(Bytes table, std::uint64_t address);

} // namespace uwind
