# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cases for the doctor: images with MIP or samples instead of counters; naked
# functions; the output of GNU strip. `run` sources this file.

SLEDS="-fpatchable-function-entry=4"
PROBES="-fpseudo-probe-for-profiling -gline-tables-only"

# clang has no nops for this target, and with LTO no code at all.
mip_on_arm() {
  (
    PROFILE='INCLUDE bareprof-mip.ld' options= start="-DMIP -DMIP_INIT" code=
    target_of thumbv7m
    expect "MIP, nothing instrumented, Arm" e97
    named "MIP, nothing instrumented, Arm" "with bareprof-mip-cc, because clang"
    start="$start -DROOM=64" more=$OUT/lto.o options="-u other"
    for llvm in 14 22; do
      library=$llvm
      "clang-$llvm" $flags -Os -ffreestanding -flto -c -Dinput=i -Dcode=other \
        -Dbranch=b -Ddead=d $HERE/code.c -o "$more"
      expect "MIP, Arm, LTO of clang $llvm" e97
      named "MIP, Arm, LTO of clang $llvm" "bareprof-mip-cc without -flto"
    done
  )
}

without_counters() {
  $MAKE -s tool BUILD="$BUILD" || return
  (
    PROFILE='INCLUDE bareprof-mip.ld' code=$SLEDS options=
    start="-DMIP -DMIP_INIT"
    for each in "22 aarch64be lld" "14 rv32 lld" "22 rv32 gnu"; do
      (
        set -- $each
        llvm=$1 library=$1 target=$2 linker=$3
        expect "healthy: MIP, $each" ""
      )
    done
    target=rv32 start="-DMIP -DMIP_INIT -DROOM=64"
    expect "healthy: MIP, room of its own" ""
    start="-DMIP -DMIP_INIT -DROOM=1"
    expect "MIP, room for one function" w90
    start="-DMIP"
    expect "MIP, nobody initialises it" e91
    start="-DMIP -DMIP_INIT"
    code=
    expect "MIP, nothing instrumented" e97
    code=$SLEDS PROFILE="/DISCARD/ : { *(__patchable_function_entries) } \
      $PROFILE"
    expect "MIP, nops without room" e90
    PROFILE='__llvm_mipraw (NOLOAD) : { . = . + 64; } > RAM
      INCLUDE bareprof-id.ld
      __patchable_function_entries 0 (INFO) :
        { *(__patchable_function_entries) }'
    expect "MIP, no bounds" e94
    PROFILE='__patchable_function_entries : {
        *(__patchable_function_entries) } > FLASH INCLUDE bareprof-mip.ld'
    expect "MIP, its list loaded" w93
  )
  mip_on_arm
  (
    PROFILE='INCLUDE bareprof-mip.ld' options= start="-DMIP -DMIP_INIT"
    target_of thumbv7m
    "clang-$LLVM_HOST" $flags -Os -ffreestanding -ffunction-sections -S \
      -Dinput=i -Dcode=other -Dbranch=b -Ddead=d $HERE/code.c -o "$OUT/other.s"
    for unit in "" "--unit board"; do
      "$BUILD/bareprof" mip instrument "$OUT/other.s" -o "$OUT/sleds.s" $unit &&
        "clang-$LLVM_HOST" $flags -c "$OUT/sleds.s" -o "$OUT/sleds.o"
      more=$OUT/sleds.o options="-u other" code=
      case $unit in
        "") expect "MIP, a map without a hash" n92 ;;
        *) expect "healthy: MIP, a map" "" ;;
      esac
    done
  )
  (
    PROFILE='INCLUDE bareprof-id.ld' code=$PROBES options=
    start="-DSAMPLER -DSTART"
    expect "healthy: samples, probes" ""
    code=-g
    expect "healthy: samples, lines" ""
    start=-DSAMPLER
    expect "a sampler that nobody starts" e96
    start="-DSAMPLER -DSTART" code=$PROBES
    make_image
    "$OBJCOPY" --remove-section=.pseudo_probe_desc "$image"
    found "probes without descriptors" w95
  )
}

