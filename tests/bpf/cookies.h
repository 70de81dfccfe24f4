// SPDX-License-Identifier: GPL-2.0
// What the program of cookies.bpf.c tells of each system call.
#pragma once

struct call {
	unsigned long long cookie; // 0: nobody will get the stack
	unsigned int tid;
	unsigned int number;
};
