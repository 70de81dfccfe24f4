# SPDX-License-Identifier: GPL-2.0
# One function for each directive of call frame information that matters to SFrame,
# and one for each that it cannot say. Nobody runs them.
	.macro	function name
	.text
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.section .text.start, "ax", @progbits
	.globl	asm_start
	.type	asm_start, @function
asm_start:
	.cfi_startproc
	.cfi_undefined rip
	call	x86_framed
	hlt
	.cfi_endproc
	.size	asm_start, . - asm_start

	function x86_framed
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	sub	$0x200, %rsp
	call	outside1@PLT
	call	outside2@PLT
	call	*outside2@GOTPCREL(%rip)
	leave
	.cfi_restore rbp
	.cfi_def_cfa rsp, 8
	ret
	end x86_framed

	# Row starts of two bytes (LARGE: of four), offsets of four.
	function x86_wide
	sub	$0x10408, %rsp
	.cfi_adjust_cfa_offset 0x10408
	.skip	300, 0x90
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	.skip	600, 0x90
	.ifdef	LARGE
	.skip	70000, 0x90
	.endif
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	add	$0x10408, %rsp
	.cfi_adjust_cfa_offset -0x10408
	ret
	end x86_wide

	# Offsets of two bytes.
	function x86_middle
	sub	$0x408, %rsp
	.cfi_adjust_cfa_offset 0x408
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	nop
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	add	$0x408, %rsp
	.cfi_adjust_cfa_offset -0x408
	ret
	end x86_middle

	function x86_remembered
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset rbx, -24
	jz	1f
	.cfi_remember_state
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	ret
1:	.cfi_restore_state
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	ret
	end x86_remembered

	# One state remembered inside another.
	function x86_nested
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	.cfi_remember_state
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_remember_state
	push	%r12
	.cfi_def_cfa_offset 32
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_restore rbp
	ret
	end x86_nested

	function x86_same
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	pop	%rbp
	.cfi_def_cfa_offset 8
	.cfi_same_value rbp
	ret
	end x86_same

	# The realigned frame's CFA is in another register, then in memory.
	function x86_drap
	lea	8(%rsp), %r10
	.cfi_def_cfa r10, 0
	and	$-32, %rsp
	push	-8(%r10)
	push	%rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	mov	%rsp, %rbp
	push	%r10
	.cfi_escape 0xf,0x3,0x76,0x78,0x6
	nop
	pop	%r10
	.cfi_def_cfa r10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa rsp, 8
	ret
	end x86_drap

	# FP is kept in another register.
	function x86_register
	mov	%rbp, %r11
	.cfi_register rbp, r11
	xor	%ebp, %ebp
	nop
	mov	%r11, %rbp
	.cfi_restore rbp
	ret
	end x86_register

	function x86_return_register
	pop	%r11
	.cfi_def_cfa_offset 0
	.cfi_register rip, r11
	nop
	push	%r11
	.cfi_def_cfa_offset 8
	.cfi_offset rip, -8
	ret
	end x86_return_register

	# The return address is elsewhere on the stack.
	function x86_return_elsewhere
	sub	$16, %rsp
	.cfi_def_cfa_offset 24
	.cfi_offset rip, -24
	nop
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	.cfi_offset rip, -8
	ret
	end x86_return_elsewhere

	function x86_lost_frame_pointer
	.cfi_undefined rbp
	xor	%ebp, %ebp
	ret
	end x86_lost_frame_pointer

	function x86_val_offset
	.cfi_val_offset rbp, -16
	nop
	ret
	end x86_val_offset

	function x86_return_column
	.cfi_return_column rax
	nop
	ret
	end x86_return_column

	# Rules of registers that SFrame does not know change nothing.
	function x86_others
	push	%r12
	.cfi_def_cfa_offset 16
	.cfi_offset r12, -16
	push	%r13
	.cfi_def_cfa_offset 24
	.cfi_offset r13, -24
	pop	%r13
	.cfi_restore r13
	.cfi_def_cfa_offset 16
	pop	%r12
	.cfi_same_value r12
	.cfi_def_cfa_offset 8
	ret
	end x86_others

	# Arguments on the stack, which only personality routines heed.
	function x86_args_size
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_escape 0x2e,0x10
	nop
	.cfi_escape 0x2e,0x0
	leave
	.cfi_restore rbp
	.cfi_def_cfa rsp, 8
	ret
	end x86_args_size

	# The return address's place counts from FP.
	function x86_return_expression
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	.cfi_escape 0x10,0x10,0x2,0x76,0x8
	nop
	leave
	.cfi_restore rip
	.cfi_restore rbp
	.cfi_def_cfa rsp, 8
	ret
	end x86_return_expression

	# No code at all.
	function x86_empty
	end x86_empty

	# The stack itself is another one.
	function x86_other_stack
	mov	%rsp, %r11
	.cfi_register rsp, r11
	nop
	.cfi_restore rsp
	ret
	end x86_other_stack

	.text
	.globl	x86_simple
	.type	x86_simple, @function
x86_simple:
	.cfi_startproc simple
	.cfi_def_cfa rsp, 24
	.cfi_offset rip, -8
	.cfi_offset rbp, -16
	nop
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	x86_simple, . - x86_simple

	# As the kernel lays a signal frame out; the C library's function does not fit in
	# SFrame either.
	nop
	.globl	x86_restorer
	.type	x86_restorer, @function
x86_restorer:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f,0x04,0x77,0xa0,0x01,0x06
	.cfi_escape 0x10,0x10,0x03,0x77,0xa8,0x01
	.cfi_escape 0x10,0x06,0x03,0x77,0xf8,0x00
	mov	$15, %rax
	syscall
	.cfi_endproc
	.size	x86_restorer, . - x86_restorer

	# A signal frame that fits.
	nop
	.globl	x86_plain_restorer
	.type	x86_plain_restorer, @function
x86_plain_restorer:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa rsp, 168
	mov	$15, %rax
	syscall
	.cfi_endproc
	.size	x86_plain_restorer, . - x86_plain_restorer

	.skip	77, 0xcc
	.section .text.unlikely, "ax", @progbits
	.type	x86_cold, @function
x86_cold:
	.cfi_startproc
	push	%rax
	.cfi_adjust_cfa_offset 8
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	x86_cold, . - x86_cold

	# Nobody calls it: --gc-sections drops it.
	.section .text.unused, "ax", @progbits
	.type	x86_unused, @function
x86_unused:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	pop	%rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	x86_unused, . - x86_unused
	.section .note.GNU-stack, "", @progbits
