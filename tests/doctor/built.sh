# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cases for the doctor: unused contents of flash, objects that do not fit
# together, needs of the host's tools, the runtime, the modes of
# instrumentation. `run` sources this file.

flash() {
  (
    start=-DSEND_LEAN
    expect "full, lean dumps only" w30
    start=-DWRITE PROFILE=$lean
    expect "lean, bareprof_write" e31
    start="-DWRITE" options="$options --no-gc-sections"
    expect "lean, bareprof_write, nothing collected" e31
    start=-DSEND_LEAN
    expect "lean, nothing collected" ""
  )
  (
    PROFILE='__bareprof_begin = .; __llvm_prf_data 0 (INFO) :
        { *(__llvm_prf_data) }
      __llvm_prf_names : { __start___llvm_prf_names = .; *(__llvm_prf_names)
        __stop___llvm_prf_names = .; } > FLASH
      INCLUDE bareprof-id.ld INCLUDE bareprof-common.ld
      __start___llvm_prf_data = 0; __stop___llvm_prf_data = 0;'
    start=-DSEND_LEAN
    expect "lean, names loaded" w32
  )
  (
    FIRST='.keep : { KEEP(*(nothing)) } > FLASH'
    PROFILE='__bareprof_begin = .; INCLUDE bareprof-id.ld
      __llvm_prf_data : ALIGN(8) { __start___llvm_prf_data = .;
        KEEP(*(__llvm_prf_data)) __stop___llvm_prf_data = .; } > FLASH
      __llvm_prf_names : { __start___llvm_prf_names = .; *(__llvm_prf_names)
        __stop___llvm_prf_names = .; } > FLASH
      INCLUDE bareprof-common.ld'
    expect "records kept by KEEP" n33
    linker=gnu
    expect "records kept by KEEP, GNU ld" n33
  )
  (
    llvm=14 library=14 code="$COVERAGE -DKEPT"
    expect "constructors of clang 14" "w34 n33"
  )
}

tomorrow() {
  "$DOCTOR" "$1" | one_line |
    grep -q 'raw version 12 is newer than 11, the last .* upgrade *bareprof'
}

