# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of calls that were active when counts were read: what follows them did
# not run that time, though clang counts it. active.c has the counts of each
# line. Sourced by run.
# shellcheck disable=SC2154 # Of run.

# active_build FOLDER BOARD LLVM [FLAGS [SOURCE [LINKER-FLAGS]]]: FOLDER/fw.elf
active_build() {
  case ${4-} in *WRITES*) active_script=full ;; *) active_script=lean ;; esac
  $MAKE -s firmware BOARD="$2" LLVM="$3" OUT="$out/$1" NAME=fw \
    SCRIPT=$active_script SOURCES="${5:-$here/active.c}" \
    LDFLAGS_APP="-u bareprof_preinit ${6-}" \
    CFLAGS_APP="-O1 -g -Itests ${4-}" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping"
}

# active_marks LCOV [WRONG [SOURCE]]: lines of active.c with other counts; see
# marks.
active_marks() {
  awk -v name="/${3:-active.c}\$" '/^SF:/ { on = $0 ~ name } on' "$out/$1" \
    >"$out/active.lcov" &&
    marks "$here/${3:-active.c}" "$out/active.lcov" "${2-}"
}

# By a dump in a log: there is one way to it.
row_active() {
  label="report active: $2, llvm-$1"
  wanted "$label" && have_llvm "$1" || return 0
  a=active-$2-$1
  check "$label: build" active_build "$a" "$2" "$1"
  check "$label: runs" capture "$a" "$2" fw
  check "$label: a report" good "$a-made" "$out/$a/fw.elf" "$out/$a/fw.log" \
    --lcov "$out/$a/lcov"
  equal "$label: lines" "" "$(active_marks "$a/lcov")"
  equal "$label: outcomes" "101:3,1 102:2,0 103:2,0 109:0,3 118:1,0 119:4,0" \
    "$(awk -F '[:,]' '/^BRDA/ && $4 == 0 { count = $5 }
      /^BRDA/ && $2 > 97 && $4 == 1 { print $2 ":" count "," $5 }' \
      "$out/active.lcov" | one_line | sed 's/ $//')"
  check "$label: their functions are named" grep -q \
    '^Active when counts were read: send, early, joined, loops, choose, main.$' \
    "$out/$a-made.said"
  check "$label: with --as-llvm-cov" good "$a-theirs" "$out/$a/fw.elf" \
    "$out/$a/fw.log" --as-llvm-cov --lcov "$out/$a/theirs"
  [ "$1" -lt 22 ] || equal "$label: where llvm-cov is wrong" "" \
    "$(active_marks "$a/theirs" wrong)"
}

# active_unsure INPUT [ELF]: a report of the input says that the calls may have
# returned, and does not know the lines whose marks have a ?.
active_unsure() {
  good "$a-made" "$out/$a/fw.elf" "$1" --lcov "$out/$a/lcov" || return 1
  grep -q '^The code after these calls may not have run.$' \
    "$out/$a-made.said" && awk '/\/\/=[0-9]+!?\?$/ { print FNR }' \
    $here/active.c | one_line >"$out/$a/unknown" &&
    known_of "$a-made" | tr ' ' '\n' | sed -n 's/:lines$//p' | sort -n |
    one_line | diff "$out/$a/unknown" - &&
    ! active_marks "$a/lcov" | grep -v ': 0 for' &&
    grep -q "The code after these calls may" "$out/$a-made/html/index.html"
}

# A file does not say whether the calls had returned: a raw profile that the
# firmware wrote or a debugger read, and a lean dump that receive wrote.
row_active_files() {
  label="report active: files"
  wanted "$label" && have_llvm 22 || return 0
  a=active-file
  check "$label: build" active_build $a mps2-an385 22 -DWRITES
  check "$label: runs" capture $a mps2-an385 fw
  check "$label: a raw profile" active_unsure "$out/$a/fw.profraw"
  a=active-bpdump
  check "$label: build for a log" active_build $a mps2-an385 22
  check "$label: runs for a log" capture $a mps2-an385 fw
  check "$label: receive" "$BAREPROF" receive -q "$out/$a/fw.log" \
    -o "$out/$a/fw.bpdump"
  check "$label: a lean dump" active_unsure "$out/$a/fw.bpdump"
  active_qemu mps2-an385
  check "$label: receive from a debugger" active_received \
    --at bareprof_send_lean -o "$out/$a/fw.profraw"
  check "$label: what a debugger read" active_unsure "$out/$a/fw.profraw"
}

