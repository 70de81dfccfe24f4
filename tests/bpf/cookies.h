// SPDX-License-Identifier: GPL-2.0
// What the programs of cookies.bpf.c tell of each call.
#pragma once

struct call {
	unsigned long long cookie; // 0: nobody will get the stack
	unsigned int tid;
	unsigned int reserved;
};
