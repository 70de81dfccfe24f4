// SPDX-License-Identifier: GPL-2.0
// What is found in code that clang's assembler has made.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/handle.h"
#include "elf/file.h"
#include "tables/file_rows.h"
#include "tables/row_builder.h"
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

namespace assembled {

using Finder = std::vector<uwind::Stretch> (*)(const uwind::ElfFile&);

// "4-12 signal frame at sp+148; …": offsets into the code of a library for target (an LLVM triple).
inline std::string stretches_of(const std::string& target, const std::string& assembler, Finder find)
{
	const std::string name = "/tmp/uwind-assembled-" + std::to_string(getpid());
	std::ofstream(name + ".s") << ".text\n.balign 16\n" << assembler << "\n";
	const std::string command =
		"clang-14 --target=" + target + " -nostdlib -shared -o " + name + ".so " + name + ".s";
	REQUIRE(std::system(command.c_str()) == 0);
	const uwind::UniqueFd fd(open((name + ".so").c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const auto text = file->section(".text");
	REQUIRE((text && *text));
	std::string said;
	for (const uwind::Stretch& stretch : find(*file))
		said += (said.empty() ? "" : "; ") + std::to_string(stretch.start - (*text)->offset) + "-" +
			std::to_string(stretch.end - (*text)->offset) + " " +
			uwind::rule_text(stretch.rule, file->arch());
	unlink((name + ".so").c_str());
	unlink((name + ".s").c_str());
	return said;
}

// All rows of .text.
inline std::vector<uwind::Stretch> text_rows(const uwind::ElfFile& file)
{
	const auto rows = uwind::rows_of_file(file);
	const auto text = file.section(".text");
	REQUIRE((rows && text && *text));
	std::vector<uwind::Stretch> stretches;
	for (std::size_t i = 0; i + 1 < rows->rows.size(); i++)
		if (rows->rows[i].start - (*text)->offset < (*text)->bytes.size() &&
		    rows->rules[rows->rows[i].rule].kind != UW_RULE_NONE)
			stretches.push_back(
				{rows->rows[i].start, rows->rows[i + 1].start, rows->rules[rows->rows[i].rule]});
	return stretches;
}

} // namespace assembled
