// SPDX-License-Identifier: GPL-2.0
// The C core for C++ tests, and the small worlds that they let it walk in.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

extern "C" {
#include "rule.h"
#include "sframe.h"
#include "shadow.h"
#include "table.h"
#include "uw_port_walk.h"
#include "walk.h"
}

#include "unit/core/gone_on.h"
#include "unit/core/remembered.h"

inline bool operator==(const uw_rule& a, const uw_rule& b)
{
	return std::memcmp(&a, &b, sizeof(a)) == 0;
}

// What a failed comparison prints.
inline std::ostream& operator<<(std::ostream& out, const uw_rule& r)
{
	return out << "kind " << int{r.kind} << " cfa " << int{r.cfa_kind} << " r" << int{r.cfa_reg} << " " << r.cfa_off
		   << " " << r.cfa_add << " ra " << int{r.ra_place} << " r" << int{r.ra_reg} << " " << r.ra_off
		   << " fp " << int{r.fp_place} << " r" << int{r.fp_reg} << " " << r.fp_off << " rbx "
		   << int{r.base_slot};
}

namespace core {

inline uw_rule kind_rule(uw_rule_kind kind)
{
	uw_rule rule{};
	rule.kind = static_cast<u8>(kind);
	return rule;
}

// CFA = reg + off; the return address and FP as the architecture has them.
inline uw_rule x86_rule(u8 reg, s32 off)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	rule.cfa_reg = reg;
	rule.cfa_off = off;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -8;
	return rule;
}

inline uw_rule x86_rule(u8 reg, s32 off, s32 fp_off)
{
	uw_rule rule = x86_rule(reg, off);
	rule.fp_place = UW_PLACE_CFA_MEM;
	rule.fp_off = fp_off;
	return rule;
}

// The same as an .sframe says it, which is silent about RBX.
template <typename... Offsets>
uw_rule x86_sframe_rule(u8 reg, s32 off, Offsets... fp_off)
{
	uw_rule rule = x86_rule(reg, off, fp_off...);
	rule.base_slot = UW_BASE_LOST;
	return rule;
}

inline uw_rule arm64_leaf(s32 off)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	rule.cfa_reg = UW_ARM64_SP;
	rule.cfa_off = off;
	return rule;
}

inline uw_rule arm64_rule(u8 reg, s32 off, s32 ra_off)
{
	uw_rule rule = arm64_leaf(off);
	rule.cfa_reg = reg;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = ra_off;
	return rule;
}

inline uw_rule arm64_rule(u8 reg, s32 off, s32 ra_off, s32 fp_off)
{
	uw_rule rule = arm64_rule(reg, off, ra_off);
	rule.fp_place = UW_PLACE_CFA_MEM;
	rule.fp_off = fp_off;
	return rule;
}

// A draft that owns its memory.
class Draft {
public:
	explicit Draft(u32 max_rows = 4096, u32 max_rules = 1024)
	    : rows_(max_rows), rules_(max_rules), hash_(hash_size(max_rules))
	{
		draft.rows = rows_.data();
		draft.rules = rules_.data();
		draft.hash = hash_.data();
		draft.hash_mask = static_cast<u32>(hash_.size() - 1);
		draft.max_rows = max_rows;
		draft.max_rules = max_rules;
	}

	Draft(const Draft&) = delete;

	int add(u32 start, const uw_rule& rule) { return uw_draft_add(&draft, start, &rule); }

	// What the rows say about offset, found the slow way.
	uw_rule naive_find(u64 offset) const
	{
		uw_rule rule = kind_rule(UW_RULE_NONE);
		for (u32 i = 0; i < draft.nr_rows && draft.rows[i].start <= offset; i++)
			rule = draft.rules[draft.rows[i].rule];
		return rule;
	}

	uw_draft draft{};

private:
	static std::size_t hash_size(u32 max_rules)
	{
		std::size_t size = 1;
		while (size <= max_rules)
			size *= 2;
		return size;
	}

	std::vector<uw_draft_row> rows_;
	std::vector<uw_rule> rules_;
	std::vector<u32> hash_;
};

// A packed table that owns its memory.
class Table {
public:
	explicit Table(const uw_draft& draft) : Table(draft, uw_table_form_of(&draft)) {}

	uw_rule find(u64 offset) const
	{
		const uw_rule* rule = uw_table_find(&table, offset);
		return rule ? *rule : kind_rule(UW_RULE_NONE);
	}

	uw_table table{};

private:
	Table(const uw_draft& draft, const uw_table_form& form) : memory_(new char[form.bytes])
	{
		uw_table_build(&table, memory_.get(), &draft, &form);
	}

