# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof cc --counters=byte --mcdc=bytes: compares a byte for each bit of
# MC/DC with clang's bitmaps. `run` sources this file before flags.sh, whose
# programs it uses.

# With bytes for the bits of MC/DC, the report is the same, and the host tool
# makes the same profile as from clang's bitmaps: each function has the bitmap
# of clang's own code.
flags_outcomes() {
  f=$OUT/flags
  flags_report bytes "$BAREPROF" cc --counters=byte --mcdc=bytes \
    "$compiler" $flags -c "$1" && cmp "$f.ours.table" "$f.bytes.table" &&
    cmp "$f.ours.lines" "$f.bytes.lines" &&
    "$BAREPROF" merge "$f.bytes.profraw" -o "$f.bytes.profdata" || return 1
  for profile in clang.profraw ours.profraw bytes.profdata; do
    "llvm-profdata-${compiler##*-}" merge -text "$f.$profile" \
      -o "$f.$profile.text" && awk -v bitmaps=1 -f tests/place/flat.awk \
      "$f.$profile.text" | LC_ALL=C sort >"$f.$profile.bitmaps" || return 1
  done
  cmp "$f.ours.profraw.text" "$f.bytes.profdata.text" &&
    cmp "$f.clang.profraw.bitmaps" "$f.bytes.profdata.bitmaps"
}

# bytes_text COMPILER HOW FLAGS: prints what LLVM shows of a program's profile.
bytes_text() {
  o=$OUT/outcomes.$2 pattern=
  # In this mode the runtime writes bytes into the mapped file.
  case $2$3 in bytes*relocation) pattern=%c ;; esac
  # shellcheck disable=SC2086 # Several flags.
  "$BAREPROF" cc --counters=byte --mcdc=$2 $1 -O1 -w -fuse-ld=lld $COUNTED \
    -fcoverage-mcdc $3 tests/corpus/programs/decisions.c -o "$o" &&
    rm -f "$o.profraw" || return 1
  LLVM_PROFILE_FILE="$pattern$o.profraw" "$o" >"$o.said" # It returns a number.
  "$BAREPROF" merge "$o.profraw" -o "$o.profdata" &&
    "llvm-profdata-${1##*-}" merge -text "$o.profdata" -o "$o.text"
}
outcomes_ways() {
  for flags in -flto -flto=thin -fprofile-update=atomic "-O3 -g" \
    "-mllvm -runtime-counter-relocation"; do
    bytes_text "$1" bits "$flags" && bytes_text "$1" bytes "$flags" &&
      grep -q '^0x' "$OUT/outcomes.bits.text" &&
      cmp "$OUT/outcomes.bits.text" "$OUT/outcomes.bytes.text" ||
      { echo "$flags"; return 1; }
  done
}

# LLVM itself correlates counts with the ELF, and finds no MC/DC with or without
# bytes: it expects other counters there.
outcomes_correlated() {
  for how in bits bytes; do
    o=$OUT/outcomes.$how
    "$BAREPROF" cc --counters=byte --mcdc=$how $NEWEST -O1 -w $COUNTED \
      -fcoverage-mcdc -mllvm -profile-correlate=binary -Wl,--build-id \
      tests/corpus/programs/decisions.c -o "$o" || return 1
    LLVM_PROFILE_FILE="$o.profraw" "$o" >"$o.said"
    "llvm-profdata-$LLVM_HOST" merge --binary-file="$o" "$o.profraw" \
      -o "$o.profdata" && "llvm-cov-$LLVM_HOST" export -summary-only "$o" \
      -instr-profile="$o.profdata" >"$o.json" || return 1
  done
  grep -q '"covered":[1-9]' "$o.json" &&
    cmp "$OUT/outcomes.bits.json" "$OUT/outcomes.bytes.json"
}