versions() {
  (
    older="$COVERAGE -Dcode=other -Dbranch=b -Ddead=d -Dinput=i"
    options="$options -u other"
    expect "objects of clang 14 and 22" "e40 w41"
    older=${older#"$COVERAGE"}
    expect "a library of clang 14, not instrumented" n41
  )
  (
    llvm=14
    expect "clang 14, the runtime of 22" "e42 n41"
    llvm=22 library=14
    expect "clang 22, the runtime of 14" "e42 n41"
  )
  (
    start="${start:-} -DWORD=12"
    expect "a raw version of tomorrow" e42
    check "doctor a raw version of tomorrow: by name" \
      tomorrow "$image"
  )
  (
    library=none PROFILE=$lean start= options=
    expect "lean, no runtime" n70
    "$OBJCOPY" -R .comment "$image"
    found "lean, no runtime, no compiler named" "n43 n70"
    PROFILE='INCLUDE bareprof.ld'
    expect "full, no runtime" w70
  )
}

values() {
  (
    code="-fprofile-generate -DVALUES" PROFILE=$lean start=-DSEND_LEAN
    expect "values, lean, no storage" w52
    start="-DSEND_LEAN -DSTORAGE=1"
    expect "values, lean, few slots" n55
    start="-DSEND_LEAN -DSTORAGE=4"
    expect "values, lean" ""
    equal "doctor values, lean: its stack" 1 \
      "$(grep -c 'stack   up to 480 bytes' "$OUT/text")"
    start="-DSEND_LEAN -DHOOKS"
    expect "values, lean, hooks of another runtime" e50
    start="$start -DSTORAGE=4"
    expect "values, lean, hooks of compiler-rt, and storage" e50
    start="-DSEND_LEAN -DSTUBS"
    expect "values, lean, stubs" n54
    code="$code $BINARY"
    start="-DSEND_LEAN -DSTORAGE=4"
    expect "values, correlated" ""
    start="-DSEND_LEAN -DHOOKS"
    expect "values, correlated, hooks of another runtime" e50
  )
  (
    code="-fprofile-generate -DVALUES" start="-DSEND_FULL -DSTORAGE=4"
    expect "values, full" ""
    start="-DWRITE -DSTORAGE=4"
    expect "values, full, bareprof_write" ""
    PROFILE='__llvm_prf_vnds (NOLOAD) : { *(__llvm_prf_vnds) } > RAM
      __llvm_prf_vals (NOLOAD) : { *(__llvm_prf_vals) } > RAM
      INCLUDE bareprof.ld'
    expect "values, full, the compiler's storage in RAM" n53
    start="-DSEND_FULL -DHOOKS"
    expect "values, full, hooks of another runtime and their storage" ""
    PROFILE='INCLUDE bareprof.ld' start="-DWRITE -DHOOKS"
    expect "values, full, hooks of another runtime" "e50 e51"
    llvm=14 library=14
    expect "values, full, no pools, nothing to write them" e51
    start="-DWRITE -DSTORAGE=4"
    expect "values, full, clang 14" ""
  )
}

# What the tools on the host need: the coverage map, names, the build id.
hosts() {
  (
    code=-fprofile-instr-generate
    expect "no coverage map" e61
    code=$COVERAGE
    make_image
    "$OBJCOPY" -R __llvm_covfun "$image"
    found "half a coverage map" e61
  )
  (
    make_image
    "$OBJCOPY" --set-section-flags __llvm_covmap=alloc,readonly "$image"
    found "coverage map loaded" w62
  )
  (
    code="$COVERAGE $BINARY" start=-DSEND_LEAN
    PROFILE="__llvm_prf_names : { __start___llvm_prf_names = .;
        *(__llvm_prf_names) __stop___llvm_prf_names = .; } > FLASH
      INCLUDE bareprof-id.ld __bareprof_begin = .;
      INCLUDE bareprof-common.ld"
    expect "correlated, names empty" w63
  )
  (
    compile 22 code.c $COVERAGE -Dcode=other -Dbranch=b -Ddead=d -Dinput=i
    "$OBJCOPY" -R __llvm_prf_names "$object" "$OUT/nameless.o"
    more=$OUT/nameless.o options="$options -u other"
    expect "names of one object missing" w64
  )
  (
    id=
    expect "no build id, full" e65
    start=-DSEND_LEAN PROFILE=$lean
    expect "no build id, lean" e65
    id=--build-id FIRST='.first : { *(.note*) } > FLASH'
    expect "build id elsewhere, lean" e66
    linker=gnu
    expect "build id elsewhere, lean, GNU ld" e66
  )
}

# Who calls bareprof_init, and when.
started() {
  expect "an entry and no call" ""
  (
    start="-DSEND_FULL -DHOOK"
    expect "newlib's hook runs measured code before the entry" w103
    named "newlib's hook runs measured code before the entry" \
      "counts of branch are lost, because software_init_hook"
  )
  start="-DSEND_FULL -DINIT"
  expect "initialised by an entry, and by hand" e101
  for each in "22 thumbv7m lld" "14 thumbv7m gnu" "22 rv32 lld" "19 rv32 gnu" \
    "22 aarch64be lld"; do
    (
      set -- $each
      llvm=$1 library=$1 target=$2 linker=$3 options= WALK=
      start=-DSEND_FULL code="$COVERAGE -DINIT"
      expect "measured code initialises, $each" e100
      named "measured code initialises, $each" "code is instrumented and calls"
      start="-DSEND_FULL -DHELPER" code="$COVERAGE -DHELPER"
      expect "measured code initialises by a helper, $each" e100
      named "measured code initialises by a helper, $each" \
        "code is instrumented and calls bareprof_init on the way"
      start="-DSEND_FULL -DSAME" code="$COVERAGE -DSAME"
      expect "plain code of a measured one's name, $each" ""
      start="-DSEND_FULL -DINIT -DTWICE" code=$COVERAGE
      expect "initialised twice by hand, $each" w101
      start="-DSEND_FULL -DINIT -DINIT_AGAIN"
      expect "initialised twice by one function, $each" w101
      named "initialised twice by one function, $each" "calls bareprof_init twice"
      start="-DSEND_FULL -DINIT_AGAIN"
      expect "initialised after measured code, $each" w103
      named "initialised after measured code, $each" "calls code before bareprof_init"
      options="-z norelro"
      start="-DSEND_FULL -DMAIN" code="$COVERAGE -DCONSTRUCTOR"
      expect "constructors before main, $each" w74
      named "constructors before main, $each" "early, a constructor, runs before"
      start="-DSEND_FULL -DINIT"
      expect "constructors after the call, $each" ""
      code="$COVERAGE -DINLINED"
      expect "a function that is only inlined, $each" ""
    )
  done
  start=-DSEND_FULL ARRAY=.vendors walk=$WALK WALK=
  for linker in lld gnu; do
    expect "an entry that the linker places, $linker" ""
  done
  FIRST=".preinit_array : { $walk } > RAM AT> RAM"
  for linker in lld gnu; do
    expect "an entry that nothing loads, $linker" e73
  done
}

