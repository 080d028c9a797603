# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks of dumps that overlap in time. tests/values/run sources this file.
# shellcheck disable=SC2046,SC2086 # Several flags.

# overlapping NAME ARCHIVE FLAG...: $out/host/NAME
overlapping() {
  program=$out/host/$1 archive=$2
  shift 2
  clang-22 -g -O1 -std=c11 -Wall -Wextra -Werror $(headers) "$@" -pthread \
    $here/overlap.c $here/table.c "$archive" -o "$program"
}

overlaps() {
  check "values overlapping dumps: compiles" overlapping overlap \
    "$(runtime_archive NATIVE_CC=clang-22 AS=fast NATIVE_CFLAGS=-O2)"
  "$out/host/overlap" ||
    not_ok "values overlapping dumps: runs to its end" "status $?"
  check "values hooks and dumps of threads: no data race" races
}

# ThreadSanitizer; of the instructions' turn it makes too many.
races() {
  overlapping races "$(runtime_archive NATIVE_CC=clang-22 SANITIZE=thread \
    AS=races "$COUNTS_ONLY")" -fsanitize=thread && "$program" threads
}

# Two harts dump an image with value sites, with the calls that programs make.
twice() {
  board=virt-riscv32
  $MAKE -s firmware BOARD=$board LLVM=22 OUT="$out/$board" NAME=twice \
    SOURCES=tests/target/counts.c PLAIN="$here/twice.c $here/table.c" \
    PROFILE=-fprofile-generate CFLAGS_APP="-O2 -g -Wall -Wextra -Iruntime" \
    LDFLAGS_APP="-u bareprof_preinit -u counts_run" >"$out/$board.log" 2>&1 || {
    not_ok "values twice: builds" "$(one_line <"$out/$board.log")"
    return 1
  }
  text=$(start twice $board -smp 2 -accel tcg,thread=multi)
  equal "values a dump from the sink of another: both are whole" 0 \
    "$(number nested "$text")"
  equal "values while another core lets go: bareprof_write sends nothing" \
    "15 0" "$(number write "$text") $(number write-bytes "$text")"
  equal "values while another core lets go: bareprof_send says E_BUSY" \
    "15 15" "$(number send "$text") $(number send-lean "$text")"
  equal "values dumps of two harts: each is done, or says E_BUSY" 2000 \
    "$(number dumps "$text")"
  equal "values dumps of two harts: no slot stays frozen, hooks go on" "0 3" \
    "$(number frozen "$text") $(number counted "$text")"
}
