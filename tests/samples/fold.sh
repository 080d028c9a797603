#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Single samples in any order give the profile of the folded samples. `run`
# sources this file.

# any_order SAMPLES PROFILE OPTION...
any_order() {
  order_from=$1 order_wanted=$2
  shift 2
  awk '
    BEGIN { srand(3) }
    {
      count = $NF ~ /^x/ ? substr($NF, 2) : 1
      sub(/ x[0-9]+$/, "")
      for (; count > 0; count--) print int(rand() * 1000000), $0
    }' "$order_from" | sort -n | cut -d ' ' -f 2- >"$folder/shuffled"
  [ "$(wc -l <"$folder/shuffled")" -ge 5000 ] &&
    "$TOOL" samples "$elf" "$folder/shuffled" "$@" -o "$folder/ordered" \
      2>/dev/null && cmp "$folder/ordered" "$order_wanted"
}

# A function begins with data, and a sample is there: it counts for the first
# instruction. The number is the GUID of f.
data_first() {
  name=$OUT/data
  cat >"$name.s" <<'END'
 .globl f
 .type f,@function
f:
 .word 0x12345678
 .pseudoprobe GUID 1 0 0 f
 nop
 nop
 .pseudoprobe GUID 2 0 0 f
 ret
 .size f, .-f
 .section .pseudo_probe_desc,"",@progbits
 .quad GUID
 .quad 4294967295
 .byte 1
 .ascii "f"
END
  sed -i 's/GUID/14740650423002898831/' "$name.s"
  "clang-$LLVM_HOST" --target=aarch64-none-elf -c "$name.s" -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e f -Ttext=0x400000 "$name.o" -o "$name.elf" &&
    printf "400000 x1\n400004 x99\n" >"$name.samples" &&
    "$TOOL" samples "$name.elf" "$name.samples" --no-targets --force \
      --attribution=region -o "$name.prof" || return 1
  printf 'f:50000:50000\n 1: 50000\n 2: 0\n !CFGChecksum: 4294967295\n' |
    cmp - "$name.prof" || return 1
  # samples --encoding: the image's own encoding, and another one.
  "$TOOL" samples --encoding=delta "$name.elf" "$name.samples" --no-targets \
    --force --attribution=region -o "$name.delta" && cmp "$name.prof" "$name.delta" || return 1
  ! "$TOOL" samples --encoding=absolute8 "$name.elf" "$name.samples" \
    --no-targets --force -o "$name.absolute" 2>"$name.said" ||
    ! cmp -s "$name.prof" "$name.absolute"
}

# f ends within an instruction: its counts equal the counts of two-byte and
# three-byte instructions that were decoded. g is decoded completely, and its one
# block has both probes.
not_decoded() {
  name=$OUT/undecoded
  cat >"$name.s" <<'END'
 .globl f
 .type f,@function
f:
 .pseudoprobe 14740650423002898831 1 0 0 f
 nop
 nop
 .pseudoprobe 14740650423002898831 2 0 0 f
 nop
 ret
 .byte 0x0F
 .size f, .-f
 .type g,@function
g:
 .pseudoprobe GUID 1 0 0 g
 nop
 nop
 .pseudoprobe GUID 2 0 0 g
 nop
 ret
 .size g, .-g
 .section .pseudo_probe_desc,"",@progbits
 .quad 14740650423002898831, 4294967295
 .byte 1
 .ascii "f"
 .quad GUID, 4294967295
 .byte 1
 .ascii "g"
END
  guid=$(printf g | md5sum | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\).*/0x\8\7\6\5\4\3\2\1/')
  sed -i "s/GUID/$guid/" "$name.s"
  "clang-$LLVM_HOST" --target=x86_64-none-elf -c "$name.s" -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e f -Ttext=0x400000 "$name.o" -o "$name.elf" ||
    return 1
  g=$(printf '%x' $((0x$("llvm-nm-$LLVM_HOST" "$name.elf" |
    awk '$3 == "g" { print $1 }'))))
  printf '400000 x20\n400002 x10\n400003 x80\n%s x8\n' "$g" >"$name.samples"
  "$TOOL" samples "$name.elf" "$name.samples" --no-targets --force --scale=1 \
    -o "$name.prof" 2>"$name.said" || { one_line <"$name.said"; return 1; }
  grep -q 'functions have unsupported instructions: 110$' \
    "$name.said" || { one_line <"$name.said"; return 1; }
  tr -s '\n ' ' ' <"$name.prof"
}

# Two contexts differ only after 393,216 bytes of names.
long_contexts() {
  name=$OUT/long
  awk 'BEGIN {
    for (many = "x"; i < 17; i++)
      many = many many
    print "volatile int g;\n#define APART __attribute__((noinline)) void"
    print "APART leaf(void) { g++; }"
    print "APART c" many "(void) { leaf(); g++; leaf(); g++; }"
    print "APART b" many "(void) { c" many "(); g++; }"
    print "APART a" many "(void) { b" many "(); g++; }"
    print "int main(void) { a" many "(); g++; return 0; }"
  }' >"$name.c"
  "clang-$LLVM_HOST" --target=aarch64-none-elf -O1 -g1 -ffreestanding \
    $probed -c "$name.c" -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e main "$name.o" -o "$name.elf" &&
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$name.elf" | awk '
      /^[0-9a-f]+ <leaf>:$/ { pc = $1 }
      /^ *[0-9a-f]+:/ {
        sub(/:/, "", $1)
        if (called) back[n++] = $1
        called = $2 == "bl"
      }
      END {
        for (i = 0; i < 2; i++)
          print pc, back[i], back[2], back[3], back[4], "x" 100 + 200 * i
      }' >"$name.samples" &&
    "$TOOL" samples "$name.elf" "$name.samples" --context --force \
      -o "$name.prof" 2>"$name.said" || return 1
  [ "$(grep -c '^\[main:.* @ leaf\]:' "$name.prof")" = 2 ]
}

# Cold code of a function, under a symbol of its own: jumps to it are no calls.
cold_lines() {
  name=$OUT/cold-lines
  cat >"$name.c" <<'END'
volatile int g;
__attribute__((noinline)) int f(int x) {
  if (g)
    __asm__ volatile(".type f.cold,%function\nf.cold: nop\n.size f.cold,4");
  return x + g;
}
int main(void) { return f(3) + g; }
END
  "clang-$LLVM_HOST" --target=aarch64-none-elf -O1 -g1 -ffreestanding \
    -fdebug-info-for-profiling -c "$name.c" -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e main "$name.o" -o "$name.elf" || return 1
  at=$("llvm-nm-$LLVM_HOST" "$name.elf" | awk '$3 == "f" { print $1 }')
  part=$("llvm-nm-$LLVM_HOST" "$name.elf" | awk '$3 == "f.cold" { print $1 }')
  printf '%s\n' 2 "$at-$at:10" "$part-$part:3" 1 "$at->$part:3" \
    >"$name.ranges"
  echo "$part x30" >"$name.samples"
  for input in ranges samples; do
    "$TOOL" samples "$name.elf" "$name.$input" --offset=0 --lines --force \
      -o "$name.prof" 2>"$name.said" || return 1
    grep -q '^f:[1-9][0-9]*:0$' "$name.prof" && ! grep ' f:' "$name.prof" ||
      { cat "$name.prof"; return 1; }
  done
}
