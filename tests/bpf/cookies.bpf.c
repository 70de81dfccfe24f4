// SPDX-License-Identifier: GPL-2.0
// At each system call of one process, or each write: asks for its stack, and tells the cookie.
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "cookies.h"

const volatile int target; // tgid

extern __u64 uwind_request_stack(void) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} calls SEC(".maps");

static int ask(void)
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
	bpf_ringbuf_submit(call, 0);
	return 0;
}

SEC("tp_btf/sys_enter")
int by_tracepoint(void *context)
{
	return ask();
}

SEC("kprobe/ksys_write")
int by_kprobe(void *context)
{
	return ask();
}

const char program_license[] SEC("license") = "GPL";
