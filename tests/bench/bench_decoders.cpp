// SPDX-License-Identifier: GPL-2.0
// Our decoder of x86 and Zydis, over all code of the files whose names are read: how many instructions are equally long
// for both, and of each kind that is not, how many and where the first is.
//
// Usage: bench_decoders <FILES              compares
//        bench_decoders ours|zydis <FILES   decodes with one of them: count its instructions with callgrind
#include <Zydis/Zydis.h>

#include <algorithm>
#include <fcntl.h>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>

#include "base/text.h"
#include "elf/file.h"
#include "elf/sections.h"
#include "tables/isa/x86/instruction.h"

namespace {

using uwind::Arch;
using uwind::Bytes;

struct Difference {
	std::uint64_t count = 0;
	std::string first; // file and address
};

class Comparison {
public:
	explicit Comparison(const std::string& only) : ours_(only != "zydis"), zydis_(only != "ours") {}

	void file(const std::string& path);
	void print() const;

private:
	void section(const std::string& path, const uwind::ElfSection& section, bool is_64);
	unsigned zydis_bytes(Bytes code);
	void differ(unsigned ours, unsigned zydis, const std::string& place);

	const bool ours_, zydis_;
	ZydisDecoder decoder_{};
	ZydisDecodedInstruction decoded_{};
	std::uint64_t files_ = 0, count_ = 0, equal_ = 0;
	std::uint64_t xop_ = 0, others_ = 0; // not equally long
	std::uint64_t code_ = 0;             // of the others, outside of files that have tables in their code
	std::map<std::string, Difference> differences_;
};

unsigned Comparison::zydis_bytes(Bytes code)
{
	const auto status = ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data(), code.size(), &decoded_);
	return ZYAN_SUCCESS(status) ? decoded_.length : 0;
}

void Comparison::differ(unsigned ours, unsigned zydis, const std::string& place)
{
	const bool has_tables = place.find("libcrypto") != place.npos || place.find("padlock") != place.npos;
	const bool xop = zydis && decoded_.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP;
	xop_ += xop;
	others_ += !xop;
	code_ += !xop && !has_tables;
	const char* name = zydis ? ZydisMnemonicGetString(decoded_.mnemonic) : "";
	Difference& difference = differences_[std::to_string(ours) + " " + std::to_string(zydis) + " " + name];
	if (!difference.count++)
		difference.first = place;
}

void Comparison::section(const std::string& path, const uwind::ElfSection& section, bool is_64)
{
	for (std::size_t at = 0; at < section.bytes.size();) {
		const Bytes code = section.bytes.subspan(at);
		const unsigned ours = ours_ ? uwind::decode_x86(code, is_64).bytes : 0;
		const unsigned zydis = zydis_ ? zydis_bytes(code) : 0;
		count_++;
		equal_ += ours == zydis;
		if (ours_ && zydis_ && ours != zydis)
			differ(ours, zydis, path + "+" + uwind::hex(section.address + at));
		at += std::max({zydis_ ? zydis : ours, 1u});
	}
}

void Comparison::file(const std::string& path)
{
	const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	if (!file || (file->arch() != Arch::x86_64 && file->arch() != Arch::i386))
		return;
	files_++;
	const bool is_64 = file->arch() == Arch::x86_64;
	ZydisDecoderInit(&decoder_, is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
			 is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	for (const auto& code : uwind::code_sections(*file))
		section(path, code, is_64);
}

void Comparison::print() const
{
	std::cout << count_ << " instructions\n";
	if (!ours_ || !zydis_)
		return;
	std::cout << "figure: decoders against=\"Zydis 4.0\" files=" << files_ << " instructions=" << count_
		  << " equal=" << equal_ << " xop=" << xop_ << " others=" << others_ << " code=" << code_
		  << "\n  count  ours zydis name, first\n";
	for (const auto& [kind, difference] : differences_)
		std::cout << std::setw(7) << difference.count << "  " << kind << ", " << difference.first << "\n";
}

} // namespace

int main(int argc, char** argv)
{
	Comparison comparison(argc > 1 ? argv[1] : "");
	for (std::string path; std::getline(std::cin, path);)
		comparison.file(path);
	comparison.print();
	return 0;
}
