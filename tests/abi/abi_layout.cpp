// SPDX-License-Identifier: GPL-2.0
// The contract's layout, written down once more as numbers: what a program was compiled with must go on working.
//
// Every field lies at a multiple of its size and every struct is as long as its fields, so that 32- and 64-bit
// programs see the same layout without a translation in the kernel.
#include <catch2/catch.hpp>
#include <cstddef>

#include "uwind.h"
#include "uwind_kstack.h"

#define SIZE(type, bytes, align)                                                  \
	static_assert(sizeof(struct type) == (bytes), #type " has another size"); \
	static_assert(alignof(struct type) == (align), #type " has another alignment")
#define OFFSET(type, field, bytes) static_assert(offsetof(struct type, field) == (bytes), #type "." #field " has moved")
#define NUMBER(name, value)        CHECK(name == (value))
#define WORD(name, value)          CHECK(static_cast<int>(name) == (value))

namespace {

[[maybe_unused]] void layout()
{
	SIZE(uwind_abi, 56, 8);
	OFFSET(uwind_abi, size, 0);
	OFFSET(uwind_abi, version, 4);
	OFFSET(uwind_abi, errata, 8);
	OFFSET(uwind_abi, arch, 16);
	OFFSET(uwind_abi, reserved, 20);
	OFFSET(uwind_abi, module, 24);

	SIZE(uwind_rule, 24, 4);
	OFFSET(uwind_rule, kind, 0);
	OFFSET(uwind_rule, cfa_kind, 1);
	OFFSET(uwind_rule, cfa_reg, 2);
	OFFSET(uwind_rule, ra_place, 3);
	OFFSET(uwind_rule, ra_reg, 4);
	OFFSET(uwind_rule, fp_place, 5);
	OFFSET(uwind_rule, fp_reg, 6);
	OFFSET(uwind_rule, base_slot, 7);
	OFFSET(uwind_rule, cfa_off, 8);
	OFFSET(uwind_rule, cfa_add, 12);
	OFFSET(uwind_rule, ra_off, 16);
	OFFSET(uwind_rule, fp_off, 20);

	SIZE(uwind_row, 8, 4);
	OFFSET(uwind_row, start, 0);
	OFFSET(uwind_row, rule, 4);

	SIZE(uwind_segment, 24, 8);
	OFFSET(uwind_segment, address, 0);
	OFFSET(uwind_segment, bytes, 8);
	OFFSET(uwind_segment, offset, 16);

	SIZE(uwind_table_create, 160, 8);
	OFFSET(uwind_table_create, size, 0);
	OFFSET(uwind_table_create, source, 4);
	OFFSET(uwind_table_create, data, 8);
	OFFSET(uwind_table_create, data_bytes, 16);
	OFFSET(uwind_table_create, address, 24);
	OFFSET(uwind_table_create, segments, 32);
	OFFSET(uwind_table_create, nr_segments, 40);
	OFFSET(uwind_table_create, pidfd, 44);
	OFFSET(uwind_table_create, rules, 48);
	OFFSET(uwind_table_create, nr_rules, 56);
	OFFSET(uwind_table_create, method, 60);
	OFFSET(uwind_table_create, table, 64);
	OFFSET(uwind_table_create, nr_rows, 68);
	OFFSET(uwind_table_create, bytes, 72);
	OFFSET(uwind_table_create, bad_offset, 80);
	OFFSET(uwind_table_create, bad_why, 88);
	OFFSET(uwind_table_create, arch, 152);
	OFFSET(uwind_table_create, reserved, 156);

	SIZE(uwind_table_destroy, 8, 4);
	OFFSET(uwind_table_destroy, size, 0);
	OFFSET(uwind_table_destroy, table, 4);

	SIZE(uwind_table_tie, 16, 4);
	OFFSET(uwind_table_tie, size, 0);
	OFFSET(uwind_table_tie, table, 4);
	OFFSET(uwind_table_tie, fd, 8);
	OFFSET(uwind_table_tie, flags, 12);

	SIZE(uwind_range, 24, 8);
	OFFSET(uwind_range, start, 0);
	OFFSET(uwind_range, end, 8);
	OFFSET(uwind_range, offset, 16);

	SIZE(uwind_range_bind, 24, 8);
	OFFSET(uwind_range_bind, size, 0);
	OFFSET(uwind_range_bind, table, 4);
	OFFSET(uwind_range_bind, pidfd, 8);
	OFFSET(uwind_range_bind, nr_ranges, 12);
	OFFSET(uwind_range_bind, ranges, 16);

	SIZE(uwind_range_unbind, 16, 8);
	OFFSET(uwind_range_unbind, size, 0);
	OFFSET(uwind_range_unbind, pidfd, 4);
	OFFSET(uwind_range_unbind, start, 8);

	SIZE(uwind_table_next, 56, 8);
	OFFSET(uwind_table_next, size, 0);
	OFFSET(uwind_table_next, after, 4);
	OFFSET(uwind_table_next, table, 8);
	OFFSET(uwind_table_next, method, 12);
	OFFSET(uwind_table_next, nr_rows, 16);
	OFFSET(uwind_table_next, nr_rules, 20);
	OFFSET(uwind_table_next, bytes, 24);
	OFFSET(uwind_table_next, owner_pid, 32);
	OFFSET(uwind_table_next, file, 36);
	OFFSET(uwind_table_next, path, 40);
	OFFSET(uwind_table_next, path_bytes, 48);
	OFFSET(uwind_table_next, reserved, 52);

	SIZE(uwind_stats, 536, 8);
	OFFSET(uwind_stats, size, 0);
	OFFSET(uwind_stats, nr_tables, 4);
	OFFSET(uwind_stats, table_bytes, 8);
	OFFSET(uwind_stats, table_budget_bytes, 16);
	OFFSET(uwind_stats, tables_refused, 24);
	OFFSET(uwind_stats, nr_files, 32);
	OFFSET(uwind_stats, nr_spaces, 36);
	OFFSET(uwind_stats, nr_sessions, 40);
	OFFSET(uwind_stats, nr_requests_open, 44);
	OFFSET(uwind_stats, requested, 48);
	OFFSET(uwind_stats, answered, 56);
	OFFSET(uwind_stats, lost, 64);
	OFFSET(uwind_stats, stops, 192);
	OFFSET(uwind_stats, frames, 448);
	OFFSET(uwind_stats, files_refused, 456);
	OFFSET(uwind_stats, sections_refused, 464);
	OFFSET(uwind_stats, children_missed, 472);
	OFFSET(uwind_stats, tables_distrusted, 480);
	OFFSET(uwind_stats, shadow_checked, 488);
	OFFSET(uwind_stats, periods_missed, 496);
	OFFSET(uwind_stats, throttled, 504);
	OFFSET(uwind_stats, counters_failed, 512);
	OFFSET(uwind_stats, text_reported, 520);
	OFFSET(uwind_stats, text_lost, 528);

	SIZE(uwind_session_start, 88, 8);
	OFFSET(uwind_session_start, size, 0);
	OFFSET(uwind_session_start, flags, 4);
	OFFSET(uwind_session_start, event, 8);
	OFFSET(uwind_session_start, max_frames, 12);
	OFFSET(uwind_session_start, rate, 16);
	OFFSET(uwind_session_start, targets, 24);
	OFFSET(uwind_session_start, nr_targets, 32);
	OFFSET(uwind_session_start, session, 36);
	OFFSET(uwind_session_start, excludes, 40);
	OFFSET(uwind_session_start, nr_excludes, 48);
	OFFSET(uwind_session_start, cgroup_fd, 52);
	OFFSET(uwind_session_start, cpus, 56);
	OFFSET(uwind_session_start, nr_cpus, 64);
	OFFSET(uwind_session_start, stack_bytes, 68);
	OFFSET(uwind_session_start, counters, 72);
	OFFSET(uwind_session_start, nr_counters, 80);
	OFFSET(uwind_session_start, bad_counter, 84);

	SIZE(uwind_counter, 64, 8);
	OFFSET(uwind_counter, size, 0);
	OFFSET(uwind_counter, flags, 4);
	OFFSET(uwind_counter, type, 8);
	OFFSET(uwind_counter, bp_type, 12);
	OFFSET(uwind_counter, config, 16);
	OFFSET(uwind_counter, config1, 24);
	OFFSET(uwind_counter, config2, 32);
	OFFSET(uwind_counter, rate, 40);
	OFFSET(uwind_counter, filter, 48);
	OFFSET(uwind_counter, nr_filter, 56);
	OFFSET(uwind_counter, precise, 60);
	OFFSET(uwind_counter, reserved, 61);

	SIZE(uwind_filter_step, 88, 8);
	OFFSET(uwind_filter_step, kind, 0);
	OFFSET(uwind_filter_step, compare, 1);
	OFFSET(uwind_filter_step, is_signed, 2);
	OFFSET(uwind_filter_step, reserved, 3);
	OFFSET(uwind_filter_step, offset, 4);
	OFFSET(uwind_filter_step, bytes, 6);
	OFFSET(uwind_filter_step, if_true, 8);
	OFFSET(uwind_filter_step, if_false, 10);
	OFFSET(uwind_filter_step, reserved2, 12);
	OFFSET(uwind_filter_step, value, 16);
	OFFSET(uwind_filter_step, text, 24);

	SIZE(uwind_session_ask, 16, 8);
	OFFSET(uwind_session_ask, size, 0);
	OFFSET(uwind_session_ask, tid, 4);
	OFFSET(uwind_session_ask, cookie, 8);

	SIZE(uwind_session_stats, 528, 8);
	OFFSET(uwind_session_stats, size, 0);
	OFFSET(uwind_session_stats, session, 4);
	OFFSET(uwind_session_stats, requested, 8);
	OFFSET(uwind_session_stats, answered, 16);
	OFFSET(uwind_session_stats, pending, 24);
	OFFSET(uwind_session_stats, lost, 32);
	OFFSET(uwind_session_stats, stops, 160);
	OFFSET(uwind_session_stats, messages, 416);
	OFFSET(uwind_session_stats, messages_dropped, 424);
	OFFSET(uwind_session_stats, bytes, 432);
	OFFSET(uwind_session_stats, stacks_told, 440);
	OFFSET(uwind_session_stats, stacks_known, 448);
	OFFSET(uwind_session_stats, periods_missed, 456);
	OFFSET(uwind_session_stats, throttled, 464);
	OFFSET(uwind_session_stats, counters_failed, 472);
	OFFSET(uwind_session_stats, unfinished, 480);
	OFFSET(uwind_session_stats, unfinished_refused, 488);
	OFFSET(uwind_session_stats, events, 496);
	OFFSET(uwind_session_stats, events_lost, 504);
	OFFSET(uwind_session_stats, events_dropped, 512);
	OFFSET(uwind_session_stats, events_own, 520);

	SIZE(uwind_self_add, 112, 8);
	OFFSET(uwind_self_add, size, 0);
	OFFSET(uwind_self_add, reserved, 4);
	OFFSET(uwind_self_add, sframe_start, 8);
	OFFSET(uwind_self_add, sframe_end, 16);
	OFFSET(uwind_self_add, text_start, 24);
	OFFSET(uwind_self_add, text_end, 32);
	OFFSET(uwind_self_add, bad_offset, 40);
	OFFSET(uwind_self_add, bad_why, 48);

	SIZE(uwind_self_remove, 16, 8);
	OFFSET(uwind_self_remove, size, 0);
	OFFSET(uwind_self_remove, reserved, 4);
	OFFSET(uwind_self_remove, sframe_start, 8);

	SIZE(uwind_self_next, 40, 8);
	OFFSET(uwind_self_next, size, 0);
	OFFSET(uwind_self_next, found, 4);
	OFFSET(uwind_self_next, after, 8);
	OFFSET(uwind_self_next, text_start, 16);
	OFFSET(uwind_self_next, text_end, 24);
	OFFSET(uwind_self_next, sframe_start, 32);

	SIZE(uwind_record, 4, 2);
	OFFSET(uwind_record, bytes, 0);
	OFFSET(uwind_record, type, 2);

	SIZE(uwind_record_thread, 48, 8);
	OFFSET(uwind_record_thread, record, 0);
	OFFSET(uwind_record_thread, number, 4);
	OFFSET(uwind_record_thread, reserved, 6);
	OFFSET(uwind_record_thread, start_time_ns, 8);
	OFFSET(uwind_record_thread, exec_id, 16);
	OFFSET(uwind_record_thread, tgid, 24);
	OFFSET(uwind_record_thread, tid, 28);
	OFFSET(uwind_record_thread, comm, 32);

	SIZE(uwind_record_stack, 10, 2);
	OFFSET(uwind_record_stack, record, 0);
	OFFSET(uwind_record_stack, number, 4);
	OFFSET(uwind_record_stack, below, 6);
	OFFSET(uwind_record_stack, nr_frames, 8);
	OFFSET(uwind_record_stack, stop, 9);
	OFFSET(uwind_record_stack, frames, 10);

	SIZE(uwind_record_sample, 32, 8);
	OFFSET(uwind_record_sample, record, 0);
	OFFSET(uwind_record_sample, thread, 4);
	OFFSET(uwind_record_sample, stack, 6);
	OFFSET(uwind_record_sample, cookie, 8);
	OFFSET(uwind_record_sample, time_ns, 16);
	OFFSET(uwind_record_sample, weight, 24);
	OFFSET(uwind_record_sample, cpu, 28);
	OFFSET(uwind_record_sample, lost, 30);
	OFFSET(uwind_record_sample, word_bits, 31);
	OFFSET(uwind_record_sample, events, 32);
	SIZE(uwind_record_next, 16, 4);
	OFFSET(uwind_record_next, record, 0);
	OFFSET(uwind_record_next, thread, 4);
	OFFSET(uwind_record_next, stack, 6);
	OFFSET(uwind_record_next, cookie, 8);
	OFFSET(uwind_record_next, time_ns, 12);

	SIZE(uwind_record_event, 40, 8);
	OFFSET(uwind_record_event, record, 0);
	OFFSET(uwind_record_event, thread, 4);
	OFFSET(uwind_record_event, kernel_stack, 6);
	OFFSET(uwind_record_event, cookie, 8);
	OFFSET(uwind_record_event, time_ns, 16);
	OFFSET(uwind_record_event, period, 24);
	OFFSET(uwind_record_event, cpu, 32);
	OFFSET(uwind_record_event, counter, 34);
	OFFSET(uwind_record_event, lost, 35);
	OFFSET(uwind_record_event, reserved, 36);

	SIZE(uwind_record_off_cpu, 32, 8);
	OFFSET(uwind_record_off_cpu, record, 0);
	OFFSET(uwind_record_off_cpu, flags, 4);
	OFFSET(uwind_record_off_cpu, state, 5);
	OFFSET(uwind_record_off_cpu, reserved, 6);
	OFFSET(uwind_record_off_cpu, syscall, 8);
	OFFSET(uwind_record_off_cpu, reserved2, 12);
	OFFSET(uwind_record_off_cpu, woken_ns, 16);
	OFFSET(uwind_record_off_cpu, wake, 24);
	SIZE(uwind_call, 80, 8);
	OFFSET(uwind_call, function, 0);
	OFFSET(uwind_call, duration_ns, 8);
	OFFSET(uwind_call, value, 16);
	OFFSET(uwind_call, arguments, 24);
	OFFSET(uwind_call, flags, 72);
	OFFSET(uwind_call, reserved, 76);
	SIZE(uwind_record_call, 88, 8);
	OFFSET(uwind_record_call, record, 0);
	OFFSET(uwind_record_call, reserved, 4);
	OFFSET(uwind_record_call, call, 8);

	SIZE(uwind_record_file, 80, 8);
	OFFSET(uwind_record_file, record, 0);
	OFFSET(uwind_record_file, file, 4);
	OFFSET(uwind_record_file, flags, 8);
	OFFSET(uwind_record_file, tgid, 12);
	OFFSET(uwind_record_file, path_bytes, 16);
	OFFSET(uwind_record_file, reserved, 20);
	OFFSET(uwind_record_file, start, 24);
	OFFSET(uwind_record_file, end, 32);
	OFFSET(uwind_record_file, pgoff, 40);
	OFFSET(uwind_record_file, inode, 48);
	OFFSET(uwind_record_file, dev_major, 56);
	OFFSET(uwind_record_file, dev_minor, 60);
	OFFSET(uwind_record_file, bytes, 64);
	OFFSET(uwind_record_file, mtime_ns, 72);
	OFFSET(uwind_record_file, path, 80);

	SIZE(uwind_record_unfinished, 32, 8);
	OFFSET(uwind_record_unfinished, record, 0);
	OFFSET(uwind_record_unfinished, nr_frames, 4);
	OFFSET(uwind_record_unfinished, arch, 6);
	OFFSET(uwind_record_unfinished, flags, 7);
	OFFSET(uwind_record_unfinished, file, 8);
	OFFSET(uwind_record_unfinished, method, 12);
	OFFSET(uwind_record_unfinished, signal_frames, 13);
	OFFSET(uwind_record_unfinished, stack_bytes, 14);
	OFFSET(uwind_record_unfinished, pc, 16);
	OFFSET(uwind_record_unfinished, known, 24);
	OFFSET(uwind_record_unfinished, on_stack, 28);
	OFFSET(uwind_record_unfinished, values, 32);

	SIZE(uwind_watch_text, 80, 4);
	OFFSET(uwind_watch_text, size, 0);
	OFFSET(uwind_watch_text, flags, 4);
	OFFSET(uwind_watch_text, bytes, 8);
	OFFSET(uwind_watch_text, fd, 12);
	OFFSET(uwind_watch_text, why, 16);

	SIZE(uwind_text_record, 208, 8);
	OFFSET(uwind_text_record, size, 0);
	OFFSET(uwind_text_record, type, 4);
	OFFSET(uwind_text_record, nr_callers, 6);
	OFFSET(uwind_text_record, after_ns, 8);
	OFFSET(uwind_text_record, before_ns, 16);
	OFFSET(uwind_text_record, address, 24);
	OFFSET(uwind_text_record, bytes, 32);
	OFFSET(uwind_text_record, physical, 40);
	OFFSET(uwind_text_record, pid, 48);
	OFFSET(uwind_text_record, tid, 52);
	OFFSET(uwind_text_record, cpu, 56);
	OFFSET(uwind_text_record, reserved, 60);
	OFFSET(uwind_text_record, comm, 64);
	OFFSET(uwind_text_record, callers, 80);

	SIZE(uwind_kstack, 24, 8);
	OFFSET(uwind_kstack, size, 0);
	OFFSET(uwind_kstack, flags, 4);
	OFFSET(uwind_kstack, nr_tasks, 8);
	OFFSET(uwind_kstack, nr_functions, 12);
	OFFSET(uwind_kstack, functions, 16);

	SIZE(uwind_kstack_head, 8, 4);
	OFFSET(uwind_kstack_head, size, 0);
	OFFSET(uwind_kstack_head, type, 4);

	SIZE(uwind_kstack_counts, 80, 8);
	OFFSET(uwind_kstack_counts, head, 0);
	OFFSET(uwind_kstack_counts, entries, 8);
	OFFSET(uwind_kstack_counts, walked, 16);
	OFFSET(uwind_kstack_counts, missed_busy, 24);
	OFFSET(uwind_kstack_counts, missed_nested, 32);
	OFFSET(uwind_kstack_counts, missed_own, 40);
	OFFSET(uwind_kstack_counts, missed_rcu, 48);
	OFFSET(uwind_kstack_counts, missed_stack, 56);
	OFFSET(uwind_kstack_counts, tasks_displaced, 64);
	OFFSET(uwind_kstack_counts, tasks_missed, 72);

	SIZE(uwind_kstack_frame, 24, 8);
	OFFSET(uwind_kstack_frame, pc, 0);
	OFFSET(uwind_kstack_frame, depth, 8);
	OFFSET(uwind_kstack_frame, static_bytes, 12);
	OFFSET(uwind_kstack_frame, dynamic_bytes, 16);
	OFFSET(uwind_kstack_frame, flags, 20);
	OFFSET(uwind_kstack_frame, on, 21);
	OFFSET(uwind_kstack_frame, ahead_bytes, 22);

	SIZE(uwind_kstack_stack, 64, 8);
	OFFSET(uwind_kstack_stack, head, 0);
	OFFSET(uwind_kstack_stack, time_ns, 8);
	OFFSET(uwind_kstack_stack, cpu, 16);
	OFFSET(uwind_kstack_stack, tid, 20);
	OFFSET(uwind_kstack_stack, pid, 24);
	OFFSET(uwind_kstack_stack, depth, 28);
	OFFSET(uwind_kstack_stack, stack_bytes, 32);
	OFFSET(uwind_kstack_stack, nr_frames, 36);
	OFFSET(uwind_kstack_stack, kind, 38);
	OFFSET(uwind_kstack_stack, flags, 39);
	OFFSET(uwind_kstack_stack, comm, 40);
	OFFSET(uwind_kstack_stack, on, 56);
	OFFSET(uwind_kstack_stack, reserved, 57);
	OFFSET(uwind_kstack_stack, frames, 64);
}

TEST_CASE("the version is the one that these numbers belong to")
{
	CHECK(UWIND_ABI_VERSION == 5);
}

// The module finds an ioctl by its number and direction alone: a struct that grows at its end is no other ioctl.
TEST_CASE("an ioctl keeps its number: the size in it changes only with a struct that grows")
{
	NUMBER(UWIND_IOC_ABI, 0xc038f700);
	NUMBER(UWIND_IOC_TABLE_CREATE, 0xc0a0f701);
	NUMBER(UWIND_IOC_TABLE_DESTROY, 0xc008f702);
	NUMBER(UWIND_IOC_TABLE_TIE, 0xc010f703);
	NUMBER(UWIND_IOC_RANGE_BIND, 0xc018f704);
	NUMBER(UWIND_IOC_RANGE_UNBIND, 0xc010f705);
	NUMBER(UWIND_IOC_TABLE_NEXT, 0xc038f706);
	NUMBER(UWIND_IOC_STATS, 0xc218f707);
	NUMBER(UWIND_IOC_SESSION_START, 0xc058f708);
	NUMBER(UWIND_IOC_SESSION_ENABLE, 0xf709);
	NUMBER(UWIND_IOC_SESSION_STATS, 0xc210f70a);
	NUMBER(UWIND_IOC_SESSION_STOP, 0xc210f70b);
	NUMBER(UWIND_IOC_SESSION_ASK, 0xc010f70c);
	NUMBER(UWIND_IOC_WATCH_TEXT, 0xc050f70d);
	NUMBER(UWIND_IOC_KSTACK, 0xc018f730);
	NUMBER(UWIND_IOC_SELF_ADD, 0xc070f720);
	NUMBER(UWIND_IOC_SELF_REMOVE, 0xc010f721);
	NUMBER(UWIND_IOC_SELF_NEXT, 0xc028f722);
}

TEST_CASE("a word keeps its value")
{
	WORD(UWIND_STOP_NONE, 0);
	WORD(UWIND_STOP_OUTERMOST, 1);
	WORD(UWIND_STOP_ZERO_RA, 2);
	WORD(UWIND_STOP_ZERO_FP, 3);
	WORD(UWIND_STOP_THREAD_START, 4);
	WORD(UWIND_STOP_NO_TABLE, 5);
	WORD(UWIND_STOP_BAD_READ, 6);
	WORD(UWIND_STOP_BACKWARDS, 7);
	WORD(UWIND_STOP_MISALIGNED, 8);
	WORD(UWIND_STOP_BAD_PC, 9);
	WORD(UWIND_STOP_LOST_REGISTER, 10);
	WORD(UWIND_STOP_DEPTH, 11);
	WORD(UWIND_STOP_BAD_RULE, 12);
	WORD(UWIND_STOP_BAD_REGS, 13);
	WORD(UWIND_STOP_REFUSED_READ, 14);
	WORD(UWIND_STOP_KILLED, 15);
	WORD(UWIND_STOP_STACK_SWITCH, 16);
	WORD(UWIND_STOP_SHADOW_STACK, 17);
	WORD(UWIND_STOP_BUSY, 18);
	WORD(UWIND_METHOD_NONE, 0);
	WORD(UWIND_METHOD_PC, 1);
	WORD(UWIND_METHOD_SFRAME_V1, 2);
	WORD(UWIND_METHOD_SFRAME_V2, 3);
	WORD(UWIND_METHOD_SFRAME_V3, 4);
	WORD(UWIND_METHOD_EH_FRAME, 5);
	WORD(UWIND_METHOD_DEBUG_FRAME, 6);
	WORD(UWIND_METHOD_EHABI, 7);
	WORD(UWIND_METHOD_SYNTH, 8);
	WORD(UWIND_METHOD_FP, 9);
	WORD(UWIND_METHOD_LR, 10);
	WORD(UWIND_METHOD_SIGFRAME, 11);
	WORD(UWIND_METHOD_COMPAT_FP, 12);
	WORD(UWIND_METHOD_KERNEL, 13);
	WORD(UWIND_LOSS_EXEC, 0);
	WORD(UWIND_LOSS_EXIT, 1);
	WORD(UWIND_LOSS_KTHREAD, 2);
	WORD(UWIND_LOSS_NOMEM, 3);
	WORD(UWIND_LOSS_CANCELLED, 4);
	WORD(UWIND_LOSS_SESSION_GONE, 5);
	WORD(UWIND_LOSS_DROPPED, 6);
	WORD(UWIND_LOSS_HIDDEN, 7);
	WORD(UWIND_LOSS_OVERRUN, 8);
	WORD(UWIND_ARCH_X86_64, 1);
	WORD(UWIND_ARCH_ARM64, 2);
	WORD(UWIND_RULE_NONE, 0);
	WORD(UWIND_RULE_FRAME, 1);
	WORD(UWIND_RULE_OUTERMOST, 2);
	WORD(UWIND_RULE_SIGFRAME, 3);
	WORD(UWIND_RULE_THREAD_START, 4);
	WORD(UWIND_RULE_UNKNOWN, 5);
	WORD(UWIND_RULE_READ, 6);
	WORD(UWIND_RULE_CLONE, 7);
	WORD(UWIND_CFA_REG, 0);
	WORD(UWIND_CFA_MEM, 1);
	WORD(UWIND_PLACE_SAME, 0);
	WORD(UWIND_PLACE_CFA_MEM, 1);
	WORD(UWIND_PLACE_CFA_VAL, 2);
	WORD(UWIND_PLACE_REG_MEM, 3);
	WORD(UWIND_PLACE_REG_VAL, 4);
	WORD(UWIND_PLACE_LOST, 5);
	WORD(UWIND_SOURCE_SFRAME_BYTES, 0);
	WORD(UWIND_SOURCE_SFRAME_REMOTE, 1);
	WORD(UWIND_SOURCE_ROWS, 2);
	WORD(UWIND_EVENT_CPU_CLOCK, 0);
	WORD(UWIND_EVENT_CYCLES, 1);
	WORD(UWIND_EVENT_REQUESTS, 2);
	WORD(UWIND_EVENT_LISTED, 3);
	WORD(UWIND_COUNTER_FREQUENCY, 1);
	WORD(UWIND_COUNTER_NO_USER, 2);
	WORD(UWIND_COUNTER_NO_KERNEL, 4);
	WORD(UWIND_COUNTER_NO_HYPERVISOR, 8);
	WORD(UWIND_COUNTER_NO_HOST, 16);
	WORD(UWIND_COUNTER_NO_GUEST, 32);
	WORD(UWIND_COUNTER_NO_IDLE, 64);
	WORD(UWIND_COUNTER_KERNEL_STACK, 128);
	WORD(UWIND_FILTER_NUMBER, 0);
	WORD(UWIND_FILTER_CHARS, 1);
	WORD(UWIND_FILTER_DATA_LOC, 2);
	WORD(UWIND_FILTER_REL_LOC, 3);
	WORD(UWIND_FILTER_CPU, 4);
	WORD(UWIND_FILTER_COMM, 5);
	WORD(UWIND_FILTER_EQUAL, 0);
	WORD(UWIND_FILTER_NOT_EQUAL, 1);
	WORD(UWIND_FILTER_LESS, 2);
	WORD(UWIND_FILTER_LESS_EQUAL, 3);
	WORD(UWIND_FILTER_GREATER, 4);
	WORD(UWIND_FILTER_GREATER_EQUAL, 5);
	WORD(UWIND_FILTER_BITS, 6);
	WORD(UWIND_FILTER_GLOB, 7);
	WORD(UWIND_FILTER_NOT_GLOB, 8);
	WORD(UWIND_FILTER_TAKE, 0xffff);
	WORD(UWIND_FILTER_LEAVE, 0xfffe);
	WORD(UWIND_EVENT_REQUESTED, 0xff);
	WORD(UWIND_SESSION_FREQUENCY, 1);
	WORD(UWIND_SESSION_ALL, 2);
	WORD(UWIND_SESSION_INHERIT, 4);
	WORD(UWIND_SESSION_DISABLED, 8);
	WORD(UWIND_SESSION_CGROUP, 16);
	WORD(UWIND_TIE_VDSO, 1);
	WORD(UWIND_FILE_NO_TABLE, 1);
	WORD(UWIND_FILE_VDSO, 2);
	WORD(UWIND_CMD_ATTACH, 1);
	WORD(UWIND_CMD_RECORDS, 2);
	WORD(UWIND_A_FD, 1);
	WORD(UWIND_A_SESSION, 2);
	WORD(UWIND_A_SEQ, 3);
	WORD(UWIND_A_RECORDS, 4);
	WORD(UWIND_A_PAD, 5);
	WORD(UWIND_RECORD_STACK, 1);
	WORD(UWIND_RECORD_FILE, 2);
	WORD(UWIND_RECORD_SAMPLE, 3);
	WORD(UWIND_RECORD_EVENT, 6);
	WORD(UWIND_RECORD_OFF_CPU, 7);
	WORD(UWIND_RECORD_CALL, 8);
	WORD(UWIND_RECORD_NEXT, 9);
	WORD(UWIND_TYPE_FUNCTION, 0x75770002);
	WORD(UWIND_MAX_FUNCTIONS, 65536);
	WORD(UWIND_MAX_RETURNS, 1024);
	WORD(UWIND_CALLS_AT_ONCE, 128);
	WORD(UWIND_MAX_ARGUMENTS, 6);
	WORD(UWIND_CALL_RETURN, 1);
	WORD(UWIND_TYPE_OFF_CPU, 0x75770001);
	WORD(UWIND_OFF_CPU_NO_WAKERS, 1);
	WORD(UWIND_OFF_CPU_DEFAULT_MOST, 10000);
	WORD(UWIND_OFF_CPU_PREEMPTED, 1);
	WORD(UWIND_OFF_CPU_IOWAIT, 2);
	WORD(UWIND_OFF_CPU_COMPAT, 4);
	WORD(UWIND_OFF_CPU_STILL, 8);
	WORD(UWIND_OFF_CPU_WAKER, 16);
	WORD(UWIND_OFF_CPU_INTERRUPT, 32);
	WORD(UWIND_RECORD_THREAD, 4);
	WORD(UWIND_MAX_FRAMES, 4096);
	WORD(UWIND_DEFAULT_FRAMES, 512);
	WORD(UWIND_PART_FRAMES, 64);
	WORD(UWIND_MAX_PARTS, 65);
	WORD(UWIND_LEAD_METHOD, 15);
	WORD(UWIND_LEAD_RUN, 0);
	WORD(UWIND_LEAD_NEAR, 14);
	WORD(UWIND_LEAD_PLACE_SHIFT, 4);
	WORD(UWIND_LEAD_SIZED, 128);
	WORD(UWIND_PLACES, 7);
	WORD(UWIND_RUN_FRAMES, 16);
	WORD(UWIND_WATCH_MODULES, 1);
	WORD(UWIND_WATCH_CHANGES, 2);
	WORD(UWIND_WATCH_CONTENT, 4);
	WORD(UWIND_TEXT_NONE, 0);
	WORD(UWIND_TEXT_CHANGE, 1);
	WORD(UWIND_TEXT_FLUSH, 2);
	WORD(UWIND_TEXT_MODULE_LIVE, 3);
	WORD(UWIND_TEXT_MODULE_GOING, 4);
	WORD(UWIND_TEXT_LOST, 5);
	WORD(UWIND_TEXT_MODULE_COMING, 6);
	WORD(UWIND_TEXT_MODULE_CONTENT, 7);
	WORD(UWIND_MAX_TEXT_WATCHES, 8);
	WORD(UWIND_MIN_TEXT_BYTES, 65536);
	WORD(UWIND_MAX_TEXT_BYTES, 16777216);
	WORD(UWIND_MAX_TEXT_CHANGE, 4096);
	WORD(UWIND_MAX_TEXT_PAGES, 512);
	WORD(UWIND_TEXT_CALLERS, 16);
	WORD(UWIND_MAX_TEXT_RECORD, 8400);
	WORD(UWIND_MAX_TEXT_CONTENT, 8192);
	WORD(UWIND_MAX_KSTACKS, 4);
	WORD(UWIND_KSTACK_FRAMES, 256);
	WORD(UWIND_MAX_KSTACK_TASKS, 4096);
	WORD(UWIND_KSTACK_READ_BYTES, 16384);
	WORD(UWIND_KSTACK_SYSCALL, 0);
	WORD(UWIND_KSTACK_EXCEPTION, 1);
	WORD(UWIND_KSTACK_KTHREAD, 2);
	WORD(UWIND_KSTACK_IDLE, 3);
	WORD(UWIND_KSTACK_SOFTIRQ, 4);
	WORD(UWIND_KSTACK_IRQ, 5);
	WORD(UWIND_KSTACK_NMI, 6);
	WORD(UWIND_KSTACK_ON_TASK, 0);
	WORD(UWIND_KSTACK_ON_IRQ, 1);
	WORD(UWIND_KSTACK_ON_OTHER, 2);
	WORD(UWIND_KSTACK_BY_TASK, 1);
	WORD(UWIND_KSTACK_RECORD_COUNTS, 1);
	WORD(UWIND_KSTACK_RECORD_CPU, 2);
	WORD(UWIND_KSTACK_RECORD_TASK, 3);
	WORD(UWIND_KSTACK_EXACT, 1);
	WORD(UWIND_KSTACK_INTERRUPTED, 2);
	WORD(UWIND_KSTACK_REGISTERS, 4);
	WORD(UWIND_KSTACK_CROSSES, 8);
	WORD(UWIND_KSTACK_ENTERED, 16);
	WORD(UWIND_KSTACK_COMPLETE, 1);
	WORD(UWIND_KSTACK_TRUNCATED, 2);
}

TEST_CASE("counters indexed by words have room for all words")
{
	CHECK(UWIND_NR_STOPS <= sizeof(uwind_stats::stops) / sizeof(__u64));
	CHECK(UWIND_NR_LOSSES <= sizeof(uwind_stats::lost) / sizeof(__u64));
	CHECK(UWIND_NR_STOPS <= sizeof(uwind_session_stats::stops) / sizeof(__u64));
	CHECK(UWIND_NR_LOSSES <= sizeof(uwind_session_stats::lost) / sizeof(__u64));
}

} // namespace
