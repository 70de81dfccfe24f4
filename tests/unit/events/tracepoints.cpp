// SPDX-License-Identifier: GPL-2.0
// Tracepoints by name and by pattern, the short words for some of them, and machines that do not show them.
#include "unit/events/parsed.h"

TEST_CASE("a tracepoint's number is what tracefs says")
{
	const auto events = parsed("sched:sched_switch:u");
	CHECK(brief(events) == "sched:sched_switch:u 2:12c -kvg");
	CHECK(events[0].is_tracepoint);
	CHECK(events[0].tracepoint == "sched:sched_switch");
	CHECK(parsed("sched:sched_switch/name=mine/")[0].tracepoint == "sched:sched_switch");
}

TEST_CASE("patterns may stand for subsystems and for names")
{
	CHECK(brief(parsed("sched:*")) ==
	      "sched:sched_process_exec 2:12e -g; sched:sched_switch 2:12c -g; sched:sched_wakeup 2:12d -g");
	CHECK(brief(parsed("*:sys_enter_openat")) == "syscalls:sys_enter_openat 2:190 -g");
	CHECK(brief(parsed("*sys*:sys_enter*:k")) == "raw_syscalls:sys_enter:k 2:19a -uv; syscalls:sys_enter_openat:k "
						     "2:190 -uv; syscalls:sys_enter_read:k 2:192 -uv");
	CHECK(parsed("many:one_[12]").size() == 2);
	CHECK(refusal("ftrace:func*").message ==
	      "ftrace:function is for the kernel's own log only: it has no number for perf");
}

TEST_CASE("system calls and signals have short names")
{
	CHECK(brief(parsed("syscall:openat")) == "syscalls:sys_enter_openat 2:190 -g");
	CHECK(brief(parsed("syscall:openat:ret")) == "syscalls:sys_exit_openat 2:191 -g");
	CHECK(brief(parsed("syscall:openat:ret:k")) == "syscalls:sys_exit_openat:k 2:191 -uv");
	CHECK(brief(parsed("syscall:*:u")) ==
	      "syscalls:sys_enter_openat:u 2:190 -kvg; syscalls:sys_enter_read:u 2:192 -kvg");
	CHECK(brief(parsed("signal")) == "signal:signal_deliver 2:1a4 -g");
	CHECK(brief(parsed("signal:signal_generate")) == "signal:signal_generate 2:1a5 -g");
	CHECK(refusal("syscall:opent").message ==
	      "no tracepoint of syscalls is called 'sys_enter_opent' (do you mean sys_enter_openat?)");
}

TEST_CASE("unknown tracepoints get the nearest name")
{
	CHECK(refusal("sched:sched_swich").message ==
	      "no tracepoint of sched is called 'sched_swich' (do you mean sched_switch?)");
	CHECK(refusal("shed:sched_switch").message ==
	      "no event, and no tracepoints of a subsystem, is called 'shed' (do you mean sched?)");
	CHECK(refusal("sched:").message == "'sched:' is no event");
	CHECK(refusal(":x").message == "':x' is no event");
	CHECK(refusal("sched:..").message == "'sched:..' is no event");
	CHECK(refusal("sched:enable").code == EINVAL);
	CHECK(refusal("header_page:x").code == EINVAL);
}

TEST_CASE("where tracefs is not to be had, the message says what to do")
{
	fake::Events machine = fake::machine();
	machine.tracing_error = ENODEV;
	CHECK(refusal("sched:sched_switch", machine).code == ENOENT);
	CHECK(refusal("sched:sched_switch", machine).message ==
	      "tracepoints are read from tracefs, which is not mounted: mount -t tracefs tracefs /sys/kernel/tracing");
	machine.tracing_error = EACCES;
	CHECK(refusal("sched:sched_switch", machine).code == EACCES);
	CHECK(refusal("sched:sched_switch", machine).message ==
	      "tracepoints are read from tracefs, which this user may not read: be root, or mount it with mode=755: "
	      "mount "
	      "-o remount,mode=755 /sys/kernel/tracing");
	machine.tracing_error = ENOENT;
	CHECK(refusal("signal", machine).message ==
	      "this kernel has no tracefs: CONFIG_TRACING and CONFIG_EVENT_TRACING are not set");
	machine.tracing_error = EIO;
	CHECK(refusal("signal", machine).code == EIO);
	machine.tracing_error = 0;
	machine.forbidden.insert(fake::tracefs + "/events/sched/sched_switch/id");
	CHECK(refusal("sched:sched_switch", machine).code == EACCES);
	machine.forbidden.insert(fake::tracefs + "/events");
	CHECK(refusal("sched:sched_switch", machine).code == EACCES);
	machine.forbidden = {fake::tracefs + "/events/sched/sched_switch/format"};
	CHECK(refusal("sched:sched_switch", machine, {"prev_pid == 1"}).code == EACCES);
}

TEST_CASE("a kernel without tracepoints of system calls says which option is missing")
{
	fake::Events machine;
	machine.tracepoint("sched", "sched_switch", 1);
	CHECK(refusal("syscall:read", machine).code == ENOENT);
	CHECK(refusal("syscall:read", machine).message ==
	      "this kernel has no tracepoints of system calls: CONFIG_FTRACE_SYSCALLS is not set");
}
