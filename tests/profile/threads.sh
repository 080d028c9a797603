# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Merges with several threads: the same bytes and messages as with one thread,
# for any number of threads and any inputs; with FULL, no data race under
# ThreadSanitizer. `run` sources this file.

THREADED=$OUT/threaded
THREADED_PARTS="base object image profile"
WORK=$OUT/threads

# Builds only the command, with ThreadSanitizer. Without FULL, the tool itself
# is tested.
build_threaded() {
  [ -n "${FULL:-}" ] || { THREADED=$BUILD/bareprof; return; }
  cat >"$OUT/threaded.c" <<'CODE'
#include "commands.h"
int main(int argc, char **argv) {
  return command_merge.run(&command_merge, argc - 1, argv + 1);
}
CODE
  error=$(PARTS=$THREADED_PARTS tool_program "$THREADED" thread \
    "$OUT/threaded.c" 2>&1) &&
    [ -z "$error" ] && return
  not_ok "profile threads: compiles" "$(printf '%s' "$error" | one_line)"
  return 1
}

# Makes 24 files of a kind, each with its own and some common functions. Shapes
# are the same, since they do not depend on the seed.
make_many() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  for seed in $(seq 24); do
    awk -v kind="$1" -v functions=$((20 + 3 * seed)) -v seed="$seed" \
      -f $HERE/generate.awk >"$WORK/$(printf %02d "$seed").in" || return 1
  done
}

# merged_by THREADS ARGUMENTS...: merges to $WORK/THREADS.out, and keeps
# messages.
merged_by() {
  threads=$1
  shift
  TSAN_OPTIONS=exitcode=66 "$THREADED" merge --num-threads="$threads" "$@" \
    -o "$WORK/$threads.out" 2>"$WORK/$threads.said"
  status=$?
  grep -A 12 'ThreadSanitizer' "$WORK/$threads.said" && return 1
  echo "status $status" >>"$WORK/$threads.said"
}

# alike ARGUMENTS...: 1, 3, 100 and other numbers of threads give the same file
# and messages.
alike() {
  merged_by 1 "$@" || return
  grep -q "^status ${expected:-0}$" "$WORK/1.said" ||
    { cat "$WORK/1.said"; return 1; }
  for n in ${FULL:+2} 3 ${FULL:+7} 100; do
    merged_by $n "$@" || return
    cmp "$WORK/1.said" "$WORK/$n.said" || return
    [ ! -e "$WORK/1.out" ] || cmp "$WORK/1.out" "$WORK/$n.out" || return
    rm -f "$WORK/$n.out"
  done
  rm -f "$WORK/1.out"
}

