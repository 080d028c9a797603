#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the time of join, samples and probes with LLVM's tools. The samples
# come from a program in single steps: for each tenth instruction (with FULL for
# each) its address, its stack, and the 32 branches before it. `run` sources
# this file.
# shellcheck disable=SC2034 # run knows THEIRS.
. tests/samples/branches.sh

PROFGEN=llvm-profgen-$LLVM_HOST

# ---- join ----

joined() {
  label="speed: join of 100,000 functions" folder=$OUT/join THEIRS=llvm-profdata
  mkdir -p "$folder"
  if ! tool_program "$OUT/large" "" -Werror -iquote tests/unit \
    tests/join/large.c tests/join/make.c tests/unit/format.c \
    tests/unit/compose.c || ! "$OUT/large" "$folder" 100000 50 >"$OUT/used"
  then
    not_ok "$label" "no input"
    return
  fi
  timed "$label" "9.6 3.2" \
    "$BAREPROF" join "$folder/large.elf" "$folder/counters" -o "$OUT/ours" -- \
    "$PROFDATA" merge --binary-file="$folder/large.elf" \
    "$folder/large.profraw" --num-threads=1 -o "$OUT/theirs"
  rm -rf "$folder"
}

# ---- samples ----

# Writes lbr.ranges and lbr.stacks.ranges. 77: nobody may trace here.
record() {
  folder=$OUT
  # shellcheck disable=SC2034 # hosted_image knows it.
  probed=-fpseudo-probe-for-profiling
  hosted_image static && build_step &&
    "$OUT/step" "$OUT/static.listing" "$EVERY" 32 "$OUT/lbr" "$OUT/truth" \
      "$OUT/static" || return
  ranges_of static lbr --use-offset=0 &&
    ranges_of static lbr.stacks --use-offset=0
}

# profiled LABEL LIMITS OPTION FILE THEIR-OPTION...: samples.
profiled() {
  label=$1 limits=$2 option=$3 file=$4
  wanted "$label" || return 0
  shift 4
  # shellcheck disable=SC2086 # An option, or none.
  timed "$label" "$limits" \
    "$BAREPROF" samples "$OUT/static" "$file" $option -o "$OUT/ours" -- \
    "$PROFGEN" --binary="$OUT/static" --format=text \
    --unsymbolized-profile="$file" "$@" --output="$OUT/theirs" \
    -- cat "$file" &&
    check "$label: the same bytes" cmp "$OUT/theirs" "$OUT/ours"
}

# grows LABEL OPTION FILE: four times the input takes four times as long, and no
# more memory, since no sample is new.
grows() {
  label="$1, and four times as much"
  wanted "$label" || return 0
  cat "$3" "$3" "$3" "$3" >"$OUT/lbr-four"
  # shellcheck disable=SC2086 # An option, or none.
  if ! "$OUT/alternate" "$TURNS" \
    "$BAREPROF" samples "$OUT/static" "$3" $2 -o "$OUT/ours" -- \
    "$BAREPROF" samples "$OUT/static" "$OUT/lbr-four" $2 -o "$OUT/ours" \
    >"$OUT/numbers" 2>"$OUT/why"; then
    not_ok "$label" "$(one_line <"$OUT/why")"
    return
  fi
  awk -v label="$label" '
    { time[NR] = $1; memory[NR] = $3; times[NR] = $4 }
    END {
      print (times[2] <= 5 ? "ok " : "not ok ") label ": " times[2] \
        " times as long (" time[1] " and " time[2] " ms)"
      print (memory[2] <= 1.25 * memory[1] ? "ok " : "not ok ") label ": " \
        memory[1] " and " memory[2] " KB, a quarter more at most"
    }' "$OUT/numbers"
}

