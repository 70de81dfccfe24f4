// SPDX-License-Identifier: GPL-2.0
// What changed the kernel's text: by who asked for it, where known, else by the address and the bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "app/text_names.h"
#include "base/byte_cursor.h"
#include "model/arch.h"
#include "model/text_log.h"
#include "port/kernel_text.h"

namespace uwind {

class TextKinds {
public:
	struct Verdict {
		TextKind kind = TextKind::unknown;
		std::string what; // a key's name of a jump label, else a function's; "": not known
	};
	// The area that has this address, as it is now.
	struct Where {
		TextPlace place = TextPlace::image;
		std::string name;
		Bytes bytes;
	};
	using Find = std::function<std::optional<Where>(std::uint64_t address)>;

	// names outlives this.
	TextKinds(Arch arch, const TextNames& names, Find find) : arch_(arch), names_(names), find_(std::move(find)) {}

	void add(const TextSites& sites);
	Verdict kind_of(const TextEdit& edit) const;

private:
	TextKind by_callers(const TextEdit& edit) const;
	TextKind by_place(const TextEdit& edit) const;
	TextKind by_bytes(const TextEdit& edit) const;
	TextKind by_sites(const TextEdit& edit) const;
	TextKind by_trampoline(const TextEdit& edit) const;
	TextKind by_literal(const TextEdit& edit) const;
	TextKind by_symbol(const TextEdit& edit) const;
	TextKind by_call(const TextEdit& edit) const;
	std::string called_trampoline(const TextEdit& edit) const;
	bool is_for_kprobes(Bytes trampoline, std::uint64_t address) const;
	std::string what_for(TextKind kind, const TextEdit& edit) const;

	Arch arch_;
	const TextNames& names_;
	Find find_;
	std::map<std::uint64_t, std::string> jump_labels_;
	std::map<std::uint64_t, std::string> static_calls_;
};

// Where the instruction at this address calls or jumps to. Nothing: it does neither, or by a register.
std::optional<std::uint64_t> target_of(Arch arch, Bytes code, std::uint64_t address);

} // namespace uwind