# The counters may have begun after the calls, or before a reset.
row_active_resets() {
  label="report active: resets"
  wanted "$label" && have_llvm 22 || return 0
  a=active-reset
  check "$label: build" active_build $a mps2-an385 22 -DRESETS
  check "$label: runs" capture $a mps2-an385 fw
  check "$label: bareprof_reset" active_unsure "$out/$a/fw.log"
  a=active-kept
  check "$label: build to keep counts" active_build $a mps2-an385 22 "" \
    $here/active.c "-u bareprof_retained"
  check "$label: runs to keep counts" capture $a mps2-an385 fw
  check "$label: kept counts" active_unsure "$out/$a/fw.log"
  check "$label: the survival is said" grep -q '^Resets keep counts, and' \
    "$out/$a-made.said"
}

# A program for the host, whose main has the position of the firmware's.
active_host() {
  mkdir -p "$out/active-host" &&
    { yes "" | head -n 112 &&
      printf '%s\n' 'int main(void) {' '  volatile int seen = 1;' '' '' '' \
        '  if (seen)' '    for (int i = 0; i < 5;' '         i++)' \
        '      seen += i + i;' '  seen++;' '  return 0;' '}'; } \
      >"$out/active-host/active.c" &&
    host_built "$out/active-host" 22 active.c && host_ran "$out/active-host"
}

# The calls of one ELF say nothing of the counts of another. Of a function in
# both, it is not known what follows a call that may have returned in one.
row_active_elfs() {
  label="report active: two ELFs"
  wanted "$label" && have_llvm 22 || return 0
  a=active-log
  check "$label: build" active_build $a mps2-an385 22
  check "$label: runs" capture $a mps2-an385 fw
  check "$label: another program" active_host
  check "$label: a report with it" good $a-made "$out/$a/fw.elf" \
    "$out/$a/fw.log" "$out/active-host/main" "$out/active-host/main.profraw" \
    --lcov "$out/$a/lcov"
  equal "$label: its lines" "120,5 121,5 122,1 123,1" \
    "$(awk '/^SF:/ { on = /active-host/ } on' "$out/$a/lcov" |
      sed -n 's/^DA:\(12[0-3],.*\)/\1/p' | one_line | sed 's/ $//')"
  a=active-both
  check "$label: build for a file" active_build $a mps2-an385 22 -DWRITES
  check "$label: runs for a file" capture $a mps2-an385 fw
  check "$label: a report of both" good $a-made "$out/$a/fw.elf" \
    "$out/$a/fw.profraw" "$out/active-log/fw.elf" "$out/active-log/fw.log"
  equal "$label: what is not known" \
    "$(awk '/\/\/=[0-9]+!?\?$/ { print FNR }' $here/active.c | one_line)" \
    "$(known_of $a-made | tr ' ' '\n' | sed -n 's/:lines$//p' | sort -n |
      one_line)"
}

# There is another way: which function dumps is said, its callers are not known.
row_active_several() {
  label="report active: several ways"
  wanted "$label" && have_llvm 22 || return 0
  a=active-several
  check "$label: build" active_build $a mps2-an385 22 -DSEVERAL
  check "$label: runs" capture $a mps2-an385 fw
  check "$label: a report" good $a-made "$out/$a/fw.elf" "$out/$a/fw.log"
  check "$label: it says so" grep -q '^send dumps; lines after$' \
    "$out/$a-made.said"
}

# active_run PLACE: makes a report of a run that stops at a place.
active_run() {
  "$BAREPROF" run --gdb "$out/$a/fw.elf" --at "$1" \
    -o "$out/$a-made" --lcov "$out/$a/lcov" -- $qemu -kernel "$out/$a/fw.elf" \
    >"$out/$a-made.said"
}

active_qemu() {
  qemu="$(sed -n 's/^BOARD_QEMU := //p' "targets/$1/board.mk") -nographic"
}

# active_received OPTION...: receives from QEMU's GDB server.
active_received() {
  $qemu -S -gdb "unix:$out/$a/gdb,server=on,wait=off" \
    -kernel "$out/$a/fw.elf" </dev/null >"$out/$a/qemu.said" 2>&1 &
  active_pid=$!
  until_there "$out/$a/gdb"
  "$BAREPROF" receive "$out/$a/fw.elf" --port "gdb:unix:$out/$a/gdb" "$@"
  active_status=$?
  kill $active_pid 2>/dev/null
  wait $active_pid 2>/dev/null
  rm -f "$out/$a/gdb"
  return $active_status
}

