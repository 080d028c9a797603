	.syntax	unified
	.eabi_attribute	67, "2.09"	@ Tag_conformance
	.cpu	cortex-m3
	.eabi_attribute	6, 10	@ Tag_CPU_arch
	.eabi_attribute	7, 77	@ Tag_CPU_arch_profile
	.eabi_attribute	8, 0	@ Tag_ARM_ISA_use
	.eabi_attribute	9, 2	@ Tag_THUMB_ISA_use
	.eabi_attribute	34, 1	@ Tag_CPU_unaligned_access
	.eabi_attribute	17, 1	@ Tag_ABI_PCS_GOT_use
	.eabi_attribute	20, 1	@ Tag_ABI_FP_denormal
	.eabi_attribute	21, 0	@ Tag_ABI_FP_exceptions
	.eabi_attribute	23, 3	@ Tag_ABI_FP_number_model
	.eabi_attribute	24, 1	@ Tag_ABI_align_needed
	.eabi_attribute	25, 1	@ Tag_ABI_align_preserved
	.eabi_attribute	38, 1	@ Tag_ABI_FP_16bit_format
	.eabi_attribute	18, 4	@ Tag_ABI_PCS_wchar_t
	.eabi_attribute	26, 2	@ Tag_ABI_enum_size
	.eabi_attribute	14, 0	@ Tag_ABI_PCS_R9_use
	.file	"lines.c"
	.section	.text.hot.,"ax",%progbits
	.globl	work                            @ -- Begin function work
	.p2align	1
	.type	work,%function
	.code	16
	.thumb_func
work:                                   @ @work
.Lfunc_begin0:
	.file	0 "/work/wt/k45" "tests/bench/loads/lines.c" md5 0x154bcca6bddae7639b0569d5f66aa2fa
	.loc	0 59 0                          @ tests/bench/loads/lines.c:59:0
	.fnstart
	.cfi_sections .debug_frame
	.cfi_startproc
@ %bb.0:
	.save	{r4, r5, r6, lr}
	push	{r4, r5, r6, lr}
	.cfi_def_cfa_offset 16
	.cfi_offset lr, -4
	.cfi_offset r6, -8
	.cfi_offset r5, -12
	.cfi_offset r4, -16
	.pseudoprobe	9204417991963109735 1 0 0 work
	.pseudoprobe	9204417991963109735 2 0 0 work
	movw	r5, :lower16:sum
	movs	r4, #0
	movt	r5, :upper16:sum
	.loc	0 0 0 is_stmt 0                 @ :0:0
.Ltmp0:
	.p2align	2
.LBB0_1:                                @ =>This Inner Loop Header: Depth=1
	.pseudoprobe	9204417991963109735 4 0 0 work
	.pseudoprobe	9204417991963109735 10 0 0 work
	.pseudoprobe	9204417991963109735 2 0 0 work
.Ltmp1:
	.loc	0 61 12 prologue_end is_stmt 1 discriminator 455082031 @ tests/bench/loads/lines.c:61:12
	mov	r0, r4
	bl	_ZL5twicej.__uniq.154833123415858183758428207820722058911
.Ltmp2:
	.loc	0 61 9                          @ tests/bench/loads/lines.c:61:9
	ldr	r1, [r5]
	add	r0, r1
	str	r0, [r5]
	.loc	0 62 12 discriminator 455082039 @ tests/bench/loads/lines.c:62:12
	mov	r0, r4
	bl	_ZL6choosej.__uniq.154833123415858183758428207820722058911
.Ltmp3:
	.loc	0 62 9                          @ tests/bench/loads/lines.c:62:9
	ldr	r1, [r5]
	add	r0, r1
	str	r0, [r5]
	.loc	0 63 12 discriminator 455082047 @ tests/bench/loads/lines.c:63:12
	mov	r0, r4
	bl	_ZL7checkedj.__uniq.154833123415858183758428207820722058911
.Ltmp4:
	.loc	0 63 9                          @ tests/bench/loads/lines.c:63:9
	ldr	r1, [r5]
	adds	r6, r1, r0
	str	r6, [r5]
	.loc	0 64 12 discriminator 455082055 @ tests/bench/loads/lines.c:64:12
	bl	_ZL5totalj.__uniq.154833123415858183758428207820722058911
