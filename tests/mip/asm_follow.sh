# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Blocks that follow from others have no sled. Sourced by asm.sh.

follow=$asm_out/follow
mkdir -p "$follow"

# ---- dumps in the middle of functions, next to those with all flags ----

# follow_program COMPILER LEVEL WORDS NAME
follow_program() {
  BAREPROF_MIP="blocks $3" "$asm_wrapper" "$1" "$2" -w -fno-pie \
    -c tests/cc/flags_middle.c -o "$follow/$4.o" &&
    "$1" -w -no-pie "$follow/$4.o" "$follow/write.o" \
      -Wl,--defsym,__bareprof_mip_begin=__start___llvm_mipraw \
      -o "$follow/$4" &&
    "$BAREPROF" mip create "$follow/$4" -o "$follow/$4.mip"
}

# follow_says NAME PLACE: each function and block, and whether it ran.
follow_says() {
  (cd "$follow" && "./$1" "$2") &&
    "$BAREPROF" mip merge --any-build "$follow/$1.mip" \
      "$follow/follow.mipraw" -o "$follow/run.mip" &&
    python3 $HERE/text.py show "$follow/run.mip" >"$follow/run.yaml" &&
    sed -n 's/.*name: /&/p; s/.*covered: //p; s/.*runs: /runs /p' \
      "$follow/run.yaml" >"$follow/$1.said"
}

follow_middle() {
  gcc -fno-pie -c $HERE/asm_follow.c -o "$follow/write.o" &&
    follow_program "$1" "$2" "" some &&
    follow_program "$1" "$2" keep-flags all || return
  follow_stride=${FULL:+1}
  for follow_place in $(seq 1 "${follow_stride:-31}" 252); do
    follow_says some "$follow_place" && follow_says all "$follow_place" &&
      cmp "$follow/some.said" "$follow/all.said" || {
      echo "in a dump at place $follow_place"
      return 1
    }
  done
  [ "$(wc -l <"$follow/some.said")" -gt 50 ]
}

for follow_how in "gcc -O2" "gcc -Os" "clang-$LLVM_HOST -O2" \
  "clang-$LLVM_HOST -O0"; do
  check "mip asm follows: dumps in the middle, $follow_how" \
    follow_middle ${follow_how% *} ${follow_how#* }
done

# ---- by hand ----

# follow_text ARCH: assembly of words, one a line: IF L goes there or on, GO L
# goes there, CALL f; RET; OP does nothing.
follow_text() {
  case $1 in
    thumb2) follow_if='cbz r0,' follow_go=b follow_call=bl follow_ret='bx lr' ;;
    aarch64) follow_if='cbz w0,' follow_go=b follow_call=bl follow_ret=ret ;;
    riscv32) follow_if='beqz a0,' follow_go=j follow_call=call follow_ret=ret ;;
    x86-64) follow_if=je follow_go=jmp follow_call=call follow_ret=ret ;;
  esac
  printf '\t.text\n\t.globl f\n\t.type f, %%function\nf:\n'
  tr ';' '\n' | sed "s/^ *//; s/^IF/\t$follow_if/; s/^GO/\t$follow_go/
    s/^CALL/\t$follow_call/; s/^RET/\t$follow_ret/; s/^OP/\tnop/"
  printf '.Lend:\n\t.size f, .Lend-f\n'
  printf '\t.type g, %%function\ng:\n\t%s .L9\n\t.size g, .-g\n' "$follow_go"
  printf '\t.globl i\n'
  follow_callee h nop
  follow_callee i nop
  follow_callee k "$follow_call memcpy"
  follow_callee l "$follow_if .L8
.L8:"
}

follow_callee() {
  printf '\t.type %s, %%function\n%s:\n\t%s\n\t%s\n\t.size %s, .-%s\n' \
    "$1" "$1" "$2" "$follow_ret" "$1" "$1"
}

# In this order: a branch without a call before it, whose entry follows from the
# two sides; with a call, where the entry keeps its flag unless the call always
# comes back, as that of a function without calls and branches that no other
# file knows; code behind an if, which follows from the code before; a loop,
# which follows from the code before it, and the code behind the loop, which does
# not, as the loop may never end; two ends of a function; a way in from another
# function, which jumps to .L9.
follow_by_hand() {
  while read -r follow_count follow_code; do
    printf '%s\n' "$follow_code" | follow_text "$1" >"$follow/hand.s"
    "$BAREPROF" mip instrument "$follow/hand.s" --blocks --arch "$1" \
      -o "$follow/sleds.s" || return
    follow_seen=$(grep -cE '^[[:space:]](sb|strb|movb)[[:space:]]' \
      "$follow/sleds.s")
    [ "$follow_seen" = $((follow_count + 5)) ] || { # and those behind f
      echo "$follow_seen flags, not $follow_count: $follow_code"
      return 1
    }
  done <<'END'
2 IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
3 CALL g; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
2 CALL h; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
3 CALL i; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
3 CALL k; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
3 CALL l; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
2 CALL memcpy; IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET
2 IF .L1; OP; .L1:; RET
3 IF .L1; CALL g; .L1:; OP; IF .L2; OP; .L2:; RET
2 OP; .L1:; OP; IF .L1; RET
2 OP; .L1:; CALL g; IF .L1; RET
3 CALL g; .L1:; OP; IF .L1; RET
2 IF .L1; RET; .L1:; RET
2 IF g; OP; RET
3 IF .L9; RET; .L9:; RET
END
}

# All flags: four blocks, and six behind f.
follow_keep() {
  echo 'IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET' | follow_text riscv32 \
    >"$follow/hand.s"
  "$BAREPROF" mip instrument --blocks --keep-flags --arch riscv32 \
    "$follow/hand.s" -o "$follow/sleds.s" && [ "$(grep -c '^	sb	' "$follow/sleds.s")" = 10 ]
}
check "mip asm follows: --keep-flags" follow_keep

# The flag of a loop is before the loop.
follow_loop() {
  echo 'OP; .L1:; OP; IF .L1; RET' | follow_text riscv32 >"$follow/hand.s"
  "$BAREPROF" mip instrument "$follow/hand.s" --blocks --arch riscv32 \
    -o "$follow/sleds.s" &&
    equal "mip asm follows: a loop" "sb .L1: beqz sb ret " \
      "$(awk '/^f:/ { on = 1 } /\.size f/ { on = 0 }
        on && /^(\tsb|\tbeqz|\tret|\.L1:)/ { print $1 }' \
        "$follow/sleds.s" | one_line)"
}
follow_loop
for follow_arch in thumb2 aarch64 riscv32 x86-64; do
  check "mip asm follows: by hand, $follow_arch" follow_by_hand $follow_arch
done
