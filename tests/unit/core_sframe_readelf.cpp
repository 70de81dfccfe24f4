// SPDX-License-Identifier: GPL-2.0
// What this machine's assembler and linker write, read by the core and by
// readelf: both must say the same at every pc.
#include <catch2/catch.hpp>

#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "core_sframe_encoder.h"

using namespace core;
using namespace core::sframe;

namespace {

class ScratchDir {
public:
	ScratchDir()
	{
		std::string pattern = std::filesystem::temp_directory_path() / "uwind-sframe-XXXXXX";
		path_ = ::mkdtemp(pattern.data());
	}
	~ScratchDir() { std::filesystem::remove_all(path_); }
	const std::filesystem::path& path() const { return path_; }

private:
	std::filesystem::path path_;
};

bool run(const std::string& command)
{
	return std::system((command + " 2>/dev/null").c_str()) == 0;
}

Bytes read_file(const std::filesystem::path& path)
{
	std::ifstream in(path, std::ios::binary);
	return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
T read_at(const Bytes& bytes, u64 at)
{
	T value;
	REQUIRE(at + sizeof(T) <= bytes.size());
	std::memcpy(&value, bytes.data() + at, sizeof(T));
	return value;
}

// The executable segment, and the section .sframe, of a linked program.
struct Program {
	uw_segment text{};
	u64 address = 0;
	Bytes sframe;
};

Program parse_elf(const Bytes& file)
{
	Program program;
	auto header = read_at<Elf64_Ehdr>(file, 0);
	for (u64 i = 0; i < header.e_phnum; i++) {
		auto segment = read_at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			program.text = {segment.p_vaddr, segment.p_filesz, segment.p_offset};
	}
	auto section = [&](u64 i) { return read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr)); };
	auto names = section(header.e_shstrndx);
	for (u64 i = 0; i < header.e_shnum; i++) {
		auto found = section(i);
		if (std::strcmp(reinterpret_cast<const char*>(&file[names.sh_offset + found.sh_name]), ".sframe"))
			continue;
		program.address = found.sh_addr;
		auto begin = file.begin() + static_cast<long>(found.sh_offset);
		program.sframe.assign(begin, begin + static_cast<long>(found.sh_size));
	}
	return program;
}

// "c-16", "sp+8", "u", "u[s]", "f": the offset behind the letters, if any.
std::optional<s32> offset_in(const std::string& column)
{
	auto sign = column.find_first_of("+-");
	if (sign == std::string::npos)
		return {};
	return std::stoi(column.substr(sign));
}

uw_rule rule_of(const std::string& cfa, const std::string& fp, const std::string& ra, uw_arch arch)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	REQUIRE((cfa.substr(0, 2) == "sp" || cfa.substr(0, 2) == "fp"));
	rule.cfa_reg = cfa[0] == 's' ? uw_arch_sp(arch) : uw_arch_fp(arch);
	rule.cfa_off = offset_in(cfa).value();
	if (auto off = offset_in(fp)) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = *off;
	}
	auto off = arch == UW_ARCH_X86_64 ? std::optional<s32>(-8) : offset_in(ra);
	if (off) {
		rule.ra_place = UW_PLACE_CFA_MEM;
		rule.ra_off = *off;
	}
	return rule;
}

// The rules that readelf prints, by address.
class Readelf {
public:
	explicit Readelf(uw_arch arch) : arch_(arch) {}

	void parse(std::istream& in)
	{
		for (std::string line; std::getline(in, line);) {
			if (line.find("func idx") != std::string::npos)
				begin_function(line);
			else if (line.find("STARTPC") != std::string::npos)
				repeats_ = line.find("[m]") != std::string::npos;
			else if (functions)
				add_row(line);
		}
		end_row();
	}

	uw_rule at(u64 address) const
	{
		auto found = rules_.find(address);
		return found == rules_.end() ? kind_rule(UW_RULE_NONE) : found->second;
	}

	int functions = 0;
	u64 end = 0;

private:
	void begin_function(const std::string& line)
	{
		end_row();
		start_ = std::stoull(line.substr(line.find("pc = ") + 5), nullptr, 16);
		end = start_ + std::stoull(line.substr(line.find("size = ") + 7));
		functions++;
	}

	void add_row(const std::string& line)
	{
		std::istringstream in(line);
		std::string pc, cfa, fp, ra;
		if (!(in >> pc >> cfa >> fp >> ra))
			return;
		end_row();
		row_ = std::stoull(pc, nullptr, 16) + (repeats_ ? start_ : 0);
		rule_ = rule_of(cfa, fp, ra, arch_);
		rule_.rbx_slot = arch_ == UW_ARCH_X86_64 ? UW_RBX_LOST : 0;
		open_ = true;
	}

	// A row holds to its function's end, until the next one overwrites it.
	void end_row()
	{
		for (u64 at = row_; open_ && at < end; at++)
			if (!repeats_ || (at - start_) % 16 >= (row_ - start_))
				rules_[at] = rule_;
		open_ = false;
	}

	uw_arch arch_;
	u64 start_ = 0;
	u64 row_ = 0;
	bool repeats_ = false;
	bool open_ = false;
	uw_rule rule_{};
	std::map<u64, uw_rule> rules_;
};

void compare(const std::filesystem::path& file, uw_arch arch, int functions)
{
	REQUIRE(run("readelf --sframe " + file.string() + " > " + file.string() + ".txt"));
	std::ifstream printed(file.string() + ".txt");
	Readelf readelf(arch);
	readelf.parse(printed);
	REQUIRE(readelf.functions == functions);

	Program program = parse_elf(read_file(file));
	Lowered lowered = lower(program.sframe, program.address, arch, {program.text});
	REQUIRE(lowered.why == "");
	Table table(lowered.draft->draft);
	for (u64 at = program.text.address; at < readelf.end + 16; at++) {
		CAPTURE(at);
		u64 offset = at - program.text.address + program.text.offset;
		REQUIRE(table.find(offset) == readelf.at(at));
	}
}

std::string source(const std::string& name)
{
	return std::string(UWIND_SOURCE_DIR) + "/tests/unit/asm/" + name;
}

} // namespace

TEST_CASE("x86-64 SFrame of this machine's tools means what readelf says")
{
	ScratchDir dir;
	std::string d = dir.path().string() + "/";
	if (!run("x86_64-linux-gnu-as --gsframe -o " + d + "a.o " + source("core_sframe_x86.s"))) {
		WARN("no x86-64 assembler that writes SFrame");
		return;
	}
	REQUIRE(run("x86_64-linux-gnu-as -o " + d + "lib.o " + source("core_sframe_x86_lib.s")));
	REQUIRE(run("x86_64-linux-gnu-ld -shared -o " + d + "lib.so " + d + "lib.o"));
	REQUIRE(run("x86_64-linux-gnu-ld -o " + d + "a " + d + "a.o " + d + "lib.so"));
	compare(d + "a", UW_ARCH_X86_64, 6);
}

TEST_CASE("arm64 SFrame of this machine's tools means what readelf says")
{
	ScratchDir dir;
	std::string d = dir.path().string() + "/";
	if (!run("aarch64-linux-gnu-as --gsframe -o " + d + "a.o " + source("core_sframe_arm64.s"))) {
		WARN("no arm64 assembler that writes SFrame");
		return;
	}
	REQUIRE(run("aarch64-linux-gnu-ld -o " + d + "a " + d + "a.o"));
	compare(d + "a", UW_ARCH_ARM64, 3);
}
