# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mistakes in calls, compilation and links. `run` sources this file.

# bareprof_init is not called, or not at the right time.
initialised() {
  init='s/^#include "board.h"/#include "bareprof.h"\n&/'
  first='s/  for (size_t i = 0; i < sizeof degrees/  bareprof_init();\n&/'
  last='s/  return bareprof_send/  bareprof_init();\n&/'
  changed main.c main_first.c "$init;$first"
  changed main.c main_last.c "$init;$last"
  changed main.c main_both.c "$init;$first;$last"
  changed libc.c libc_lazy.c '/at = __preinit_array_start/,+1d'
  compile "$out/main_first.c" main_first.o
  compile "$out/main_first.c" main_first_measured.o $MEASURED
  compile "$out/main_last.c" main_last.o
  compile "$out/main_both.c" main_both.o
  compile "$out/libc_lazy.c" libc_lazy.o
  compile $start/main.c main_measured.o $MEASURED
  firmware init.elf --build-id $SCRIPTS
  check "mistakes init: nobody calls it: doctor" doctor_says \
    "no code calls bareprof_init"
  check "mistakes init: nobody calls it: run" told \
    "the firmware rejected a dump: the counters are uninitialised" runs
  console refused.log
  ELF=$elf
  check "mistakes init: nobody calls it: all say it" all_say \
    "the firmware rejected a dump: the counters are uninitialised" \
    "$out/refused.log"
  ELF=
  main=main_first_measured.o firmware init.elf --build-id $SCRIPTS
  check "mistakes init: a measured main calls it" doctor_says \
    "main is instrumented and calls bareprof_init"
  main=main_first.o firmware init.elf $USUAL $SCRIPTS
  check "mistakes init: by preinit, and a call" doctor_says \
    "bareprof_init runs twice, in bareprof_preinit and in main"
  main=main_last.o firmware init.elf --build-id $SCRIPTS
  check "mistakes init: behind measured code" doctor_says \
    "main calls thermostat_step before bareprof_init, so counts are lost"
  main=main_both.o firmware init.elf --build-id $SCRIPTS
  check "mistakes init: twice in one function" doctor_says \
    "main calls bareprof_init twice: the later call clears all counts"
  libc=libc_lazy.o firmware init.elf $USUAL $SCRIPTS
  check "mistakes init: nothing walks the array" doctor_says \
    "no code walks .preinit_array"
  main=main_measured.o firmware init.elf $USUAL $SCRIPTS
  check "mistakes init: the sink is measured: doctor" doctor_says ""
  [ -z "${FULL:-}" ] ||
    check "mistakes init: the sink is measured: the report" right runs
}

# A sink returns 1, which ends the dump: early, or in its last frame.
sinks() {
  changed main.c main_sink.c 's/  return 0;$/  return calls++ > 0;/
    s/^static int to_uart/static int calls;\n&/'
  compile "$out/main_sink.c" main_sink.o
  main=main_sink.o firmware sink.elf $USUAL $SCRIPTS
  console sink.log
  ELF=$elf
  check "mistakes init: a sink that ends the dump" all_say \
    "has gaps; send the dump again" "$out/sink.log"
  ELF=
  changed main.c main_late.c 's/  return 0;$/  return calls++ > 3;/
    s/^static int to_uart/static int calls;\n&/'
  compile "$out/main_late.c" main_late.o
  main=main_late.o firmware late.elf $USUAL $SCRIPTS
  check "mistakes init: a sink that ends the end of it" told \
    "the last dump has no end; check that the sink returns 0" \
    "$TOOL" run "$elf" -q -o "$out/report" --timeout 3 -- $qemu "$elf"
}

