// SPDX-License-Identifier: GPL-2.0
// Functions of many shapes, for the SFrame that this machine's tools make.
	.text
	.globl	_start
	.type	_start, %function
_start:
	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	.cfi_def_cfa_register 29
	bl	leaf
	ldp	x29, x30, [sp], 32
	.cfi_restore 30
	.cfi_restore 29
	.cfi_def_cfa 31, 0
	ret
	.cfi_endproc
	.size	_start, . - _start

	.type	leaf, %function
leaf:
	.cfi_startproc
	hint	#25
	.cfi_negate_ra_state
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	str	x30, [sp, 8]
	.cfi_offset 30, -8
	.skip	1024
	ldr	x30, [sp, 8]
	.cfi_restore 30
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	hint	#29
	.cfi_negate_ra_state
	ret
	.cfi_endproc
	.size	leaf, . - leaf

	.skip	64
	.type	wide, %function
wide:
	.cfi_startproc
	sub	sp, sp, #4000
	.cfi_def_cfa_offset 4000
	stp	x29, x30, [sp]
	.cfi_offset 29, -4000
	.cfi_offset 30, -3992
	ldp	x29, x30, [sp]
	.cfi_restore 29
	.cfi_restore 30
	add	sp, sp, #4000
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	wide, . - wide
