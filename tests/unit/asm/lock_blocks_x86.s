# SPDX-License-Identifier: GPL-2.0
# Functions that take locks as glibc 2.5 to 2.17 did: the way to wait lies in a block
# out of their way, whose CFI gives return addresses as pc + constant. One source for amd64 and i386 (SP_IS_64: 1 or 0).

.if SP_IS_64
.set ra_column, 16
.set pc_operation, 0x80		# DW_OP_breg16
.set sp_column, 7
.set factor, -8
.set red_zone, 128
.else
.set ra_column, 8
.set pc_operation, 0x78		# DW_OP_breg8
.set sp_column, 4
.set factor, -4
.set red_zone, 0
.endif

# DW_CFA_val_expression: the return address is pc + \to - \from.
.macro caller_at to, from
	.byte 0x16
	.uleb128 ra_column
	.uleb128 8002f - 8001f
8001:	.byte pc_operation
	.sleb128 \to - \from
8002:
.endm

# The same out of another section: two constants, each counted from where it lies.
.macro caller_behind from, to
	.byte 0x16
	.uleb128 ra_column
	.uleb128 8004f - 8003f
8003:	.byte pc_operation
	.sleb128 8006f - 8005f
	.byte 0x0d		# DW_OP_const4s
8005:	.4byte \from - .
	.byte 0x1c		# DW_OP_minus
	.byte 0x0d
8006:	.4byte \to - .
	.byte 0x22		# DW_OP_plus
8004:
.endm

# DW_CFA_def_cfa_sf
.macro cfa_above_sp bytes
	.byte 0x12
	.uleb128 sp_column
	.sleb128 (\bytes) / factor
.endm

.macro describe name
	.section .eh_frame, "a", @progbits
8010:	.long 8012f - 8011f
8011:	.long 0
	.byte 1
	.string "zR"
	.uleb128 1
	.sleb128 factor
	.byte ra_column
	.uleb128 1
	.byte 0x1b
	cfa_above_sp -red_zone
	.balign 4
8012:	.long 8014f - 8013f
8013:	.long 8013b - 8010b
	.long \name\()_lea - .
	.long \name\()_end - \name\()_lea
	.uleb128 0
	caller_at \name\()_behind, \name\()_lea
	.byte 0x40 + (\name\()_sub - \name\()_lea)
.if SP_IS_64
	caller_at \name\()_behind, \name\()_sub
	.byte 0x40 + (\name\()_call - \name\()_sub)
	cfa_above_sp 0
.endif
	caller_at \name\()_behind, \name\()_call
	.byte 0x40 + (\name\()_behind - \name\()_call - 1)
	cfa_above_sp red_zone
	caller_behind \name\()_behind, \name\()_back
	.byte 0x40 + (\name\()_jump - \name\()_behind + 1)
.if SP_IS_64
	cfa_above_sp -red_zone
	caller_at \name\()_behind, \name\()_jump
.endif
	.balign 4
8014:	.previous
.endm

.macro place name
	.type \name, @function
\name:
.endm

.macro take_lock name
	cmpl $0, (%ecx)
	jnz \name\()_lea
	.subsection 1
place \name\()_lea
.if SP_IS_64
	lea 8(%rcx), %rdi
place \name\()_sub
	sub $128, %rsp
place \name\()_call
	call wait
place \name\()_behind
	add $128, %rsp
place \name\()_jump
	jmp \name\()_back
.else
	lea 8(%ecx), %edx
place \name\()_sub
place \name\()_call
	call wait
place \name\()_behind
place \name\()_jump
	jmp \name\()_back
.endif
	.size \name\()_lea, . - \name\()_lea
\name\()_end:
	.previous
	describe \name
place \name\()_back
.endm

	.text

	.type wait, @function
wait:	.cfi_startproc
	ret
	.cfi_endproc


	.type bare, @function
bare:	.cfi_startproc
	take_lock bare
	ret
	.cfi_endproc

.if SP_IS_64

	.type pushed, @function
pushed:	.cfi_startproc
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	sub $200, %rsp
	.cfi_adjust_cfa_offset 200
	take_lock pushed
	add $200, %rsp
	.cfi_adjust_cfa_offset -200
	pop %rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
	.cfi_endproc


	.type framed, @function
framed:	.cfi_startproc
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub $64, %rsp
	take_lock framed
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
.else

	.type pushed, @function
pushed:	.cfi_startproc
	push %ebx
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebx, 0
	push %ebp
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebp, 0
	sub $200, %esp
	.cfi_adjust_cfa_offset 200
	take_lock pushed
	add $200, %esp
	.cfi_adjust_cfa_offset -200
	pop %ebp
	.cfi_adjust_cfa_offset -4
	.cfi_restore %ebp
	pop %ebx
	.cfi_adjust_cfa_offset -4
	.cfi_restore %ebx
	ret
	.cfi_endproc


	.type framed, @function
framed:	.cfi_startproc
	push %ebp
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebp, 0
	mov %esp, %ebp
	.cfi_def_cfa_register %ebp
	sub $64, %esp
	take_lock framed
	leave
	.cfi_def_cfa %esp, 4
	.cfi_restore %ebp
	ret
	.cfi_endproc
.endif
