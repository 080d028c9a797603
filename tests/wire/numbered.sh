# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Numbers of boots on a board. `run` sources this file.

row_numbered() {
  check "$label: builds" $MAKE -s firmware BOARD="$board" LLVM="$llvm" \
    OUT="$folder" NAME=numbered SCRIPT=lean \
    SOURCES="$here/work.c $coverage/monitor.c $coverage/nmea.c" \
    PLAIN="$coverage/stream.S $here/console.c $here/numbered.c" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    CFLAGS_APP="-O1 -g -Wall -Wextra -Werror -I$coverage" \
    LDFLAGS_APP="-u bareprof_preinit -u bareprof_boot_number"
  check "$label: the firmware starts and sends" capture numbered
  check "$label: received" receive "$folder/capture" -o "$folder/seen.bpdump"
  equal "$label: each start has the next number" "1 2 3 " \
    "$(for seen in "$folder"/seen*.bpdump; do
      sed -n 's/^boot //p' "$seen"
    done 2>/dev/null | sort -n | tr '\n' ' ')"
  check "$label: increments, as they are told apart" receive \
    "$folder/capture" --increments -o "$folder/part.bpdump"
}
