# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Newlib's small library, as vendors' projects link it: with gcc and its specs.
# Its members are compiled with short enums, which GNU ld compares with our
# objects' attribute. `run` sources this file.

# nano LLVM: links all members that a program may use, and checks the linker's
# messages.
nano() {
  folder=$out/nano-$1
  mkdir -p "$folder"
  $MAKE -s lib LLVM="$1" TARGET=thumbv7m-none-eabi >&2 &&
    "clang-$1" --target=thumbv7m-none-eabi -isystem \
      "$(arm-none-eabi-gcc -print-sysroot)/include" -isystem \
      /usr/include/newlib -Iinclude -Os -ffunction-sections -fshort-enums \
      -fprofile-instr-generate -fcoverage-mapping -c $here/main.c \
      -o "$folder/main.o" || return 1
  printf '%s\n' 'MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 1M
      RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }' \
    'REGION_ALIAS("BAREPROF_ROM", FLASH) REGION_ALIAS("BAREPROF_RAM", RAM)' \
    'SECTIONS { .text : { KEEP(*(.isr_vector)) *(.text*) *(.rodata*)
        KEEP(*(.init)) KEEP(*(.fini)) *(.eh_frame*) } > FLASH
      .ARM.exidx : { *(.ARM.exidx*) } > FLASH
      .arrays : { __preinit_array_start = .; KEEP(*(.preinit_array))
        __preinit_array_end = .; __init_array_start = .; KEEP(*(.init_array*))
        __init_array_end = .; __fini_array_start = .; KEEP(*(.fini_array*))
        __fini_array_end = .; } > FLASH
      .data : { *(.data*) } > RAM AT> FLASH
      .bss : { __bss_start__ = .; *(.bss*) *(COMMON) __bss_end__ = .; } > RAM
      INCLUDE bareprof.ld
      end = .; __end__ = .; }' >"$folder/nano.ld"
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb --specs=nano.specs \
    --specs=rdimon.specs -Wl,--build-id,--no-warn-rwx-segments,-z,noexecstack \
    -L linker-scripts -T "$folder/nano.ld" "$folder/main.o" \
    -u bareprof_preinit -u bareprof_send -u bareprof_merge \
    -u bareprof_wire_serve -u bareprof_sampler_write -u bareprof_retained \
    -u __llvm_profile_instrument_target -u __llvm_profile_write_buffer \
    "$BUILD/llvm-$1/thumbv7m-none-eabi/libbareprof.a" \
    -o "$folder/nano.elf" 2>&1
}

for llvm in 14 19 22; do
  label="libc: newlib-nano links without a word, clang $llvm"
  if ! arm-none-eabi-gcc -print-file-name=nano.specs 2>/dev/null | grep -q /
  then
    skip "$label" "no newlib-nano"
  elif ! have_llvm $llvm; then
    skip "$label" "no clang-$llvm"
  else
    equal "$label" "" "$(nano $llvm)"
  fi
done
