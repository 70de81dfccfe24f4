# SPDX-License-Identifier: GPL-2.0
# Functions of many shapes, for the SFrame that this machine's tools make.
	.text
	.globl	_start
	.type	_start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	call	framed
	ud2
	.cfi_endproc
	.size	_start, . - _start

	.p2align 4
	.type	framed, @function
framed:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register 6
	sub	$0x200, %rsp
	call	large
	call	outside1@PLT
	call	outside2@PLT
	leave
	.cfi_restore 6
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
	.size	framed, . - framed

	.type	large, @function
large:
	.cfi_startproc
	sub	$0x10408, %rsp
	.cfi_adjust_cfa_offset 0x10408
	.skip	300, 0x90
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset 6, 0
	.skip	70000, 0x90
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore 6
	add	$0x10408, %rsp
	.cfi_adjust_cfa_offset -0x10408
	ret
	.cfi_endproc
	.size	large, . - large

	.skip	77, 0xcc
	.type	cold, @function
cold:
	.cfi_startproc
	push	%rax
	.cfi_adjust_cfa_offset 8
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	cold, . - cold
	.section .note.GNU-stack, "", @progbits