# Two objects have the same inline function, one with bits, one with bytes.
# Known by hand: f(4, 1) and f(1, 1) are an independence pair of its first
# condition.
outcomes_mixed() {
  m=$OUT/mixed
  mkdir -p "$m"
  echo 'inline int f(int a, int b) { return a > 3 && b; }
int p(int a, int b);' >"$m/f.h"
  printf '%s\n' '#include "f.h"' 'int p(int a, int b) { return f(a, b); }' \
    >"$m/a.cpp"
  printf '%s\n' '#include "f.h"' 'int main(int c, char **) {
  return f(c + 3, c) + p(1, 1) - 1; }' >"$m/b.cpp"
  for level in -O0 -O2; do
    for how in bits bytes; do
      for source in a b; do
        # shellcheck disable=SC2086 # Several flags.
        "$BAREPROF" cc --counters=byte --mcdc=$how "clang++-$1" $level \
          $COUNTED -fcoverage-mcdc -c "$m/$source.cpp" \
          -o "$m/$source.$how.o" || return 1
      done
    done
    for objects in "a.bits b.bytes" "b.bytes a.bits" "a.bytes b.bits" \
      "b.bits a.bytes"; do
      outcomes_linked "$1" "$objects" || { echo "$level $objects"; return 1; }
    done
  done
}
outcomes_linked() {
  set -- "$1" "$m/${2% *}.o" "$m/${2#* }.o"
  "clang++-$1" $COUNTED -Wl,--build-id "$2" "$3" -o "$m/x" &&
    LLVM_PROFILE_FILE="$m/x.profraw" "$m/x" &&
    "$BAREPROF" report "$m/x" "$m/x.profraw" -o "$m/report" >"$m/table" &&
    grep -q '^f.h .* 50.00 *1$' "$m/table" ||
    { grep '^f.h ' "$m/table"; return 1; }
}

# A record with a wrong field is reported in one line: a bitmap as long as all
# counters; of 2^32-1 bytes; one that begins at the second counter.
outcomes_damaged() {
  bytes_text "$NEWEST" bytes "" || return 1
  d=$OUT/outcomes.damaged
  # The first record that has a bitmap, of 64 bytes; BitmapPtr at 24, its size
  # at 60, NumCounters at 48.
  at=$(od -An -v -tu8 -w8 "$OUT/outcomes.bytes.profraw" | awk '
    NR == 3 { ids = $1 } NR == 4 { count = $1 }
    { word[NR] = $1 }
    END {
      for (i = 0; i < count; i++) {
        first = (128 + ids) / 8 + 8 * i
        if (word[first + 8] >= 4294967296) { print 8 * first; exit }
      }
    }')
  counters=$(od -An -tu4 -j $((at + 48)) -N 4 "$OUT/outcomes.bytes.profraw")
  first=$(od -An -tu1 -j $((at + 24)) -N 1 "$OUT/outcomes.bytes.profraw")
  for edit in "60 $(printf '\\%03o' $counters)" '60 \377\377\377\377' \
    "24 $(printf '\\%03o' $(((first + 1) % 256)))"; do
    cp "$OUT/outcomes.bytes.profraw" "$d"
    # shellcheck disable=SC2059 # It is the bytes.
    printf "${edit#* }" | dd of="$d" bs=1 conv=notrunc status=none \
      seek=$((at + ${edit%% *})) || return 1
    "$BAREPROF" merge "$d" -o "$d.profdata" >"$d.said" 2>&1
    [ $? = 1 ] && [ "$(wc -l <"$d.said")" = 1 ] &&
      grep -q 'the records do not match the counters: the file is damaged, or objects of two compilers are linked' "$d.said" ||
      { echo "$edit: $(cat "$d.said")"; return 1; }
  done
}

# Builds that cannot have such bytes, and clang 18 and older, are rejected.
outcomes_refused() {
  set -- examples/coverage/nmea.c
  "$BAREPROF" cc --mcdc=bytes $NEWEST $COUNTED -c "$1" -o "$OUT/no.o" \
    2>"$OUT/said"
  [ $? = 2 ] && grep -q 'mcdc=bytes needs --counters=byte' "$OUT/said" ||
    { cat "$OUT/said"; return 1; }
  ! "$BAREPROF" cc --counters=byte --mcdc=bytes $NEWEST $COUNTED \
    -fcoverage-mcdc -g -mllvm -profile-correlate=debug-info -c "$1" \
    -o "$OUT/no.o" 2>"$OUT/said" &&
    grep -q 'the profile records are in the debug information' "$OUT/said" ||
    { cat "$OUT/said"; return 1; }
  BAREPROF_MCDC=some "$BAREPROF" cc --counters=byte $NEWEST -c "$1" \
    2>"$OUT/said"
  grep -q 'BAREPROF_MCDC must be one of' "$OUT/said"
}

for llvm in ${LLVM:-${FULL:+19} 22}; do
  # Older releases have no MC/DC, or another form of it.
  [ "$llvm" -ge 19 ] || continue
  needs "cc outcomes $llvm" "llvm:$llvm" || continue
  sole "cc outcomes $llvm: LTO, atomics, relocation" outcomes_ways clang-$llvm
  sole "cc outcomes $llvm: objects with bits and with bytes" outcomes_mixed $llvm
done
sole "cc outcomes: llvm-profdata joins the ELF" outcomes_correlated
sole "cc outcomes: damaged records" outcomes_damaged
sole "cc outcomes: what is refused" outcomes_refused
