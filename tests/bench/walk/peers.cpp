// SPDX-License-Identifier: GPL-2.0
#include "bench/walk/peers.h"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {
namespace {

// The one thread, which walks itself: nothing is attached, and memory is read where it lies.
pid_t next_thread(Dwfl*, void* walk, void** thread)
{
	if (*thread)
		return 0;
	*thread = walk;
	return getpid();
}

bool get_thread(Dwfl*, pid_t, void* walk, void** thread)
{
	*thread = walk;
	return true;
}

bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* word, void*)
{
	std::memcpy(word, reinterpret_cast<const void*>(address), sizeof(*word));
	return true;
}

bool set_registers(Dwfl_Thread* thread, void* regs)
{
	const auto& from = *static_cast<const uw_regs*>(regs);
	Dwarf_Word words[UW_NR_REGS] = {};
	const unsigned nr = native == UW_ARCH_ARM64 ? 32 : 16; // of those that calls may keep
	for (unsigned i = 0; i < nr; i++)
		words[i] = from.r[i];
	if (!dwfl_thread_state_registers(thread, 0, nr, words))
		return false;
	if (native == UW_ARCH_X86_64)
		return dwfl_thread_state_registers(thread, UW_X86_RA, 1, reinterpret_cast<const Dwarf_Word*>(&from.pc));
	dwfl_thread_state_register_pc(thread, from.pc);
	return true;
}

int add_frame(Dwfl_Frame* frame, void* seen)
{
	Dwarf_Addr pc;
	if (!dwfl_frame_pc(frame, &pc, nullptr))
		return DWARF_CB_ABORT;
	static_cast<Addresses*>(seen)->push_back(pc);
	return DWARF_CB_OK;
}

const Dwfl_Thread_Callbacks thread_callbacks = {next_thread, get_thread, read_memory, set_registers, nullptr, nullptr};

[[noreturn]] void libdw_failed()
{
	std::fprintf(stderr, "libdw: %s\n", dwfl_errmsg(-1));
	std::exit(1);
}

} // namespace

void CursorWalk::run()
{
	unw_cursor_t cursor;
	unw_init_local(&cursor, context_);
	while (unw_step(&cursor) > 0)
		;
}

Addresses CursorWalk::seen()
{
	return Stack(context_).pcs;
}

void CursorWalk::forget()
{
	unw_flush_cache(unw_local_addr_space, 0, 0);
}

Addresses CalledWalk::seen()
{
	Addresses pcs;
	for (int i = 0; i < nr_; i++)
		pcs.push_back(reinterpret_cast<std::uint64_t>(addresses_[static_cast<std::size_t>(i)]));
	return pcs;
}

CalledWalk::Function CalledWalk::backtrace_of_glibc()
{
	void* const function = dlsym(dlopen(LIBC_SO, RTLD_NOW | RTLD_NOLOAD), "backtrace");
	if (!function) {
		std::fprintf(stderr, "%s has no backtrace()\n", LIBC_SO);
		std::exit(1);
	}
	return reinterpret_cast<Function>(function);
}

LibdwWalk::LibdwWalk(const Stack& stack) : regs_(stack.regs)
{
	static char* no_debug_path = nullptr;
	static const Dwfl_Callbacks callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr,
						 &no_debug_path};
	dwfl_.reset(dwfl_begin(&callbacks));
	seen_.reserve(stack.pcs.size() + 1);
	if (!dwfl_ || dwfl_linux_proc_report(dwfl_.get(), getpid()) || dwfl_report_end(dwfl_.get(), nullptr, nullptr) ||
	    !dwfl_attach_state(dwfl_.get(), nullptr, getpid(), &thread_callbacks, const_cast<uw_regs*>(&regs_)))
		libdw_failed();
}

void LibdwWalk::run()
{
	seen_.clear();
	if (dwfl_getthread_frames(dwfl_.get(), getpid(), add_frame, &seen_))
		libdw_failed();
}

} // namespace bench
