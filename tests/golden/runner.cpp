// SPDX-License-Identifier: GPL-2.0
// Runs every *.stack file of this folder: see README.md for the format.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "unit/core/world.h"
#include "unit/source_folder.h"

using namespace core;

namespace {

const char* const method_names[] = {
#define METHOD_NAME(name, json) json,
	UWIND_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
};

const char* const stop_names[] = {
#define STOP_NAME(name, json, complete) json,
	UWIND_STOP_LIST(STOP_NAME)
#undef STOP_NAME
};

template <std::size_t count>
u8 number_of(const char* const (&names)[count], const std::string& name)
{
	for (std::size_t i = 0; i < count; i++)
		if (name == names[i])
			return static_cast<u8>(i);
	throw std::runtime_error("unknown word: " + name);
}

u64 number(const std::string& text)
{
	return std::stoull(text, nullptr, 0);
}

// "sp+16", "r10-8", "cfa": a base and an offset.
struct Term {
	std::string base;
	s32 off;
};

Term parse_term(const std::string& text)
{
	auto sign = text.find_first_of("+-");
	if (sign == std::string::npos)
		return {text, 0};
	return {text.substr(0, sign), std::stoi(text.substr(sign))};
}

class Stack {
public:
	explicit Stack(const std::filesystem::path& path)
	{
		std::ifstream in(path);
		for (std::string line; std::getline(in, line);)
			parse_line(line);
		finish_code();
	}

	std::string expected;

	std::string walk()
	{
		Walked walked = world_->walk(max_frames_, shadow_);
		std::ostringstream out;
		for (const uw_frame& frame : walked.frames)
			print(out, frame);
		out << "stop " << stop_names[walked.stop] << "\n";
		if (shadow_)
			out << "same " << walked.same << "\n";
		return out.str();
	}

private:
	static void print(std::ostream& out, const uw_frame& frame)
	{
		out << std::hex << "frame 0x" << frame.pc << " offset 0x" << frame.offset << std::dec << " file "
		    << frame.file << " bytes ";
		if (frame.stack_bytes == UW_STACK_BYTES_UNKNOWN)
			out << "?";
		else
			out << frame.stack_bytes;
		out << " method " << method_names[frame.method] << "\n";
	}

	void parse_line(const std::string& line)
	{
		std::istringstream in(line);
		std::string verb;
		if (!(in >> verb) || verb[0] == '#')
			return;
		if (verb == "frame" || verb == "stop" || verb == "same")
			expected += line + "\n";
		else
			parse_input(verb, in);
	}

	void parse_input(const std::string& verb, std::istringstream& in)
	{
		std::string first, second;
		in >> first;
		if (verb == "arch") {
			arch_ = arch_named(first);
			world_ = std::make_unique<World>(arch_);
		} else if (verb == "max_frames") {
			max_frames_ = static_cast<u32>(number(first));
		} else if (verb == "pac") {
			world_->port.pac_mask = number(first);
		} else if (verb == "stack") {
			world_->port.stack_start = number(first);
		} else if (verb == "shadow") {
			shadow_ = number(first);
		} else if (verb == "pc") {
			world_->pc(number(first) & ~u64{thumb_bit()}).thumb(number(first) & thumb_bit());
		} else if (verb == "reg") {
			in >> second;
			world_->reg(register_number(first), number(second));
		} else if (verb == "fail") {
			in >> second;
			world_->port.fail_at = static_cast<u32>(number(first));
			world_->port.fail_with = second == "EACCES" ? -EACCES : second == "EINTR" ? -EINTR : -EFAULT;
		} else if (verb == "busy") {
			world_->port.busy_at = static_cast<u32>(number(first));
		} else if (verb == "mem") {
			for (u64 at = number(first); in >> second; at += word_bytes())
				world_->word(at, number(second));
		} else if (verb == "code") {
			begin_code(first, in);
		} else if (verb == "row") {
			rows_.push_back({static_cast<u32>(number(first)), parse_rule(in)});
		} else {
			throw std::runtime_error("unknown verb: " + verb);
		}
	}

	void begin_code(const std::string& range, std::istringstream& in)
	{
		finish_code();
		auto dash = range.find('-');
		start_ = number(range.substr(0, dash));
		end_ = number(range.substr(dash + 1));
		in >> method_;
		open_ = true;
	}

