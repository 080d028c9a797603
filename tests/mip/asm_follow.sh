# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Blocks that follow from others have no sled. asm.sh sources this file.

follow=$asm_out/follow
mkdir -p "$follow"

# ---- dumps in the middle of functions, next to those with all flags ----

# Makes the headers that the program includes; no C library is linked.
follow_headers() {
  printf '%s\n' 'typedef void *jmp_buf[10];' \
    'int setjmp(jmp_buf) __attribute__((returns_twice));' \
    '_Noreturn void longjmp(jmp_buf, int);' >"$follow/setjmp.h" &&
    printf '%s\n' '#define NULL ((void *)0)' 'int atoi(const char *);' \
      >"$follow/stdlib.h"
}

# follow_program COMPILER LEVEL WORDS NAME: runs it for each place. Leaves the
# raw sections in NAME/, a file a place.
follow_program() {
  follow_to=$follow/$4
  rm -rf "$follow_to"
  mkdir -p "$follow_to" &&
    BAREPROF_MIP="blocks $3" "$asm_wrapper" $(mip_compiler mps2-an385 "$1") \
      "$2" -w -ffreestanding -I"$follow" -Dmain=program \
      -c tests/cc/flags_middle.c -o "$follow_to/program.o" &&
    $MAKE -s firmware BOARD=mps2-an385 LLVM="$LLVM_HOST" LINKER=lld \
      SCRIPT=none FRAGMENT='INCLUDE bareprof-mip.ld' \
      PLAIN=$HERE/asm_follow.c OUT="$follow_to" NAME=fw \
      SOURCES="$follow_to/program.o" \
      CFLAGS_APP="-Os -I$follow -DSTRIDE=$follow_stride" \
      LDFLAGS_APP="-z noexecstack" &&
    targets/run mps2-an385 "$follow_to/fw.elf" "$follow_to" </dev/null \
      >"$follow_to/output" &&
    "$BAREPROF" mip create "$follow_to/fw.elf" -o "$follow_to/fw.mip" &&
    (cd "$follow_to" &&
      split -a 3 -b $(($(wc -c <follow.mipraw) / follow_places)) \
        follow.mipraw raw.)
}

# follow_says NAME RAW: each function and block, and whether it ran.
follow_says() {
  "$BAREPROF" mip merge --any-build "$follow/$1/fw.mip" "$follow/$1/$2" \
    -o "$follow/run.mip" &&
    python3 $HERE/text.py show "$follow/run.mip" >"$follow/run.yaml" &&
    sed -n 's/.*name: /&/p; s/.*covered: //p; s/.*runs: /runs /p' \
      "$follow/run.yaml" >"$follow/$1.said"
}

follow_middle() {
  follow_stride=${FULL:+5}
  follow_stride=${follow_stride:-31}
  follow_places=$(((251 + follow_stride) / follow_stride))
  follow_headers &&
    follow_program "$1" "$2" "" some &&
    follow_program "$1" "$2" keep-implied all || return
  [ "$(find "$follow/some" -name 'raw.*' | wc -l)" = "$follow_places" ] ||
    { echo "not $follow_places dumps"; return 1; }
  for follow_raw in "$follow"/some/raw.*; do
    follow_raw=${follow_raw##*/}
    follow_says some "$follow_raw" && follow_says all "$follow_raw" &&
      cmp "$follow/some.said" "$follow/all.said" || {
      echo "in dump $follow_raw"
      return 1
    }
  done
  [ "$(wc -l <"$follow/some.said")" -gt 50 ]
}

for follow_how in "gcc -Os" "$LLVM_HOST -O2" ${FULL:+"gcc -O2"} \
  ${FULL:+"$LLVM_HOST -O0"}; do
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
    follow_seen=$(grep -cE '^[[:space:]](sb|strb)[[:space:]]' \
      "$follow/sleds.s")
    [ "$follow_seen" = $((follow_count + 5)) ] || { # and those after f
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

# With all byte counters: four blocks, and six after f.
follow_keep() {
  echo 'IF .L1; OP; GO .L2; .L1:; OP; .L2:; RET' | follow_text riscv32 \
    >"$follow/hand.s"
  "$BAREPROF" mip instrument --blocks --keep-implied --arch riscv32 \
    "$follow/hand.s" -o "$follow/sleds.s" && [ "$(grep -c '^	sb	' "$follow/sleds.s")" = 10 ]
}
check "mip asm follows: --keep-implied" follow_keep

# The byte counter of a loop is before the loop.
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
for follow_arch in thumb2 aarch64 riscv32; do
  check "mip asm follows: by hand, $follow_arch" follow_by_hand $follow_arch
done
