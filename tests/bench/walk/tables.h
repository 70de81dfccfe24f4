// SPDX-License-Identifier: GPL-2.0
// The code of this program and its libraries, with the tables that we make of their files.
#pragma once

#include <link.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/walk/stack.h"
#include "walk/packed_table.h"

extern "C" {
#include "uw_port_walk.h"
}

namespace bench {

// How frames of the libraries that call each other are found; all other code has lowered .eh_frame.
enum class Method { sframe, eh_frame, frame_pointer };

// Exits if a file has no table.
class LoadedCode {
public:
	LoadedCode();

	// The mappings that hold a frame of the stack, with tables of that method.
	std::vector<uw_port_code> for_stack(const Stack& stack, Method method) const;

private:
	struct Mapping {
		std::uint64_t start, end, offset;
		std::string path;
		bool ours;
	};
	using Tables = std::map<std::string, std::shared_ptr<const uwind::PackedTable>>;

	static int add_mappings(dl_phdr_info* info, std::size_t, void* code);
	const uwind::PackedTable* table_of(const Mapping& mapping, Method method) const;

	std::vector<Mapping> mappings_;
	Tables eh_frame_, sframe_;
};

} // namespace bench