	void finish_code()
	{
		if (open_ && method_ == "bare")
			world_->bare_code(start_, end_);
		else if (open_)
			world_->code(start_, end_, rows_, static_cast<uw_method>(number_of(method_names, method_)));
		rows_.clear();
		open_ = false;
	}

	static uw_arch arch_named(const std::string& name)
	{
		static const std::map<std::string, uw_arch> arches = {{"x86_64", UW_ARCH_X86_64},
								      {"arm64", UW_ARCH_ARM64},
								      {"i386", UW_ARCH_I386},
								      {"arm", UW_ARCH_ARM}};
		return arches.at(name);
	}

	int word_bytes() const { return uw_abis[arch_].word; }
	unsigned thumb_bit() const { return arch_ == UW_ARCH_ARM; }

	u8 register_number(const std::string& name) const
	{
		if (name == "sp")
			return uw_arch_sp(arch_);
		if (name == "fp")
			return uw_arch_fp(arch_);
		if (name == "lr")
			return uw_abis[arch_].lr;
		return static_cast<u8>(std::stoi(name.substr(1)));
	}

	uw_rule parse_rule(std::istringstream& in) const
	{
		static const std::map<std::string, uw_rule_kind> kinds = {{"none", UW_RULE_NONE},
									  {"outermost", UW_RULE_OUTERMOST},
									  {"sigframe", UW_RULE_SIGFRAME},
									  {"thread_start", UW_RULE_THREAD_START},
									  {"unknown", UW_RULE_UNKNOWN}};
		std::string word;
		uw_rule rule = kind_rule(UW_RULE_FRAME);
		while (in >> word) {
			if (auto kind = kinds.find(word); kind != kinds.end())
				return kind_rule(kind->second);
			if (word == "read" || word == "clone") {
				rule.kind = word == "read" ? UW_RULE_READ : UW_RULE_CLONE;
				continue;
			}
			std::string value = word.substr(word.find('=') + 1);
			if (word.rfind("cfa=", 0) == 0)
				parse_cfa(value, rule);
			else if (word.rfind("ra=", 0) == 0)
				parse_place(value, rule.ra_place, rule.ra_reg, rule.ra_off);
			else if (word.rfind("fp=", 0) == 0)
				parse_place(value, rule.fp_place, rule.fp_reg, rule.fp_off);
			else if (word.rfind("base=*cfa-", 0) == 0)
				rule.base_slot = static_cast<u8>(-parse_term(value).off / word_bytes());
			else if (word == "base=lost")
				rule.base_slot = UW_BASE_LOST;
			else
				throw std::runtime_error("unknown place: " + word);
		}
		return rule;
	}

	void parse_cfa(const std::string& text, uw_rule& rule) const
	{
		std::string inner = text;
		if (text[0] == '*') { // *(reg+off)+add
			auto close = text.find(')');
			inner = text.substr(2, close - 2);
			rule.cfa_kind = UW_CFA_MEM;
			rule.cfa_add = parse_term("x" + text.substr(close + 1)).off;
		}
		Term term = parse_term(inner);
		rule.cfa_reg = register_number(term.base);
		rule.cfa_off = term.off;
	}

	void parse_place(const std::string& text, u8& place, u8& reg, s32& off) const
	{
		if (text == "same" || text == "lost") {
			place = text == "same" ? UW_PLACE_SAME : UW_PLACE_LOST;
			return;
		}
		bool memory = text[0] == '*';
		Term term = parse_term(memory ? text.substr(1) : text);
		off = term.off;
		if (term.base == "cfa") {
			place = memory ? UW_PLACE_CFA_MEM : UW_PLACE_CFA_VAL;
			return;
		}
		place = memory ? UW_PLACE_REG_MEM : UW_PLACE_REG_VAL;
		reg = register_number(term.base);
	}

	uw_arch arch_ = UW_ARCH_NONE;
	std::unique_ptr<World> world_;
	u32 max_frames_ = 64;
	u64 shadow_ = 0; // address of a shadow stack's innermost entry
	u64 start_ = 0;
	u64 end_ = 0;
	bool open_ = false;
	std::string method_;
	Rows rows_;
};

} // namespace

TEST_CASE("every golden stack is walked as its file says")
{
	int files = 0;
	for (const auto& entry : std::filesystem::directory_iterator(in_sources("tests/golden"))) {
		if (entry.path().extension() != ".stack")
			continue;
		files++;
		INFO(entry.path().filename());
		Stack stack(entry.path());
		CHECK(stack.walk() == stack.expected);
	}
	REQUIRE(files >= 45);
}
