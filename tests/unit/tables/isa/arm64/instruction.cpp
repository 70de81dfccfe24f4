// SPDX-License-Identifier: GPL-2.0
// arm64's instructions one by one, as the assembler encodes them.
#include "tables/isa/arm64/instruction.h"
#include "base/byte_cursor.h"
#include "unit/tables/assembled.h"

using uwind::Arm64Way;

namespace {

std::string said;

std::string place(std::uint8_t base, std::int32_t offset)
{
	return " [x" + std::to_string(base) + (offset < 0 ? "" : "+") + std::to_string(offset) + "]";
}

std::string text_of(const uwind::Arm64Access& access)
{
	std::string text = access.load ? "load" : "store";
	text += std::string(access.vector ? " vector" : "") + (access.whole ? " whole " : " ") +
		std::to_string(access.first);
	if (access.second != access.first)
		text += "," + std::to_string(access.second) + " by " + std::to_string(access.bytes);
	text += access.known_offset ? place(access.base, access.offset) : " somewhere";
	if (access.moved_before || access.moved_after)
		text += " moves " + std::to_string(access.moved_before) + "," + std::to_string(access.moved_after);
	return text;
}

std::string text_of(const uwind::Arm64Flow& flow)
{
	static const char* const names[] = {"next", "branch", "jump", "computed", "call", "leave", "stop"};
	std::string text = names[static_cast<int>(flow.way)];
	if (flow.has_target)
		text += " " + std::to_string(flow.distance);
	if (flow.way == Arm64Way::computed_jump)
		text += " x" + std::to_string(flow.through);
	return text;
}

std::string text_of(std::uint32_t word)
{
	const auto flow = uwind::flow_arm64(word);
	if (flow.way != Arm64Way::next)
		return text_of(flow);
	if (const auto access = uwind::access_arm64(word))
		return text_of(*access);
	if (const auto sum = uwind::sum_arm64(word))
		return std::to_string(sum->to) + "=" + std::to_string(sum->from) + "+" + std::to_string(sum->value) +
		       (sum->sets_flags ? " flags" : "") + (sum->whole ? "" : " narrow");
	if (const auto near = uwind::near_arm64(word))
		return std::to_string(near->to) + (near->of_page ? "=page+" : "=pc+") + std::to_string(near->distance);
	if (const auto part = uwind::part_arm64(word))
		return "part " + std::to_string(part->to) + "=" + std::to_string(part->value) +
		       (part->kept ? " keeps" : "");
	if (const auto shift = uwind::shift_arm64(word))
		return std::string(shift->down ? "lowers" : "raises") + " SP by x" + std::to_string(shift->by);
	if (const auto written = uwind::written_arm64(word))
		return "writes " + std::to_string(*written);
	return uwind::signs_arm64(word) ? "signs" : uwind::is_hint_arm64(word) ? "hint" : "none";
}

std::vector<uwind::Stretch> decode(const uwind::ElfFile& file)
{
	const auto text = file.section(".text");
	said.clear();
	for (std::size_t at = 0; at < (*text)->bytes.size(); at += 4)
		said += (at ? "; " : "") + text_of(uwind::word_at((*text)->bytes, at));
	return {};
}

std::string decoded(const std::string& code)
{
	assembled::stretches_of("aarch64-linux-gnu", ".arch armv8.3-a+pauth\n" + code, &decode);
	return said;
}

} // namespace

TEST_CASE("arm64 branches, calls and returns lead where the assembler says")
{
	CHECK(decoded("b .+8\nb .-8\nbl .+4096\nb.ne .-4\ncbz w3, .+16\ncbnz x3, .\ntbz x1, #40, .+8\ntbnz w1, #2, "
		      ".-8") == "jump 8; jump -8; call 4096; branch -4; branch 16; branch 0; branch 8; branch -8");
	CHECK(decoded("br x3\nbraa x4, sp\nbraaz x5\nret x6") == "computed x3; stop; stop; stop");
	CHECK(decoded("blr x3\nblraa x4, x5\nblrabz x5") == "call; call; call");
	CHECK(decoded("ret\nretaa\nretab\nbrk #1\n.inst 0") == "leave; leave; leave; stop; stop");
}

TEST_CASE("arm64 loads and stores say which registers lie where")
{
	CHECK(decoded("stp x29, x30, [sp, #-32]!\nldp x29, x30, [sp], #32\nldp x1, x2, [x3, #-16]\nstnp x1, x2, [x3, "
		      "#16]") ==
	      "store whole 29,30 by 8 [x31+0] moves -32,0; load whole 29,30 by 8 [x31+0] moves 0,32; "
	      "load whole 1,2 by 8 [x3-16]; store whole 1,2 by 8 [x3+16]");
	CHECK(decoded("ldp w1, w2, [sp, #8]\nldpsw x1, x2, [sp, #8]\nstp d8, d9, [sp, #16]\nldp q0, q1, [sp, #32]") ==
	      "load 1,2 by 4 [x31+8]; load 1,2 by 4 [x31+8]; store vector whole 8,9 by 8 [x31+16]; "
	      "load vector 0,1 by 16 [x31+32]");
	CHECK(decoded("str x30, [sp, #-16]!\nldr x30, [sp], #16\nldr x1, [x2, #32760]\nldur x1, [x2, #-8]\nldr x1, "
		      "[x2, x3]") ==
	      "store whole 30 [x31+0] moves -16,0; load whole 30 [x31+0] moves 0,16; load whole 1 [x2+32760]; "
	      "load whole 1 [x2-8]; load whole 1 somewhere");
	CHECK(decoded("ldrb w1, [sp, #3]\nldrsw x1, [sp, #8]\nstr w1, [x2, #4]\nldr d8, [sp, #8]\nstr q1, [sp, #48]") ==
	      "load 1 [x31+3]; load 1 [x31+8]; store 1 [x2+4]; load vector whole 8 [x31+8]; store vector 1 [x31+48]");
}

TEST_CASE("arm64 instructions that compute say what they write")
{
	CHECK(decoded("add sp, sp, #32\nsub sp, sp, #1, lsl #12\nmov x29, sp\ncmp x1, #4\nadd w1, w2, #3") ==
	      "31=31+32; 31=31+-4096; 29=31+0; 31=1+-4 flags; 1=2+3 narrow");
	CHECK(decoded("adr x1, .-4\nadrp x2, .") == "1=pc+-4; 2=page+0");
	CHECK(decoded("mov x30, x1\nand sp, x9, #~15\nsub sp, sp, w1, uxtw\ncmp x1, x2\nldr x3, .\nmrs x4, "
		      "tpidr_el0") == "writes 30; writes 31; writes 31; none; writes 3; writes 4");
	CHECK(decoded("mov w12, #20016\nmovk x12, #2, lsl #16\nsub sp, sp, x12\nadd sp, sp, x12\nmovn x1, #4") ==
	      "part 12=20016; part 12=131072 keeps; lowers SP by x12; raises SP by x12; writes 1");
	CHECK(decoded("nop\npaciasp\npacibsp\nbti c\nautiasp\nscvtf d0, w0") == "hint; signs; signs; hint; hint; none");
}
