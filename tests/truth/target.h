// SPDX-License-Identifier: GPL-2.0
// A stopped process as the core sees it: its code with the tables that the daemon
// would register, and its memory through /proc.
#pragma once

#include "base/handle.h"
#include "io/procfs.h"
#include "tables/table_builder.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "table.h"
#include "uw_port_walk.h"
#include "walk.h"
}

namespace truth {

struct Frame {
	std::uint64_t pc = 0;
	std::uint64_t cfa = 0; // 0: not known (the last frame, and frames of frame pointers on arm64)
	uw_method method = UW_METHOD_NONE;
};

struct Stack {
	std::vector<Frame> frames; // innermost first
	uw_stop stop = UW_STOP_NONE;
	bool complete() const;
	const char* stop_text() const;
};

class Target {
public:
	Target(std::uint32_t pid, uw_arch arch);
	~Target();

	// The stack from these registers on. Reads the process's mappings again when
	// the walk meets code that it does not know.
	Stack walk(const uw_regs& regs);
	// The process has run: what was read of its memory no longer counts.
	void forget_memory() { pages_.clear(); }
	// False if it is not readable.
	bool read(std::uint64_t address, void* to, std::size_t bytes);
	// "libc.so.6+0x1234", for people.
	std::string name_of(std::uint64_t address) const;
	const std::string& file_of(std::uint64_t address) const;
	std::uint64_t offset_of(std::uint64_t address) const;

	uw_arch arch() const { return arch_; }
	int find(std::uint64_t address, uw_found& found) const;
	// One of the process's words: 32 bits of a 32-bit process. False if it is not readable.
	bool word(std::uint64_t address, std::uint64_t& value);
	std::uint64_t strip(std::uint64_t address) const;
	// The place that a return address names: without its authentication code, or Thumb's bit.
	std::uint64_t return_address(std::uint64_t ra) const { return arch_ == UW_ARCH_ARM ? ra & ~1ull : strip(ra); }

private:
	struct Table {
		std::vector<char> memory;
		uw_table table{};
		std::uint8_t method = UW_METHOD_NONE;
	};
	struct Code {
		std::uint64_t start, end, offset;
		const Table* table; // null: none
		std::string path;
	};

	Stack walk_once(const uw_regs& regs);
	void read_mappings();
	void add_code(std::uint64_t start, std::uint64_t end, std::uint64_t offset, const std::string& path);
	const Table* table_of(const std::string& path, std::uint64_t start, std::uint64_t end);
	std::unique_ptr<Table> build(const uwind::FileTable& file) const;
	const Code* code_at(std::uint64_t address) const;

	const std::uint32_t pid_;
	const uw_arch arch_;
	uwind::UniqueFd memory_;
	std::vector<Code> code_; // by address
	std::map<std::string, std::unique_ptr<Table>> tables_;
	std::map<std::uint64_t, std::array<std::uint8_t, 4096>> pages_;
};

} // namespace truth