# Functions that overlap, as in a damaged file, would take a minute to read.
overlapping() {
  {
    printf '.syntax unified\n.thumb\n.text\n'
    echo 'int f(int a) { return a > 2 ? a : 1; }' >"$OUT/f.c"
    awk 'BEGIN { for (i = 0; i < 40000; i++)
      printf ".globl f%d\n.type f%d,%%function\n.thumb_func\n" \
        "f%d: nop\n.size f%d,0x1f000\n", i, i, i, i }'
    printf '.rept 0x10000\nnop\n.endr\n'
  } >"$OUT/overlapping.s"
  target=--target=thumbv7m-none-eabi
  clang-"$LLVM_HOST" "$target" -c "$OUT/overlapping.s" -o "$OUT/o.o" &&
    clang-"$LLVM_HOST" "$target" -ffreestanding -fprofile-instr-generate \
      -fcoverage-mapping -c "$OUT/f.c" -o "$OUT/f.o" &&
    "ld.lld-$LLVM_HOST" "$OUT/o.o" "$OUT/f.o" -e f \
      --defsym=__llvm_profile_runtime=0 -o "$OUT/overlapping" || return 1
  timeout 20 "$BUILD/bareprof" doctor "$OUT/overlapping" >"$OUT/text"
  [ $? != 124 ]
}

# Only counting with calls can break naked functions.
naked() {
  for each in "19 lld" "22 lld" "22 gnu"; do
    (
      llvm=${each% *} library=${each% *} linker=${each#* }
      code="$COVERAGE -fprofile-update=atomic -DNAKED"
      expect "naked functions, $each" e78
      [ ! -e "$image" ] ||
        equal "doctor naked functions, $each: all of them" 2 "$(grep -o \
        'naked_handler\|naked_start' "$OUT/text" | sort -u | grep -c .)"
      code="$COVERAGE -fprofile-update=atomic -DPLAIN"
      expect "plain handlers, and one that never returns, $each" ""
    )
  done
  # x86 calls keep the return address on the stack, so nothing hangs.
  if needs "doctor naked functions: none on x86-64" "llvm:$LLVM_HOST"; then
    # shellcheck disable=SC2086 # Several flags.
    "clang-$LLVM_HOST" $COVERAGE -O1 -Wl,--build-id tests/cc/words.c \
      -o "$OUT/x86"
    equal "doctor naked functions: none on x86-64" "" \
      "$("$BUILD/bareprof" doctor "$OUT/x86" | grep -o naked-function)"
  fi
  (
    target=rv32 code="$COVERAGE -fprofile-update=atomic -DPLAIN"
    expect "plain handlers, and one that never returns, RISC-V" ""
    # Calls as -Oz outlines them. The rest of the code decides whether it does
    # so.
    code="$code -DBY_CALLS"
    compile 22 code.c $code && clang-22 $flags -Os -ffreestanding $code -S \
      "$HERE/code.c" -o "$OUT/calls.s" && {
      sed 's/^\t[sl]w\tra, .*(sp)/\tcall\tt0, part_of_it/' "$OUT/calls.s"
      printf '\t.text\npart_of_it:\n\tjr\tt0\n'
    } >"$OUT/called.s" && clang-22 $flags -c "$OUT/called.s" -o "$object"
    expect "plain functions, prologues by calls, RISC-V" ""
  )
}

# GNU strip makes hidden, weak, undefined symbols global.
stripped() {
  have arm-none-eabi-strip ||
    { skip "doctor stripped by GNU strip -g" "no arm-none-eabi-strip"; return; }
  make_image
  arm-none-eabi-strip -g "$image"
  found "stripped by GNU strip -g" ""
}

# The archive for this target would be in ARM state.
refused_target() {
  said=$(MAKEFLAGS= $MAKE lib TARGET=arm-none-eabi BUILD="$OUT/none" 2>&1) &&
    { echo "it is made"; return 1; }
  case $said in
    *"names no architecture"*) [ ! -e "$OUT/none" ] ;;
    *) echo "$said"; return 1 ;;
  esac
}