# Through a debugger: the stack says it, whatever ways there are.
row_active_halted() {
  label="report active: halted, $2, llvm-$1"
  wanted "$label" && have_llvm "$1" || return 0
  a=active-halted-$2-$1
  check "$label: build" active_build "$a" "$2" "$1" -DSEVERAL=1
  active_qemu "$2"
  check "$label: run --gdb" active_run bareprof_send_lean
  # The other way is one call of early, which returns.
  equal "$label: lines" "44: 8 for 7 50: 3 for 2 51: 3 for 2 " \
    "$(active_marks "$a/lcov" | one_line)"
  check "$label: their functions are named" grep -q \
    '^Active when counts were read: send, early, joined, loops, choose, main' \
    "$out/$a-made.said"
  check "$label: receive to a core" active_received --at bareprof_send_lean \
    -o "$out/$a/fw.core"
  check "$label: a report of the core" good "$a-core" "$out/$a/fw.elf" \
    "$out/$a/fw.core" --lcov "$out/$a/core.lcov"
  check "$label: the same lines" cmp "$out/$a/lcov" "$out/$a/core.lcov"
}

# active_begin WORDS LLVM BOARD NAME [FLAGS]: builds NAME.c for a row, and sets
# the row's label, folder and QEMU. Fails if the row is not wanted.
active_begin() {
  label="report active: $1, $3, llvm-$2"
  wanted "$label" && have_llvm "$2" || return
  a=active-$4-$3-$2${5-}
  check "$label: build" active_build "$a" "$3" "$2" "${5-}" "$here/$4.c"
  active_qemu "$3"
}

# In an interrupt. On Cortex-M, the interrupted calls are below its frame; on
# other cores, a register has the return address that the interrupted function
# has left, which is of no call of the interrupt.
row_active_interrupted() {
  active_begin "interrupted${6:+ $6}" "$1" "$2" interrupted "${5-}" || return 0
  check "$label: run --gdb" active_run stop_here
  equal "$label: lines" "$3" \
    "$(active_marks "$a/lcov" "" interrupted.c | one_line | sed 's/ $//')"
  equal "$label: what is said" "$4" "$(grep -o "^Active when.*\|^The callers of \
[a-z_]* are not known" "$out/$a-made.said" | one_line | sed 's/ $//')"
}

# active_addresses ELF: instructions of the functions of halts.c, and their
# functions: the last ones before each return, and some others.
active_addresses() {
  llvm-objdump-22 -d --no-show-raw-insn "$1" | awk -v full="${FULL-}" '
    /^[0-9a-f]+ <\.L/ { next }
    /^[0-9a-f]+ </ { gsub(/[<>:]/, "", $2); name = $2; before = ""; next }
    name !~ /^(leaf|saving|pointed|large|jumping|varying|staying|main)$/ ||
      !/^ *[0-9a-f]+:/ || /\.word/ { next }
    { sub(/:/, "", $1) }
    full || ++count % 12 == 0 || /\tret|\tpop/ { print $1, name }
    /\tret|\tpop/ && before && !full { print before, name }
    { before = $1 }'
}

# At an address, whether the calls are those in the table: all, or as many as
# the report says. Functions with one chain of calls always have all. Prints the
# wrong ones. A function at its first instruction, or without a line there, is
# not named.
active_halt() {
  timeout 20 "$BAREPROF" run --gdb "$out/$a/fw.elf" --at "0x$1" --timeout 5 \
    -o "$out/$a/made" -- $qemu -kernel "$out/$a/fw.elf" \
    >"$out/$a/said" 2>"$out/$a/errors" </dev/null || return 0
  ! grep -q 'did not reach' "$out/$a/errors" || return 0
  echo "$1" >>"$out/$a/halted"
  awk -v at="$1 $2: " -v name="$2" '
    BEGIN {
      callers["leaf"] = "saving pointed large jumping varying staying"
      callers["saving"] = "pointed"
      callers["pointed"] = "large staying"
      callers["large"] = "jumping varying"
      callers["jumping"] = "varying"
      callers["varying"] = callers["staying"] = "main"
      callers["main"] = "board_run"
    }
    /^Active when/ { sub(/.*: /, ""); gsub(/[.,]/, ""); calls = $0 }
    /^The callers of/ { unknown = $4 }
    END {
      count = split(calls, list, " ")
      for (i = 1; i <= count; i++) {
        if (!(i == 1 && list[i] == name) &&
            index(" " callers[name] " ", " " list[i] " ") == 0)
          print at "not " calls
        name = list[i]
      }
      if ((name != "main" && name != "board_run") != (unknown == name) ||
          unknown ~ /large|jumping|varying|staying/)
        print at name " is last of " calls ", unknown: " unknown
    }' "$out/$a/said"
}

