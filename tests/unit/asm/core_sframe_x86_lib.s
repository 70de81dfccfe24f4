# SPDX-License-Identifier: GPL-2.0
# What core_sframe_x86.s calls through its PLT.
	.text
	.globl	outside1, outside2
	.type	outside1, @function
	.type	outside2, @function
outside1:
outside2:
	ret
	.section .note.GNU-stack, "", @progbits