# The doctor knows an image for Cortex-M by its vector table.
cortex_m() {
  (
    options="$options --defsym=stack_end=0x20008000"
    start="-DSEND_FULL -DVECTORS"
    FIRST='.isr_vector : { KEEP(*(.isr_vector)) } > FLASH'
    expect "healthy: vectors first" ""
    PROFILE=$lean start="-DSEND_LEAN -DVECTORS"
    expect "healthy: vectors first, lean" ""
    PROFILE='INCLUDE bareprof.ld' start="-DSEND_FULL -DVECTORS"
    LAST='.stack (NOLOAD) : { . = ALIGN(8) + 1K; } > RAM stack_end = .;'
    options="-u bareprof_preinit"
    expect "healthy: vectors first, the stack a section" ""
    start="$start -DSTACK=1024" LAST=
    expect "healthy: vectors first, the stack an object" ""
    start="-DSEND_FULL -DVECTORS" LAST='stack_end = end + 272;'
    expect "healthy: vectors first, a stack that just suffices" ""
    LAST='stack_end = end + 256;'
    expect "a stack too small" w35
    start="-DWRITE -DVECTORS"
    expect "healthy: the same stack suffices for bareprof_write" ""
    LAST='stack_end = end + 224;'
    expect "a stack too small for bareprof_write" w35
    start="-DSEND_FULL -DVECTORS" LAST='stack_end = end + 256;'
    start="$start -DSTACK=256"
    expect "a stack too small, an object" w35
    start="-DSEND_FULL -DVECTORS" LAST='stack_end = __bareprof_end;'
    expect "a stack that counters end at" w35
    target=rv32 FIRST='' start=-DSEND_FULL LAST='__stack_top = end + 256;'
    expect "a stack too small, RISC-V" w35
    LAST='__stack_top = end + 4K;'
    expect "healthy: a stack by its symbol, RISC-V" ""
  )
  (
    options="$options --defsym=stack_end=0x20008000"
    start="-DSEND_FULL -DVECTORS"
    FIRST='.first : { LONG(0) LONG(0) } > FLASH
      .isr_vector : { KEEP(*(.isr_vector)) } > FLASH'
    expect "vectors that are not first" w68
    FIRST='.boot2 : { LONG(1) LONG(1) } > FLASH
      .isr_vector : { KEEP(*(.isr_vector)) } > FLASH'
    expect "vectors behind a boot loader" ""
    # Code like that from an archive that was made for arm-none-eabi.
    printf '.arm\n.global of_arm\n.type of_arm,%%function\nof_arm: bx lr
.size of_arm, 4\n' >"$OUT/arm.s"
    clang-22 --target=armv4t-none-eabi -c "$OUT/arm.s" -o "$OUT/arm.o"
    FIRST='.isr_vector : { KEEP(*(.isr_vector)) } > FLASH'
    more=$OUT/arm.o options="$options -u of_arm"
    expect "code in ARM state" e69
    if wanted "doctor code in ARM state: make lib"; then
      check "doctor code in ARM state: make lib refuses such a TARGET" \
        refused_target
    fi
  )
  (
    PROFILE=$lean start=-DSEND_FULL
    expect "lean, full dumps" w31
  )
  (
    code="$COVERAGE -fcoverage-mcdc -g -mllvm -profile-correlate=debug-info"
    code="$code -DDECIDE" PROFILE=$lean start=-DSEND_LEAN
    expect "records in debug information, MC/DC" w17
    "$OBJCOPY" --wildcard --strip-symbol='*__profbm_*' "$image"
    found "records in debug information, MC/DC lost" "w17 w19"
  )
}
