# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tiny senders: what they send is what bareprof_write writes. Sourced by run.

build_tiny() {
  case $llvm in 1[3-7]) mcdc= ;; *) mcdc=-fcoverage-mcdc ;; esac
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" NAME=tiny \
    SOURCES="$here/work.c $coverage/monitor.c $coverage/nmea.c" \
    LINKER="${port:-lld}" \
    PLAIN="$coverage/stream.S $here/console.c $here/tiny.c" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping $mcdc" \
    CFLAGS_APP="-O1 -g -Wall -Wextra -Werror -I$coverage"
}

# The sink ended the last dump: receive misses that dump, and has the others.
cut_is_seen() {
  ! receive "$folder/capture" -o "$folder/seen.bpdump" >/dev/null &&
    grep -q 'only damaged lines of a dump are left' "$folder/messages" ||
    { tail -n 2 "$folder/messages"; return 1; }
}
row_tiny() {
  check "$label: builds" build_tiny
  check "$label: the firmware sends" capture tiny
  check "$label: received, but for the last" cut_is_seen
  check "$label: the counts are the same" in_order bpdump bpdump bpdump
  equal "$label: no other dumps" 3 "$(count_seen)"
  for number in 1 2 3; do
    seen=$folder/seen-$number.bpdump
    [ $number != 1 ] || seen=$folder/seen.bpdump
    check "$label: dump $number, joined" tiny_joined $number "$seen"
  done
}
tiny_joined() {
  "$BAREPROF" join "$folder/tiny.elf" "$2" -o "$folder/joined.profraw" &&
    cmp "$folder/joined.profraw" "$folder/$1.profraw"
}
