# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Events that break the flow of code: interrupts, faults, resets, landing pads,
# several cores. Plugin and log observe the same run, since the next run
# differs. Each outcome is right or unknown.

# together BOARD HANDLERS [QEMU-FLAG...]: makes one run with log and plugin.
# HANDLERS: a pattern of the functions at which interrupts begin. Under -icount
# QEMU logs an access to a device twice, because it restarts the access.
together() {
  board=$1 handlers=$2
  shift 2
  case " $* " in *-icount*) doubled=1 ;; *) doubled=0 ;; esac
  "$bareprof" trace "$elf" --list --object-code -o "$folder/list" &&
    targets/run "$board" "$elf" "$folder" "$@" -singlestep -d exec,nochain \
      -D "$folder/log" -plugin \
      "$out/plugin.so,list=$folder/list,out=$folder/trace" </dev/null \
      >"$folder/said" 2>&1 || { tail -n 3 "$folder/said"; return 1; }
  "$bareprof" report "$elf" "$folder/trace" --object-code -o "$folder/report" \
    >"$folder/table" || return 1
  awk -v least=20 -v doubled=$doubled -v handlers="$("llvm-nm-$LLVM_HOST" "$elf" |
    sed -nE "s/^0*([0-9a-f]*) [tT] ($handlers)\$/\\1/p" | one_line)" \
    -f $here/log.awk "$folder/log" "$folder/trace" \
    "$folder/report/objectcode.tsv"
}

# hard NAME BOARD LLVM SOURCES [CFLAGS]: builds $elf.
hard() {
  folder=$out/$1 elf=$out/$1/main.elf
  $MAKE -s firmware BOARD="$2" LLVM="$3" OUT="$folder" NAME=main SCRIPT=none \
    SOURCES="$4" FRAGMENT='' PROFILE='' CFLAGS_APP="-g $5"
}

# The fault's branches go both ways: at least one function's outcomes must be
# unknown, as a handler returned elsewhere.
faulty() {
  hard "hard$1" mps2-an385 22 $here/hard.c "$1" &&
    together mps2-an385 'timer_interrupt|fault_entry' &&
    awk -F '\t' '$6 == "busy" && $4 ~ /[0-9]/ { known++ }
      $6 == "broken" && $4 ~ /[0-9]/ { broken++ }
      END { if (!known) print "nothing of busy is known"; exit !known }' \
      "$folder/report/objectcode.tsv"
}
for level in -O0 -Os -O2; do
  sole "objectcode: interrupts, faults, a reset, $level" faulty $level
done

# Two harts run in turn, and on separate threads.
two_harts() {
  hard harts virt-riscv32 22 $here/harts.c -Os || return 1
  for how in single multi; do
    together virt-riscv32 trap_entry -smp 2 -accel "tcg,thread=$how" || return 1
    awk -F '\t' '$6 == "both" && $3 == 8000 { found = 1 }
      END { exit !found }' "$folder/report/objectcode.tsv" ||
      { echo "$how: no code ran 8000 times"; return 1; }
  done
}
sole "objectcode: two harts" two_harts

# pads COMPILER LEVEL
pads() {
  mkdir -p "$out/pads-$1$2"
  steps mps2-an385 22 -O0 || return 1
  objects=$folder
  folder=$out/pads-$1$2 elf=$out/pads-$1$2/main.elf
  gcc=arm-none-eabi-g++
  [ "$1" = gcc ] || gcc="clang-22 --target=thumbv7m-none-eabi"
  # shellcheck disable=SC2046,SC2086 # Several words.
  $gcc -mcpu=cortex-m3 -mthumb -ffreestanding -fexceptions -fno-rtti \
    -std=c++17 "$2" -g -w -c $here/pads.cpp -o "$folder/pads.o" &&
    ld.lld-22 -z norelro -L "$objects/main.objects" -L targets \
      -L linker-scripts -T targets/mps2-an385/board.ld --gc-sections \
      $(find "$BUILD/llvm-22/boards/mps2-an385-lld" -name '*.o') \
      "$folder/pads.o" "$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a" \
      "$(arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -print-libgcc-file-name)" \
      -o "$elf" && together mps2-an385 none || return 1
  # By hand: five of twelve calls throw.
  awk -F '\t' -v line="$(line_in pads.cpp 'return n > 6')" '
    $8 ~ /pads.cpp$/ && $7 == line && $3 > most { most = $3 }
    END { if (most != 5) print "the handler ran " most + 0 " times"
      exit most != 5 }' "$folder/report/objectcode.tsv"
}
for row in 'gcc -O0' 'gcc -Os' 'gcc -O2' 'clang -Os' 'clang -O2'; do
  label="objectcode: landing pads of C++, $row"
  wanted "$label" || continue
  needs "$label" arm-none-eabi-g++ board:mps2-an385 || continue
  # shellcheck disable=SC2086 # Two words.
  check "$label" pads $row
done

# Four FreeRTOS tasks run the same code, with a tick that preempts.
freertos() {
  port=GCC/ARM_CM3 start='' slow=''
  [ "$1" = mps2-an385 ] || {
    port=GCC/RISC-V slow='-icount shift=6'
    start=$FREERTOS_KERNEL/portable/$port/portASM.S
  }
  parts='' chip=$FREERTOS_KERNEL/portable/$port/chip_specific_extensions
  for part in tasks list queue portable/MemMang/heap_4 portable/$port/port; do
    parts="$parts $FREERTOS_KERNEL/$part.c"
  done
  folder=$out/freertos-$1 elf=$out/freertos-$1/main.elf
  # shellcheck disable=SC2086 # Two words.
  $MAKE -s firmware BOARD="$1" LLVM=22 OUT="$folder" NAME=main SCRIPT=none \
    SOURCES="tests/tracing/decisions.c tests/tracing/freertos/tasks4.c $parts" \
    PLAIN="$start" FRAGMENT='' PROFILE='' CFLAGS_APP="-Os -w -g -Itests/tracing \
-DPREEMPTS=1 -Itests/tracing/freertos -I$FREERTOS_KERNEL/include \
-I$FREERTOS_KERNEL/portable/$port -isystem /usr/include/newlib \
-I$chip/RISCV_MTIME_CLINT_no_extensions" &&
    together "$1" '.*SysTick.*|.*PendSV.*|.*SVC.*|.*trap_handler.*' $slow
}
for board in mps2-an385 virt-riscv32; do
  label="objectcode: FreeRTOS, four tasks, $board"
  wanted "$label" || continue
  if [ -z "${FREERTOS_KERNEL:-}" ]; then
    skip "$label" "FREERTOS_KERNEL is not set"
    continue
  fi
  needs "$label" llvm:22 "board:$board" /usr/include/newlib || continue
  check "$label" freertos $board
done
