# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reports of images whose records are in the debug information, and of images
# that GNU strip has left without symbols. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# debug_table NAME: prints the report's table without the ELF's name and without
# the line about MD5s, which GNU strip removes.
debug_table() { sed '1d; /Line by line/d; /Not compared/d' "$out/$1.said"; }

debug_same() {
  good "$1" "$2" "$3" || return 1
  debug_table "$1" >"$out/debug.seen"
  debug_table debug-records | diff - "$out/debug.seen"
}

# Without symbols, the functions of bitmaps are unknown.
debug_lost() {
  "llvm-objcopy-$1" --wildcard --strip-symbol='*__profbm_*' \
    "$out/debug/fw.elf" "$out/debug/lost.elf" || return 1
  report debug-lost "$out/debug/lost.elf" "$out/debug/fw.log" \
    --fail-under mcdc=1
  [ $status = 1 ] || { echo "status $status"; return 1; }
  grep -q 'so MC/DC is lost; pass' "$out/debug-lost.errors" &&
    grep -q '^bareprof: mcdc: 0.00 % covered' "$out/debug-lost.errors"
}

# A function without code has no name in the image.
debug_unused() {
  mkdir -p "$out/debug-unused" &&
    cp tests/wire/work.c "$out/debug-unused/work.c" &&
    echo 'static inline int unused(int a) { return a ? 1 : 2; }' \
      >>"$out/debug-unused/work.c" &&
    $MAKE -s firmware BOARD=mps2-an385 LLVM=22 OUT="$out/debug-unused" NAME=fw \
      SCRIPT=lean SOURCES="$out/debug-unused/work.c $here/decide.c \
        $coverage/monitor.c $coverage/nmea.c" \
      PLAIN="$coverage/stream.S tests/wire/console.c $here/firmware.c" \
      PROFILE="-fprofile-instr-generate -fcoverage-mapping \
        -mllvm -profile-correlate=debug-info" \
      LDFLAGS_APP="-u bareprof_preinit" \
      CFLAGS_APP="-O1 -g -DLEAN -I$coverage -Itests/wire" &&
    capture debug-unused mps2-an385 fw &&
    good debug-without "$out/debug-unused/fw.elf" "$out/debug-unused/fw.log"
}

row_debug() {
  label="report llvm-22, records in debug information"
  check "$label: builds" build debug mps2-an385 22 lean -DLEAN \
    "-mllvm -profile-correlate=debug-info" || return
  check "$label: runs" capture debug mps2-an385 fw
  check "report llvm-22, lean, as a reference: builds" \
    build debug-lean mps2-an385 22 lean -DLEAN
  check "report llvm-22, lean, as a reference: runs" \
    capture debug-lean mps2-an385 fw
  check "report llvm-22, lean, as a reference" good debug-records \
    "$out/debug-lean/fw.elf" "$out/debug-lean/fw.log"
  check "$label: all of it, with MC/DC" debug_same debug-made \
    "$out/debug/fw.elf" "$out/debug/fw.log"
  check "$label: MC/DC that is lost is said" debug_lost 22
  check "$label: a function without code" debug_unused
  label="report llvm-22, stripped by GNU strip, MC/DC"
  have arm-none-eabi-strip ||
    { skip "$label" "no arm-none-eabi-strip"; return; }
  # Not with the lean image: its records are not loaded, and strip removes them.
  check "$label: builds" build debug-full mps2-an385 22 full
  check "$label: runs" capture debug-full mps2-an385 fw
  check "$label: before" good debug-records "$out/debug-full/fw.elf" \
    "$out/debug-full/fw.log"
  arm-none-eabi-strip "$out/debug-full/fw.elf" -o "$out/debug-full/bare.elf"
  check "$label" debug_same debug-stripped "$out/debug-full/bare.elf" \
    "$out/debug-full/fw.log"
}
