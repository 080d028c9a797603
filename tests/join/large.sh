# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A large ELF, of 100,000 functions and 50 MB: compares join's time and memory
# with llvm-profdata merge --binary-file. run and bench source this file.

FUNCTIONS=100000 MEGABYTES=50

# compile PROGRAM SOURCES...: compiles without a warning, into $out.
compile() {
  compiled=$out/$1
  shift
  tool_program "$compiled" "" -Werror -iquote tests/unit "$@"
}

compile_large() {
  compile large $here/large.c $here/make.c tests/unit/format.c \
    tests/unit/compose.c &&
    compile measure $here/measure.c
}

# Sets join_ms, join_kb, their_ms, their_kb, read_ms; used, in KB: the sections
# that are of use to join.
large_numbers() {
  large=$out/large-files
  mkdir -p "$large"
  used=$("$out/large" "$large" $FUNCTIONS $MEGABYTES) &&
    numbers=$("$out/measure" 5 "$BAREPROF" join "$large/large.elf" \
      "$large/counters" -o "$large/joined.profraw") || return 1
  used=$((used / 1024)) join_ms=${numbers% *} join_kb=${numbers#* }
  numbers=$("$out/measure" 2 "llvm-profdata-$LLVM_HOST" merge \
    --binary-file="$large/large.elf" "$large/large.profraw" \
    -o "$large/their.profdata") || return 1
  their_ms=${numbers% *} their_kb=${numbers#* }
  numbers=$("$out/measure" 5 cksum "$large/large.elf" | tail -n 1)
  read_ms=${numbers% *}
}

# ratio A B: prints A / B.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }

# Both ways give the same counts.
large_counts() {
  "llvm-profdata-$LLVM_HOST" merge -text "$large/joined.profraw" \
    -o "$large/ours.text" &&
    "llvm-profdata-$LLVM_HOST" merge -text "$large/their.profdata" \
      -o "$large/their.text" && cmp "$large/ours.text" "$large/their.text"
}

large() {
  check "$label: compiles" compile_large
  large_numbers || { not_ok "$label" "is not joined"; return; }
  check "$label: the counts are the same" large_counts
  is="$(ratio "$their_ms" "$join_ms") times as fast as llvm-profdata"
  check "$label: $join_ms ms, $is" test "${join_ms%.*}" -lt "${their_ms%.*}"
  check "$label: $join_kb KB, twice the $used KB of use at most" \
    test "$join_kb" -lt $((2 * used))
}