# With PHDRS, a section without a segment of its own goes to the last one.
segments() {
  echo 'PHDRS { code PT_LOAD; data PT_LOAD; }' >"$OUT/phdrs.ld"
  options="$options -T $OUT/phdrs.ld" DATASEG=:data
  ARRAY='.first : { LONG(1) } > FLASH :code .preinit_array'
  PROFILE='.gap (NOLOAD) : { . = . + 8; } > RAM :NONE INCLUDE bareprof.ld'
  linker=gnu
  expect "records in no segment" e102
  PROFILE="$(echo "$PROFILE" | sed s/prof.ld/prof-lean.ld/)" start=-DSEND_LEAN
  expect "the build id in no segment" e102
}

runtimes() {
  (segments)
  (
    start="-DSEND_FULL -DCOMPILER_RT"
    options="$options -u lprofWriteData"
    expect "compiler-rt's runtime too" w71
    library=none start="-DCOMPILER_RT" options="-u lprofWriteData"
    expect "compiler-rt's runtime instead" w71
  )
  (
    options=
    expect "not initialised" e72
    WALK=
    expect "not initialised, no array" e72
    start="-DSEND_FULL -DINIT -DNO_WALK"
    expect "initialised by hand" ""
    options="-u bareprof_preinit"
    expect "initialised by hand, and an entry without bounds" ""
    start="-DSEND_FULL -DNO_WALK"
    expect "an array without bounds" e73
    start="-DSEND_FULL"
    WALK='__preinit_array_start = .; __preinit_array_end = .;
      KEEP(*(.preinit_array))'
    expect "an entry outside of the array" e73
    WALK='__preinit_array_start = .; __preinit_array_end = .;' options=
    start="-DSEND_FULL -DINIT"
    expect "initialised by hand, beside an array" ""
  )
  (started)
  for each in "14 thumbv7m lld" "22 thumbv7m gnu" "22 rv32 lld" "19 rv32 gnu" \
    "22 aarch64be lld"; do
    (
      set -- $each
      llvm=$1 library=$1 target=$2 linker=$3 start="-DSEND_FULL -DNO_WALK"
      expect "an array that nobody walks, $each" e73
      start="$start -DINIT"
      expect "an array that nobody walks, initialised by hand, $each" ""
    )
  done
  (
    start=
    expect "nothing sends, full" w75
    PROFILE=$lean
    expect "nothing sends, lean" n75
  )
  (
    code="$COVERAGE -fprofile-update=atomic" library=none start= options=
    options=--unresolved-symbols=ignore-all
    expect "atomics not linked" "e76 w70"
  )
}

modes() {
  (
    code="$COVERAGE -DHANDLERS"
    expect "handlers instrumented" n77
    code="$code -fprofile-update=atomic"
    expect "handlers instrumented, atomic" ""
    code="$COVERAGE -DNO_HANDLER"
    expect "a function that is no handler" ""
  )
  (
    code="$IR -mllvm -sampled-instrumentation"
    expect "sampled" w80
    code="$IR -mllvm -runtime-counter-relocation"
    expect "at a bias" n81
    llvm=14 library=14 code="$COVERAGE -forder-file-instrumentation"
    expect "order file" "w82"
  )
}

# width_object STRING: makes an object that records this width, without code.
width_object() {
  target_of $target
  more=$OUT/width.o
  printf '.section .bareprof.counters,"",%%progbits\n.asciz "%s"\n' "$1" |
    clang-$LLVM_HOST $flags -x assembler -c - -o "$more"
}

