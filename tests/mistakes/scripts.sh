# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mistakes with `bareprof init`: scripts, choices, installations. init then
# writes no file. `run` sources this file.

# init SCRIPT OPTIONS...: runs `bareprof init` in a separate folder.
init() {
  script=$1
  shift
  rm -rf "$out/init" && mkdir -p "$out/init" &&
    "$out/at/bin/bareprof" init "$script" -o "$out/init" --llvm 22 \
      --target thumbv7m-none-eabi "$@"
}
# asks TEXT SCRIPT OPTIONS...: init fails with TEXT.
asks() {
  text=$1
  shift
  told "$text" init "$@" && [ ! -e "$out/init/regions.ld" ] &&
    [ ! -e "$out/init/dump.c" ]
}
# made_of SED: prints the name of a changed copy of the example's script.
made_of() { changed mps2-an385.ld init.ld "$1" && echo "$out/init.ld"; }

init_scripts() {
  check "mistakes script: there is none" asks "No such file" \
    "$out/nosuch.ld"
  check "mistakes script: an ELF" asks \
    "SECTIONS is missing; pass the linker script" "$out/good.elf"
  echo 'LR 0 { ER 0 { *.o (RESET) } }' >"$out/init.sct"
  check "mistakes script: of another linker" asks \
    "SECTIONS is missing; pass the linker script" "$out/init.sct"
  check "mistakes script: cut off" asks \
    "the script ends inside SECTIONS; pass the complete script" "$(made_of '$d')"
  check "mistakes script: cut off in MEMORY" asks \
    "MEMORY is not a list of NAME : ORIGIN = ..., LENGTH = ...; pass a complete" \
    "$(made_of '/^ *RAM/,$d')"
  check "mistakes script: cut off in a comment" asks \
    "a comment does not end; pass the complete script" "$(made_of '$s,$,/*,')"
  check "mistakes script: for the C preprocessor" asks \
    "the script needs the C preprocessor; pass the output of clang" \
    "$(made_of '1i\#include <config.h>')"
  check "mistakes script: no MEMORY" asks \
    "the script has no MEMORY; put one line in front of a copy, such as \`MEMORY { RAM" \
    "$(made_of '/^MEMORY/,/^}/d; s/AT *> *[A-Z]*//; s/> *[A-Z]*//g')"
  sed '1i\MEMORY { RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }' \
    "$out/init.ld" >"$out/one.ld"
  check "mistakes script: with that line, its region is taken" init \
    "$out/one.ld"
  check "mistakes script: ours is in it" asks \
    "the script includes a bareprof script already" \
    "$(made_of '/stack_top/i\INCLUDE bareprof.ld')"
  check "mistakes script: an INCLUDE elsewhere" asks \
    "the script includes memory.ld, which cannot be read; pass its folder with -L" \
    "$(made_of '1i\INCLUDE memory.ld')"
  check "mistakes script: it includes itself" asks \
    "the script includes init.ld, and includes more than 64 files" \
    "$(made_of '1i\INCLUDE init.ld')" -L "$out"
}

# regions_of: prints what init makes of the script on standard input.
regions_of() {
  cat >"$out/init.ld"
  init "$out/init.ld" >/dev/null && cat "$out/init/regions.ld"
}
# A stack of 12 KB below the end of RAM; without ranks of operators, there would
# be 8 KB.
ranks='MEMORY { FLASH : ORIGIN = 0, LENGTH = 256K
    RAM : ORIGIN = 0x20000000, LENGTH = 1 << 14 + 2 }
  SECTIONS {
    .text : { *(.text) } > FLASH
    .stack ORIGIN(RAM) + LENGTH(RAM) - 0x2600 & ~0xFFF : { . += 4; } > RAM
    .bss : { *(.bss) } > RAM
  }'
init_statements() {
  echo "$ranks" | regions_of >"$out/ranks.ld"
  check "mistakes script: ranks of operators" grep -q \
    'LENGTH(RAM) - 20480, LENGTH = 8192' "$out/ranks.ld"
  echo "$ranks" | sed '1i\
    # 1 "board.h" 2\
    ENTRY(reset) GROUP(-lc) SEARCH_DIR("=/lib") EXTERN(a b);\
    PHDRS { text PT_LOAD AT(0x100) FLAGS(5); } A = 1; B = 2; A += 4
    /text/i\
    ASSERT(!(A == B ? A : B), "SIZEOF(.bss)") PROVIDE_HIDDEN(C = A ? B : A);\
    . += A ? B : 0;\
    OVERLAY : { .a { *(.a) } .b { *(.b) } :text =0 } > RAM AT > FLASH
    $a\
    INSERT AFTER .bss; NOCROSSREFS(.text .bss)\
    PHDRS { data PT_LOAD AT(ADDR(.bss)); }\
    VERSION { v1 { global: a; local: *; }; }' | regions_of >"$out/same.ld"
  check "mistakes script: other statements change nothing" cmp \
    "$out/ranks.ld" "$out/same.ld"
  check "mistakes script: a section without a colon" asks \
    "SECTIONS has a section without a colon; pass a complete script" \
    "$(made_of 's/^  \.bss[^:]*:/  .bss/')"
  check "mistakes script: a section without a brace" asks \
    "SECTIONS has a section without a {; pass a complete script" \
    "$(made_of '/^  \.bss/s/{//')"
  check "mistakes script: a directive in a block" asks \
    "the script needs the C preprocessor; pass the output of clang" \
    "$(made_of '/^SECTIONS/a\  #ifdef SMALL')"
}

