# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mistakes with `run --gdb` and `receive --port gdb:`, on QEMU: the message is
# one right line. `run` sources this file.

here=tests/mistakes
arm="--target=thumbv7m-none-eabi -mcpu=cortex-m3"
riscv="--target=riscv32-none-elf -march=rv32imac -mabi=ilp32 -mno-relax"
riscv="$riscv -mcmodel=medany"
m3="qemu-system-arm -machine mps2-an385 -nographic -monitor none"
rv32="qemu-system-riscv32 -machine virt -nographic -monitor none -bios none"

# place TARGET SOURCE OBJECT FLAGS...: measured.  plain: not.
place() {
  flags=$1 source=$2 object=$3
  shift 3
  # shellcheck disable=SC2086 # Several flags.
  "$TOOL" cc ${coverage:---coverage} clang-22 $flags -O1 -g -ffreestanding \
    -ffunction-sections -I$start "$@" -c "$source" -o "$out/$object"
}
plain() {
  flags=$1 source=$2 object=$3
  # shellcheck disable=SC2086 # Several flags.
  clang-22 $flags -O1 -g -ffreestanding -ffunction-sections -I$start \
    -c "$source" -o "$out/$object"
}

targets() {
  plain "$arm" $start/mps2-an385.c m3-board.o &&
    plain "$arm" $start/libc.c m3-libc.o &&
    plain "$riscv" $start/virt-riscv32.c rv-board.o &&
    plain "$riscv" $start/libc.c rv-libc.o || return
  for how in LOOP FAULT RESET TEXT UART; do
    place "$arm" $here/target.c m3.o -D$how &&
      ld.lld-22 -T $start/mps2-an385.ld "$out/m3.o" "$out/m3-board.o" \
        "$out/m3-libc.o" -o "$out/$how.elf" || return
  done
  for how in LOOP OFF; do
    place "$riscv" $here/target.c rv.o -D$how &&
      ld.lld-22 --gc-sections -T $start/virt-riscv32.ld "$out/rv.o" \
        "$out/rv-board.o" "$out/rv-libc.o" -o "$out/RV-$how.elf" || return
  done
  sed 's/^  .text /  .note : { *(.note*) } > FLASH\n&/' \
    $start/mps2-an385.ld >"$out/first.ld"
  ld.lld-22 --build-id -T "$out/first.ld" "$out/m3.o" "$out/m3-board.o" \
    "$out/m3-libc.o" -o "$out/FIRST.elf" || return
  llvm-objcopy-22 -O binary "$out/RV-LOOP.elf" "$out/RV-LOOP.bin" &&
    place "$arm" $start/mps2-an385.c m3-board-measured.o &&
    place "$arm" $start/libc.c m3-libc-measured.o &&
    coverage=--coverage=mcdc place "$arm" $start/thermostat.c mcdc.o &&
    place "$arm" $here/target.c m3.o &&
    ld.lld-22 --gc-sections -T $start/mps2-an385.ld "$out/m3.o" \
      "$out/m3-board-measured.o" "$out/m3-libc-measured.o" \
      -o "$out/EARLY.elf" &&
    for n in 1 2 3; do
      sed "s/0x80000000/$((0x80000000 + (n - 1) * 0x400000))/
        s/0x80040000/$((0x80040000 + (n - 1) * 0x400000))/" \
        $start/virt-riscv32.ld >"$out/stage$n.ld"
      plain "$riscv" $here/stage.S stage-start.o &&
        place "$riscv" $here/stages.c stage.o -DSTAGE=$n &&
        ld.lld-22 -T "$out/stage$n.ld" "$out/stage-start.o" \
          "$out/stage.o" "$out/rv-libc.o" -o "$out/stage$n.elf" || return
    done
}