# named LABEL TEXT: a finding on the last image has this text.
named() {
  wanted "doctor $1" || return 0
  case $(tr -s ' \n' '  ' <"$OUT/text") in
    *"$2"*) ok "doctor $1: is named" ;;
    *) not_ok "doctor $1: is named" "$(one_line <"$OUT/text")" ;;
  esac
}

# 4-byte counters: placed right; next to 8-byte ones; and where a plain script
# puts them.
packed() {
  launcher="$BUILD/bareprof cc --counters=32-packed" start=-DSEND_LEAN
  PROFILE='INCLUDE bareprof-packed.ld'
  expect "4 bytes" w83
  ! wanted "doctor 4 bytes: costs" || check "doctor 4 bytes: costs" \
    grep -q 'code  *1 object counts in 32 bits, of counters of 4 b' "$OUT/text"
  (
    start=-DWRITE
    expect "4 bytes, bareprof_write" "e31 w83"
    ! wanted "doctor 4 bytes, bareprof_write" || check \
      "doctor 4 bytes, bareprof_write: no other script" \
      sh -c '! grep -q "bareprof\.ld" "$1"' - "$OUT/text"
  )
  linker=gnu
  expect "4 bytes, GNU ld" w83
  linker=lld options="$options -u bareprof_fold"
  expect "4 bytes, folded" ""
  options="-u bareprof_preinit"
  for linker in lld ${FULL:+gnu}; do
    (
      launcher=
      compile $llvm code.c "$COVERAGE" -Dcode=other -Dbranch=b -Ddead=d \
        -Dinput=i && more=$object
      launcher="$BUILD/bareprof cc --counters=32-packed"
      options="$options -u other --noinhibit-exec"
      expect "4 bytes beside 8, $linker" e86
      named "4 bytes beside 8, $linker" \
        "code.c with 4-byte counters; rebuild all"
      PROFILE=$lean
      expect "4 bytes beside 8, lean, $linker" e86
      PROFILE='' FIRST='__llvm_prf_cnts : { *(__llvm_prf_cnt*) } > RAM'
      first= # GNU ld puts the build id's note here
      [ $linker = lld ] || first="e67 "
      expect "4 bytes and 8 in one section, $linker" "${first}e86"
      named "4 bytes and 8 in one section, $linker" \
        "code.c with 4-byte counters; rebuild all"
    )
  done
  linker=lld PROFILE='' FIRST='' DATA='*(__llvm_prf_cnt4)'
  expect "4 bytes in .data" e86
}

widths() {
  (packed)
  (
    width_object "32-atomic 0 some.c"
    expect "32 bits, atomic" w83
    code="$COVERAGE -DHANDLERS"
    expect "32 bits, atomic, handlers instrumented" w83
    code=$COVERAGE options="$options -u bareprof_fold"
    expect "32 bits, atomic, folded" ""
    width_object "32-atomic 3 some.c"
    expect "32 bits, some left, folded" e84
    width_object "32 0 some.c"
    expect "32 bits, may be lost, folded" e84
    width_object "16 0 some.c"
    expect "a width of a later release" w85
  )
  (
    width_object "32-atomic 3 some.c"
    expect "32 bits, some left" "w83 n84"
    ! wanted "doctor 32 bits: costs" || check "doctor 32 bits: costs" \
      grep -q 'code  *1 object counts in 32 bits' "$OUT/text"
    width_object "32 0 some.c"
    expect "32 bits, may be lost" "w83 n84"
    code="$COVERAGE -DHANDLERS"
    expect "32 bits, may be lost, handlers instrumented" "w83 n77 n84"
    code="$COVERAGE -mllvm -enable-single-byte-coverage"
    expect "32 bits, and bytes" e86
  )
  for helper in __atomic_fetch_add_4 __sync_fetch_and_add_4; do
    (
      target_of $target
      more=$OUT/helper.o library=none start=
      options="--unresolved-symbols=ignore-all -u helped"
      printf '.text\n.thumb\n.global helped\nhelped:\nbl %s\n' $helper |
        clang-$LLVM_HOST $flags -x assembler -c - -o "$more"
      expect "$helper not linked" "e76 w70"
      ! wanted "doctor $helper" ||
        check "doctor $helper: is named" grep -q $helper "$OUT/text"
    )
  done
}