samples() {
  THEIRS=llvm-profgen
  have "$PROFGEN" || { skip "speed: samples" "no $PROFGEN"; return; }
  [ "$(uname -sm)" = "Linux x86_64" ] || {
    skip "speed: samples" "this is $(uname -sm), not Linux x86_64"
    return
  }
  EVERY=10 size="10 MB"
  [ -z "${FULL:-}" ] || EVERY=1 size="100 MB"
  record >"$OUT/why" 2>&1
  case $? in
  0) ;;
  77) skip "speed: samples" "nobody may trace here"; return ;;
  *) not_ok "speed: samples" "$(one_line <"$OUT/why")"; return ;;
  esac
  profiled "speed: samples, ranges of $size of branches" "3 1.6" \
    "--offset=0" "$OUT/lbr.ranges" --use-offset=0
  # shellcheck disable=SC2154 # It is of tests/samples/branches.sh.
  # shellcheck disable=SC2086 # Several options.
  # With contexts llvm-profgen 22 crashes on its own ranges.
  grows "speed: samples, ranges of $size of branches" --offset=0 \
    "$OUT/lbr.ranges"
  grows "speed: samples --context, ranges of $size of branches" \
    "--context --offset=0" "$OUT/lbr.stacks.ranges"
  rm -f "$OUT"/lbr*
}

# ---- probes ----

# annotated LABEL FLOOR ELF: our time includes llvm-objdump. Like llvm-profgen,
# it prints no bytes of instructions.
annotated() {
  wanted "$1" || return 0
  label=$1 floor=$2 elf=$3
  set -- "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$elf"
  "$@" >"$OUT/code"
  if ! "$OUT/alternate" "$TURNS" \
    sh -c "$BAREPROF probes --annotate $elf <$OUT/code" -- \
    "$PROFGEN" --perfscript=/dev/null -o /dev/null --binary="$elf" \
    --show-disassembly-only --show-pseudo-probe -- "$@" \
    >"$OUT/numbers" 2>"$OUT/why"; then
    not_ok "$label" "$(one_line <"$OUT/why")"
    return
  fi
  awk -v label="$label" -v floor="$floor" '
    { time[NR] = $1 }
    END {
      faster = time[2] / (time[1] + time[3])
      printf "%s %s: %.2f times as fast as llvm-profgen (%.0f ms, " \
        "llvm-objdump %.0f ms, and %.0f ms); less than %s fails\n",
        (faster >= floor ? "ok" : "not ok"), label, faster, time[1], time[3],
        time[2], floor
    }' "$OUT/numbers"
}

# A program of 1 MB: the tool itself. The aim is 1.
annotated_tool() {
  label="speed: probes --annotate, this tool"
  wanted "$label" || return 0
  if ! why=$($MAKE -s -j "$JOBS" tool BUILD="$OUT/probed" \
    HOST_CC="clang-$LLVM_HOST" \
    HOST_CFLAGS="-O2 -fpseudo-probe-for-profiling" 2>&1); then
    not_ok "$label" "$(printf '%s' "$why" | one_line)"
    return
  fi
  annotated "$label" 1 "$OUT/probed/bareprof"
  rm -rf "$OUT/probed"
}

# A million probes (with FULL) in a file that is mostly not code; a small image
# with its disassembly; and a program's. The small image has only nops, which
# take llvm-objdump longer to print than llvm-profgen to decode: no aim.
probes() {
  THEIRS=llvm-profgen functions=5000 elf=$OUT/probes.elf
  [ -z "${FULL:-}" ] || functions=20000
  have "$PROFGEN" || { skip "speed: probes" "no $PROFGEN"; return; }
  if ! tool_program "$OUT/made" "" tests/probes/made.c ||
    ! "$OUT/made" big "$elf" "$functions" 17000000; then
    not_ok "speed: probes" "no input"
    return
  fi
  timed "speed: probes of $functions functions" "6 5" \
    "$BAREPROF" probes "$elf" -- "$PROFGEN" --perfscript=/dev/null \
    -o /dev/null --binary="$elf" --show-disassembly-only --show-pseudo-probe
  "$OUT/made" big "$elf" 500 0 &&
    annotated "speed: probes --annotate, 500 functions of nops" 0.2 "$elf"
  rm -f "$elf"
  [ -z "${FULL:-}" ] || annotated_tool
}
