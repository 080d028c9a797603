# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks on boards in QEMU: the instructions of a call, and interrupts and harts
# that call hooks at the same time. tests/values/run sources this file.

# build NAME BOARD SOURCES FLAG...: builds $out/BOARD/NAME.elf.
build() {
  image=$1 board=$2
  program="$3 $here/table.c"
  shift 3
  $MAKE -s firmware BOARD="$board" LLVM=22 OUT="$out/$board" NAME="$image" \
    PLAIN="$program" CFLAGS_APP="-O2 -g -Wall -Wextra -Iruntime $*" \
    LDFLAGS_APP="-u bareprof_preinit" >"$out/$board.log" 2>&1 || {
    not_ok "values $board $image: builds" "$(one_line <"$out/$board.log")"
    return 1
  }
}

# start NAME BOARD QEMU-FLAG...: prints its output.
start() {
  image=$1 board=$2
  shift 2
  targets/run "$board" "$out/$board/$image.elf" "$out" "$@" </dev/null ||
    echo "exit-status $?"
}

# number NAME TEXT
number() { echo "$2" | awk -v name="$1" '$1 == name {print $2; exit}'; }

# BOARD KIND INSTRUCTIONS for each kind of call.
steps() {
  build steps "$1" "$here/steps.c" || return
  case $1 in virt*) shift_by=0 ;; *) shift_by=6 ;; esac
  start steps "$1" -icount shift=$shift_by >"$out/steps-$1"
  awk -v board="$1" '$1 == "ticks-a-second" { per = $2 * 64e-9; next }
    $1 == "repeats" { repeats = $2; next }
    /^limit/ { next }
    { print board, $1, int($2 / (per ? per : 1) / repeats + 0.5) }' \
    "$out/steps-$1"
}

limits() {
  equal "values $1 a count ends at 2^31" 2147483648 \
    "$(number limit-count "$(cat "$out/steps-$1")")"
  equal "values $1 sites end at 65,535" 2 \
    "$(number limit-sites "$(cat "$out/steps-$1")")"
}

# Sends an interrupt at each instruction of a call.
places() {
  build places "$1" "$here/places.c tests/atomic/sweep.c" || return
  start places "$1" -icount shift=8 >"$out/places-$1"
  rows=$(awk '{ print $1 }' "$out/places-$1" | one_line)
  case $1 in virt*) last=dump-and-new ;; *) last=two-interrupts ;; esac
  case $rows in
    *"$last "*) ;;
    *) not_ok "values $1 places: all rows" "only $rows" ;;
  esac
  while read -r row runs wrong; do
    if [ "$runs" -gt 50 ] 2>/dev/null && [ "$wrong" = 0 ]; then
      ok "values $1 $row: right, wherever the interrupt comes"
    else
      not_ok "values $1 $row: right, wherever the interrupt comes" \
        "$wrong of $runs"
    fi
  done <"$out/places-$1"
}

# shaken NAME BOARD SOURCES FLAG...: prints the output of shake.c.
shaken() {
  shaken_as=$1 shaken_on=$2 shaken_of=$3
  shift 3
  build "$shaken_as" "$shaken_on" "$here/shake.c $shaken_of" \
    "-DEVENTS=$events -DSITES=8" "$@" && start "$shaken_as" "$shaken_on" \
    -icount shift=6
}

# counted_at_most LABEL MOST NUMBER
counted_at_most() {
  if [ "$3" -le "$2" ] 2>/dev/null; then
    ok "$1"
  else
    not_ok "$1" "expected at most $2, got $3"
  fi
}
more_than() {
  if [ "$3" -gt "$2" ] 2>/dev/null; then
    ok "$1"
  else
    not_ok "$1" "expected more than $2, got $3"
  fi
}

shakes() {
  case $1 in
    microbit) none=tests/atomic/lock_none.c ;;
    *) none=$here/plain.c ;;
  esac
  text=$(shaken enough "$1" "" -DSLOTS=128 -DWAYS=32)
  label="values $1 at 10 kHz, $events events"
  more_than "$label: by more than an interrupt in 50" $((events / 50)) \
    "$(number interrupts "$text")"
  equal "$label: all counts are exact" 0 "$(number wrong "$text")"
  equal "$label: the table is whole" 0 "$(number faults "$text")"
  text=$(shaken few "$1" "" -DSLOTS=16 -DWAYS=4)
  equal "$label, too few slots: the table is whole" 0 \
    "$(number faults "$text")"
  counted_at_most "$label, too few slots: no count above what was seen" \
    $((${events} / 100000)) "$(number over "$text")"
  text=$(shaken dumped "$1" "" -DSLOTS=16 -DWAYS=4 -DDUMPS)
  equal "$label, and dumps: the table is whole" 0 "$(number faults "$text")"
  counted_at_most "$label, and dumps: no count above what was seen" \
    $((${events} / 100000)) "$(number over "$text")"
  text=$(shaken none "$1" "$none" -DSLOTS=128 -DWAYS=32)
  more_than "$label: control, not atomic it is wrong" 0 \
    "$(number wrong "$text")"
}

# Harts meet at different places in each run. bareprof_values.h allows a count
# that finds its slot freed by the other hart: this occurs in one of 50,000
# events; without atomic accesses, in one of 80.
harts() {
  on="virt-riscv32 -smp 2 -accel tcg,thread=multi"
  build harts virt-riscv32 "$here/harts.c" -DROUNDS=4000 || return
  text=$(start harts $on)
  more_than "values two harts: 256,000 events" 511999 \
    "$(number events "$text")"
  counted_at_most "values two harts: counts are right but for 1 in 10,000" 51 \
    "$(number wrong "$text")"
  equal "values two harts: the table is whole" 0 "$(number faults "$text")"
  build harts-none virt-riscv32 "$here/harts.c $here/plain.c" -DROUNDS=4000 &&
    more_than "values two harts: control, not atomic it is wrong" 510 \
      "$(number wrong "$(start harts-none $on)")"
}