# heard STATUS TEXT COMMAND...: compares the exit status, and the first message
# after the line that says when the counters are read.
heard() {
  wanted_status=$1 text=$2 tool=$3 command=$4
  shift 4
  timeout 60 "$tool" "$command" -o "$out/report" "$@" >"$out/stdout" \
    2>"$out/stderr" </dev/null
  status=$?
  grep -a '^bareprof: ' "$out/stderr" |
    grep -av ' runs, and its counters are read \|counts are modulo 2^32' |
    head -n 1 >"$out/first"
  [ $status = "$wanted_status" ] ||
    { echo "status $status: $(one_line <"$out/stderr")"; return 1; }
  [ -z "$text" ] || says "$out/first" "$text"
}
# counted COUNTS: compares function:count of the report, sorted by name.
counted() {
  got=$(llvm-profdata-22 show --all-functions --counts "$out/report/$1" | awk '
    /^  [^ ].*:$/ { name = $1; sub(/:$/, "", name); sub(/.*:/, "", name) }
    /Function count:/ { print name ":" $3 }' | sort | one_line)
  [ "${got% }" = "$2" ] || { echo "counts: $got"; return 1; }
}

# on_m3 STATUS TEXT IMAGE OPTION...: heard for run --gdb on the board.
on_m3() {
  on_status=$1 on_text=$2 image=$out/$3.elf
  shift 3
  heard "$on_status" "$on_text" "$TOOL" run --gdb "$image" "$@" -- $m3 -kernel \
    "$image"
}

# run prints at once what it does and when it ends, while the firmware still
# runs.
at_once() {
  "$TOOL" run --gdb "$out/LOOP.elf" -o "$out/report" -- $m3 \
    -kernel "$out/LOOP.elf" >"$out/stdout" 2>"$out/stderr" </dev/null &
  job=$!
  for _ in $(seq 80); do
    ! grep -q 'counters are read' "$out/stderr" || break
    sleep 0.1
  done
  says "$out/stderr" "LOOP.elf runs, and its counters are read at its end, at \
Ctrl-C, or after 10 s (--timeout)"
  said_it=$?
  kill -INT $job
  wait $job
  [ $? = 0 ] && [ $said_it = 0 ] && says "$out/stderr" "halted by Ctrl-C"
}

ends_by_itself() {
  check "mistakes gdb: it says at once when it ends" at_once
  check "mistakes gdb: a firmware that loops is no error" on_m3 0 \
    "the program still ran, and was halted by --timeout" \
    LOOP --timeout 1
  check "mistakes gdb: QEMU that turns itself off" heard 1 \
    "read the counters earlier with --at FUNCTION" \
    "$TOOL" run --gdb "$out/RV-OFF.elf" --timeout 9 -- $rv32 -kernel \
    "$out/RV-OFF.elf"
  off() {
    heard 0 "" "$TOOL" run --gdb "$out/RV-OFF.elf" --at power_off -- $rv32 \
      -kernel "$out/RV-OFF.elf" &&
      counted RV-OFF.profraw "end:1 main:1 power_off:0 work:1"
  }
  check "mistakes gdb: and --at, as that says" off
  # The store that turns the machine off comes after the code that counts.
  at_store() {
    set -- $(llvm-objdump-22 -d --disassemble-symbols=power_off \
      "$out/RV-OFF.elf" | sed -n 's/^ *\([0-9a-f]*\): .*\tsw\t.*/\1/p' |
      sed -n '$p') $(llvm-nm-22 "$out/RV-OFF.elf" | grep ' power_off$')
    for at in "0x$1" "power_off+0x$(printf %x $((0x$1 - 0x$2)))"; do
      heard 0 "" "$TOOL" run --gdb "$out/RV-OFF.elf" --at "$at" -- $rv32 \
        -kernel "$out/RV-OFF.elf" &&
        counted RV-OFF.profraw "end:1 main:1 power_off:1 work:1" || return 1
    done
  }
  check "mistakes gdb: --at the store that turns it off" at_store
  check "mistakes gdb: a fault loop: where, why, and what met it" on_m3 1 \
    ", in HardFault (CFSR 0x00008200, HFSR 0x40000000) from 0x" \
    FAULT --timeout 1
  check "mistakes gdb: a fault loop: the function" says "$out/stderr" \
    ", in main; the counts are from this moment"
  restart() {
    on_m3 0 "" RESET --timeout 1 &&
      says "$out/stderr" "the program restarted 1 time" &&
      counted RESET.profraw "end:2 main:2 work:4"
  }
  check "mistakes gdb: a reset: the counts of both starts" restart
  check "mistakes gdb: --at that is never met" on_m3 1 \
    "did not reach uart_send; the counts are from the end of the program; the core" \
    LOOP --at uart_send --timeout 1
  check "mistakes gdb: --until that is never met" heard 1 \
    "the console did not show the text of --until" \
    "$TOOL" run --gdb "$out/TEXT.elf" --until bye --timeout 1 -- $m3 -serial \
    stdio -kernel "$out/TEXT.elf"
  check "mistakes gdb: --at of no ELF" heard 1 \
    "nothing_of_it: no ELF has the symbol in --at" \
    "$TOOL" run --gdb "$out/LOOP.elf" --at nothing_of_it -- $m3
}

# cleared NAME FLAGS SCRIPT QEMU: assembly start-up code clears RAM in a loop.
# Without ENTRY, the ELF's entry point is not where a Cortex-M starts.
cleared() {
  elf=$out/CLEARED-$1.elf
  sed '/^ENTRY(reset)/d' "$start/$3.ld" >"$out/cleared.ld"
  for before in "" -DBEFORE; do
    plain "$2 $before" $here/cleared.S cleared.o &&
      place "$2" $here/target.c target.o -DCLEARED &&
      ld.lld-22 -T "$out/cleared.ld" "$out/target.o" "$out/cleared.o" \
        -o "$elf" || return
    if [ "$before" ]; then
      check "mistakes gdb: a call before the clearing, $1" doctor_says \
        "before runs before"
      continue
    fi
    none() {
      "$TOOL" doctor "$elf" >"$out/doctor" 2>&1
      ! grep D105 "$out/doctor" || return 1
      # shellcheck disable=SC2086 # Several arguments.
      heard 0 "" "$TOOL" run --gdb "$elf" --timeout 1 -- $4 -kernel "$elf" &&
        ! grep 'Start-up code' "$out/stdout"
    }
    check "mistakes gdb: calls after the clearing, $1" none "$@"
    check "mistakes gdb: what an interrupt in assembly calls, $1" doctor_says \
      "before and the like count, and may interrupt code that counts"
  done
}

# Start-up code that counts before it clears .bss.
early() {
  elf=$out/EARLY.elf
  check "mistakes gdb: start-up code that is measured: the doctor" doctor_says \
    "reset runs before it clears .bss, so counts up to this point are lost"
  lost() {
    on_m3 0 "" EARLY --timeout 1 &&
      says "$out/stdout" "Start-up code calls these functions \
before it clears .bss, so counts up to this point are lost: reset, memcpy, memset Leave out their sources"
  }
  check "mistakes gdb: start-up code that is measured: the report" lost
  cleared arm "$arm" mps2-an385 "$m3"
  elf=$out/NOBODY.elf
  sed 's,^  stack_top,  /DISCARD/ : { *(.comment) *(.note*) }\n&,' \
    "$start/mps2-an385.ld" >"$out/nobody.ld"
  place "$arm" $here/target.c nobody.o -g0 &&
    ld.lld-22 --strip-debug -T "$out/nobody.ld" "$out/nobody.o" \
      "$out/m3-board.o" "$out/m3-libc.o" -o "$elf" || return
  check "mistakes gdb: a script that discards .comment: doctor" doctor_says ""
  check "mistakes gdb: a script that discards .comment: run" heard 0 "" \
    "$TOOL" run --gdb "$elf" --timeout 1 -- $m3 -kernel "$elf"
  cleared riscv "$riscv" virt-riscv32 "$rv32"
  quiet() {
    on_m3 0 "" LOOP --timeout 1 && ! grep -q 'Start-up code' "$out/stdout"
  }
  check "mistakes gdb: start-up code that is left out" quiet
  # This script takes only *(.bss).
  sed 's/\*(\.bss\*)/*(.bss)/' $start/mps2-an385.ld >"$out/orphan.ld"
  ld.lld-22 -T "$out/orphan.ld" "$out/m3.o" "$out/mcdc.o" "$out/m3-board.o" \
    "$out/m3-libc.o" -o "$out/ORPHAN.elf"
  elf=$out/ORPHAN.elf
  check "mistakes gdb: counters that no pattern takes" doctor_says \
    "matches .bss.bareprof_c and .bss.bareprof_b, so this memory may stay uncleared"
  check "mistakes gdb: no runtime, and no bytes of it" \
    eval '! grep -q "runtime" "$out/doctor"'
}

# QEMU, the board or the image does not fit the ELF.
others() {
  check "mistakes gdb: another architecture" heard 1 \
    "the GDB server's target is riscv:rv32, which cannot run this ELF" \
    "$TOOL" run --gdb "$out/LOOP.elf" -- $rv32 -kernel "$out/LOOP.elf"
  check "mistakes gdb: another board, without its RAM" heard 1 \
    "memory cannot be written at 0x2000000" \
    "$TOOL" run --gdb "$out/LOOP.elf" --timeout 1 -- qemu-system-arm \
    -machine virt -nic none -nographic -monitor none -kernel "$out/LOOP.elf"
  check "mistakes gdb: counters in .bss, without --gdb" heard 1 \
    "the firmware does not send counters of --place=bss; add --gdb" \
    "$TOOL" run "$out/LOOP.elf" -- $m3 -kernel "$out/LOOP.elf"
  check "mistakes gdb: no -kernel, Cortex-M" heard 1 \
    "the ELF was not in the memory at reset; check that QEMU loads the ELF with -kernel ELF" \
    "$TOOL" run --gdb "$out/LOOP.elf" --timeout 1 -- $m3
  check "mistakes gdb: no -kernel, RISC-V" heard 1 \
    "with no code at 0x80000000; the core is at 0x0, outside" \
    "$TOOL" run --gdb "$out/RV-LOOP.elf" --timeout 1 -- $rv32
  check "mistakes gdb: another ELF in -kernel" heard 1 \
    "the code on the target does not match this ELF, with a difference at 0x" \
    "$TOOL" run --gdb "$out/LOOP.elf" --timeout 1 -- $m3 -kernel \
    "$out/TEXT.elf"
  check "mistakes gdb: code at another address than linked" heard 1 \
    "with the code of 0x8000" \
    "$TOOL" run --gdb "$out/RV-LOOP.elf" --timeout 1 -- $rv32 -device \
    "loader,file=$out/RV-LOOP.bin,addr=0x80010000,cpu-num=0"
  # This board's UART has another address: the first store to it is a fault.
  nothing() {
    heard "$1" ": nothing counted; the core is at 0x" \
      "$TOOL" run --gdb "$out/UART.elf" --timeout 1 $2 -- qemu-system-arm \
      -machine microbit -nographic -monitor none -kernel "$out/UART.elf" &&
      says "$out/first" ", in HardFault (CFSR 0x"
  }
  rm -rf "$out/report"
  check "mistakes gdb: nothing counted" nothing 1 ""
  equal "mistakes gdb: nothing counted: there is no report" "" \
    "$(ls "$out/report" 2>&1 | grep -v 'No such')"
  allowed() {
    nothing 1 --allow-missing && [ -e "$out/report/evidence.json" ] &&
      says "$out/stderr" "the program ended in a fault"
  }
  check "mistakes gdb: nothing counted: --allow-missing, and a fault" allowed
  unstarted() {
    on_m3 1 ": nothing counted; the core is at 0x" FIRST &&
      says "$out/stderr" "the vector table is at 0x24, after section .note"
  }
  sole "mistakes gdb: a build id before the vectors: the doctor says it" \
    unstarted
}

# served STATUS TEXT ELF OPTION...: runs receive --port gdb: on a board at
# reset.
served() {
  served_status=$1 served_text=$2 served_elf=$3
  shift 3
  rm -f "$out/socket" "$out/report"
  # shellcheck disable=SC2086 # Several words.
  (cd "$out" && exec $m3 -S -gdb unix:socket,server=on,wait=off -kernel \
    "$served_elf") >"$out/qemu.log" 2>&1 </dev/null &
  server=$!
  for _ in $(seq 100); do
    [ ! -S "$out/socket" ] || break
    sleep 0.05
  done
  heard "$served_status" "$served_text" "$TOOL" receive --port \
    "gdb:unix:$out/socket" "$out/$served_elf" "$@"
  was=$?
  kill $server
  wait $server 2>/dev/null
  return $was
}

received() {
  rm -rf "$out/report"
  none() {
    served 1 "nothing counted; the core is at 0x" LOOP.elf &&
      says "$out/first" ", in reset; check that this ELF runs" &&
      [ ! -e "$out/report" ]
  }
  check "mistakes gdb: receive: nothing counted" none
  allowed() {
    served 0 "nothing counted" LOOP.elf --allow-missing && [ -s "$out/report" ]
  }
  check "mistakes gdb: receive: nothing counted, --allow-missing" allowed
  check "mistakes gdb: receive: a reset before the read" served 0 \
    "the program restarted 1 time before bareprof read the counters, so earlier counts are lost" \
    RESET.elf --timeout 1
  once() {
    served 0 "the program restarted 1 time" RESET.elf --timeout 1 --every 0.2 \
      -n 2 && [ "$(grep -c 'program restarted' "$out/stderr")" = 1 ]
  }
  check "mistakes gdb: receive: and with --every, once" once
  rm -f "$out/report-2"
  check "mistakes gdb: receive: a function that is not reached" served 1 \
    "did not reach the function of --at (the core is at 0x" LOOP.elf --at \
    uart_send --timeout 1
  rm -f "$out/report"
}

# Messages about the command, before anything runs.
gdb_commands() {
  for how in -s "-gdb tcp::1234"; do
    check "mistakes gdb: QEMU with ${how%% *}" wrong \
      "remove -s and -gdb from the command of QEMU" \
      "$TOOL" run --gdb "$out/LOOP.elf" -- $m3 $how -kernel "$out/LOOP.elf"
  done
  check "mistakes gdb: and in a script" heard 1 \
    "the command ended with exit status 1" \
    "$TOOL" run --gdb "$out/LOOP.elf" -- sh -c \
    "exec $m3 -s -kernel $out/LOOP.elf \"\$@\"" sh
  check "mistakes gdb: QEMU knows no such machine" heard 1 \
    "the command ended with exit status 1 before QEMU" \
    "$TOOL" run --gdb "$out/LOOP.elf" -- qemu-system-arm -machine none-such
  check "mistakes gdb: a command that a signal ends" heard 1 \
    "the command ended with signal 9 before QEMU" \
    "$TOOL" run --gdb "$out/LOOP.elf" -- sh -c 'kill -9 $$'
  for command in "run --gdb" run live; do
    check "mistakes typed: no -- before QEMU, $command" wrong \
      "put -- before the command: -- qemu-system-arm" \
      "$TOOL" $command "$out/LOOP.elf" qemu-system-arm -bios none -M mps2-an385
  done
  check "mistakes typed: --hlep" wrong \
    "unknown option --hlep (did you mean --help?)" "$TOOL" --hlep
  check "mistakes typed: --port HOST:PORT" told \
    "use tcp:HOST:PORT for a network port, gdb:HOST:PORT for a GDB server" \
    "$TOOL" receive --port localhost:1 -o "$out/none"
  check "mistakes typed: --port COM7" told \
    "COM ports exist on Windows only; use a name such as /dev/ttyACM0" \
    "$TOOL" receive --port COM7 -o "$out/none"
  check "mistakes typed: receive --port gdb:" told "Connection refused" \
    "$TOOL" receive --port gdb:localhost:1 "$out/LOOP.elf" -o "$out/none"
  check "mistakes typed: receive --port gdb: without a port" told "expected HOST:PORT" \
    "$TOOL" receive --port gdb:localhost "$out/LOOP.elf" -o "$out/none"
}

# Boot stages: once the MMU is on, it maps only the last two.
stages() {
  set -- "$out/stage1.elf" "$out/stage2.elf" "$out/stage3.elf"
  boot="$rv32 -kernel $1 -device loader,file=$2 -device loader,file=$3"
  check "mistakes gdb: a boot stage that the MMU does not map" heard 1 \
    "stage1.elf: the target's memory cannot be read at 0x8004" \
    "$TOOL" run --gdb "$@" --timeout 1 -- $boot
  all() {
    heard 0 "" "$TOOL" run --gdb "$@" --at stage1.elf:hand_over --at \
      "$2:hand_over" --timeout 1 -- $boot &&
      counted stage1.profraw "hand_over:0 leave:0 stage:1 work:1" &&
      counted stage2.profraw "hand_over:0 leave:0 stage:1 work:2" &&
      counted stage3.profraw "hand_over:1 leave:1 stage:1 work:3"
  }
  check "mistakes gdb: boot stages, each at its own --at" all "$@"
  mapped() {
    sed 's/0x800\([04]\)0000/0xC00\10000/' $start/virt-riscv32.ld \
      >"$out/mapped.ld" &&
      place "$riscv" $here/target.c rv.o &&
      ld.lld-22 -T "$out/mapped.ld" "$out/rv.o" "$out/rv-board.o" \
        "$out/rv-libc.o" -o "$out/mapped.elf" &&
      llvm-objcopy-22 -O binary "$out/mapped.elf" "$out/mapped.bin" &&
      clang-22 --target=riscv32-none-elf -march=rv32imac_zicsr \
        -c $here/mapped.S -o "$out/mmu.o" &&
      ld.lld-22 -Ttext 0x80000000 -e start "$out/mmu.o" -o "$out/mmu.elf" &&
      heard 0 "" "$TOOL" run --gdb "$out/mapped.elf" --timeout 1 -- $rv32 \
        -kernel "$out/mmu.elf" -device \
        "loader,file=$out/mapped.bin,addr=0x80400000" &&
      counted mapped.profraw "end:1 main:1 work:1"
  }
  check "mistakes gdb: RAM that the MMU maps later is no mistake" mapped
  check "mistakes gdb: a boot stage that is not reached" heard 1 \
    "did not reach stage2.elf:memset" \
    "$TOOL" run --gdb "$1" "$2" --at stage1.elf:hand_over --at \
    stage2.elf:memset --timeout 1 -- $boot
}

# Files of wrong kinds.
kinds() {
  elf=$out/good.elf
  llvm-objcopy-22 -O ihex "$elf" "$out/fw.hex"
  llvm-objcopy-22 -O srec "$elf" "$out/fw.s19"
  llvm-objcopy-22 -O binary "$elf" "$out/fw.bin"
  llvm-ar-22 rcs "$out/libfw.a" "$out/main.o"
  printf 'PERFILE2\150\0\0\0' >"$out/perf.data"
  gzip -kf "$out/good.log"
  printf 'PK\3\4\24\0\0\0' >"$out/good.log.zip"
  printf 'hello\nworld\n' >"$out/text.log"
  clang-22 -emit-llvm --target=thumbv7m-none-eabi -ffreestanding -I$start \
    -c $start/libc.c -o "$out/fw.bc"
  while read -r file text; do
    check "mistakes kinds: $file as the ELF" told "$file: this is $text" \
      reports "$out/$file" "$out/good.log"
    check "mistakes kinds: $file as the ELF of run" told "$file: this is $text" \
      "$TOOL" run "$out/$file" -o "$out/report" -- true
  done <<'KINDS'
fw.hex an Intel HEX file; pass the linked ELF
fw.s19 a Motorola S-record file; pass the linked ELF
fw.bin not an ELF, but begins with a vector table (.bin?); pass the linked ELF
libfw.a an archive; pass the linked ELF
perf.data a perf.data file; pass the linked ELF
fw.bc LLVM bitcode; pass the linked ELF
main.o an object file, not a linked ELF; pass the linked ELF
apt a folder; pass the linked ELF, and logs
KINDS
  mkdir -p "$out/apt"
  check "mistakes kinds: a HEX file for the doctor" told \
    "this is an Intel HEX file; pass the linked ELF" "$TOOL" doctor "$out/fw.hex"
  while read -r file text; do
    check "mistakes kinds: $file as the log" told "$file: this is $text" \
      reports "$elf" "$out/$file"
  done <<'KINDS'
fw.hex an Intel HEX file; pass a console log, a .bpdump or a .profraw
good.log.zip a zip file; pass a console log, a .bpdump or a .profraw
good.log.gz a gzip file; pass a console log, a .bpdump or a .profraw
perf.data a perf.data file; pass a console log, a .bpdump or a .profraw
KINDS
  for file in text.log fw.hex fw.bin perf.data good.elf; do
    check "mistakes kinds: $file as a profile" told \
      "this is not a profile; pass .profraw, .profdata or .proftext files" \
      "$TOOL" merge "$out/$file" -o "$out/none"
  done
  for file in fw.hex good.elf perf.data; do
    check "mistakes kinds: $file for receive" told "; pass a console log" \
      "$TOOL" receive "$out/$file" -o "$out/none"
  done
  check "mistakes kinds: a log with a dump as a profile" told \
    "this is a console log; pass it to bareprof receive or report" \
    "$TOOL" merge "$out/good.log" -o "$out/none"
}

debugged() {
  kinds
  if ! targets >"$out/targets.log" 2>&1; then
    not_ok "mistakes gdb: the firmware" "$(tail -n 2 "$out/targets.log")"
    return
  fi
  gdb_commands
  ends_by_itself
  early
  received
  if have qemu-system-riscv32; then
    others
    stages
  fi
}
