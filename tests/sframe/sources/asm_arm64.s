// SPDX-License-Identifier: GPL-2.0
// One function for each directive of call frame information that matters to SFrame,
// and one for each that it cannot say. Nobody runs them.
	.macro	function name
	.text
	.globl	\name
	.type	\name, %function
\name:
	.cfi_startproc
	.endm
	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.section .text.start, "ax", %progbits
	.globl	asm_start
	.type	asm_start, %function
asm_start:
	.cfi_startproc
	.cfi_undefined x30
	bl	arm64_framed
	brk	#0
	.cfi_endproc
	.size	asm_start, . - asm_start

	function arm64_framed
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, sp
	.cfi_def_cfa_register x29
	bl	outside1
	bl	outside2
	ldp	x29, x30, [sp], 32
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa sp, 0
	ret
	end arm64_framed

	// Signed with key A.
	function arm64_signed
	hint	#25
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	hint	#29
	.cfi_negate_ra_state
	ret
	end arm64_signed

	function arm64_signed_b
	.cfi_b_key_frame
	hint	#27
	.cfi_negate_ra_state
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	nop
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	hint	#31
	.cfi_negate_ra_state
	ret
	end arm64_signed_b

	// What compilers called it before.
	function arm64_signed_old
	hint	#25
	.cfi_window_save
	nop
	hint	#29
	.cfi_window_save
	ret
	end arm64_signed_old

	function arm64_leaf
	sub	sp, sp, #48
	.cfi_def_cfa_offset 48
	nop
	add	sp, sp, #48
	.cfi_def_cfa_offset 0
	ret
	end arm64_leaf

	// The return address alone is saved.
	function arm64_link_only
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x30, -16
	nop
	ldr	x30, [sp], 16
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	end arm64_link_only

	// FP alone is saved.
	function arm64_frame_pointer_only
	str	x29, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	nop
	ldr	x29, [sp], 16
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	end arm64_frame_pointer_only

	// Row starts of two bytes (LARGE: of four), offsets of two.
	function arm64_wide
	sub	sp, sp, #4000
	.cfi_def_cfa_offset 4000
	stp	x29, x30, [sp]
	.cfi_offset x29, -4000
	.cfi_offset x30, -3992
	.skip	1200
	.ifdef	LARGE
	.skip	70000
	.endif
	ldp	x29, x30, [sp]
	.cfi_restore x29
	.cfi_restore x30
	add	sp, sp, #4000
	.cfi_def_cfa_offset 0
	ret
	end arm64_wide

	// Offsets of four bytes.
	function arm64_large
	sub	sp, sp, #0x20, lsl #12
	.cfi_def_cfa_offset 0x20000
	stp	x29, x30, [sp]
	.cfi_offset x29, -0x20000
	.cfi_offset x30, -0x1fff8
	nop
	add	sp, sp, #0x20, lsl #12
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
	end arm64_large

	function arm64_remembered
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	cbz	x0, 1f
	.cfi_remember_state
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
1:	.cfi_restore_state
	ldp	x29, x30, [sp], 16
	.cfi_restore x30
	.cfi_restore x29
	.cfi_def_cfa_offset 0
	ret
	end arm64_remembered

	// Both states are remembered with a signed return address.
	function arm64_nested
	hint	#25
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	.cfi_remember_state
	sub	sp, sp, #16
	.cfi_def_cfa_offset 32
	.cfi_remember_state
	sub	sp, sp, #16
	.cfi_def_cfa_offset 48
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	nop
	ret
	end arm64_nested

	function arm64_register
	mov	x9, x30
	.cfi_register x30, x9
	nop
	mov	x30, x9
	.cfi_restore x30
	ret
	end arm64_register

	// The CFA is in a register that is neither SP nor FP.
	function arm64_other_cfa
	mov	x10, sp
	.cfi_def_cfa x10, 0
	nop
	.cfi_def_cfa sp, 0
	ret
	end arm64_other_cfa

	// The frame record is at the frame's end, signed with key B.
	function arm64_record_below
	.cfi_b_key_frame
	hint	#27
	.cfi_negate_ra_state
	sub	sp, sp, #64
	.cfi_def_cfa_offset 64
	stp	x29, x30, [sp, 48]
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	add	x29, sp, #48
	.cfi_def_cfa x29, 16
	nop
	.cfi_def_cfa sp, 64
	ldp	x29, x30, [sp, 48]
	.cfi_restore x29
	.cfi_restore x30
	add	sp, sp, #64
	.cfi_def_cfa_offset 0
	hint	#31
	.cfi_negate_ra_state
	ret
	end arm64_record_below

	// No code at all.
	function arm64_empty
	end arm64_empty

	function arm64_same
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	ldp	x29, x30, [sp], 16
	.cfi_same_value x29
	.cfi_same_value x30
	.cfi_def_cfa_offset 0
	ret
	end arm64_same

	function arm64_lost_frame_pointer
	.cfi_undefined x29
	mov	x29, xzr
	ret
	end arm64_lost_frame_pointer

	function arm64_others
	stp	x19, x20, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x19, -16
	.cfi_offset x20, -8
	nop
	ldp	x19, x20, [sp], 16
	.cfi_restore x20
	.cfi_restore x19
	.cfi_def_cfa_offset 0
	ret
	end arm64_others

	nop
	.globl	arm64_restorer
	.type	arm64_restorer, %function
arm64_restorer:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa sp, 272
	mov	x8, #139
	svc	#0
	.cfi_endproc
	.size	arm64_restorer, . - arm64_restorer

	.skip	76
	.section .text.unlikely, "ax", %progbits
	.type	arm64_cold, %function
arm64_cold:
	.cfi_startproc
	sub	sp, sp, #16
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	arm64_cold, . - arm64_cold

	// Nobody calls it: --gc-sections drops it.
	.section .text.unused, "ax", %progbits
	.type	arm64_unused, %function
arm64_unused:
	.cfi_startproc
	sub	sp, sp, #32
	.cfi_def_cfa_offset 32
	add	sp, sp, #32
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	arm64_unused, . - arm64_unused
	.section .note.GNU-stack, "", %progbits
