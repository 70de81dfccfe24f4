# SPDX-License-Identifier: GPL-2.0
# Forms that x86 instructions have, for the length decoder; BITS is 64 or 32. Addresses are
# 32 bits wide in both, so that 64-bit code has the prefix for that, too.
	.text
	addl $1, (%eax)
	addl $1, 8(%eax)
	addl $1, 0x12345678(%ecx)
	addl $1, (%esp)
	addl $1, 8(%esp)
	addl $1, 0x1234(%esp)
	addl $1, (%ebp)
	addl $1, 0x1234(%ebp)
	addl $1, (%eax,%ebx,4)
	addl $1, 8(%ebp,%esi,8)
	addl $1, 0x12345(%edi,%edx,2)
	addl $1, 0x12345678(,%ecx,4)
	addl $0x12345, (%eax)
	addl $0x12345, 8(%eax)
	addl $0x12345, 0x12345678(%ecx)
	addl $0x12345, (%esp)
	addl $0x12345, 8(%esp)
	addl $0x12345, 0x1234(%esp)
	addl $0x12345, (%ebp)
	addl $0x12345, 0x1234(%ebp)
	addl $0x12345, (%eax,%ebx,4)
	addl $0x12345, 8(%ebp,%esi,8)
	addl $0x12345, 0x12345(%edi,%edx,2)
	addl $0x12345, 0x12345678(,%ecx,4)
	addw $0x1234, (%eax)
	addw $0x1234, 8(%eax)
	addw $0x1234, 0x12345678(%ecx)
	addw $0x1234, (%esp)
	addw $0x1234, 8(%esp)
	addw $0x1234, 0x1234(%esp)
	addw $0x1234, (%ebp)
	addw $0x1234, 0x1234(%ebp)
	addw $0x1234, (%eax,%ebx,4)
	addw $0x1234, 8(%ebp,%esi,8)
	addw $0x1234, 0x12345(%edi,%edx,2)
	addw $0x1234, 0x12345678(,%ecx,4)
	addb $1, (%eax)
	addb $1, 8(%eax)
	addb $1, 0x12345678(%ecx)
	addb $1, (%esp)
	addb $1, 8(%esp)
	addb $1, 0x1234(%esp)
	addb $1, (%ebp)
	addb $1, 0x1234(%ebp)
	addb $1, (%eax,%ebx,4)
	addb $1, 8(%ebp,%esi,8)
	addb $1, 0x12345(%edi,%edx,2)
	addb $1, 0x12345678(,%ecx,4)
	movl %eax, (%eax)
	movl %eax, 8(%eax)
	movl %eax, 0x12345678(%ecx)
	movl %eax, (%esp)
	movl %eax, 8(%esp)
	movl %eax, 0x1234(%esp)
	movl %eax, (%ebp)
	movl %eax, 0x1234(%ebp)
	movl %eax, (%eax,%ebx,4)
	movl %eax, 8(%ebp,%esi,8)
	movl %eax, 0x12345(%edi,%edx,2)
	movl %eax, 0x12345678(,%ecx,4)
	movl (%eax), %ebx
	movl 8(%eax), %ebx
	movl 0x12345678(%ecx), %ebx
	movl (%esp), %ebx
	movl 8(%esp), %ebx
	movl 0x1234(%esp), %ebx
	movl (%ebp), %ebx
	movl 0x1234(%ebp), %ebx
	movl (%eax,%ebx,4), %ebx
	movl 8(%ebp,%esi,8), %ebx
	movl 0x12345(%edi,%edx,2), %ebx
	movl 0x12345678(,%ecx,4), %ebx
	movl $0x12345678, (%eax)
	movl $0x12345678, 8(%eax)
	movl $0x12345678, 0x12345678(%ecx)
	movl $0x12345678, (%esp)
	movl $0x12345678, 8(%esp)
	movl $0x12345678, 0x1234(%esp)
	movl $0x12345678, (%ebp)
	movl $0x12345678, 0x1234(%ebp)
	movl $0x12345678, (%eax,%ebx,4)
	movl $0x12345678, 8(%ebp,%esi,8)
	movl $0x12345678, 0x12345(%edi,%edx,2)
	movl $0x12345678, 0x12345678(,%ecx,4)
	movw $0x1234, (%eax)
	movw $0x1234, 8(%eax)
	movw $0x1234, 0x12345678(%ecx)
	movw $0x1234, (%esp)
	movw $0x1234, 8(%esp)
	movw $0x1234, 0x1234(%esp)
	movw $0x1234, (%ebp)
	movw $0x1234, 0x1234(%ebp)
	movw $0x1234, (%eax,%ebx,4)
	movw $0x1234, 8(%ebp,%esi,8)
	movw $0x1234, 0x12345(%edi,%edx,2)
	movw $0x1234, 0x12345678(,%ecx,4)
	movb $1, (%eax)
	movb $1, 8(%eax)
	movb $1, 0x12345678(%ecx)
	movb $1, (%esp)
	movb $1, 8(%esp)
	movb $1, 0x1234(%esp)
	movb $1, (%ebp)
	movb $1, 0x1234(%ebp)
	movb $1, (%eax,%ebx,4)
	movb $1, 8(%ebp,%esi,8)
	movb $1, 0x12345(%edi,%edx,2)
	movb $1, 0x12345678(,%ecx,4)
	testl $0x12345678, (%eax)
	testl $0x12345678, 8(%eax)
	testl $0x12345678, 0x12345678(%ecx)
	testl $0x12345678, (%esp)
	testl $0x12345678, 8(%esp)
	testl $0x12345678, 0x1234(%esp)
	testl $0x12345678, (%ebp)
	testl $0x12345678, 0x1234(%ebp)
	testl $0x12345678, (%eax,%ebx,4)
	testl $0x12345678, 8(%ebp,%esi,8)
	testl $0x12345678, 0x12345(%edi,%edx,2)
	testl $0x12345678, 0x12345678(,%ecx,4)
	testw $0x1234, (%eax)
	testw $0x1234, 8(%eax)
	testw $0x1234, 0x12345678(%ecx)
	testw $0x1234, (%esp)
	testw $0x1234, 8(%esp)
	testw $0x1234, 0x1234(%esp)
	testw $0x1234, (%ebp)
	testw $0x1234, 0x1234(%ebp)
	testw $0x1234, (%eax,%ebx,4)
	testw $0x1234, 8(%ebp,%esi,8)
	testw $0x1234, 0x12345(%edi,%edx,2)
	testw $0x1234, 0x12345678(,%ecx,4)
	testb $1, (%eax)
	testb $1, 8(%eax)
	testb $1, 0x12345678(%ecx)
	testb $1, (%esp)
	testb $1, 8(%esp)
	testb $1, 0x1234(%esp)
	testb $1, (%ebp)
	testb $1, 0x1234(%ebp)
	testb $1, (%eax,%ebx,4)
	testb $1, 8(%ebp,%esi,8)
	testb $1, 0x12345(%edi,%edx,2)
	testb $1, 0x12345678(,%ecx,4)
	notl (%eax)
	notl 8(%eax)
	notl 0x12345678(%ecx)
	notl (%esp)
	notl 8(%esp)
	notl 0x1234(%esp)
	notl (%ebp)
	notl 0x1234(%ebp)
	notl (%eax,%ebx,4)
	notl 8(%ebp,%esi,8)
	notl 0x12345(%edi,%edx,2)
	notl 0x12345678(,%ecx,4)
	divl (%eax)
	divl 8(%eax)
	divl 0x12345678(%ecx)
	divl (%esp)
	divl 8(%esp)
	divl 0x1234(%esp)
	divl (%ebp)
	divl 0x1234(%ebp)
	divl (%eax,%ebx,4)
	divl 8(%ebp,%esi,8)
	divl 0x12345(%edi,%edx,2)
	divl 0x12345678(,%ecx,4)
	imull $0x12345, (%eax), %edx
	imull $0x12345, 8(%eax), %edx
	imull $0x12345, 0x12345678(%ecx), %edx
	imull $0x12345, (%esp), %edx
	imull $0x12345, 8(%esp), %edx
	imull $0x12345, 0x1234(%esp), %edx
	imull $0x12345, (%ebp), %edx
	imull $0x12345, 0x1234(%ebp), %edx
	imull $0x12345, (%eax,%ebx,4), %edx
	imull $0x12345, 8(%ebp,%esi,8), %edx
	imull $0x12345, 0x12345(%edi,%edx,2), %edx
	imull $0x12345, 0x12345678(,%ecx,4), %edx
	imull $3, (%eax), %edx
	imull $3, 8(%eax), %edx
	imull $3, 0x12345678(%ecx), %edx
	imull $3, (%esp), %edx
	imull $3, 8(%esp), %edx
	imull $3, 0x1234(%esp), %edx
	imull $3, (%ebp), %edx
	imull $3, 0x1234(%ebp), %edx
	imull $3, (%eax,%ebx,4), %edx
	imull $3, 8(%ebp,%esi,8), %edx
	imull $3, 0x12345(%edi,%edx,2), %edx
	imull $3, 0x12345678(,%ecx,4), %edx
	lea (%eax), %esi
	lea 8(%eax), %esi
	lea 0x12345678(%ecx), %esi
	lea (%esp), %esi
	lea 8(%esp), %esi
	lea 0x1234(%esp), %esi
	lea (%ebp), %esi
	lea 0x1234(%ebp), %esi
	lea (%eax,%ebx,4), %esi
	lea 8(%ebp,%esi,8), %esi
	lea 0x12345(%edi,%edx,2), %esi
	lea 0x12345678(,%ecx,4), %esi
	shll $3, (%eax)
	shll $3, 8(%eax)
	shll $3, 0x12345678(%ecx)
	shll $3, (%esp)
	shll $3, 8(%esp)
	shll $3, 0x1234(%esp)
	shll $3, (%ebp)
	shll $3, 0x1234(%ebp)
	shll $3, (%eax,%ebx,4)
	shll $3, 8(%ebp,%esi,8)
	shll $3, 0x12345(%edi,%edx,2)
	shll $3, 0x12345678(,%ecx,4)
	shll %cl, (%eax)
	shll %cl, 8(%eax)
	shll %cl, 0x12345678(%ecx)
	shll %cl, (%esp)
	shll %cl, 8(%esp)
	shll %cl, 0x1234(%esp)
	shll %cl, (%ebp)
	shll %cl, 0x1234(%ebp)
	shll %cl, (%eax,%ebx,4)
	shll %cl, 8(%ebp,%esi,8)
	shll %cl, 0x12345(%edi,%edx,2)
	shll %cl, 0x12345678(,%ecx,4)
	incl (%eax)
	incl 8(%eax)
	incl 0x12345678(%ecx)
	incl (%esp)
	incl 8(%esp)
	incl 0x1234(%esp)
	incl (%ebp)
	incl 0x1234(%ebp)
	incl (%eax,%ebx,4)
	incl 8(%ebp,%esi,8)
	incl 0x12345(%edi,%edx,2)
	incl 0x12345678(,%ecx,4)
	movzbl (%eax), %eax
	movzbl 8(%eax), %eax
	movzbl 0x12345678(%ecx), %eax
	movzbl (%esp), %eax
	movzbl 8(%esp), %eax
	movzbl 0x1234(%esp), %eax
	movzbl (%ebp), %eax
	movzbl 0x1234(%ebp), %eax
	movzbl (%eax,%ebx,4), %eax
	movzbl 8(%ebp,%esi,8), %eax
	movzbl 0x12345(%edi,%edx,2), %eax
	movzbl 0x12345678(,%ecx,4), %eax
	movups (%eax), %xmm4
	movups 8(%eax), %xmm4
	movups 0x12345678(%ecx), %xmm4
	movups (%esp), %xmm4
	movups 8(%esp), %xmm4
	movups 0x1234(%esp), %xmm4
	movups (%ebp), %xmm4
	movups 0x1234(%ebp), %xmm4
	movups (%eax,%ebx,4), %xmm4
	movups 8(%ebp,%esi,8), %xmm4
	movups 0x12345(%edi,%edx,2), %xmm4
	movups 0x12345678(,%ecx,4), %xmm4
	pshufd $7, (%eax), %xmm3
	pshufd $7, 8(%eax), %xmm3
	pshufd $7, 0x12345678(%ecx), %xmm3
	pshufd $7, (%esp), %xmm3
	pshufd $7, 8(%esp), %xmm3
	pshufd $7, 0x1234(%esp), %xmm3
	pshufd $7, (%ebp), %xmm3
	pshufd $7, 0x1234(%ebp), %xmm3
	pshufd $7, (%eax,%ebx,4), %xmm3
	pshufd $7, 8(%ebp,%esi,8), %xmm3
	pshufd $7, 0x12345(%edi,%edx,2), %xmm3
	pshufd $7, 0x12345678(,%ecx,4), %xmm3
	pshufb (%eax), %xmm5
	pshufb 8(%eax), %xmm5
	pshufb 0x12345678(%ecx), %xmm5
	pshufb (%esp), %xmm5
	pshufb 8(%esp), %xmm5
	pshufb 0x1234(%esp), %xmm5
	pshufb (%ebp), %xmm5
	pshufb 0x1234(%ebp), %xmm5
	pshufb (%eax,%ebx,4), %xmm5
	pshufb 8(%ebp,%esi,8), %xmm5
	pshufb 0x12345(%edi,%edx,2), %xmm5
	pshufb 0x12345678(,%ecx,4), %xmm5
	palignr $9, (%eax), %xmm5
	palignr $9, 8(%eax), %xmm5
	palignr $9, 0x12345678(%ecx), %xmm5
	palignr $9, (%esp), %xmm5
	palignr $9, 8(%esp), %xmm5
	palignr $9, 0x1234(%esp), %xmm5
	palignr $9, (%ebp), %xmm5
	palignr $9, 0x1234(%ebp), %xmm5
	palignr $9, (%eax,%ebx,4), %xmm5
	palignr $9, 8(%ebp,%esi,8), %xmm5
	palignr $9, 0x12345(%edi,%edx,2), %xmm5
	palignr $9, 0x12345678(,%ecx,4), %xmm5
	vmovups (%eax), %ymm4
	vmovups 8(%eax), %ymm4
	vmovups 0x12345678(%ecx), %ymm4
	vmovups (%esp), %ymm4
	vmovups 8(%esp), %ymm4
	vmovups 0x1234(%esp), %ymm4
	vmovups (%ebp), %ymm4
	vmovups 0x1234(%ebp), %ymm4
	vmovups (%eax,%ebx,4), %ymm4
	vmovups 8(%ebp,%esi,8), %ymm4
	vmovups 0x12345(%edi,%edx,2), %ymm4
	vmovups 0x12345678(,%ecx,4), %ymm4
	vpshufd $7, (%eax), %ymm3
	vpshufd $7, 8(%eax), %ymm3
	vpshufd $7, 0x12345678(%ecx), %ymm3
	vpshufd $7, (%esp), %ymm3
	vpshufd $7, 8(%esp), %ymm3
	vpshufd $7, 0x1234(%esp), %ymm3
	vpshufd $7, (%ebp), %ymm3
	vpshufd $7, 0x1234(%ebp), %ymm3
	vpshufd $7, (%eax,%ebx,4), %ymm3
	vpshufd $7, 8(%ebp,%esi,8), %ymm3
	vpshufd $7, 0x12345(%edi,%edx,2), %ymm3
	vpshufd $7, 0x12345678(,%ecx,4), %ymm3
	vpshufb (%eax), %ymm2, %ymm5
	vpshufb 8(%eax), %ymm2, %ymm5
	vpshufb 0x12345678(%ecx), %ymm2, %ymm5
	vpshufb (%esp), %ymm2, %ymm5
	vpshufb 8(%esp), %ymm2, %ymm5
	vpshufb 0x1234(%esp), %ymm2, %ymm5
	vpshufb (%ebp), %ymm2, %ymm5
	vpshufb 0x1234(%ebp), %ymm2, %ymm5
	vpshufb (%eax,%ebx,4), %ymm2, %ymm5
	vpshufb 8(%ebp,%esi,8), %ymm2, %ymm5
	vpshufb 0x12345(%edi,%edx,2), %ymm2, %ymm5
	vpshufb 0x12345678(,%ecx,4), %ymm2, %ymm5
	vpalignr $9, (%eax), %ymm2, %ymm5
	vpalignr $9, 8(%eax), %ymm2, %ymm5
	vpalignr $9, 0x12345678(%ecx), %ymm2, %ymm5
	vpalignr $9, (%esp), %ymm2, %ymm5
	vpalignr $9, 8(%esp), %ymm2, %ymm5
	vpalignr $9, 0x1234(%esp), %ymm2, %ymm5
	vpalignr $9, (%ebp), %ymm2, %ymm5
	vpalignr $9, 0x1234(%ebp), %ymm2, %ymm5
	vpalignr $9, (%eax,%ebx,4), %ymm2, %ymm5
	vpalignr $9, 8(%ebp,%esi,8), %ymm2, %ymm5
	vpalignr $9, 0x12345(%edi,%edx,2), %ymm2, %ymm5
	vpalignr $9, 0x12345678(,%ecx,4), %ymm2, %ymm5
	fldl (%eax)
	fldl 8(%eax)
	fldl 0x12345678(%ecx)
	fldl (%esp)
	fldl 8(%esp)
	fldl 0x1234(%esp)
	fldl (%ebp)
	fldl 0x1234(%ebp)
	fldl (%eax,%ebx,4)
	fldl 8(%ebp,%esi,8)
	fldl 0x12345(%edi,%edx,2)
	fldl 0x12345678(,%ecx,4)
	cmpxchgl %ecx, (%eax)
	cmpxchgl %ecx, 8(%eax)
	cmpxchgl %ecx, 0x12345678(%ecx)
	cmpxchgl %ecx, (%esp)
	cmpxchgl %ecx, 8(%esp)
	cmpxchgl %ecx, 0x1234(%esp)
	cmpxchgl %ecx, (%ebp)
	cmpxchgl %ecx, 0x1234(%ebp)
	cmpxchgl %ecx, (%eax,%ebx,4)
	cmpxchgl %ecx, 8(%ebp,%esi,8)
	cmpxchgl %ecx, 0x12345(%edi,%edx,2)
	cmpxchgl %ecx, 0x12345678(,%ecx,4)
	shldl $5, %eax, (%eax)
	shldl $5, %eax, 8(%eax)
	shldl $5, %eax, 0x12345678(%ecx)
	shldl $5, %eax, (%esp)
	shldl $5, %eax, 8(%esp)
	shldl $5, %eax, 0x1234(%esp)
	shldl $5, %eax, (%ebp)
	shldl $5, %eax, 0x1234(%ebp)
	shldl $5, %eax, (%eax,%ebx,4)
	shldl $5, %eax, 8(%ebp,%esi,8)
	shldl $5, %eax, 0x12345(%edi,%edx,2)
	shldl $5, %eax, 0x12345678(,%ecx,4)
	btl $4, (%eax)
	btl $4, 8(%eax)
	btl $4, 0x12345678(%ecx)
	btl $4, (%esp)
	btl $4, 8(%esp)
	btl $4, 0x1234(%esp)
	btl $4, (%ebp)
	btl $4, 0x1234(%ebp)
	btl $4, (%eax,%ebx,4)
	btl $4, 8(%ebp,%esi,8)
	btl $4, 0x12345(%edi,%edx,2)
	btl $4, 0x12345678(,%ecx,4)
	vmovdqu32 (%eax), %zmm1
	vmovdqu32 8(%eax), %zmm1
	vmovdqu32 0x12345678(%ecx), %zmm1
	vmovdqu32 (%esp), %zmm1
	vmovdqu32 8(%esp), %zmm1
	vmovdqu32 0x1234(%esp), %zmm1
	vmovdqu32 (%ebp), %zmm1
	vmovdqu32 0x1234(%ebp), %zmm1
	vmovdqu32 (%eax,%ebx,4), %zmm1
	vmovdqu32 8(%ebp,%esi,8), %zmm1
	vmovdqu32 0x12345(%edi,%edx,2), %zmm1
	vmovdqu32 0x12345678(,%ecx,4), %zmm1
	vpternlogd $3, (%eax), %zmm2, %zmm1
	vpternlogd $3, 8(%eax), %zmm2, %zmm1
	vpternlogd $3, 0x12345678(%ecx), %zmm2, %zmm1
	vpternlogd $3, (%esp), %zmm2, %zmm1
	vpternlogd $3, 8(%esp), %zmm2, %zmm1
	vpternlogd $3, 0x1234(%esp), %zmm2, %zmm1
	vpternlogd $3, (%ebp), %zmm2, %zmm1
	vpternlogd $3, 0x1234(%ebp), %zmm2, %zmm1
	vpternlogd $3, (%eax,%ebx,4), %zmm2, %zmm1
	vpternlogd $3, 8(%ebp,%esi,8), %zmm2, %zmm1
	vpternlogd $3, 0x12345(%edi,%edx,2), %zmm2, %zmm1
	vpternlogd $3, 0x12345678(,%ecx,4), %zmm2, %zmm1
	movbe (%eax), %eax
	movbe 8(%eax), %eax
	movbe 0x12345678(%ecx), %eax
	movbe (%esp), %eax
	movbe 8(%esp), %eax
	movbe 0x1234(%esp), %eax
	movbe (%ebp), %eax
	movbe 0x1234(%ebp), %eax
	movbe (%eax,%ebx,4), %eax
	movbe 8(%ebp,%esi,8), %eax
	movbe 0x12345(%edi,%edx,2), %eax
	movbe 0x12345678(,%ecx,4), %eax
	rorxl $3, (%eax), %eax
	rorxl $3, 8(%eax), %eax
	rorxl $3, 0x12345678(%ecx), %eax
	rorxl $3, (%esp), %eax
	rorxl $3, 8(%esp), %eax
	rorxl $3, 0x1234(%esp), %eax
	rorxl $3, (%ebp), %eax
	rorxl $3, 0x1234(%ebp), %eax
	rorxl $3, (%eax,%ebx,4), %eax
	rorxl $3, 8(%ebp,%esi,8), %eax
	rorxl $3, 0x12345(%edi,%edx,2), %eax
	rorxl $3, 0x12345678(,%ecx,4), %eax
	andnl (%eax), %eax, %ecx
	andnl 8(%eax), %eax, %ecx
	andnl 0x12345678(%ecx), %eax, %ecx
	andnl (%esp), %eax, %ecx
	andnl 8(%esp), %eax, %ecx
	andnl 0x1234(%esp), %eax, %ecx
	andnl (%ebp), %eax, %ecx
	andnl 0x1234(%ebp), %eax, %ecx
	andnl (%eax,%ebx,4), %eax, %ecx
	andnl 8(%ebp,%esi,8), %eax, %ecx
	andnl 0x12345(%edi,%edx,2), %eax, %ecx
	andnl 0x12345678(,%ecx,4), %eax, %ecx
	push $1
	push $0x12345678
	pushw $0x1234
	call .+0x100
	jmp .+4
	jmp .+0x1000
	jne .+4
	jne .+0x1000
	loop .
	ret
	ret $8
	leave
	enter $16, $1
	int3
	int $0x80
	nop
	pause
	nopw 0x0(%eax,%eax,1)
	nopl 0x0(%eax)
	ud2
	hlt
	cpuid
	rdtsc
	syscall
	sysenter
	mov $0x12345678, %eax
	mov $0x1234, %ax
	mov $1, %al
	xchg %eax, %ebx
	cwtl
	cltd
	movsl
	rep movsb
	repne scasb
	lodsl (%esi)
	lock incl (%eax)
	movl %fs:0x14, %eax
	movl %gs:(%ecx), %eax
	addl $0x12345678, %eax
	addw $0x1234, %ax
	addb $1, %al
	testl $0x12345678, %eax
	testb $1, %al
	in $1, %al
	out %al, %dx
	bswap %ecx
	cmovne %eax, %ebx
	sete %al
	popcnt %eax, %ebx
	bsf %eax, %ecx
	movd %eax, %xmm0
	movd %xmm0, %eax
	pextrw $3, %xmm1, %eax
	pinsrw $3, %eax, %xmm1
	pmovmskb %xmm1, %eax
	psllw $3, %xmm1
	emms
	vzeroupper
	vpsllw $3, %ymm1, %ymm2
	vcmpps $1, %ymm1, %ymm2, %ymm3
	kmovw %k1, %eax
	xgetbv
	mfence
	sfence
	prefetcht0 (%eax)
	aesenc %xmm1, %xmm2
	pclmulqdq $1, %xmm1, %xmm2
	sha1rnds4 $1, %xmm1, %xmm2
	crc32l %eax, %ecx
	mulx %eax, %ebx, %ecx
	blsr %eax, %ecx
	shlx %eax, %ebx, %ecx
	fldz
	fxch
	xlat
	cmc
	std
	rdrand %eax
	xadd %eax, (%ecx)
	cmpxchg8b (%esi)
	inc %eax
	dec %edi
	endbr64
	endbr32
	bnd jmp .+4
	.if BITS == 64
	call *%rax
	movabs $0x123456789abcdef0, %rax
	mov $0x12345678, %rax
	movabs 0x123456789abcdef0, %al
	push %r12
	pop %r13
	mov %r8, 8(%rsp)
	mov %r12, 0x10(%r12)
	mov %r13, (%r13)
	lea 0x1234(%rip), %rax
	movsxd %eax, %rcx
	addq $1, 0x1234(%rip)
	movl $0x12345678, 0x1234(%rip)
	cqto
	cmpxchg16b (%rsi)
	vmovups 0x40(%r14), %zmm17
	push %rbx
	notrack jmp *%rax
	.else
	call *%eax
	jmp *%eax
	arpl %ax, %bx
	bound %eax, (%ecx)
	aaa
	aas
	daa
	aam
	aad
	into
	pusha
	popa
	push %es
	pop %ds
	lcall $7, $0x12345678
	ljmp $7, $0x12345678
	les (%eax), %ecx
	lds (%eax), %ecx
	push %ebx
	notrack jmp *%eax
	.endif
