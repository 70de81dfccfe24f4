// SPDX-License-Identifier: GPL-2.0
// At each system call of one process: asks for its stack, and puts the cookie beside the call's number.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "cookies.h"

const volatile int target; // tgid

extern __u64 uwind_request_stack(void) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} calls SEC(".maps");

SEC("tp_btf/sys_enter")
int BPF_PROG(asked, struct pt_regs *regs, long number)
{
	const __u64 id = bpf_get_current_pid_tgid();
	struct call *call;

	if (id >> 32 != target)
		return 0;
	call = bpf_ringbuf_reserve(&calls, sizeof(*call), 0);
	if (!call)
		return 0;
	call->cookie = uwind_request_stack();
	call->tid = id;
	call->number = number;
	bpf_ringbuf_submit(call, 0);
	return 0;
}

const char program_license[] SEC("license") = "GPL";
