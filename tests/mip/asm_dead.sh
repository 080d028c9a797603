# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The register of each block's sled must be one that no code reads any more.
# asm.sh sources this file.

dead=$asm_out/dead
mkdir -p "$dead"

# dead_sleds ARCH: of assembly of one instruction a line, the register of each
# sled, from the entry on, or + where one is pushed.
dead_sleds() {
  {
    case $1 in thumb*) printf '\t.thumb\n' ;; esac
    printf '\t.text\n\t.globl f\n\t.type f, %%function\nf:\n'
    tr ';' '\n' | sed 's/^ *//; /^\.L/!{ /^#/!s/^/\t/; }'
    printf '.Lend:\n\t.size f, .Lend-f\n'
  } >"$dead/hand.s"
  "$BAREPROF" mip instrument "$dead/hand.s" --blocks --keep-implied \
    --arch "$1" -o "$dead/sleds.s" &&
    awk '
    { pushed -= pushed > 0 }
    $1 == "push" { pushed = 2 }
    /addi\tsp, sp, -16/ { pushed = 3 }
    /\$RAW/ && $1 ~ /^(movw|lui)$/ || /Lmip_literal.*_/ && $1 == "ldr" {
      printf "%s ", pushed ? "+" : substr($2, 1, length($2) - 1) }
' "$dead/sleds.s"
}

# dead_by_hand ARCH: lines of registers, a colon, and code.
dead_by_hand() {
  dead_failed=0
  while IFS=: read -r dead_expected dead_code; do
    dead_got=$(printf '%s\n' "$dead_code" | dead_sleds "$1") || return
    [ "$dead_got" = "$dead_expected " ] || {
      echo "$dead_got, not $dead_expected:$dead_code |"
      dead_failed=1
    }
  done
  return $dead_failed
}

# In this order: written first; read first; an argument of a call; ip in use; no
# register; what two operands mean; a condition; a loop; a jump to other code;
# inline assembly; an instruction that nothing is known of; a list.
check "mip asm dead: by hand, thumb2" dead_by_hand thumb2 <<'END'
ip r3 ip: cbz r0, .L1; movs r3, #1; str r3, [r0]; .L1:; bx lr
ip ip ip: cbz r0, .L1; adds r3, r3, #1; str r3, [r0]; .L1:; bx lr
ip ip ip: cbz r0, .L1; bl g; movs r3, #1; .L1:; bx lr
ip r3 ip: mov ip, r1; cbz r0, .L1; movs r3, #1; add r3, ip; .L1:; bx lr
ip + ip: mov ip, r1; cbz r0, .L1; str ip, [r0]; .L1:; bx lr
ip ip ip: cbz r0, .L1; add r3, r1; mov r3, #1; .L1:; bx lr
ip ip ip: cbz r0, .L1; add r3, r1, lsl #2; mov r3, #1; .L1:; bx lr
ip r3 ip: cbz r0, .L1; add r3, r1, r2; str r3, [r0]; .L1:; bx lr
ip ip ip: movs r3, #4; cbz r0, .L1; cmp r1, #0; it eq; moveq r3, #1; str r3, [r0]; .L1:; bx lr
ip ip r3: movs r3, #4; .L1:; subs r3, r3, #1; bne .L1; movs r3, #0; str r3, [r0]; bx lr
ip ip: cbz r0, g; b g; movs r3, #1; bx lr
ip ip ip: cbz r0, .L1; nop; @APP; nop; @NO_APP; mov r3, #1; .L1:; bx lr
ip ip ip: cbz r0, .L1; smlad r1, r1, r1, r1; mov r3, #1; .L1:; bx lr
ip + ip: cbz r0, .L1; push {r0-r3}; mov r3, #1; .L1:; bx lr
END
check "mip asm dead: by hand, thumb1" dead_by_hand thumb1 <<'END'
r0 r3 +: cmp r0, #0; beq .L1; movs r3, #1; str r3, [r0]; .L1:; bx lr
r0 + +: cmp r0, #0; beq .L1; mov ip, r1; mov r1, ip; .L1:; bx lr
END
# Behind others: s0 that points to the frame is read by whoever walks the frames;
# t0 is where routines that save registers come back to, and they read s1; a
# register that a later block reads; a tail call, whose caller reads s1; a landing
# pad, where s1 may be read.
check "mip asm dead: by hand, riscv32" dead_by_hand riscv32 <<'END'
t1 t1 t1: beqz a0, .L1; li a5, 1; sw a5, 0(a0); .L1:; ret
t1 t0 t1: li t1, 1; beqz a0, .L1; sw t1, 0(a0); .L1:; ret
t1 a5 t1: li t1, 1; li t0, 1; beqz a0, .L1; li a5, 1; add t1, t1, t0; add a5, t1, a5; sw a5, 0(a0); .L1:; ret
t1 + t1: li t1, 1; li t0, 1; beqz a0, .L1; add t1, t1, t0; sw t1, 0(a0); .L1:; ret
t1 + t1: li t1, 1; li t0, 1; li a5, 1; beqz a0, .L1; call g; add t1, t1, t0; sw t1, 0(a0); .L1:; ret
t1 s1 t1: sw s1, 0(sp); li t1, 1; li t0, 1; beqz a0, .L1; add t1, t1, t0; sw t1, 0(a0); .L1:; lw s1, 0(sp); ret
t1 + t1: sw s0, 0(sp); addi s0, sp, 16; li t1, 1; li t0, 1; beqz a0, .L1; add t1, t1, t0; sw t1, 0(a0); .L1:; lw s0, 0(sp); ret
t1 + t1: li t1, 1; li t0, 1; beqz a0, .L1; call t0, __riscv_save_2; li s1, 1; add t1, t1, t0; sw t1, 0(a0); .L1:; ret
t1 + +: li t1, 1; li t0, 1; beqz a0, .L1; add t1, t1, t0; .L1:; tail g
t1 + +: sw s1, 0(sp); li t1, 1; li t0, 1; lw s1, 0(sp); beqz a0, .L1; nop; .L1:; add t1, t1, t0; jr t1
t1 + + t1: li t1, 1; li t0, 1; beqz a0, .L1; addi a0, a0, 1; beqz a1, .L1; add t1, t1, t0; sw t1, 0(a0); .L1:; ret
t1 + t1 t1: .Lfunc_begin0:; sw s1, 0(sp); li t1, 1; li t0, 1; beqz a0, .L1; add t1, t1, t0; sw t1, 0(a0); .L1:; lw s1, 0(sp); ret; .L2:; ret; .section .gcc_except_table,"a",@progbits; .uleb128 .L2-.Lfunc_begin0; .text
END

# Code that must not be read has no literals; all other code has.
dead_pure() {
  echo "int g(int); int f(int a) { return a > 3 ? g(a) + 1 : a; }" \
    >"$dead/pure.c"
  for dead_cc in "clang-$LLVM_HOST --target=thumbv7m-none-eabi" \
    "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"; do
    case $dead_cc in *gcc*) dead_flag=-mpure-code ;; *) dead_flag=-mexecute-only ;;
    esac
    have "${dead_cc%% *}" || continue
    for dead_flag in $dead_flag -O2; do
      $dead_cc -O2 $dead_flag -S "$dead/pure.c" -o "$dead/pure.s" &&
        "$BAREPROF" mip instrument --blocks "$dead/pure.s" \
          -o "$dead/sleds.s" || return
      printf '%s ' "$(grep -c 'ldr.*\.Lmip_' "$dead/sleds.s")"
    done
  done
}
have arm-none-eabi-gcc && equal "mip asm dead: literals" "0 2 0 2 " \
  "$(dead_pure)"
