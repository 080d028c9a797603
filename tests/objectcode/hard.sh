# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# What breaks the flow of code: interrupts, faults, resets, landing pads, several
# cores. The plugin counts in the run that the log is of, as the next run is
# another one. Each outcome is right or not known.

# together BOARD HANDLERS [QEMU-FLAG...]: one run with log and plugin. HANDLERS:
# a pattern of the functions that interrupts begin with.
# Under -icount QEMU logs an access to a device twice, as it begins it again.
together() {
  board=$1 handlers=$2
  shift 2
  case " $* " in *-icount*) doubled=1 ;; *) doubled=0 ;; esac
  "$bareprof" trace "$elf" --list --object-code -o "$folder/list" &&
    TIMEOUT=600 targets/run "$board" "$elf" "$folder" "$@" -singlestep \
      -d exec,nochain -D "$folder/log" -plugin \
      "$out/plugin.so,list=$folder/list,out=$folder/trace" </dev/null \
      >"$folder/said" 2>&1 || { tail -n 3 "$folder/said"; return 1; }
  "$bareprof" report "$elf" "$folder/trace" --object-code -o "$folder/report" \
    >"$folder/table" || return 1
  awk -v least="${least:-20}" -v doubled=$doubled -v handlers="$("llvm-nm-$LLVM_HOST" "$elf" |
    sed -nE "s/^0*([0-9a-f]*) [tT] ($handlers)\$/\\1/p" | one_line)" \
    -f $here/log.awk "$folder/log" "$folder/trace" \
    "$folder/report/objectcode.tsv"
}

# whole PROGRAM BOARD LLVM|gcc LEVEL: each count and outcome of a real program.
whole() {
  compiler=clang llvm=$3
  [ "$3" != gcc ] || compiler=gcc llvm=22
  made "$1" $compiler "$4" "$2" $llvm && together "$2" none
  whole_status=$?
  rm -f "$folder/log"
  unset flags libraries
  return $whole_status
}
rows="watch microbit 22 -O2
store microbit gcc -Os
store mps2-an385 14 -O0
watch mps2-an385 gcc -O2
watch virt-cortex-a15 19 -Os
store virt-cortex-a15 gcc -O2
store virt-riscv32 19 -O0
watch virt-riscv32 gcc -O0
watch virt-riscv64 gcc -O2
store virt-riscv64 22 -Os
watch virt-aarch64 14 -O0
store virt-aarch64 22 -O2"
for line in $(echo "$rows" | rows_of | tr ' ' ,); do
  label="objectcode whole: $(echo "$line" | tr , ' ')"
  wanted "$label" || continue
  part=${line#*,}
  needs "$label" llvm:22 "board:${part%%,*}" arm-none-eabi-gcc \
    riscv64-unknown-elf-gcc || continue
  # shellcheck disable=SC2046 # Four words.
  check "$label" whole $(echo "$line" | tr , ' ')
done

# hard NAME BOARD LLVM SOURCES [CFLAGS]: $elf.
hard() {
  folder=$out/$1 elf=$out/$1/main.elf
  $MAKE -s firmware BOARD="$2" LLVM="$3" OUT="$folder" NAME=main SCRIPT=none \
    SOURCES="$4" FRAGMENT='' PROFILE='' CFLAGS_APP="-g $5"
}

# Both ways of the fault's branches are in the text: at least one function's
# outcomes must be refused, as a handler went on elsewhere.
faulty() {
  hard "hard$1" mps2-an385 22 $here/hard.c "$1" &&
    together mps2-an385 'timer_interrupt|fault_entry|svc_entry' &&
    awk -F '\t' '$6 == "busy" && $4 ~ /[0-9]/ { known++ }
      $6 == "broken" && $4 ~ /[0-9]/ { broken++ }
      $6 == "asks" && $4 ~ /[0-9]/ { asks++ }
      END { if (!known || asks != 2) print "known: " known + 0, asks + 0
        exit !known || asks != 2 }' "$folder/report/objectcode.tsv" || return 1
  # Notes about the counters of clang do not belong here.
  if grep -e '--as-llvm-cov' "$folder/table"; then return 1; fi
}
for level in -O0 -Os -O2; do
  sole "objectcode: interrupts, faults, a reset, $level" faulty $level
done

# A function of 2 instructions; the run changes the first one.
patched() {
  hard patched mps2-an385 22 $here/patched.c -Os &&
    "$bareprof" run --trace "$elf" -o "$folder/report" -- \
      targets/run mps2-an385 "$elf" "$folder" >"$folder/table" 2>&1 </dev/null &&
    grep -q 'code changed while it ran .*: 1\.$' "$folder/table" ||
    { tail -n 5 "$folder/table"; return 1; }
  awk -F '\t' '$6 == "patched" { counts = counts " " $3 }
    END { if (counts != " 2 2") print "patched:" counts
      exit counts != " 2 2" }' "$folder/report/objectcode.tsv"
}
sole "objectcode: code that changes while it runs" patched

# Two harts, by turns and on threads of their own.
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

[ -n "${FULL:-}${CASE:-}" ] &&
  sole "objectcode: how long QEMU takes, two harts" slowed_harts

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
  # Five of twelve calls throw, counted by hand.
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

# rusty BOARD LEVEL: each count and outcome; without optimisation, the lines that
# say how often they run do.
rusty() {
  case $1 in
    mps2-*) set -- "$@" thumbv7m-none-eabi thumbv7m-none-eabi ;;
    *) set -- "$@" riscv32imac-unknown-none-elf riscv32-none-elf ;;
  esac
  [ -e "$rust_folder/root/lib/rustlib/$3" ] || core "$3" || return 1
  steps "$1" 22 -O0 || return 1
  objects=$folder folder=$out/rust-$1$2 elf=$out/rust-$1$2/main.elf
  mkdir -p "$folder"
  # shellcheck disable=SC2046 # Several files.
  "$rust_folder/rustc" --target "$3" --edition 2021 --crate-type staticlib \
    -C "opt-level=$2" -C panic=abort -g $here/shapes.rs \
    -o "$folder/libshapes.a" &&
    ld.lld-22 -z norelro -L "$objects/main.objects" -L targets \
      -L linker-scripts -T "targets/$1/board.ld" --gc-sections -z muldefs \
      $(find "$BUILD/llvm-22/boards/$1-lld" -name '*.o') \
      "$BUILD/llvm-22/$4/libbareprof.a" "$folder/libshapes.a" \
      -o "$elf" && least=10 together "$1" trap_entry || return 1
  [ "$2" = 0 ] || return 0
  "$bareprof" report "$elf" "$folder/trace" --object-code \
    --include 'shapes\.rs' --lcov "$folder/info" -o "$folder/lines" \
    >"$folder/table" && awk -F '// *' '
    FILENAME ~ /rs$/ { if (NF == 2 && $2 ~ /^[0-9]+$/) known[FNR] = $2; next }
    /^DA/ { split(substr($0, 4), part, ","); count[part[1]] = part[2] }
    END {
      for (line in known) if (count[line] "" != known[line]) {
        print "line " line ": " count[line] ", not " known[line]; bad = 1 }
      exit bad
    }' $here/shapes.rs "$folder/info"
}
. tests/rust/core.sh
rows="mps2-an385 0
mps2-an385 s
mps2-an385 2
virt-riscv32 0
virt-riscv32 2"
for row in $(echo "$rows" | rows_of | tr ' ' ,); do
  label="objectcode: Rust, ${row%,*}, opt-level=${row#*,}"
  wanted "$label" || continue
  needs "$label" llvm:22 "board:${row%,*}" || continue
  if rustc_of "$out"; then
    check "$label" rusty "${row%,*}" "${row#*,}"
  else
    skip "$label" "no /usr/bin/rustc with its source"
  fi
done

# Four tasks of FreeRTOS in the same code, with a tick that preempts.
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

# RIOT: a folder of RIOT in which its makefiles have built tests/core/thread_msg
# for microbit, and for hifive1b (with FEATURES_REQUIRED=picolibc). The test
# waits for an s. From the ELF to the report is one command, of 2 minutes at most
# with its 16 seconds of waiting.
messages() {
  for _ in 1 2 3 4 5 6 7 8; do sleep 1 && echo s; done |
    timeout 120 "$bareprof" run --trace "$elf" --timeout 16 \
      -o "$folder/report" -- "$@" -nographic -monitor none \
      -device "loader,file=$elf" -singlestep -d exec,nochain -D "$folder/log" \
      >"$folder/table" 2>&1
  grep -q '^SUCCESS' "$folder/table" || { tail -n 4 "$folder/table"; return 1; }
}
riot() {
  folder=$out/riot-$1 elf=$RIOT/tests/core/thread_msg/bin/$1/tests_thread_msg.elf
  mkdir -p "$folder"
  # shellcheck disable=SC2086 # Several words.
  messages $2 || return 1
  if grep 'are not known' "$folder/table"; then return 1; fi
  awk -v least=100 -v handlers="$("llvm-nm-$LLVM_HOST" "$elf" |
    sed -nE 's/^0*([0-9a-f]*) [tTW] (isr_.*|trap_entry)$/\1/p' | one_line)" \
    -f $here/log.awk "$folder/log" "$folder/report/objectcode.trace" \
    "$folder/report/objectcode.tsv" || return 1
  listed order "$folder/log"
}
for row in 'microbit qemu-system-arm -machine microbit' \
  'hifive1b qemu-system-riscv32 -machine sifive_e,revb=true'; do
  label="objectcode: RIOT as its makers build it, ${row%% *}"
  wanted "$label" || continue
  if [ -e "${RIOT:-none}/tests/core/thread_msg/bin/${row%% *}" ]; then
    check "$label" riot "${row%% *}" "${row#* }"
  else
    skip "$label" "RIOT is not set, or its test is not built"
  fi
done