# The measured file was compiled in a wrong way.
compiled() {
  compile $start/thermostat.c plain.o
  compile $start/thermostat.c unmapped.o -fprofile-instr-generate
  compile $start/thermostat.c pgo.o -fprofile-generate
  "$TOOL" cc --counters=32-packed clang-22 --target=thumbv7m-none-eabi \
    -mcpu=cortex-m3 -O1 -g -ffreestanding -ffunction-sections $MEASURED \
    -c $start/thermostat.c -o "$out/packed.o"
  measured=plain.o firmware compiled.elf $USUAL $SCRIPTS
  check "mistakes compile: nothing is measured" doctor_says \
    "no instrumented code found; compile with -fprofile-instr-generate"
  if needs "mistakes compile: all by gcc" arm-none-eabi-gcc; then
    elf=$out/gcc.elf
    echo 'void reset(void) {}' >"$out/gcc.c"
    arm-none-eabi-gcc -mcpu=cortex-m3 -c "$out/gcc.c" -o "$out/gcc.o" &&
      arm-none-eabi-ld -e reset "$out/gcc.o" -o "$elf"
    check "mistakes compile: all by gcc: doctor" doctor_says \
      "gcc compiled this ELF: build again with clang and -fprofile-instr-generate"
    check "mistakes compile: all by gcc: report" told \
      "gcc compiled this ELF: build again with clang, or measure object code with run --trace or report --object-code" \
      reports "$elf" "$out/good.log"
    elf=$out/comment.elf
    printf '.section .comment, "", %%nobits\n.space 8\n.text\n.globl reset\nreset: bx lr\n' |
      arm-none-eabi-as -o "$out/comment.o" - 2>/dev/null &&
      arm-none-eabi-ld -e reset "$out/comment.o" -o "$elf"
    check "mistakes compile: a .comment without contents" doctor_says \
      "no instrumented code found; compile with -fprofile-instr-generate"
  fi
  measured=unmapped.o firmware compiled.elf $USUAL $SCRIPTS
  check "mistakes compile: no coverage mapping: doctor" doctor_says \
    "the coverage mapping is missing; compile with -fcoverage-mapping"
  check "mistakes compile: no coverage mapping: report" told \
    "the coverage mapping is missing; compile with -fcoverage-mapping" \
    reports "$elf" "$out/good.log"
  measured=pgo.o firmware compiled.elf $USUAL $SCRIPTS
  check "mistakes compile: -fprofile-generate is healthy for PGO" doctor_says ""
  check "mistakes compile: -fprofile-generate, and a report asked" told \
    "with -fprofile-instr-generate instead of -fprofile-generate, which is only for PGO" \
    reports "$elf" "$out/good.log"
  measured=packed.o firmware compiled.elf $USUAL $SCRIPTS
  check "mistakes compile: packed counters, the other script" linker_says \
    "use bareprof-packed.ld for all objects"
  if have clang-14; then
    clang-14 --target=thumbv7m-none-eabi -O1 -ffreestanding \
      -fprofile-instr-generate -fcoverage-mapping -c $start/thermostat.c \
      -o "$out/old.o"
    measured=old.o firmware compiled.elf $USUAL $SCRIPTS
    check "mistakes compile: another clang's archive" doctor_says \
      "the runtime has raw version 10, but the records have 8; compile the runtime with"
  fi
}

# linker_says TEXT: the last link failed with this text.
linker_says() {
  case $said in
    *"$1"*) [ ! -e "$elf" ] ;;
    *) echo "$said"; false ;;
  esac
}