# as_text KIND [ARGUMENTS...]: merges many files of a kind to both formats.
as_text() {
  make_many "$1" || return
  shift
  alike "$WORK"/*.in "$@" && alike --text "$WORK"/*.in "$@"
}

# Merges the files that as_text has left, as indexed files.
as_indexed() {
  for file in "$WORK"/*.in; do
    "$BUILD/bareprof" merge --num-threads=1 "$file" --mcdc-llvm 22 \
      -o "$file.prof" || return
  done
  alike "$WORK"/*.prof
}

# Merges raw files: two machines, values, vtables, bitmaps, ids; some twice, and
# with weights.
as_raw() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  tool_program "$OUT/forge" "$SANITIZERS" $FORGE || return
  for version in 9 10 11; do
    for pointer in 4 8; do
      "$OUT/forge" raw $version $pointer 0 counts \
        "$WORK/$version-$pointer.raw" >/dev/null || return
    done
  done
  raw_11=$WORK/11-8.raw
  alike "$WORK"/10-*.raw "$WORK"/11-*.raw "$WORK"/11-*.raw \
    --weighted-input=5,"$raw_11" && alike "$WORK"/9-*.raw "$WORK"/9-*.raw &&
    (expected=1 && alike "$WORK"/*.raw --text)
}

# The first file decides which shape stays: every third of the 24 files has
# another one.
with_conflicts() {
  make_many "cs values" || return
  for seed in 03 06 09 12 15 18 21 24; do
    printf 'f5\n77\n%s\n1\n2\n3\n' 3 >>"$WORK/$seed.in"
    printf 'f5\n77\n%s\n1\n2\n' 2 >>"$WORK/$(printf %02d $((${seed#0} - 1))).in"
  done
  alike "$WORK"/*.in && grep -q 'differ' "$WORK/3.said"
}

# Sums overflow.
with_overflows() {
  make_many "ir" || return
  printf 'f9\n78\n1\n18446744073709551600\n' | tee -a "$WORK/05.in" \
    "$WORK/11.in" >>"$WORK/23.in"
  alike "$WORK"/*.in && grep -q 'at its maximum' "$WORK/3.said"
}

# Merges bad files, and files of another kind, in all modes of failure.
with_bad() {
  make_many "ir traces" || return
  printf 'nothing\n' >"$WORK/07.in"
  printf ':fe\nf1\n1\n1\n1\n' >"$WORK/15.in"
  rm "$WORK/23.in"
  for mode in warn all; do
    alike "$WORK"/*.in "$WORK/23.in" --failure-mode=$mode || return
    [ "$(grep -c ^bareprof "$WORK/3.said")" = 3 ] || return
  done
  expected=1
  alike "$WORK"/*.in "$WORK/23.in"
  expected=
  [ "$(grep -c ^bareprof "$WORK/3.said")" = 1 ]
}

# Merges inputs that can be read only once.
with_pipe() {
  make_many "ir values" || return
  cat "$WORK/01.in" | alike_pipe
}
alike_pipe() {
  "$THREADED" merge --num-threads=3 - "$WORK"/0*.in --for-llvm 22 \
    -o "$WORK/out" && "$THREADED" merge --num-threads=1 "$WORK/01.in" \
    "$WORK"/0*.in --for-llvm 22 -o "$WORK/one" && cmp "$WORK/one" "$WORK/out"
}

# Raw profiles without records: each thread reads the ELF.
with_elf() {
  rm -rf "$WORK"
  mkdir -p "$WORK"
  clang++-$LLVM_HOST -O1 -w -fprofile-instr-generate \
    -mllvm -profile-correlate=binary $HERE/program.cpp -o "$WORK/elf" &&
    LLVM_PROFILE_FILE=$WORK/raw "$WORK/elf" 3 &&
    alike $(yes "$WORK/raw" | head -n 8) --elf="$WORK/elf"
}

# Without memory for all threads, one thread merges; without any memory, one
# line says so.
without_memory() {
  make_many "cs values" || return
  "$BUILD/bareprof" merge --num-threads=1 "$WORK"/*.in -o "$WORK/whole" ||
    return
  for limit in 20000 40000 60000 80000 120000 200000; do
    (ulimit -v $limit && "$BUILD/bareprof" merge --num-threads=7 \
      "$WORK"/*.in -o "$WORK/limited" 2>"$WORK/said")
    status=$?
    case $status in
    0) cmp "$WORK/whole" "$WORK/limited" || return ;;
    1) [ ! -e "$WORK/limited" ] && grep -q '^bareprof: .*memory' \
      "$WORK/said" || { cat "$WORK/said"; return 1; } ;;
    127) ;; # not even started
    *) echo "with $limit KB: status $status"; return 1 ;;
    esac
    rm -f "$WORK/limited"
  done
}

if build_threaded; then
  for kind in "ir values vtables locals" "fe bitmaps" "ir traces many" \
    ${FULL:+"ir values strangers" "cs values" "ir bytes" "ir traces"}; do
    check "profile threads: text, $kind" as_text "$kind" --mcdc-llvm 22
    check "profile threads: indexed, $kind" as_indexed
  done
  check "profile threads: raw" as_raw
  check "profile threads: for LLVM 14" as_text "ir locals values" \
    --for-llvm 14
  check "profile threads: conflicts" with_conflicts
  check "profile threads: overflows" with_overflows
  check "profile threads: bad inputs" with_bad
  check "profile threads: a pipe" with_pipe
  check "profile threads: an ELF with the records" with_elf
  check "profile threads: too little memory" without_memory
fi
