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
