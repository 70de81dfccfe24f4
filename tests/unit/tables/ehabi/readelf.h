// SPDX-License-Identifier: GPL-2.0
// What binutils' readelf says about Arm's unwind tables, and a machine that does what
// the words say: "vsp = vsp + 40", "pop {r4, r14}".
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace uwind::readelf {

// One entry of the index: its lines, as "0x84" and "pop {r14}".
struct UnwindLine {
	unsigned opcode;
	std::string text;
};

struct UnwindEntry {
	std::uint32_t start = 0;
	bool cannot_unwind = false;
	bool generic = false; // without lines: readelf does not know the personality routine
	std::vector<UnwindLine> lines;
};

// "  0x84 0x08 pop {r7, r14}"
inline UnwindLine unwind_line(const std::string& line)
{
	std::size_t at = 2;
	const auto opcode = static_cast<unsigned>(std::stoul(line.substr(at), nullptr, 16));
	while (line.compare(at, 2, "0x") == 0 || line[at] == ' ')
		at += line[at] == ' ' ? 1 : 4;
	return {opcode, line.substr(at, line.find_last_not_of("\r\n ") + 1 - at)};
}

inline std::vector<UnwindEntry> read_unwind_entries(FILE* pipe)
{
	std::vector<UnwindEntry> entries;
	char buffer[4096];
	while (pipe && std::fgets(buffer, sizeof(buffer), pipe)) {
		const std::string line = buffer;
		if (line.starts_with("0x")) {
			entries.emplace_back();
			entries.back().start = static_cast<std::uint32_t>(std::stoul(line, nullptr, 16)) & ~1u;
			entries.back().cannot_unwind = line.find("[cantunwind]") != std::string::npos;
		} else if (!entries.empty() && line.starts_with("  0x")) {
			entries.back().lines.push_back(unwind_line(line));
		} else if (!entries.empty() && line.starts_with("  Personality routine")) {
			entries.back().generic = true;
		}
	}
	return entries;
}

inline std::vector<UnwindEntry> ask_readelf_for_unwind(const std::string& path)
{
	const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("readelf -uW " + path + " 2>/dev/null").c_str(), "r"),
							 pclose);
	return read_unwind_entries(pipe.get());
}

// A number, and where it comes from: a register ("r7"), or a word of memory ("[r13+4]").
struct Origin {
	std::string name;
	std::uint32_t value = 0;
	unsigned loads = 0; // on the way to it
};

// Registers and memory in which every value is another one.
struct Machine {
	static std::uint32_t reg(unsigned number) { return 0x10000000u + number * 0x1000000u; }
	static std::uint32_t memory(std::uint32_t address) { return (address * 2654435761u) ^ 0x5bd1e995u; }
};

// What the lines lead to.
struct Unwound {
	bool refused = false;  // the lines, or the specification's remarks d and e, say so
	bool below_sp = false; // something was popped from below SP, or SP moved down
	bool chained = false;  // vsp came from memory that lay at an address from memory
	bool far = false;      // vsp moved by 2 GiB or more at once
	Origin cfa;
	struct Popped {
		Origin from; // vsp's, at that time
		std::uint32_t address = 0;
	};
	std::map<unsigned, Popped> popped;
};

class UnwindMachine {
public:
	Unwound run(const UnwindEntry& entry)
	{
		vsp_ = {"r13", Machine::reg(13), 0};
		for (const UnwindLine& line : entry.lines) {
			if (line.text == "finish" || result_.refused)
				break;
			step(line);
		}
		check_stack();
		result_.cfa = vsp_;
		return result_;
	}

private:
	void step(const UnwindLine& line)
	{
		unsigned long long number = 0;
		if (std::sscanf(line.text.c_str(), "vsp = vsp + %llu", &number) == 1)
			vsp_.value += static_cast<std::uint32_t>(number);
		else if (std::sscanf(line.text.c_str(), "vsp = vsp - %llu", &number) == 1)
			vsp_.value -= static_cast<std::uint32_t>(number);
		else if (std::sscanf(line.text.c_str(), "vsp = r%llu", &number) == 1)
			vsp_ = value_of(static_cast<unsigned>(number));
		else if (line.text == "pop {ra_auth_code}")
			vsp_.value += 4;
		else if (line.text.starts_with("pop {"))
			pop(line);
		else if (line.text != "vsp as modifier for PAC validation")
			result_.refused = true;
		result_.chained |= vsp_.loads > 1;
		result_.far |= number >> 31 != 0;
	}

	Origin value_of(unsigned reg) const
	{
		const auto found = result_.popped.find(reg);
		if (found == result_.popped.end())
			return {"r" + std::to_string(reg), Machine::reg(reg), 0};
		const std::uint32_t address = found->second.address;
		return {"[" + std::to_string(address) + "]", Machine::memory(address), found->second.from.loads + 1};
	}

	void check_stack()
	{
		result_.below_sp |= vsp_.name == "r13" && static_cast<std::int32_t>(vsp_.value - Machine::reg(13)) < 0;
	}

	// "pop {r4, r14}", "pop {D8-D9}", "pop {wR10}", "pop {wCGR0, wCGR1}"
	void pop(const UnwindLine& line)
	{
		unsigned first = 0, last = 0;
		const char* list = line.text.c_str() + 5;
		const bool control = line.text.starts_with("pop {wCGR");
		if (list[0] == 'r' || control)
			return pop_words(list, control);
		const bool vfp = std::sscanf(list, "D%u-D%u", &first, &last) > 0;
		if (!vfp && std::sscanf(list, "wR%u-wR%u", &first, &last) < 1)
			result_.refused = true;
		last = std::max(first, last);
		const bool fstmx = line.opcode == 0xb3 || (line.opcode & 0xf8) == 0xb8;
		result_.refused |= last > (vfp && !fstmx ? 31 : 15);
		vsp_.value += 8 * (last - first + 1) + (fstmx ? 4 : 0);
	}

	void pop_words(const char* list, bool control)
	{
		const Origin from = vsp_;
		if (!control)
			check_stack();
		for (const char* at = list; *at && *at != '}';) {
			const auto reg = static_cast<unsigned>(std::strtoul(at + (control ? 4 : 1), nullptr, 10));
			if (!control)
				result_.popped[reg] = {from, vsp_.value};
			vsp_.value += 4;
			at += std::string(at).find_first_of(",}");
			at += *at == ',' ? 2 : 0;
		}
		if (!control && std::string(list).find("r13") != std::string::npos)
			vsp_ = value_of(13);
	}

	Origin vsp_;
	Unwound result_;
};

} // namespace uwind::readelf
