# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cases for the doctor: healthy images, images that lack sections, and images
# whose script puts sections in wrong places. `run` sources this file.

lean='INCLUDE bareprof-lean.ld'

healthy() {
  for machine in "14 thumbv7m lld" "19 thumbv7m lld" "22 thumbv7m lld" \
    "14 thumbv7m gnu" "22 thumbv7m gnu" "22 rv32 lld" "19 rv32 gnu" \
    "22 aarch64be lld" "14 aarch64be lld"; do
    wanted "doctor healthy: full, $machine" ||
      wanted "doctor healthy: lean, $machine" || continue
    (
      set -- $machine
      llvm=$1 library=$1 target=$2 linker=$3
      [ "$1" -gt 18 ] && code="$code -fcoverage-mcdc"
      expect "healthy: full, $machine" ""
      PROFILE=$lean start=-DSEND_LEAN
      expect "healthy: lean, $machine" ""
    )
  done
  (
    code="$COVERAGE -mllvm -enable-single-byte-coverage"
    expect "healthy: full, single bytes" ""
    code="$IR -mllvm -pgo-function-entry-coverage"
    expect "healthy: full, IR, single bytes" ""
    code=$IR
    start=-DWRITE
    expect "healthy: full, IR, bareprof_write" ""
    start=-DSEND_FULL options="$options -u bareprof_merge_image"
    expect "healthy: full, IR, bareprof_merge" ""
    equal "doctor healthy: full, IR, bareprof_merge: its stack" 1 \
      "$(grep -c 'stack   up to 488 bytes' "$OUT/text")"
  )
  (
    code="$COVERAGE $BINARY" PROFILE=$lean start=-DSEND_LEAN
    expect "healthy: correlated" ""
    llvm=19 library=19 linker=gnu
    expect "healthy: correlated, 19, GNU ld" ""
  )
}

instrumented() {
  (
    code=
    expect "not instrumented" e10
    code=--coverage start="-DSEND_FULL -DGCOV"
    expect "instrumented for gcov" e10
  )
  (
    start="-DSEND_FULL -DNO_CODE"
    expect "nothing instrumented is called" e11
  )
  (
    make_image
    "$OBJCOPY" --rename-section=__llvm_prf_cnts=.counters "$image"
    found "counters renamed" e12
  )
  (
    PROFILE= DATA='*(__llvm_prf_cnts) *(__llvm_prf_data)'
    FIRST='.names : { *(__llvm_prf_names) } > FLASH'
    expect "counters and records in .data" e12
  )
  (
    PROFILE=$lean start=-DSEND_LEAN
    make_image
    cp "$image" "$OUT/lean.elf"
    "$OBJCOPY" -R __llvm_prf_data "$image"
    found "lean, records removed" e13
    "llvm-strip-$LLVM_HOST" "$OUT/lean.elf" -o "$image"
    found "lean, stripped" "e13 e61 w60"
    "llvm-strip-$LLVM_HOST" -g "$OUT/lean.elf" -o "$image"
    found "lean, stripped by -g" ""
    "$OBJCOPY" -R __llvm_prf_names "$OUT/lean.elf" "$image"
    found "lean, names removed" e14
  )
  (
    make_image
    cp "$image" "$OUT/full.elf"
    "llvm-strip-$LLVM_HOST" "$OUT/full.elf" -o "$image"
    found "full, stripped" "e61 w60"
    "$OBJCOPY" --only-keep-debug "$OUT/full.elf" "$image"
    found "full, the debug file" e16
    "$OBJCOPY" --rename-section=.comment=__llvm_covmap "$OUT/full.elf" \
      "$image"
    found "two coverage maps" e15
  )
  (
    code="$COVERAGE -g -mllvm -profile-correlate=debug-info"
    PROFILE=$lean start=-DSEND_LEAN
    expect "records in debug information" w17
  )
  (
    compile 22 code.c $COVERAGE $BINARY -Dcode=other -Dbranch=b -Ddead=d \
      -Dinput=i
    more=$object options="$options -u other" PROFILE=$lean
    start=-DSEND_LEAN
    expect "correlated and other objects" e18
  )
}

