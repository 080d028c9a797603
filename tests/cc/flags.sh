# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof cc --counters=flags: a report of flags is that of counters, but for
# the counts: of lines, regions, branches and MC/DC. Sourced by run. Programs
# of the corpus that leave functions by other ways than their ends are not
# here: there a difference of counters is wrong, and a flag is right.

# A program by clang alone, or by the launcher, and its report.
flags_report() {
  side=$1
  shift
  "$@" -o "$OUT/flags.o" && "$compiler" $flags "$OUT/flags.o" \
    -o "$OUT/flags.$side" &&
    (cd "$OUT" && LLVM_PROFILE_FILE=flags.$side.profraw ./flags.$side) \
      >"$OUT/flags.said" 2>&1
  (cd "$OUT" && "$BAREPROF" report flags.$side flags.$side.profraw \
    --lcov flags.$side.lcov >flags.$side.table) &&
    sed -i 1d "$OUT/flags.$side.table" &&
    sed -E 's/^(DA:.*,|FNDA:|BRDA:.*,)[1-9][0-9]*/\1N/' \
      "$OUT/flags.$side.lcov" >"$OUT/flags.$side.lines"
}

# Of both: the table, and the lines of the tracefile.
flags_same() {
  flags_report clang "$compiler" $flags -c "$1" &&
    flags_report ours "$BAREPROF" cc --counters=flags "$compiler" $flags \
      -c "$1" &&
    cmp "$OUT/flags.clang.table" "$OUT/flags.ours.table" &&
    cmp "$OUT/flags.clang.lines" "$OUT/flags.ours.lines"
}

flags_all() {
  mcdc=
  [ "$1" -lt 19 ] || mcdc=-fcoverage-mcdc
  for name in $2; do
    source=$(ls tests/corpus/programs/$name.c*)
    case $source in
      *.cpp) compiler=clang++-$1 standard=-std=c++17 ;;
      *) compiler=clang-$1 standard= ;;
    esac
    for level in ${FULL:+-O0 -Os} -O2; do
      flags="$level -w $standard $COUNTED $mcdc"
      flags_same "$source" || { echo "$name $level"; return 1; }
    done
  done
}

# Each flag is one byte, and nothing loads it.
flags_bytes() {
  "$BAREPROF" cc --counters=flags $NEWEST --target=riscv32-unknown-elf \
    -ffreestanding $COUNTED -O2 -S examples/coverage/nmea.c -o "$OUT/flags.s" &&
    grep -q '^\.L__profc_' "$OUT/flags.s" && ! grep -q 'amoadd' "$OUT/flags.s" &&
    grep -q 'sb.*zero' "$OUT/flags.s"
}

FLAGS="branches switches loops decisions recursion calls_itself memop_sizes
  computed_goto exit_handlers exceptions virtual_calls templates lambdas"
for llvm in ${FULL:+15 16 17 18 20 21} 14 19 22; do
  needs "cc flags $llvm" "llvm:$llvm" || continue
  check "cc flags $llvm: reports are those of counters" flags_all $llvm "$FLAGS"
done
check "cc flags: stores of a byte" flags_bytes