.Ltmp5:
	.loc	0 64 9                          @ tests/bench/loads/lines.c:64:9
	add	r0, r6
	str	r0, [r5]
	.loc	0 65 12 discriminator 455082063 @ tests/bench/loads/lines.c:65:12
	bl	_ZL6spreadj.__uniq.154833123415858183758428207820722058911
.Ltmp6:
	.loc	0 65 9 is_stmt 0                @ tests/bench/loads/lines.c:65:9
	ldr	r1, [r5]
	.loc	0 60 41 is_stmt 1               @ tests/bench/loads/lines.c:60:41
	adds	r4, #1
	.loc	0 65 9 is_stmt 0                @ tests/bench/loads/lines.c:65:9
	add	r0, r1
	.loc	0 60 3 is_stmt 1                @ tests/bench/loads/lines.c:60:3
	cmp	r4, #240
	.loc	0 65 9                          @ tests/bench/loads/lines.c:65:9
	str	r0, [r5]
	.loc	0 60 3                          @ tests/bench/loads/lines.c:60:3
	bne	.LBB0_1
@ %bb.2:
	.pseudoprobe	9204417991963109735 3 0 0 work
	.pseudoprobe	9204417991963109735 11 0 0 work
	.loc	0 67 1 epilogue_begin           @ tests/bench/loads/lines.c:67:1
	pop	{r4, r5, r6, pc}
.Ltmp7:
.Lfunc_end0:
	.size	work, .Lfunc_end0-work
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL5twicej.__uniq.154833123415858183758428207820722058911
	.type	_ZL5twicej.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL5twicej.__uniq.154833123415858183758428207820722058911: @ @_ZL5twicej.__uniq.154833123415858183758428207820722058911
.Lfunc_begin1:
	.loc	0 26 0                          @ tests/bench/loads/lines.c:26:0
	.fnstart
	.cfi_startproc
