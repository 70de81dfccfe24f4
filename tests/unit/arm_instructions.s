@ SPDX-License-Identifier: GPL-2.0
@ Forms of operands that write SP, r7, r11 and LR, or nothing: for both instruction sets.
	.syntax unified
	.fpu neon
	.text
	.globl forms
	.type forms, %function
forms:
	push	{r4, lr}
	push	{r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}
	pop	{r4, r5, r7}
	pop	{r3, r4, r11, lr}
	vpush	{d8-d15}
	vpop	{d8-d15}
	vpush	{s16}
	vpop	{s16}
	stmdb	sp!, {r4, r7, lr}
	ldmia	sp!, {r4, r7, lr}
	ldmia	r7!, {r4, r5}
	ldmdb	r7, {r4, r5, r11}
	stmia	r7, {r4, r5}
	str	lr, [sp, #-4]!
	str	lr, [sp, #-8]!
	ldr	lr, [sp], #4
	ldr	lr, [sp], #8
	ldr	r7, [sp, #20]
	ldr	r11, [sp, #1020]
	ldr	r11, [r7, #-12]
	ldr	r7, [r11, #-12]
	ldr	lr, [r3, r4]
	ldr	r7, [r3, r4, lsl #2]
	ldrb	r7, [r3, r4]
	ldrh	lr, [r3, #6]
	ldrsb	r11, [r3]
	ldrsh	r7, [r3, #2]!
	ldrb	r0, [r7], #1
	strb	r0, [r7], #1
	strb	r7, [r0]
	strh	r11, [r0, #2]
	add	sp, sp, #8
	sub	sp, sp, #8
	add	sp, sp, #508
	sub	sp, sp, #4096
	sub	sp, sp, r3
	add	r7, sp, #0
	add	r7, sp, #16
	add	r11, sp, #32
	sub	r7, r7, #8
	sub	r7, r11, #28
	mov	sp, r7
	mov	sp, r11
	mov	r7, sp
	mov	r11, sp
	mov	lr, r4
	mov	r4, lr
	movw	r7, #1234
	movt	r7, #1234
	mvn	r11, r3
	movs	r7, #0
	adds	r7, r7, #12
	subs	r7, r3, #1
	and	r7, r3, r4
	orr	lr, r3, #4
	eor	r11, r3, r4
	bic	r7, r7, #7
	bfc	r7, #0, #4
	ubfx	lr, r3, #2, #3
	sbfx	r7, r3, #2, #3
	bfi	r11, r3, #2, #3
	lsl	r7, r3, #2
	lsrs	r7, r3, #2
	asr	lr, r3, r4
	ror	r7, r3, #4
	mul	r7, r3, r4
	mla	lr, r3, r4, r5
	mls	r11, r3, r4, r5
	clz	r7, r3
	rev	r7, r3
	rbit	lr, r3
	uxtb	r7, r3
	sxth	lr, r3
	uxtah	r11, r3, r4
	ssat	r7, #8, r3
	usat	lr, #8, r3
	sadd8	r7, r3, r4
	sel	lr, r3, r4
	smlabb	r7, r3, r4, r5
	smulbb	lr, r3, r4
	smmul	r11, r3, r4
	usad8	r7, r3, r4
	pkhbt	r7, r3, r4
	ldrex	r7, [r3]
	strex	r7, r4, [r3]
	ldrexb	lr, [r3]
	strexh	r11, r4, [r3]
	clrex
	mrs	r7, apsr
	msr	apsr_nzcvq, r7
	cmp	r7, #3
	cmp	lr, r3
	cmn	r7, #3
	tst	r7, r3
	teq	r11, r3
	pld	[r7, #4]
	dmb	ish
	nop
	yield
	svc	#0
	bl	forms
	blx	r3
	vld1.8	{d0}, [r3]
	vst1.32	{d0, d1}, [r3]
	vadd.f32	s0, s1, s2
	vmul.f64	d0, d1, d2
	vadd.i32	q0, q1, q2
	vcmp.f32	s0, s1
	vmrs	apsr_nzcv, fpscr
	vldr	d0, [sp, #8]
	vstr	d0, [r7, #8]
	beq	forms
	b	forms
	bx	lr