# A vendor's script does not mention the profile: the linker places the
# sections, and defines their bounds.
places() {
  (
    PROFILE=
    start=-DSEND_FULL
    expect "no fragment" "e23 e29 e66 w20 w27"
    linker=gnu
    expect "no fragment, GNU ld" "e29 e66 e67 w20 w27 n33"
    for memory in _heap irq_stack; do
      (
        options="$options --defsym=_${memory}_start=0x20000000
          --defsym=_${memory}_end=0x20010000"
        expect "no fragment, $memory over the counters" \
          "e23 e29 e66 e67 w20 w27 n33"
        equal "doctor no fragment, $memory over the counters: move it" 1 \
          "$(tr -s ' \n' ' ' <"$OUT/text" | grep -c 'move the [hs]')"
      )
    done
    start="-DSEND_FULL -DNO_CODE" code=
    expect "no fragment, GNU ld, nothing instrumented" "e10 e67"
    start=-DSEND_FULL code=$COVERAGE id=--build-id=none
    expect "no fragment, GNU ld, no build id" "e29 e65 w20 w27 n33"
    target=rv32 id=--build-id=sha1
    expect "no fragment, GNU ld, RISC-V" "e29 e66 w20 w27 w67 n33"
    target=thumbv7m
    linker=lld code="$COVERAGE -mllvm -enable-single-byte-coverage"
    expect "no fragment, single bytes" "e23 e29 e66 w20 w27"
    equal "doctor no fragment, single bytes: 0xFF is said" 1 \
      "$(grep -c 'counters (0xFF)' "$OUT/text")"
  )
  (
    RAM=FLASH
    expect "BAREPROF_RAM is flash" e21
    PROFILE='INCLUDE bareprof-rom.ld __llvm_prf_cnts 0 (INFO) :
      { *(__llvm_prf_cnts) }'
    options="$options --defsym=__start___llvm_prf_cnts=0
      --defsym=__stop___llvm_prf_cnts=0"
    expect "counters in the file only" "e21 w27"
    options=${options% --defsym=*}
    options=${options% --defsym=*}
    expect "counters in the file only, with bounds" "e21 w27"
  )
  (
    RAM=FLASH ROM=RAM
    expect "aliases swapped" e21
  )
  (
    for id in --build-id=0x1122334455667788 --build-id=0x0123; do
      expect "a build id by hand, $id" w104
    done
  )
  (
    options="$options --no-check-sections
      --section-start=__llvm_prf_cnts=0x20000000"
    expect "counters over .data" e22
  )
  (
    options="$options --no-check-sections
      --section-start=__llvm_prf_cnts=0x1ffffff8"
    expect "counters that reach into .data" e22
    equal "doctor counters that reach into .data: where they meet" 1 \
      "$(tr -s ' \n' ' ' <"$OUT/text" | grep -c "overlap from 0x20000000;")"
  )
  (
    PROFILE='__HeapBase = .; INCLUDE bareprof.ld'
    expect "heap below the counters" e23
    PROFILE='__HeapBase = .; .heap (NOLOAD) : { . = . + 16K; } > RAM
      INCLUDE bareprof.ld'
    expect "heap of 16 KB below the counters" e23
    PROFILE='__HeapBase = .; INCLUDE bareprof.ld' RAM=RAM2
    expect "heap below the counters, which have a region" ""
    RAM=RAM
    PROFILE='__bareprof_end_checked = 1; __HeapBase = .; INCLUDE bareprof.ld'
    expect "heap below the counters, vouched for" ""
    PROFILE='INCLUDE bareprof.ld' LAST='__heap_start = ADDR(.bss);'
    for linker in lld gnu; do
      expect "heap below the counters, of a name behind them, $linker" e23
    done
    RAM=RAM2
    expect "heap in another region, of a name behind the counters" ""
  )
  # CMSIS's _sbrk ends at __HeapLimit, which must move with `end'.
  (
    PROFILE='.heap (NOLOAD) : {
      __HeapBase = .; . = . + 0xC00; __HeapLimit = .; } > RAM
      INCLUDE bareprof.ld'
    LAST='end = __bareprof_end; __end__ = __bareprof_end;'
    for linker in lld gnu; do
      expect "heap whose end stays behind, $linker" w23
      cure="__HeapLimit = __bareprof_end + 0xc00; __HeapBase = __bareprof_end;"
      equal "doctor heap whose end stays behind, $linker: the cure" 1 \
        "$(tr -s ' \n' ' ' <"$OUT/text" | grep -c "put .$cure. into")"
    done
    PROFILE='INCLUDE bareprof.ld'
    LAST='end = __bareprof_end; __HeapLimit = __bareprof_end + 0xC00;'
    expect "heap whose end moves along" ""
    # Only symbols define this stack, which begins at the end of .bss.
    LAST='irq_stack_start = ADDR(.bss) + SIZEOF(.bss);
      irq_stack_end = irq_stack_start + 4K;'
    for linker in lld gnu; do
      expect "stack over the counters, $linker" e23
    done
    LAST='irq_stack_start = __bareprof_end; irq_stack_end = . + 4K;'
    expect "stack after the counters" ""
  )
  (
    own='INCLUDE bareprof-rom.ld __start___llvm_prf_cnts = .;'
    more_own='__stop___llvm_prf_cnts = .; } > RAM'
    PROFILE="$own . = . + 16;
      __llvm_prf_cnts (NOLOAD) : { *(__llvm_prf_cnts) $more_own"
    expect "bounds before the section" "e25 w27"
    PROFILE="INCLUDE bareprof-rom.ld __llvm_prf_cnts (NOLOAD) : {
      LONG(0) __start___llvm_prf_cnts = .; *(__llvm_prf_cnts) $more_own"
    expect "bounds behind something else" "e25 w27"
    make_image
    "$OBJCOPY" --strip-symbol=__stop___llvm_prf_data "$image"
    found "a bound missing" "e24 e25 w27"
    for odd in BYTE LONG; do
      PROFILE="INCLUDE bareprof-rom.ld .odd : { $odd(1) } > RAM
        __llvm_prf_cnts . (NOLOAD) : SUBALIGN(1) {
        __start___llvm_prf_cnts = .; *(__llvm_prf_cnts) $more_own"
      expect "counters misaligned by a $odd" "e26 w27"
    done
  )
  (
    PROFILE='__llvm_prf_data 0 (INFO) : { *(__llvm_prf_data) }
      __llvm_prf_names 0 (INFO) : { *(__llvm_prf_names) }
      INCLUDE bareprof-id.ld INCLUDE bareprof-common.ld'
    start=-DSEND_LEAN
    PROFILE="__bareprof_begin = .; $PROFILE"
    expect "lean, bounds not assigned" e28
  )
  (
    PROFILE='INCLUDE bareprof-id.ld __bareprof_begin = .;
      __llvm_prf_data : { __start___llvm_prf_data = .; *(__llvm_prf_data)
        __stop___llvm_prf_data = .; } > RAM AT> RAM
      __llvm_prf_names : { __start___llvm_prf_names = .; *(__llvm_prf_names)
        __stop___llvm_prf_names = .; . = ALIGN(8); } > RAM AT> RAM
      INCLUDE bareprof-common.ld'
    expect "records into RAM at once" e29
  )
  # The script rejects such images if they have a main, which is missing here.
  for each in lld gnu; do
    (
      linker=$each ROM=RAM
      expect "BAREPROF_ROM is RAM, $linker" e29
      LAST='__bareprof_rom_checked = 1;'
      expect "BAREPROF_ROM is RAM, $linker, vouched for" ""
      LAST= PROFILE=$lean start=-DSEND_LEAN
      expect "lean, BAREPROF_ROM is RAM, $linker" e66
    )
  done
}
