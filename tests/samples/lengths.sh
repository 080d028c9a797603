#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares addresses of instructions and targets of branches with llvm-objdump.
# `run` sources this file.

build_lengths() {
  tool_program "$OUT/lengths" "" tests/samples/lengths.c
}

# llvm-objdump prints data as directives; unknown instructions are left out on
# both sides. A lock prefix stands in a separate line, before its instruction.
disassembled() {
  "llvm-objdump-$LLVM_HOST" -d -z --no-show-raw-insn "$1" | awk '
    !/^ *[0-9a-f]+: / || /\t\.(word|byte|short|long|inst)/ { next }
    {
      address = $1
      sub(/:/, "", address)
      sub(/^0+/, "", address)
      target = "-"
      if (!/%rip/ && $2 !~ /^(lea|mov|adr|ldr|add|cmp|lw|ld|auipc)/ &&
          match($0, /0x[0-9a-f]+ </))
        target = substr($0, RSTART + 2, RLENGTH - 4)
      sub(/^0+/, "", target)
      locked = $2 == "lock"
      if (behind_lock) { behind_lock = locked; next }
      behind_lock = locked
      print (address == "" ? "0" : address), target
    }' | LC_ALL=C sort
}

# Drops targets that only bareprof prints: objdump had no name for them.
same_code() {
  "$OUT/lengths" "$1" >"$OUT/ours.raw" || return 1
  if grep stopped "$OUT/ours.raw"; then return 1; fi
  awk '{ print $1, $3 }' "$OUT/ours.raw" | LC_ALL=C sort >"$OUT/ours"
  disassembled "$1" >"$OUT/theirs"
  [ -s "$OUT/theirs" ] || { echo "nothing disassembled"; return 1; }
  LC_ALL=C join -a 1 -a 2 -e none -o 0,1.2,2.2 "$OUT/ours" "$OUT/theirs" |
    awk '
    $2 != $3 && $3 != "-" || $2 == "none" { if (!n++) first = $0; next }
    $2 != "-" && $2 == $3 { targets++ }
    END {
      if (n || !targets) print n + 0, "differ, first:", first
      exit n || !targets
    }'
}

# synchronizing TARGET INSTRUCTIONS OTHERS: separated by semicolons.
synchronizing() {
  printf '%s\n' ".text" "$2" "$3" | tr ';' '\n' |
    "llvm-mc-$LLVM_HOST" --triple="${1%%,*}" --mattr="${1#*,}" --filetype=obj \
      -o "$OUT/sync.o" && "$OUT/lengths" "$OUT/sync.o" >"$OUT/sync" || return 1
  awk -v first="$(echo "$2" | awk -F ';' '{ print NF }')" '
    (NR <= first) != /synchronizes/ && !bad++ { print "instruction " NR ": " $0 }
    END { exit bad || NR <= first }' "$OUT/sync"
}

# ending TARGET INSTRUCTIONS: each of them ends a block of code.
ending() {
  printf '%s\n' ".text" "$2" | tr ';' '\n' |
    "llvm-mc-$LLVM_HOST" --triple="${1%%,*}" --mattr="${1#*,}" --filetype=obj \
      -o "$OUT/end.o" && "$OUT/lengths" "$OUT/end.o" >"$OUT/end" || return 1
  awk -v count="$(echo "$2" | awk -F ';' '{ print NF }')" '
    $2 != 1 && !bad++ { print "instruction " NR ": " $0 }
    END { exit bad || NR != count }' "$OUT/end"
}