linked() {
  firmware link.elf -u bareprof_preinit $SCRIPTS
  check "mistakes link: no build id: doctor" doctor_says \
    "the build id is missing, so dumps cannot be matched, and report"
  check "mistakes link: no build id: report" told \
    "the build id is missing, so dumps cannot be matched with this ELF" reports "$elf" "$out/good.log"
  firmware link.elf --build-id=0x1122334455667788 -u bareprof_preinit $SCRIPTS
  check "mistakes link: a build id by hand" doctor_says \
    "the build id seems to be fixed by hand"
  firmware link.elf $USUAL -T $start/mps2-an385.ld
  check "mistakes link: no bareprof-insert.ld" doctor_says \
    "the linker script includes no bareprof script"
  firmware link.elf $USUAL -T $start/mps2-an385.ld -T bareprof-insert.ld
  check "mistakes link: no regions.ld" linker_says \
    "memory region not defined: BAREPROF_RAM"
  firmware link.elf $USUAL -T bareprof-insert.ld -T $start/regions.ld \
    -T $start/mps2-an385.ld
  check "mistakes link: scripts in another order" linker_says \
    "memory region not defined: BAREPROF_RAM"
  printf 'REGION_ALIAS("BAREPROF_RAM", FLASH)\nREGION_ALIAS("BAREPROF_ROM", RAM)
' >"$out/swapped.ld"
  firmware link.elf $USUAL -T $start/mps2-an385.ld -T "$out/swapped.ld" \
    -T bareprof-insert.ld
  check "mistakes link: aliases swapped" doctor_says "the aliases are swapped"
  changed mps2-an385.ld small.ld 's/LENGTH = 64K/LENGTH = 32/'
  firmware link.elf $USUAL -T "$out/small.ld" -T $start/regions.ld \
    -T bareprof-insert.ld
  check "mistakes link: RAM is full" linker_says \
    "'__llvm_prf_cnts' will not fit in region"
  changed mps2-an385.ld heap.ld 's/^  stack_top/  end = .;\n&/'
  firmware link.elf $USUAL -T "$out/heap.ld" -T $start/regions.ld \
    -T bareprof-insert.ld
  check "mistakes link: a heap at end" linker_says \
    "put \`end = __bareprof_end;' into regions.ld"
  heap='.heap (NOLOAD) : { __heap_start = .; . += 0x800; __heap_end = .; } > RAM'
  changed mps2-an385.ld bounded.ld "s/^  stack_top/  $heap\n&/"
  firmware link.elf $USUAL -T "$out/bounded.ld" -T $start/regions.ld \
    -T bareprof-insert.ld
  check "mistakes link: a heap with an end needs nothing" doctor_says ""
  heap='.heap (NOLOAD) : { __heap_start = .; } > RAM __heap_end = .;'
  changed mps2-an385.ld empty.ld "s/^  stack_top/  $heap\n&/"
  firmware link.elf $USUAL -T "$out/empty.ld" -T $start/regions.ld \
    -T bareprof-insert.ld
  check "mistakes link: a heap without a byte needs nothing" doctor_says ""
  { cat $start/regions.ld; echo '__heap_start = __bareprof_end;'; } \
    >"$out/moved.ld"
  firmware link.elf $USUAL -T "$out/bounded.ld" -T "$out/moved.ld" \
    -T bareprof-insert.ld
  check "mistakes link: its begin behind its end" linker_says \
    "remove \`__heap_start = __bareprof_end;' from regions.ld"
  vendors
  $MAKE -s -j "$JOBS" lib TARGET=riscv32-none-elf LLVM=22 >/dev/null &&
    archive=$BUILD/llvm-22/riscv32-none-elf/libbareprof.a \
      firmware link.elf $USUAL $SCRIPTS
  check "mistakes link: another core's archive" linker_says "is incompatible with"
}

# Messages of make about the archive.
built() {
  check "mistakes make: a target that clang does not know" make_says \
    "bareprof: TARGET=stm32f4: clang-22 does not know it; use one such as" \
    TARGET=stm32f4
  check "mistakes make: a target without a core" make_says \
    "names no architecture; use one such as thumbv7m-none-eabi" \
    TARGET=arm-none-eabi
  check "mistakes make: a clang that is not there" make_says \
    "bareprof: LLVM=31: clang-31 is not there; install it, or give LLVM=" LLVM=31
  check "mistakes make: the example without PREFIX" make_says \
    "is missing; give PREFIX, after make install" -C $start PREFIX=/nowhere
  check "mistakes make: no security archive" no_archive
}
make_says() {
  text=$1
  shift
  [ "$1" = -C ] || set -- lib BUILD="$(cd "$out" && pwd)/built" "$@"
  ! env -u MAKEFLAGS -u TARGET make "$@" >"$out/stdout" 2>&1 &&
    says "$out/stdout" "$text"
}
# Replaces apt with the apt of a Debian with only its main archive.
no_archive() {
  mkdir -p "$out/apt"
  printf '#!/bin/sh\necho "E: Unable to locate package clang-19"; exit 100\n' \
    >"$out/apt/apt-get"
  printf '#!/bin/sh\necho " 500 http://deb.debian.org/debian bookworm/main"\n' \
    >"$out/apt/apt-cache"
  printf '#!/bin/sh\nexec "$@"\n' >"$out/apt/sudo"
  for program in sh sed sort tr tail grep mktemp cat rm id; do
    ln -sf "$(command -v $program)" "$out/apt/$program"
  done
  chmod +x "$out"/apt/apt-get "$out"/apt/apt-cache "$out"/apt/sudo
  ! PATH=$out/apt tests/packages demo >"$out/stdout" 2>&1 &&
    says "$out/stdout" "bareprof: apt has no security archive; add the line \`deb"
}