row_active_halts() {
  active_begin "at each instruction" "$1" "$2" halts || return 0
  equal "$label: the calls are right" "" "$(
    active_addresses "$out/$a/fw.elf" | while read -r address function; do
      active_halt "$address" "$function"
    done
  )"
  check "$label: enough" [ "$(wc -l <"$out/$a/halted")" -ge 15 ]
}

# At the first instruction of saving, with Arm's exception tables alone. Callers
# are called through a pointer, or from several places.
row_active_tables() {
  active_begin "exception tables" 22 mps2-an385 halts \
    -funwind-tables || return 0
  llvm-objcopy-22 --remove-section=.debug_frame "$out/$a/fw.elf"
  check "$label: .ARM.exidx is there" eval \
    'llvm-readelf-22 -S "$out/$a/fw.elf" | grep -q ARM_EXIDX'
  "$BAREPROF" run --gdb "$out/$a/fw.elf" --at saving --timeout 5 \
    -o "$out/$a/made" -- $qemu -kernel "$out/$a/fw.elf" >"$out/$a/said" 2>&1
  equal "$label: the calls" \
    "Active when counts were read: pointed, large, varying, \
main, board_run." \
    "$(grep '^Active when' "$out/$a/said")"
}

# main has returned: nothing is said of the code that ends the program.
row_active_ended() {
  label="report active: ended"
  wanted "$label" && have_llvm 22 || return 0
  a=active-ended
  mkdir -p "$out/$a" && echo 'int main(void) { return 0; }' >"$out/$a/ended.c"
  check "$label: build" active_build $a mps2-an385 22 "" "$out/$a/ended.c"
  active_qemu mps2-an385
  equal "$label: nothing is said" "ended.c 100.00 0 100.00 0 - -" \
    "$("$BAREPROF" run --gdb "$out/$a/fw.elf" -o "$out/$a-made" -- $qemu \
      -semihosting -kernel "$out/$a/fw.elf" 2>/dev/null |
      grep 'ended.c\|^Active when\|^The callers' | one_line | sed 's/  */ /g;s/ $//')"
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
  row_active_files
  row_active_resets
  row_active_elfs
  row_active_several
  row_active_halted 22 mps2-an385
  row_active_halted 19 virt-riscv64
  row_active_halted 22 virt-aarch64
  for board in mps2-an385 mps2-an500 mps2-an505; do
    row_active_interrupted 22 $board "" \
      "Active when counts were read: tick, wait, below, main."
  done
  active_below="45: 1 for 0 54: 1 for 0 56: 3 for 2 57: 3 for 2 72: 4 for 3 \
73: 3 for 2 75: 1 for 0 76: 1 for 0"
  row_active_interrupted 22 virt-riscv32 "$active_below" "Active when counts \
were read: tick, timer_interrupt. The callers of timer_interrupt are not known"
  row_active_interrupted 19 virt-cortex-a15 "$active_below" "Active when counts \
were read: tick. The callers of timer_interrupt are not known"
  # QEMU offers the process stack's pointer from 8.0 on.
  case $(qemu-system-arm --version) in
  *" version "[4-7].*)
    row_active_interrupted 22 mps2-an385 "$active_below" "Active when counts \
were read: tick. The callers of tick are not known" \
      -DPROCESS "on the process stack" ;;
  *)
    row_active_interrupted 22 mps2-an385 "" "Active when counts were read: \
tick, wait, below, main." -DPROCESS "on the process stack" ;;
  esac
  row_active_ended
  row_active_tables
  row_active_halts 22 mps2-an385
  row_active_halts 19 virt-riscv32
  row_active_halts 22 virt-aarch64
}
