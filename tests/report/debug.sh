# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reports of images whose records are in the debug information, and of such as
# GNU strip has left without symbols. Sourced by run.
# shellcheck disable=SC2154 # Of run.

# debug_table NAME: the report's table, but for the name of the ELF.
debug_table() { sed '1d; /Line by line/d' "$out/$1.said"; }

debug_same() {
  good "$1" "$2" "$3" || return 1
  debug_table "$1" >"$out/debug.seen"
  debug_table debug-records | diff - "$out/debug.seen"
}

# Nothing says whose the bitmaps are, once their symbols are gone.
debug_lost() {
  "llvm-objcopy-$1" --wildcard --strip-symbol='*__profbm_*' \
    "$out/debug/fw.elf" "$out/debug/lost.elf" || return 1
  report debug-lost "$out/debug/lost.elf" "$out/debug/fw.log" \
    --fail-under mcdc=1
  [ $status = 1 ] || { echo "status $status"; return 1; }
  grep -q 'MC/DC is lost: .*; give' "$out/debug-lost.errors" &&
    grep -q '^bareprof: mcdc: 0.00 % covered' "$out/debug-lost.errors"
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
  label="report llvm-22, stripped by GNU strip, MC/DC"
  have arm-none-eabi-strip || { skip "$label" "no arm-none-eabi-strip"; return; }
  # Not those of the lean image: these are not loaded, and strip takes them.
  check "$label: builds" build debug-full mps2-an385 22 full
  check "$label: runs" capture debug-full mps2-an385 fw
  check "$label: before" good debug-records "$out/debug-full/fw.elf" \
    "$out/debug-full/fw.log"
  arm-none-eabi-strip "$out/debug-full/fw.elf" -o "$out/debug-full/bare.elf"
  check "$label" debug_same debug-stripped "$out/debug-full/bare.elf" \
    "$out/debug-full/fw.log"
}
