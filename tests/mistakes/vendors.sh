# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Linkers' messages for scripts in vendors' shapes: each message is in a row of
# docs/how-to/linker-errors, and the lines of the row help. tests/link has more
# shapes. `run` sources this file.

# vendor NAME SED: links its script with README's line. REGIONS: another
# regions.ld.
vendor() {
  changed mps2-an385.ld "$1.ld" "$2"
  firmware "$1.elf" $USUAL -T "$out/$1.ld" -T "${REGIONS:-$start/regions.ld}" \
    -T bareprof-insert.ld
}
# in_row TEXT [MORE]: the linker prints TEXT, and a row of the table has the
# words.
in_row() {
  linker_says "$1" && { grep '^| .* | .* |$' docs/how-to/linker-errors.md | grep -qF -e "$1" ||
    { echo "docs/how-to/linker-errors has no row with: $1"; return 1; }; }
}

# mended: for-lld.awk makes a script from the last one, which lld accepts.
mended() {
  in_row "$2" && grep 'for-lld.awk' docs/how-to/linker-errors.md | grep -qF -e "$2" &&
    awk -f linker-scripts/for-lld.awk "$out/$1.ld" >"$out/$1-lld.ld" &&
    firmware "$1.elf" $USUAL -T "$out/$1-lld.ld" -T $start/regions.ld \
      -T bareprof-insert.ld && doctor_says ""
}

# Messages of lld for scripts that GNU ld accepts.
vendors_lld() {
  vendor letters 's/(rx)/(rxai!w)/'
  check "mistakes link: an attribute that lld does not know" mended letters \
    "invalid memory region attribute"
  vendor before '1s/^/top = ORIGIN(RAM) + LENGTH(RAM);\n/'
  check "mistakes link: a region before MEMORY" mended before \
    "memory region not defined: RAM"
  vendor readonly 's/\.ARM.exidx :/.ARM.exidx (READONLY) :/'
  check "mistakes link: READONLY, which lld does not know" mended readonly \
    "symbol not found: READONLY"
  vendor input 's/\.ARM.exidx :/& ALIGN_WITH_INPUT/'
  check "mistakes link: ALIGN_WITH_INPUT, which lld does not know" mended \
    input "{ expected, but got ALIGN_WITH_INPUT"
  heap='.heap (NOLOAD) : { . = DEFINED(big) ? big : size; } > RAM'
  vendor backward "1s/^/size = 0x800;\n/; s|^  stack_top|  $heap\n&|"
  check "mistakes link: a size as a place, in lld" mended backward \
    "unable to move location counter"
}

# Both linkers. If one address has several names of a heap, one finding has all
# lines.
vendors_both() {
  vendor names 's/FLASH/ROM/'
  check "mistakes link: other names of regions, $1" in_row "$2"
  said=$(cd "$out" && ${linker:-ld.lld-22} -T bareprof-insert.ld 2>&1)
  elf=$out/names.elf
  check "mistakes link: no -L, $1" in_row "$3"
  heap='__HeapBase = .; __heap_base = .; . += 0x800; __HeapLimit = .;'
  vendor heaps "s/^  stack_top/  .heap (NOLOAD) : { $heap } > RAM\n&/"
  check "mistakes link: a heap behind .bss that has an end, $1" doctor_says ""
}

# Only GNU ld: Nordic's .heap takes no space, so counters are put into it.
vendors_gnu() {
  heap='__HeapBase = .; __heap_base = .; . += 0x800; __HeapLimit = .;'
  vendor copied "s/^  stack_top/  .heap (COPY) : { $heap } > RAM\n&/"
  lines="__HeapBase = __bareprof_end; __heap_base = __bareprof_end;"
  check "mistakes link: a heap that takes no place" doctor_says \
    "put \`$lines' into regions.ld"
  { cat $start/regions.ld; echo "$lines"; } >"$out/copied-regions.ld"
  REGIONS=$out/copied-regions.ld \
    vendor copied "s/^  stack_top/  .heap (COPY) : { $heap } > RAM\n&/"
  check "mistakes link: its names, as the doctor says" doctor_says ""
  # GNU ld reads an archive once. A linker script names two.
  llvm-objcopy-22 --localize-symbol=memset "$out/libc.o" \
    "$out/libc_less.o" && llvm-objcopy-22 --weaken "$out/libc.o" "$out/weak.o" &&
    llvm-ar-22 rcs "$out/libmem.a" "$out/weak.o"
  libc=libc_less.o firmware order.elf $USUAL $SCRIPTS "$out/libmem.a"
  check "mistakes link: the C library before the archive" in_row \
    "undefined reference to \`memset'"
  echo "INPUT($(readlink -f "$ARCHIVE") $(readlink -f "$out/libmem.a"))" \
    >"$out/behind.ld"
  libc=libc_less.o archive=$out/behind.ld firmware order.elf $USUAL $SCRIPTS
  check "mistakes link: the C library behind it" doctor_says ""
}

# GNU ld 2.40 for RISC-V crashes on DWARF 5 from clang 19 and later.
vendors_crash() {
  riscv64-unknown-elf-ld --version | grep -q '2\.40' || return
  for form in 4 5; do
    clang-22 --target=riscv32-none-elf -march=rv32imac -O1 -g -gdwarf-$form \
      -ffreestanding -c $start/thermostat.c -o "$out/riscv.o" &&
      sh -c "exec riscv64-unknown-elf-ld -melf32lriscv -e 0 '$out/riscv.o' \
        -o '$out/riscv.elf'" >"$out/stdout" 2>&1
    echo $?
  done
}

vendors() {
  vendors_lld
  linker='' vendors_both lld "memory region 'FLASH' is not defined" \
    "cannot find linker script bareprof-insert.ld"
  if have arm-none-eabi-ld; then
    linker=arm-none-eabi-ld
    vendors_both gnu "memory region \`FLASH' for alias" \
      "cannot open linker script file bareprof-insert.ld"
    vendors_gnu
    linker=
  fi
  if have riscv64-unknown-elf-ld; then
    crash=$(vendors_crash | one_line)
    case $crash in '') ;; *)
      equal "mistakes link: GNU ld 2.40 crashes; not at -gdwarf-4" "0 139" \
        "${crash% }" ;;
    esac
  fi
}
