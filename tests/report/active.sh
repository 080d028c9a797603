# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of calls that were active when counts were read: the code after such a
# call did not run that time, though clang counts it. active.c has the counts of
# each line. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# active_build FOLDER BOARD LLVM [FLAGS]: builds FOLDER/fw.elf.
active_build() {
  $MAKE -s firmware BOARD="$2" LLVM="$3" OUT="$out/$1" NAME=fw SCRIPT=lean \
    SOURCES="$here/active.c" LDFLAGS_APP="-u bareprof_preinit" \
    CFLAGS_APP="-O1 -g -Itests ${4-}" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping"
}

# active_marks LCOV [WRONG]: prints lines of active.c with other counts; see
# marks.
active_marks() {
  awk '/^SF:/ { on = /active\.c$/ } on' "$out/$1" >"$out/active.lcov" &&
    marks $here/active.c "$out/active.lcov" "${2-}"
}

# A dump in a log: one chain of calls leads to it.
row_active() {
  label="report active: $2, llvm-$1"
  wanted "$label" && have_llvm "$1" || return 0
  a=active-$2-$1
  check "$label: build" active_build "$a" "$2" "$1"
  check "$label: runs" capture "$a" "$2" fw
  check "$label: a report" good "$a-made" "$out/$a/fw.elf" "$out/$a/fw.log" \
    --lcov "$out/$a/lcov"
  equal "$label: lines" "" "$(active_marks "$a/lcov")"
  equal "$label: outcomes" "84:3,1 85:2,0 86:2,0 92:0,3 101:1,0 102:4,0" \
    "$(awk -F '[:,]' '/^BRDA/ && $4 == 0 { count = $5 }
      /^BRDA/ && $2 > 80 && $4 == 1 { print $2 ":" count "," $5 }' \
      "$out/active.lcov" | one_line | sed 's/ $//')"
  check "$label: their functions are named" grep -q \
    '^Active when counts were read: send, early, joined, loops, choose, main.$' \
    "$out/$a-made.said"
  check "$label: with --as-llvm-cov" good "$a-theirs" "$out/$a/fw.elf" \
    "$out/$a/fw.log" --as-llvm-cov --lcov "$out/$a/theirs"
  [ "$1" -lt 22 ] || equal "$label: where llvm-cov is wrong" "" \
    "$(active_marks "$a/theirs" wrong)"
}

# Several chains lead to the dump: the report names the function that dumps, but
# its callers are unknown.
row_active_several() {
  label="report active: several ways"
  wanted "$label" && have_llvm 22 || return 0
  a=active-several
  check "$label: build" active_build $a mps2-an385 22 -DSEVERAL
  check "$label: runs" capture $a mps2-an385 fw
  check "$label: a report" good $a-made "$out/$a/fw.elf" "$out/$a/fw.log"
  check "$label: it says so" grep -q '^send dumps; lines after the calls that' \
    "$out/$a-made.said"
}

active_run() {
  "$BAREPROF" run --gdb "$out/$a/fw.elf" --at bareprof_send_lean \
    -o "$out/$a-made" --lcov "$out/$a/lcov" -- $qemu -kernel "$out/$a/fw.elf" \
    >"$out/$a-made.said"
}

# Through a debugger: the stack shows the active calls.
row_active_halted() {
  label="report active: halted, $2, llvm-$1"
  wanted "$label" && have_llvm "$1" || return 0
  a=active-halted-$2-$1
  check "$label: build" active_build "$a" "$2" "$1" -DSEVERAL=1
  qemu="$(sed -n 's/^BOARD_QEMU := //p' "targets/$2/board.mk") -nographic"
  check "$label: run --gdb" active_run
  # The other chain is one call of early, which returns.
  equal "$label: lines" "27: 8 for 7 33: 3 for 2 34: 3 for 2 " \
    "$(active_marks "$a/lcov" | one_line)"
  check "$label: their functions are named" grep -q \
    '^Active when counts were read: send, early, joined, loops, choose, main' \
    "$out/$a-made.said"
  $qemu -S -gdb "unix:$out/$a/gdb,server=on,wait=off" \
    -kernel "$out/$a/fw.elf" </dev/null >"$out/$a/qemu.said" 2>&1 &
  qemu=$!
  until_there "$out/$a/gdb"
  check "$label: receive to a core" "$BAREPROF" receive "$out/$a/fw.elf" \
    --port "gdb:unix:$out/$a/gdb" --at bareprof_send_lean -o "$out/$a/fw.core"
  kill $qemu 2>/dev/null
  wait $qemu 2>/dev/null
  check "$label: a report of the core" good "$a-core" "$out/$a/fw.elf" \
    "$out/$a/fw.core" --lcov "$out/$a/core.lcov"
  check "$label: the same lines" cmp "$out/$a/lcov" "$out/$a/core.lcov"
}

until_there() {
  until_tries=0
  while [ ! -e "$1" ] && [ $until_tries -lt 50 ]; do
    sleep 0.1
    until_tries=$((until_tries + 1))
  done
}

rows_active() {
  row_active 14 mps2-an385
  row_active 22 mps2-an385
  row_active 22 virt-riscv32
  row_active 19 virt-aarch64
  row_active_several
  row_active_halted 22 mps2-an385
  row_active_halted 19 virt-riscv64
  row_active_halted 22 virt-aarch64
}
