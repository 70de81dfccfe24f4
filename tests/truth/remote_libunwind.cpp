// SPDX-License-Identifier: GPL-2.0
// libunwind-ptrace finds the unwind tables; memory and registers are ours, since
// only one program may trace a process. Its register numbers are DWARF's.
#include "remote_libunwind.h"

#include <libunwind-ptrace.h>

namespace truth {

namespace {

struct View {
	Target* target;
	const uw_regs* regs;
} view;

int access_memory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write, void*)
{
	std::uint64_t word = 0;
	if (write || !view.target->word(address, word))
		return -UNW_EINVAL;
	*value = word;
	return 0;
}

int access_register(unw_addr_space_t, unw_regnum_t reg, unw_word_t* value, int write, void*)
{
	if (write || reg < 0 || reg > UW_NR_REGS)
		return -UNW_EBADREG;
	*value = reg == UNW_REG_IP ? view.regs->pc : view.regs->r[reg];
	return 0;
}

int no_list(unw_addr_space_t, unw_word_t*, void*)
{
	return -UNW_ENOINFO;
}

} // namespace

RemoteLibunwind::RemoteLibunwind(std::uint32_t pid, Target& target) : target_(target)
{
	unw_accessors_t accessors = _UPT_accessors;
	accessors.access_mem = access_memory;
	accessors.access_reg = access_register;
	accessors.get_dyn_info_list_addr = no_list;
	space_ = unw_create_addr_space(&accessors, 0);
	process_ = _UPT_create(static_cast<pid_t>(pid));
}

RemoteLibunwind::~RemoteLibunwind()
{
	_UPT_destroy(process_);
	unw_destroy_addr_space(static_cast<unw_addr_space_t>(space_));
}

std::vector<Frame> RemoteLibunwind::walk(const uw_regs& regs)
{
	constexpr std::size_t max_frames = 1024;
	std::vector<Frame> frames;
	unw_cursor_t cursor;
	view = {&target_, &regs};
	if (unw_init_remote(&cursor, static_cast<unw_addr_space_t>(space_), process_) != 0)
		return frames;
	do {
		unw_word_t pc = 0, sp = 0;
		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		unw_get_reg(&cursor, UNW_REG_SP, &sp);
		if (!frames.empty())
			frames.back().cfa = sp;
		frames.push_back({pc, 0, UW_METHOD_NONE});
	} while (frames.size() < max_frames && unw_step(&cursor) > 0);
	if (frames.size() > 1 && !frames.back().pc) {
		frames.pop_back();
		frames.back().cfa = 0;
	}
	return frames;
}

} // namespace truth
