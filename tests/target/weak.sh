# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A weak function that two objects of a firmware define, linked without
# --gc-sections: written whole, and its counts are those of the host's
# programs (tests/hosted/weak.c). Sourced by run.

# weak LINKER
weak() {
  folder=$out/weak-$1
  mkdir -p "$folder"
  rm -f "$folder/weak.profraw"
  { echo '#define main work'; cat tests/hosted/weak.c; } >"$folder/first.c"
  { echo '#define OTHER'; cat tests/hosted/weak.c; } >"$folder/second.c"
  $MAKE -s firmware BOARD=mps2-an385 LLVM=22 LINKER="$1" OUT="$folder" \
    NAME=weak SOURCES="$folder/first.c $folder/second.c" \
    PLAIN=$here/weak_main.c CFLAGS_APP=-O1 \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    LDFLAGS_APP="-u bareprof_preinit --no-gc-sections" &&
    targets/run mps2-an385 "$folder/weak.elf" "$folder" </dev/null &&
    [ "$(counts_of 22 "$folder/weak.profraw" | LC_ALL=C sort -u |
      one_line)" = "first.c:choose_another: 1 [1] level: Front-end \
other: 1 [5] second.c:choose: 1 [0] shared: 15 [7] work: 1 [10] " ]
}

for linker in lld gnu; do
  check "target mps2-an385 llvm-22 $linker two weak definitions" weak $linker
done

# An inline function that two C++ files have: LTO of clang 13 to 15 leaves two
# records and one counter. It runs twice, which we say; llvm-profdata adds the
# counter once for each record.
inline_twice() {
  folder=$out/inline
  mkdir -p "$folder"
  rm -f "$folder/weak.profraw"
  echo 'inline int sum(int a, int b) { return a + b; }
    int second(int n);' >"$folder/sum.h"
  echo '#include "sum.h"
    extern "C" int work() { return sum(4, 5) + second(1); }' >"$folder/first.cpp"
  echo '#include "sum.h"
    int second(int n) { return sum(n, 3); }' >"$folder/second.cpp"
  $MAKE -s firmware BOARD=mps2-an385 LLVM=14 OUT="$folder" NAME=inline \
    SOURCES="$folder/first.cpp $folder/second.cpp" \
    PLAIN=$here/weak_main.c CFLAGS_APP=-O2 \
    PROFILE="-flto -fprofile-instr-generate -fcoverage-mapping" \
    LDFLAGS_APP="-u bareprof_preinit" &&
    "$BUILD/bareprof" doctor "$folder/inline.elf" >"$folder/doctor" &&
    targets/run mps2-an385 "$folder/inline.elf" "$folder" </dev/null &&
    "$BUILD/bareprof" merge --for-llvm 14 "$folder/weak.profraw" \
      -o "$folder/inline.profdata" &&
    equal_counts "$(counts_of 14 "$folder/inline.profdata")"
}
equal_counts() {
  counts=$(echo "$1" | grep _Z3sumii)
  [ "$counts" = "_Z3sumii: 2 []" ] || { echo "$1"; return 1; }
}
if have_llvm 14; then
  check "target mps2-an385 llvm-14 lld one inline function, two records" \
    inline_twice
fi
