# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2034 # The variables are for who sources it.
#
# The projects for which loads/ has workloads, and the C library that they need.
# record and rebuilt source this file.

# load_of NAME FOLDER: sets $project, $home, $load; the files to compile:
# $sources (the project's own), $work (the workload, if it is a separate file),
# $data; and $flags. Fails for an unknown name.
load_of() {
  from=$(cd "$2" && pwd) || return
  work=tests/bench/loads/$1.c data=
  case $1 in
    littlefs | littlefs-random)
      project=littlefs load=test home=littlefs-project/littlefs
      [ "$1" = littlefs ] || load=random
      sources="$from/lfs.c $from/lfs_util.c $from/bd/lfs_rambd.c"
      flags="-I$from -DLFS_NO_MALLOC -DLFS_NO_ASSERT -DLFS_NO_DEBUG \
        -DLFS_NO_WARN -DLFS_NO_ERROR"
      ;;
    freertos)
      project=FreeRTOS load=tasks home=FreeRTOS/FreeRTOS-Kernel
      sources="$from/tasks.c $from/list.c $from/queue.c $from/timers.c \
        $from/event_groups.c $from/portable/MemMang/heap_4.c \
        $from/portable/GCC/ARM_CM3/port.c"
      flags="-I$from/include -I$from/portable/GCC/ARM_CM3"
      ;;
    etl)
      project=ETL load=node home=ETLCPP/etl
      work=
      sources=tests/bench/loads/etl.cpp
      flags="-I$from/include"
      ;;
    coremark)
      project=CoreMark load="20 runs" home=eembc/coremark
      sources="$from/core_list_join.c $from/core_main.c $from/core_matrix.c \
        $from/core_state.c $from/core_util.c"
      flags="-I$from"
      ;;
    heatshrink)
      project=heatshrink load="3 kB" home=atomicobject/heatshrink
      sources="$from/heatshrink_encoder.c $from/heatshrink_decoder.c"
      flags="-I$from -DHEATSHRINK_DYNAMIC_ALLOC=0"
      ;;
    json)
      project=tiny-json load=settings home=rafagafe/tiny-json
      sources=$from/tiny-json.c
      flags="-I$from"
      ;;
    cjson)
      project=cJSON load=document home=DaveGamble/cJSON
      sources=$from/cJSON.c
      flags="-I$from -Dmalloc=work_malloc -Dfree=work_free \
        -Drealloc=work_realloc"
      ;;
    calls | lines)
      project=bareprof load=$1 home=bareprof sources= flags=
      ;;
    demo) # examples/coverage
      project="anchor watch" load=recording home=bareprof
      sources="$from/monitor.c $from/nmea.c" data=$from/stream.S
      flags="-I$from"
      ;;
    *) return 1 ;;
  esac
}

# libc_of BOARD: picolibc's headers, and the archives to link, as a group.
# CORE=cortex-m0 takes that core's code, which also runs on a Cortex-M3.
libc_of() {
  case $1${CORE:+-$CORE} in
    mps2-an385-cortex-m0)
      pico=/usr/lib/picolibc/arm-none-eabi
      libc=$pico/lib/thumb/v6-m/nofp/libc.a
      gcc="arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb"
      ;;
    mps2-an385)
      pico=/usr/lib/picolibc/arm-none-eabi
      libc=$pico/lib/thumb/v7-m/nofp/libc.a
      gcc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"
      ;;
    mps2-an505)
      pico=/usr/lib/picolibc/arm-none-eabi
      libc=$pico/lib/thumb/v8-m.main/nofp/libc.a
      gcc="arm-none-eabi-gcc -mcpu=cortex-m33+nofp -mthumb"
      ;;
    virt-riscv32)
      pico=/usr/lib/picolibc/riscv64-unknown-elf
      libc=$pico/lib/rv32imac/ilp32/libc.a
      gcc="riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32"
      ;;
    virt-riscv64)
      pico=/usr/lib/picolibc/riscv64-unknown-elf
      libc=$pico/lib/rv64imac/lp64/libc.a
      gcc="riscv64-unknown-elf-gcc -march=rv64imac -mabi=lp64"
      ;;
    virt-aarch64) # no package has one: strings.c replaces it
      libc_headers=/usr/lib/picolibc/riscv64-unknown-elf/include
      libc=
      return
      ;;
    *)
      echo "no C library is known for $1" >&2
      return 1
      ;;
  esac
  libc_headers=$pico/include
  libc="$libc $($gcc -print-libgcc-file-name)" || return
}