	std::unique_ptr<char[]> memory_;
};

using Rows = std::vector<std::pair<u32, uw_rule>>;

inline Table make_table(const Rows& rows)
{
	Draft draft;
	for (const auto& [start, rule] : rows)
		if (draft.add(start, rule) != 0)
			std::abort();
	return Table(draft.draft);
}

struct Walked {
	std::vector<uw_frame> frames;
	uw_stop stop;
	uw_regs regs;
	u32 same; // return addresses that the shadow stack has, too
};

// Code, memory and registers: what a walk can see.
class World {
public:
	explicit World(uw_arch arch) : arch_(arch)
	{
		port.pac_mask = 0;
		port.word_bytes = uw_abis[arch].word;
		known(uw_arch_sp(arch));
	}

	// Code at [start, end) with its own rows; the offset of start is 0.
	World& code(u64 start, u64 end, const Rows& rows, uw_method method = UW_METHOD_EH_FRAME)
	{
		tables_.push_back(std::make_unique<Table>(make_table(rows)));
		return map(start, end, &tables_.back()->table, method);
	}

	World& bare_code(u64 start, u64 end) { return map(start, end, nullptr, UW_METHOD_NONE); }

	// One right above the last one is in the same mapping.
	World& word(u64 address, u64 value)
	{
		const u8* bytes = reinterpret_cast<const u8*>(&value);
		if (slices_.empty() || slices_.back().start + slices_.back().bytes != address) {
			slices_.push_back({address, 0, nullptr});
			bytes_.emplace_back();
		}
		bytes_.back().insert(bytes_.back().end(), bytes, bytes + uw_abis[arch_].word);
		slices_.back().bytes = bytes_.back().size();
		return *this;
	}

	World& words(u64 address, const std::vector<u64>& values)
	{
		for (u64 value : values) {
			word(address, value);
			address += uw_abis[arch_].word;
		}
		return *this;
	}

	World& pc(u64 value)
	{
		regs_.pc = value;
		return *this;
	}

	World& thumb(bool value)
	{
		regs_.thumb = value;
		return *this;
	}

	World& reg(u8 number, u64 value)
	{
		known(number);
		regs_.r[number] = value;
		return *this;
	}

	World& sp(u64 value) { return reg(uw_arch_sp(arch_), value); }
	World& fp(u64 value) { return reg(uw_arch_fp(arch_), value); }

	World& forget(u8 number)
	{
		regs_.known &= ~(1u << number);
		return *this;
	}

	// shadow: address of a shadow stack's innermost entry, 0: none.
	Walked walk(u32 max_frames = 64, u64 shadow = 0)
	{
		std::vector<uw_frame> frames(max_frames);
		uw_walk walk{};
		walk.regs = regs_;
		walk.arch = arch_;
		walk.max_frames = max_frames;
		walk.frames = frames.data();
		if (memory)
			memory->lend(walk);
		port.code = codes_.data();
		port.nr_codes = static_cast<u32>(codes_.size());
		for (std::size_t i = 0; i < slices_.size(); i++)
			slices_[i].data = bytes_[i].data();
		port.slices = slices_.data();
		port.nr_slices = static_cast<u32>(slices_.size());
		port.reads = 0;
		port.rests = 0;
		port.asked = 0;
		port.busy = false;
		port.covered = 0;
		const uw_walk begun = walk;
		const uw_port fresh = port;
		uw_walk_run(&walk, &port);
		uw_walk_fill(&walk);
		if (!same_when_remembered(begun, walk, fresh))
			throw std::logic_error("a walk with remembered steps finds something else");
		if (!same_when_gone_on(begun, walk, fresh))
			throw std::logic_error("a walk that goes on finds something else");
		const u32 same = shadow ? uw_shadow_check(&walk, &port, shadow) : 0;
		frames.resize(walk.nr_frames);
		return {frames, walk.stop, walk.regs, same};
	}

	uw_port port{};
	std::shared_ptr<Memory> memory; // what walks leave to the next one, if the port has a key

private:
	void known(u8 number) { regs_.known |= 1u << number; }

	World& map(u64 start, u64 end, const uw_table* table, uw_method method)
	{
		u32 file = static_cast<u32>(codes_.size()) + 1;
		codes_.push_back({start, end, 0, table, file, static_cast<u8>(method)});
		return *this;
	}

	uw_arch arch_;
	uw_regs regs_{};
	std::vector<uw_port_code> codes_;
	std::vector<std::unique_ptr<Table>> tables_;
	std::vector<uw_port_slice> slices_;
	std::vector<std::vector<u8>> bytes_; // of each slice
};

} // namespace core
