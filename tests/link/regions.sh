# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrong uses of regions, for the link tests, and similar right uses. `run`
# sources this file.

# Objects with a main, for the check of BAREPROF_ROM.
with_main() {
  main=$OUT/main-$target.o
  [ -f "$main" ] || echo 'int main(void) { return 0; }' |
    clang-22 $flags $COMMON -xc - -c -o "$main"
}

# heap_at_start LINKER: `end` is where RAM begins, and so are the counters.
heap_at_start() {
  script vendor thumbv7m full-insert
  sed -i 's/^  end = .*/  end = ORIGIN(RAM);/' "$vendor"
  refused "full-insert end at the start of RAM: refused" \
    "bareprof: \`end' is below the counters: put\
 \`end = __bareprof_end;' into regions.ld" \
    "$1" coverage
}

# ram_at_0 LINKER: in passes in which symbols are 0, that does not count as a
# heap.
ram_at_0() {
  for heap in __bareprof_end '__bareprof_end + 8'; do
    script vendor thumbv7m full-insert "end = $heap;"
    sed -i 's/ORIGIN = 0x20000000, LENGTH = 64K/ORIGIN = 0, LENGTH = 64K/
      /RAM2/d; /^  end = /d' "$vendor"
    accepted "full-insert RAM at 0, end = $heap: links" "$1"
  done
  script vendor thumbv7m full
  sed -i 's/ORIGIN = 0x20000000, LENGTH = 64K/ORIGIN = 0, LENGTH = 64K/
    /RAM2/d' "$vendor"
  accepted "full RAM at 0: links" "$1"
}

# rom_in_ram LINKER: sections of ROM are where no loader loads them.
rom_in_ram() {
  target_of thumbv7m
  target=thumbv7m
  with_main
  for fragment in full lean; do
    script vendor thumbv7m $fragment
    sed -i 's/"BAREPROF_ROM", FLASH)/"BAREPROF_ROM", RAM)/' "$vendor"
    refused "$fragment BAREPROF_ROM is RAM, code in flash: refused" \
      "bareprof: BAREPROF_ROM is RAM: linker-scripts/README.md" "$1" coverage \
      "$main" -u main
    sed -i 's/^ENTRY/__bareprof_rom_checked = 1; &/' "$vendor"
    accepted "$fragment BAREPROF_ROM is RAM, vouched for: links" "$1" \
      "$main" -u main
    script vendor-ram thumbv7m $fragment
    accepted "$fragment both in RAM, code too: links" "$1" "$main" -u main
  done
}

# Follows README for a script that uses a region before MEMORY, like CubeMX's,
# and for -L after -T.
other_orders() {
  script vendor thumbv7m full
  sed -i 's/^MEMORY/_estack = ORIGIN(RAM) + LENGTH(RAM);\n&/' "$vendor"
  case $1 in
    gnu-*) accepted "full _estack before MEMORY: links" "$1" ;;
    *) refused "full _estack before MEMORY: refused" \
      "memory region not defined: RAM" "$1" coverage ;;
  esac
  script vendor thumbv7m full
  script="-T $vendor -L$SCRIPTS"
  case $1 in
    gnu-*) refused "full -L behind -T: refused" "bareprof.ld" "$1" coverage ;;
    *) accepted "full -L behind -T: links" "$1" ;;
  esac
}

regions() {
  heap_at_start "$1"
  ram_at_0 "$1"
  rom_in_ram "$1"
  other_orders "$1"
}