@ %bb.0:
	.save	{r7, lr}
	push	{r7, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset lr, -4
	.cfi_offset r7, -8
	.pseudoprobe	9743618507933893886 1 0 0 _ZL5twicej.__uniq.154833123415858183758428207820722058911
.Ltmp8:
	.loc	0 26 57 prologue_end discriminator 455082007 @ tests/bench/loads/lines.c:26:57
	bl	_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Ltmp9:
	.loc	0 26 51 discriminator 455082015 @ tests/bench/loads/lines.c:26:51
	bl	_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Ltmp10:
	.loc	0 26 67                         @ tests/bench/loads/lines.c:26:67
	adds	r0, #1
	.loc	0 26 44 epilogue_begin is_stmt 0 @ tests/bench/loads/lines.c:26:44
	pop	{r7, pc}
.Ltmp11:
.Lfunc_end1:
	.size	_ZL5twicej.__uniq.154833123415858183758428207820722058911, .Lfunc_end1-_ZL5twicej.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL6choosej.__uniq.154833123415858183758428207820722058911
	.type	_ZL6choosej.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL6choosej.__uniq.154833123415858183758428207820722058911: @ @_ZL6choosej.__uniq.154833123415858183758428207820722058911
.Lfunc_begin2:
	.loc	0 28 0 is_stmt 1                @ tests/bench/loads/lines.c:28:0
	.fnstart
	.cfi_startproc
@ %bb.0:
	.save	{r7, lr}
	push	{r7, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset lr, -4
	.cfi_offset r7, -8
	.pseudoprobe	14962799244973485387 1 0 0 _ZL6choosej.__uniq.154833123415858183758428207820722058911
.Ltmp12:
	.loc	0 29 9 prologue_end             @ tests/bench/loads/lines.c:29:9
	lsls	r1, r0, #29
	beq	.LBB2_3
@ %bb.1:
	.pseudoprobe	14962799244973485387 2 0 0 _ZL6choosej.__uniq.154833123415858183758428207820722058911
	.loc	0 30 9 discriminator 455082015  @ tests/bench/loads/lines.c:30:9
	bl	_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Ltmp13:
.LBB2_2:
	.pseudoprobe	14962799244973485387 6 0 0 _ZL6choosej.__uniq.154833123415858183758428207820722058911
	.loc	0 33 12                         @ tests/bench/loads/lines.c:33:12
	adds	r0, #1
	.loc	0 33 3 epilogue_begin is_stmt 0 @ tests/bench/loads/lines.c:33:3
	pop	{r7, pc}
.LBB2_3:
	.pseudoprobe	14962799244973485387 4 0 0 _ZL6choosej.__uniq.154833123415858183758428207820722058911
	.loc	0 32 9 is_stmt 1 discriminator 455082031 @ tests/bench/loads/lines.c:32:9
	bl	_ZL4leafj.__uniq.154833123415858183758428207820722058911
.Ltmp14:
	.loc	0 0 9 is_stmt 0                 @ tests/bench/loads/lines.c:0:9
	b	.LBB2_2
.Ltmp15:
.Lfunc_end2:
	.size	_ZL6choosej.__uniq.154833123415858183758428207820722058911, .Lfunc_end2-_ZL6choosej.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL7checkedj.__uniq.154833123415858183758428207820722058911
	.type	_ZL7checkedj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL7checkedj.__uniq.154833123415858183758428207820722058911: @ @_ZL7checkedj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin3:
	.loc	0 36 0 is_stmt 1                @ tests/bench/loads/lines.c:36:0
	.fnstart
	.cfi_startproc
@ %bb.0:
	.save	{r7, lr}
	push	{r7, lr}
	.cfi_def_cfa_offset 8
	.cfi_offset lr, -4
	.cfi_offset r7, -8
	.pseudoprobe	10775754965885002112 1 0 0 _ZL7checkedj.__uniq.154833123415858183758428207820722058911
.Ltmp16:
	.loc	0 37 7 prologue_end             @ tests/bench/loads/lines.c:37:7
	movw	r1, :lower16:sum
	movt	r1, :upper16:sum
	ldr	r1, [r1]
	.loc	0 37 11 is_stmt 0               @ tests/bench/loads/lines.c:37:11
	cbz	r1, .LBB3_2
.LBB3_1:
	.pseudoprobe	10775754965885002112 4 0 0 _ZL7checkedj.__uniq.154833123415858183758428207820722058911
	.loc	0 39 10 is_stmt 1 discriminator 455082031 @ tests/bench/loads/lines.c:39:10
	bl	_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Ltmp17:
	.loc	0 39 19                         @ tests/bench/loads/lines.c:39:19
	adds	r0, #1
	.loc	0 39 3 epilogue_begin is_stmt 0 @ tests/bench/loads/lines.c:39:3
	pop	{r7, pc}
.LBB3_2:
	.pseudoprobe	10775754965885002112 2 0 0 _ZL7checkedj.__uniq.154833123415858183758428207820722058911
	.loc	0 38 9 is_stmt 1 discriminator 455082015 @ tests/bench/loads/lines.c:38:9
	bl	_ZL5neverj.__uniq.154833123415858183758428207820722058911
.Ltmp18:
	.loc	0 0 9 is_stmt 0                 @ tests/bench/loads/lines.c:0:9
	b	.LBB3_1
.Ltmp19:
.Lfunc_end3:
	.size	_ZL7checkedj.__uniq.154833123415858183758428207820722058911, .Lfunc_end3-_ZL7checkedj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.type	_ZL5totalj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL5totalj.__uniq.154833123415858183758428207820722058911: @ @_ZL5totalj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin4:
	.loc	0 42 0 is_stmt 1                @ tests/bench/loads/lines.c:42:0
	.fnstart
	.cfi_startproc
@ %bb.0:
	.save	{r4, r5, r7, lr}
	push	{r4, r5, r7, lr}
	.cfi_def_cfa_offset 16
	.cfi_offset lr, -4
	.cfi_offset r7, -8
	.cfi_offset r5, -12
	.cfi_offset r4, -16
	.pseudoprobe	15130408620484267833 1 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	15130408620484267833 2 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	movs	r4, #1
	movs	r5, #0
	.loc	0 0 0 is_stmt 0                 @ :0:0
.Ltmp20:
	.p2align	2
.LBB4_1:                                @ =>This Inner Loop Header: Depth=1
	.pseudoprobe	15130408620484267833 4 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
.Ltmp21:
	.loc	0 45 15 prologue_end is_stmt 1  @ tests/bench/loads/lines.c:45:15
	rsb	r0, r4, r4, lsl #5
	.loc	0 45 20 is_stmt 0               @ tests/bench/loads/lines.c:45:20
	adds	r4, r0, r5
	.loc	0 46 18 is_stmt 1               @ tests/bench/loads/lines.c:46:18
	lsls	r0, r4, #26
	beq	.LBB4_3
.LBB4_2:                                @   in Loop: Header=BB4_1 Depth=1
	.pseudoprobe	15130408620484267833 7 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	15130408620484267833 8 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	15130408620484267833 2 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.loc	0 44 32                         @ tests/bench/loads/lines.c:44:32
	adds	r5, #1
	.loc	0 44 3                          @ tests/bench/loads/lines.c:44:3
	cmp	r5, #60
	bne	.LBB4_1
	b	.LBB4_4
.LBB4_3:                                @   in Loop: Header=BB4_1 Depth=1
	.pseudoprobe	15130408620484267833 5 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.loc	0 47 14 discriminator 455082039 @ tests/bench/loads/lines.c:47:14
	mov	r0, r5
	bl	_ZL4leafj.__uniq.154833123415858183758428207820722058911
.Ltmp22:
	.loc	0 47 11                         @ tests/bench/loads/lines.c:47:11
	add	r4, r0
	b	.LBB4_2
.LBB4_4:
	.pseudoprobe	15130408620484267833 3 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	15130408620484267833 9 0 0 _ZL5totalj.__uniq.154833123415858183758428207820722058911
	.loc	0 49 3                          @ tests/bench/loads/lines.c:49:3
	mov	r0, r4
	.loc	0 49 3 epilogue_begin is_stmt 0 @ tests/bench/loads/lines.c:49:3
	pop	{r4, r5, r7, pc}
.Ltmp23:
.Lfunc_end4:
	.size	_ZL5totalj.__uniq.154833123415858183758428207820722058911, .Lfunc_end4-_ZL5totalj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.type	_ZL6spreadj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL6spreadj.__uniq.154833123415858183758428207820722058911: @ @_ZL6spreadj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin5:
	.loc	0 52 0 is_stmt 1                @ tests/bench/loads/lines.c:52:0
	.fnstart
	.cfi_startproc
@ %bb.0:
	.save	{r4, r5, r7, lr}
	push	{r4, r5, r7, lr}
	.cfi_def_cfa_offset 16
	.cfi_offset lr, -4
	.cfi_offset r7, -8
	.cfi_offset r5, -12
	.cfi_offset r4, -16
	.pseudoprobe	13457019514112677266 1 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	13457019514112677266 2 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	movs	r4, #0
	movs	r5, #0
.LBB5_1:                                @ =>This Inner Loop Header: Depth=1
	.pseudoprobe	13457019514112677266 4 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	13457019514112677266 6 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	13457019514112677266 2 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
.Ltmp24:
	.loc	0 55 12 prologue_end discriminator 455082031 @ tests/bench/loads/lines.c:55:12
	mov	r0, r4
	bl	_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Ltmp25:
	.loc	0 54 32                         @ tests/bench/loads/lines.c:54:32
	adds	r4, #1
	.loc	0 54 3                          @ tests/bench/loads/lines.c:54:3
	cmp	r4, #3
	.loc	0 55 9                          @ tests/bench/loads/lines.c:55:9
	add	r5, r0
	.loc	0 54 3                          @ tests/bench/loads/lines.c:54:3
	bne	.LBB5_1
@ %bb.2:
	.pseudoprobe	13457019514112677266 3 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.pseudoprobe	13457019514112677266 7 0 0 _ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.loc	0 56 3                          @ tests/bench/loads/lines.c:56:3
	mov	r0, r5
	.loc	0 56 3 epilogue_begin is_stmt 0 @ tests/bench/loads/lines.c:56:3
	pop	{r4, r5, r7, pc}
.Ltmp26:
.Lfunc_end5:
	.size	_ZL6spreadj.__uniq.154833123415858183758428207820722058911, .Lfunc_end5-_ZL6spreadj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.text
	.globl	work_result                     @ -- Begin function work_result
	.p2align	1
	.type	work_result,%function
	.code	16
	.thumb_func
work_result:                            @ @work_result
.Lfunc_begin6:
	.fnstart
	.cfi_startproc
@ %bb.0:
	.pseudoprobe	15964892155906098261 1 0 0 work_result
	.loc	0 69 37 prologue_end is_stmt 1  @ tests/bench/loads/lines.c:69:37
	movw	r0, :lower16:sum
	movt	r0, :upper16:sum
	ldr	r0, [r0]
	.loc	0 69 30 is_stmt 0               @ tests/bench/loads/lines.c:69:30
	bx	lr
.Ltmp27:
.Lfunc_end6:
	.size	work_result, .Lfunc_end6-work_result
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.section	.text.hot.,"ax",%progbits
	.p2align	1                               @ -- Begin function _ZL5otherj.__uniq.154833123415858183758428207820722058911
	.type	_ZL5otherj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL5otherj.__uniq.154833123415858183758428207820722058911: @ @_ZL5otherj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin7:
	.fnstart
	.cfi_startproc
@ %bb.0:
	.pseudoprobe	8454544422269965072 1 0 0 _ZL5otherj.__uniq.154833123415858183758428207820722058911
	.loc	0 24 56 prologue_end is_stmt 1  @ tests/bench/loads/lines.c:24:56
	movw	r1, :lower16:sum
	movt	r1, :upper16:sum
	ldr	r2, [r1]
	eors	r2, r0
	.loc	0 24 62 is_stmt 0               @ tests/bench/loads/lines.c:24:62
	adds	r0, r2, #7
	.loc	0 24 56 is_stmt 1               @ tests/bench/loads/lines.c:24:56
	str	r2, [r1]
	.loc	0 24 44                         @ tests/bench/loads/lines.c:24:44
	bx	lr
.Ltmp28:
.Lfunc_end7:
	.size	_ZL5otherj.__uniq.154833123415858183758428207820722058911, .Lfunc_end7-_ZL5otherj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.p2align	1                               @ -- Begin function _ZL4leafj.__uniq.154833123415858183758428207820722058911
	.type	_ZL4leafj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL4leafj.__uniq.154833123415858183758428207820722058911: @ @_ZL4leafj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin8:
	.fnstart
	.cfi_startproc
@ %bb.0:
	.pseudoprobe	9050144416422367425 1 0 0 _ZL4leafj.__uniq.154833123415858183758428207820722058911
	.loc	0 23 64 prologue_end            @ tests/bench/loads/lines.c:23:64
	movw	r1, :lower16:sum
	movt	r1, :upper16:sum
	ldr	r1, [r1]
	movw	r2, #26125
	movt	r2, #25
	.loc	0 23 62 is_stmt 0               @ tests/bench/loads/lines.c:23:62
	mla	r0, r0, r2, r1
	.loc	0 23 43                         @ tests/bench/loads/lines.c:23:43
	bx	lr
.Ltmp29:
.Lfunc_end8:
	.size	_ZL4leafj.__uniq.154833123415858183758428207820722058911, .Lfunc_end8-_ZL4leafj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.text
	.p2align	1                               @ -- Begin function _ZL5neverj.__uniq.154833123415858183758428207820722058911
	.type	_ZL5neverj.__uniq.154833123415858183758428207820722058911,%function
	.code	16
	.thumb_func
_ZL5neverj.__uniq.154833123415858183758428207820722058911: @ @_ZL5neverj.__uniq.154833123415858183758428207820722058911
.Lfunc_begin9:
	.fnstart
	.cfi_startproc
@ %bb.0:
	.pseudoprobe	9875035921431845922 1 0 0 _ZL5neverj.__uniq.154833123415858183758428207820722058911
	.loc	0 25 60 prologue_end is_stmt 1  @ tests/bench/loads/lines.c:25:60
	movw	r1, :lower16:sum
	movt	r1, :upper16:sum
	ldr	r2, [r1]
	add	r2, r0
	.loc	0 25 53 is_stmt 0               @ tests/bench/loads/lines.c:25:53
	eors	r0, r2
	.loc	0 25 60 is_stmt 1               @ tests/bench/loads/lines.c:25:60
	str	r2, [r1]
	.loc	0 25 44                         @ tests/bench/loads/lines.c:25:44
	bx	lr
.Ltmp30:
.Lfunc_end9:
	.size	_ZL5neverj.__uniq.154833123415858183758428207820722058911, .Lfunc_end9-_ZL5neverj.__uniq.154833123415858183758428207820722058911
	.cfi_endproc
	.cantunwind
	.fnend
                                        @ -- End function
	.type	sum,%object                     @ @sum
	.data
	.p2align	2, 0x0
sum:
	.long	1                               @ 0x1
	.size	sum, 4

	.section	.pseudo_probe_desc,"",%progbits
	.long	2267867495
	.long	2143070565
	.long	2826688054
	.long	327704
	.byte	4
	.ascii	"work"
	.long	3092399358
	.long	2268612968
	.long	4294967295
	.long	131072
	.byte	57
	.ascii	"_ZL5twicej.__uniq.154833123415858183758428207820722058911"
	.long	304131403
	.long	3483798179
	.long	1961295085
	.long	131088
	.byte	58
	.ascii	"_ZL6choosej.__uniq.154833123415858183758428207820722058911"
	.long	2419728768
	.long	2508925964
	.long	1664695970
	.long	131084
	.byte	59
	.ascii	"_ZL7checkedj.__uniq.154833123415858183758428207820722058911"
	.long	3665366841
	.long	3522822777
	.long	2678240270
	.long	65572
	.byte	57
	.ascii	"_ZL5totalj.__uniq.154833123415858183758428207820722058911"
	.long	573543826
	.long	3133206515
	.long	4208889592
	.long	65560
	.byte	58
	.ascii	"_ZL6spreadj.__uniq.154833123415858183758428207820722058911"
	.long	2251555925
	.long	3717116116
	.long	4294967295
	.long	0
	.byte	11
	.ascii	"work_result"
	.long	2737394448
	.long	1968477019
	.long	4294967295
	.long	0
	.byte	57
	.ascii	"_ZL5otherj.__uniq.154833123415858183758428207820722058911"
	.long	2732003521
	.long	2107150949
	.long	4294967295
	.long	0
	.byte	56
	.ascii	"_ZL4leafj.__uniq.154833123415858183758428207820722058911"
	.long	2972376098
	.long	2299210969
	.long	4294967295
	.long	0
	.byte	57
	.ascii	"_ZL5neverj.__uniq.154833123415858183758428207820722058911"
	.cg_profile work, _ZL5twicej.__uniq.154833123415858183758428207820722058911, 8333
	.cg_profile work, _ZL6choosej.__uniq.154833123415858183758428207820722058911, 8333
	.cg_profile work, _ZL7checkedj.__uniq.154833123415858183758428207820722058911, 8333
	.cg_profile work, _ZL5totalj.__uniq.154833123415858183758428207820722058911, 8333
	.cg_profile work, _ZL6spreadj.__uniq.154833123415858183758428207820722058911, 8333
	.cg_profile _ZL5twicej.__uniq.154833123415858183758428207820722058911, _ZL5otherj.__uniq.154833123415858183758428207820722058911, 18572
	.cg_profile _ZL6choosej.__uniq.154833123415858183758428207820722058911, _ZL5otherj.__uniq.154833123415858183758428207820722058911, 5215
	.cg_profile _ZL6choosej.__uniq.154833123415858183758428207820722058911, _ZL4leafj.__uniq.154833123415858183758428207820722058911, 785
	.cg_profile _ZL7checkedj.__uniq.154833123415858183758428207820722058911, _ZL5otherj.__uniq.154833123415858183758428207820722058911, 6400
	.cg_profile _ZL5totalj.__uniq.154833123415858183758428207820722058911, _ZL4leafj.__uniq.154833123415858183758428207820722058911, 14143
	.cg_profile _ZL6spreadj.__uniq.154833123415858183758428207820722058911, _ZL5otherj.__uniq.154833123415858183758428207820722058911, 21833
	.section	.debug_abbrev,"",%progbits
	.byte	1                               @ Abbreviation Code
	.byte	17                              @ DW_TAG_compile_unit
	.byte	0                               @ DW_CHILDREN_no
	.byte	37                              @ DW_AT_producer
	.byte	37                              @ DW_FORM_strx1
	.byte	19                              @ DW_AT_language
	.byte	5                               @ DW_FORM_data2
	.byte	3                               @ DW_AT_name
	.byte	37                              @ DW_FORM_strx1
	.byte	114                             @ DW_AT_str_offsets_base
	.byte	23                              @ DW_FORM_sec_offset
	.byte	16                              @ DW_AT_stmt_list
	.byte	23                              @ DW_FORM_sec_offset
	.byte	27                              @ DW_AT_comp_dir
	.byte	37                              @ DW_FORM_strx1
	.byte	17                              @ DW_AT_low_pc
	.byte	1                               @ DW_FORM_addr
	.byte	85                              @ DW_AT_ranges
	.byte	35                              @ DW_FORM_rnglistx
	.byte	115                             @ DW_AT_addr_base
	.byte	23                              @ DW_FORM_sec_offset
	.byte	116                             @ DW_AT_rnglists_base
	.byte	23                              @ DW_FORM_sec_offset
	.byte	0                               @ EOM(1)
	.byte	0                               @ EOM(2)
	.byte	0                               @ EOM(3)
	.section	.debug_info,"",%progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0 @ Length of Unit
.Ldebug_info_start0:
	.short	5                               @ DWARF version number
	.byte	1                               @ DWARF Unit Type
	.byte	4                               @ Address Size (in bytes)
	.long	.debug_abbrev                   @ Offset Into Abbrev. Section
	.byte	1                               @ Abbrev [1] 0xc:0x1b DW_TAG_compile_unit
	.byte	0                               @ DW_AT_producer
	.short	29                              @ DW_AT_language
	.byte	1                               @ DW_AT_name
	.long	.Lstr_offsets_base0             @ DW_AT_str_offsets_base
	.long	.Lline_table_start0             @ DW_AT_stmt_list
	.byte	2                               @ DW_AT_comp_dir
	.long	0                               @ DW_AT_low_pc
	.byte	0                               @ DW_AT_ranges
	.long	.Laddr_table_base0              @ DW_AT_addr_base
	.long	.Lrnglists_table_base0          @ DW_AT_rnglists_base
.Ldebug_info_end0:
	.section	.debug_rnglists,"",%progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0 @ Length
.Ldebug_list_header_start0:
	.short	5                               @ Version
	.byte	4                               @ Address size
	.byte	0                               @ Segment selector size
	.long	1                               @ Offset entry count
.Lrnglists_table_base0:
	.long	.Ldebug_ranges0-.Lrnglists_table_base0
.Ldebug_ranges0:
	.byte	1                               @ DW_RLE_base_addressx
	.byte	0                               @   base address index
	.byte	4                               @ DW_RLE_offset_pair
	.uleb128 .Lfunc_begin0-.Lfunc_begin0    @   starting offset
	.uleb128 .Lfunc_end5-.Lfunc_begin0      @   ending offset
	.byte	4                               @ DW_RLE_offset_pair
	.uleb128 .Lfunc_begin7-.Lfunc_begin0    @   starting offset
	.uleb128 .Lfunc_end8-.Lfunc_begin0      @   ending offset
	.byte	1                               @ DW_RLE_base_addressx
	.byte	1                               @   base address index
	.byte	4                               @ DW_RLE_offset_pair
	.uleb128 .Lfunc_begin6-.Lfunc_begin6    @   starting offset
	.uleb128 .Lfunc_end6-.Lfunc_begin6      @   ending offset
	.byte	4                               @ DW_RLE_offset_pair
	.uleb128 .Lfunc_begin9-.Lfunc_begin6    @   starting offset
	.uleb128 .Lfunc_end9-.Lfunc_begin6      @   ending offset
	.byte	0                               @ DW_RLE_end_of_list
.Ldebug_list_header_end0:
	.section	.debug_str_offsets,"",%progbits
	.long	16                              @ Length of String Offsets Set
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",%progbits,1
.Linfo_string0:
	.asciz	"Debian clang version 22.1.8 (1~deb12u1)" @ string offset=0
.Linfo_string1:
	.asciz	"tests/bench/loads/lines.c"     @ string offset=40
.Linfo_string2:
	.asciz	"/work/wt/k45"                  @ string offset=66
	.section	.debug_str_offsets,"",%progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.section	.debug_addr,"",%progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0 @ Length of contribution
.Ldebug_addr_start0:
	.short	5                               @ DWARF version number
	.byte	4                               @ Address size
	.byte	0                               @ Segment selector size
.Laddr_table_base0:
	.long	.Lfunc_begin0
	.long	.Lfunc_begin6
.Ldebug_addr_end0:
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",%progbits
	.addrsig
	.eabi_attribute	30, 3	@ Tag_ABI_optimization_goals
	.section	.debug_line,"",%progbits
.Lline_table_start0:
