# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the FreeRTOS example. `run` sources this file.

# prefix LLVM TARGET: links the files of `make install` that the example needs.
prefix() {
  $MAKE -s -j "$JOBS" lib LLVM="$1" TARGET="$2" BUILD="$BUILD" || return 1
  at=$out/usr/lib/bareprof/llvm-$1/$2
  mkdir -p "$at" "$out/usr/share/bareprof" "$out/usr/include"
  ln -sf "$top/$BUILD/llvm-$1/$2/libbareprof.a" "$at/"
  ln -sf "$top"/linker-scripts/*.ld "$top/packages/freertos/freertos.list" \
    "$out/usr/share/bareprof/"
  ln -sfn "$top/include" "$out/usr/include/bareprof"
  ln -sfn "$out/bin" "$out/usr/bin"
}
# freertos TARGET KERNEL [VARIABLE=VALUE...]: runs make in the example's folder.
freertos() {
  goal=$1 kernel=$2
  shift 2
  $MAKE -s -C "$top/examples/freertos" "$goal" PREFIX="$out/usr" \
    FREERTOS_KERNEL="$kernel" "$@" >"$out/freertos.log" 2>&1 ||
    { tail -n 4 "$out/freertos.log"; return 1; }
}
# The alarm comes from the first boot, all other counts from the second. clang
# 14 has no MC/DC.
both_runs() {
  grep -qE 'pump.c  *100.00    0(  100.00    0){3}(  100.00    0)?$' \
    "$out/freertos.log" &&
    [ "$(grep -c '^pump hot' "$out/freertos.log")" = 1 ] ||
    { tail -n 4 "$out/freertos.log"; return 1; }
}
# asked LABEL BOARD ELF FUNCTION: requests a dump, and checks the function's
# count.
asked() {
  # shellcheck disable=SC2046 # A command with its flags.
  on_pty $(machine "$2") -display none -kernel "$3"
  check "$1: a dump on request" timeout 30 bareprof receive \
    --port "$device" --request -q -o "$out/asked.profraw"
  { kill "$qemu"; wait "$qemu"; } 2>/dev/null
  check "$1: it has counts" at_least 1 \
    "$(counts "$out/asked.profraw" "$4" | cut -d ' ' -f 1)"
}
# Prints counters of naked functions, of the example or the kernel.
of_naked() {
  llvm-nm-22 "$1" |
    grep -c 'prof._\(PendSV_Handler\|SVC_Handler\|prvPortStartFirstTask\)$'
}
findings() { sed -n 's/.* \(D[0-9][0-9]*\) .*/\1/p' "$1"; }

# machine BOARD: prints its QEMU command. A fault of the firmware may reset the
# machine for ever. An instruction takes 0.5 us, so that dumps take time.
machine() {
  printf 'timeout 40 '
  sed -n "s/^QEMU = //p" "$start/boards.mk" | grep -e "-machine ${1%%-*}" |
    sed 's/-nographic/-icount shift=9/'
}
# A stand-in replaces the kernel.
fake=$out/kernel
stand_in() {
  goal=$1
  shift
  freertos "$goal" "$fake" OUT="$out/fake" PORT="$fake" \
    MEASURED="pump.o kernel.o" QEMU="$(machine mps2-an385) -nographic" "$@"
}
scheduler() {
  cp -r "$here/freertos" "$fake"
  for header in task queue semphr; do
    echo '#include "FreeRTOS.h"' >"$fake/include/$header.h"
  done
  check "freertos stand-in: the runtime" prefix 22 thumbv7m-none-eabi
  check "freertos stand-in: to a report" stand_in report
  check "freertos stand-in: counts survive the watchdog" both_runs
  check "freertos stand-in: the log goes on among the profile" \
    among pump "$out/fake/report/console.log"
  equal "freertos stand-in: counters are narrow, nothing else is found" D083 \
    "$(findings "$out/freertos.log")"
  equal "freertos stand-in: naked functions have no counters" 0 \
    "$(of_naked "$out/fake/fw.elf")"
  asked "freertos stand-in" mps2-an385 "$out/fake/fw.elf" kernel_switch
  [ -z "${FULL:-}" ] ||
    check "freertos stand-in: doctor names naked functions without the list" \
      no_list
}
# Without the list, naked functions count. The doctor detects it if clang's
# atomic counters call a function.
no_list() {
  cp -r "$out/usr/share/bareprof" "$out/share" &&
    rm "$out/share/freertos.list" && echo '[clang]' >"$out/share/freertos.list"
  stand_in "$out/bare/fw.elf" SHARE="$out/share" OUT="$out/bare" LAUNCHER= \
    >/dev/null
  tr -s ' \n' ' ' <"$out/freertos.log" >"$out/no-list"
  grep -q 'naked.*PendSV_Handler\|PendSV_Handler.*naked' "$out/no-list" ||
    { tail -n 4 "$out/freertos.log"; return 1; }
}

# ---- the real one ----

# real_freertos BOARD LLVM LINKER
real_freertos() {
  has="freertos 11 $1 llvm-$2 $3"
  wanted "$has" || return 0
  needs "$has" "llvm:$2" "board:$1" /usr/include/newlib || return 0
  case $1 in virt-riscv32) target=riscv32-none-elf ;;
    *) target=thumbv7m-none-eabi ;; esac
  check "$has: the runtime" prefix "$2" $target
  check "$has: to a report" freertos report "$FREERTOS_KERNEL" BOARD="$1" \
    LLVM="$2" LINKER="$3" OUT="$out/$1-$2-$3" \
    QEMU="$(machine "$1") -nographic"
  check "$has: counts survive the watchdog" both_runs
  check "$has: the log goes on among the profile" \
    among pump "$out/$1-$2-$3/report/console.log"
  equal "$has: naked functions have no counters" 0 \
    "$(of_naked "$out/$1-$2-$3/fw.elf")"
  check "$has: counters are narrow" \
    grep -q D083 "$out/freertos.log"
  case $2 in 22)
    asked "$has" "$1" "$out/$1-$2-$3/fw.elf" xTaskIncrementTick ;;
  esac
  equal "$has: there is no error" "" "$(grep '^error' "$out/freertos.log")"
}
# The list has each naked function of the Arm ports.
listed() {
  sed -n 's/^!fun:\([A-Za-z_]*\)$/\1/p' "$top/packages/freertos/freertos.list" \
    >"$out/listed"
  find "$FREERTOS_KERNEL/portable/GCC" -path '*ARM*' -name '*.[ch]' \
    -exec grep -h 'naked' {} + |
    grep -oE '[A-Za-z_0-9]+\( *[^()]*\) *(PRIVILEGED|FREERTOS|__attribute)' |
    sed 's/(.*//' | grep -v '^MPU_' | sort -u >"$out/naked"
  [ "$(wc -l <"$out/naked")" -gt 10 ] || { echo "too few"; return 1; }
  ! grep -vxF -f "$out/listed" "$out/naked"
}

all_real() {
  if [ -z "${FREERTOS_KERNEL:-}" ]; then
    skip "freertos 11" "FREERTOS_KERNEL is not set"
    return
  fi
  check "freertos 11: naked functions are in the list" listed
  for board in mps2-an385 virt-riscv32; do
    real_freertos $board 22 lld
    real_freertos $board 22 gnu
    real_freertos $board 19 lld
    real_freertos $board 14 lld
  done
}

group "freertos stand-in" scheduler
[ -z "${FULL:-}" ] || group "freertos 11" all_real