init_choices() {
  changed mps2-an385.ld init.ld '/RAM.*:.*ORIGIN/p
    s/RAM\( *(.*:.*\)0x20000000/FAST\10x10000000/'
  sed -i 's/^  stack_top/  .fast : { *(.bss.*) } > FAST\n&/' "$out/init.ld"
  check "mistakes script: two regions have .bss" asks \
    "several regions have .bss; choose the region with --ram REGION for the counters: " \
    "$out/init.ld"
  check "mistakes script: a region that is not there" asks \
    "the script has no region with this name for .bss; choose the region with --ram REGION" \
    "$out/init.ld" --ram SRAM
  check "mistakes script: a region for records that is not there" asks \
    "the script has no region with this name for .text; choose the region with --rom REGION" \
    "$out/init.ld" --ram RAM --rom ROM
  check "mistakes script: regions that are there" init "$out/init.ld" \
    --ram FAST --rom FLASH
  check "mistakes script: they are in regions.ld" grep -q \
    '^REGION_ALIAS("BAREPROF_RAM", FAST)$' "$out/init/regions.ld"
  heap='.heap (NOLOAD) : { end = .; . += 0x800; __HeapLimit = .; } > RAM'
  check "mistakes script: a heap with an end" asks \
    "the script does not show whether the heap from \`end' stops at \`__HeapLimit'; use --heap limited if" \
    "$(made_of "s/^  stack_top/  $heap\n&/")"
  check "mistakes script: without a C library: what its line needs" eval \
    'init $start/mps2-an385.ld | grep -q "add -lc to \$LIBS, or"'
  check "mistakes script: the line has the script: no own -T" eval \
    'init $start/mps2-an385.ld | grep -q "from your flags, because the line has your script"'
  check "mistakes script: interrupts: atomic" eval \
    'init $start/mps2-an385.ld | grep -q "Add -fprofile-update=atomic"'
  check "mistakes script: files that are there" kept
}
# The user's own dump.c stays; --force replaces it.
kept() {
  init $start/mps2-an385.ld >/dev/null && echo mine >"$out/init/dump.c" ||
    return 1
  again="$out/at/bin/bareprof init $start/mps2-an385.ld -o $out/init --llvm 22
    --target thumbv7m-none-eabi"
  told "the file exists already; use --force to replace it" $again &&
    rm "$out/init/regions.ld" &&
    told "dump.c: the file exists already; use --force to replace it" $again &&
    [ "$(cat "$out/init/dump.c")" = mine ] && [ ! -e "$out/init/regions.ld" ] &&
    $again --force >/dev/null && grep -q bareprof_send "$out/init/dump.c"
}

# One installation has two clangs and two cores, another one only the tool.
init_installed() {
  at=$out/installed
  rm -rf "$at"
  mkdir -p "$at/bin" "$at/share/bareprof" "$at/include/bareprof"
  cp "$TOOL" "$at/bin/bareprof"
  check "mistakes script: only the tool is there" told \
    "bin: this installation has no target libraries; run make install with its PREFIX" \
    "$at/bin/bareprof" init $start/mps2-an385.ld -o "$at"
  cp linker-scripts/bareprof-insert.ld "$at/share/bareprof"
  check "mistakes script: no library" told \
    "lib/bareprof: the library for any target and any LLVM is missing; run make install" \
    "$at/bin/bareprof" init $start/mps2-an385.ld -o "$at"
  for folder in llvm-22/thumbv7m-none-eabi llvm-14/thumbv7m-none-eabi \
    llvm-22/thumbv6m-none-eabi; do
    mkdir -p "$at/lib/bareprof/$folder" &&
      cp "$ARCHIVE" "$at/lib/bareprof/$folder"
  done
  check "mistakes script: several cores" told \
    "several libraries are installed; choose one with --llvm and --target; installed are llvm-14/thumbv7m-none" \
    "$at/bin/bareprof" init $start/mps2-an385.ld -o "$at"
  check "mistakes script: several clangs" told \
    "several libraries are installed; choose one with --llvm and --target; installed are llvm-14/thumbv7m-none" \
    "$at/bin/bareprof" init $start/mps2-an385.ld -o "$at" \
    --target thumbv7m-none-eabi
  check "mistakes script: a core that is not there" told \
    " INSTALL_TARGETS=thumbv8m.main-none-eabi LLVM=22; there are" \
    "$at/bin/bareprof" init $start/mps2-an385.ld -o "$at" \
    --target thumbv8m.main-none-eabi
  [ ! -e "$at/dump.c" ] || not_ok "mistakes script: nothing is written" dump.c
  ln -s "$PWD/$at/bin/bareprof" "$out/linked"
  check "mistakes script: a core that is there, by a link" "$out/linked" init \
    $start/mps2-an385.ld -o "$at" --target thumbv6m-none-eabi
  mv "$at/lib/bareprof/llvm-14" "$at/lib/bareprof/llvm-21"
  "$out/linked" init $start/mps2-an385.ld -o "$at" --force --llvm 21 >"$out/said"
  check "mistakes script: clang 21 does not merge counters" grep -q \
    'fcoverage-mcdc -mllvm -enable-global-merge=false -c FILE.c' "$out/said"
  mv "$at/lib/bareprof/llvm-21" "$at/lib/bareprof/llvm-23"
  "$out/linked" init $start/mps2-an385.ld -o "$at" --force --llvm 23 >"$out/said"
  check "mistakes script: clang 23 links no runtime of its own" grep -q \
    '^  clang-23 --target=thumbv7m-none-eabi -noprofilelib -fuse-ld' "$out/said"
}

scripts() {
  init_scripts
  init_statements
  init_choices
  init_installed
}
