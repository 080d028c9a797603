# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# 32-bit counters, with and without bareprof_fold: in frames, in memory, in
# profiles, and the tool's messages. `run` sources this file.

# build_widths NAME FLAG [WIDTH SCRIPT]: builds $folder/NAME.elf.
build_widths() {
  case $2 in *SLOTS*) slots="-u bareprof_dump_compact_or_mixed" ;; *) slots= ;; esac
  narrow "${3-32-atomic}" "$llvm" "$(board_flags "$board") -O1 -ffreestanding
    -fprofile-instr-generate -fcoverage-mapping" tests/atomic/counted.c \
    "$folder/counted.o" &&
    $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" NAME="$1" \
      SCRIPT="${4-full}" SOURCES="$folder/counted.o" \
      PLAIN="$here/console.c $here/widths.c" \
      CFLAGS_APP="-O1 -Wall -Wextra -Werror -Itests/wire $2" \
      LDFLAGS_APP="-u bareprof_preinit $slots"
}

count_in() {
  "llvm-profdata-$llvm" show --function=shared "$1" |
    sed -n 's/.*Function count: //p'
}

# Prints how many lines of a file say that counts are modulo 2^32.
modulo_in() { grep -c 'counts are modulo 2^32, ' "$1"; }

# joined NAME INPUT: prints the count after join, with messages in $folder/said.
joined() {
  "$BAREPROF" join "$folder/$1" "$folder/$2" -o "$folder/joined.profraw" \
    2>"$folder/said" && count_in "$folder/joined.profraw"
}

# widths_of NAME FLAG COUNT LINES
widths_of() {
  name="$label $1"
  check "$name: builds" build_widths "$1" "$2"
  check "$name: the firmware sends" capture "$1"
  check "$name: received" receive "$folder/capture" -o "$folder/seen.bpdump"
  equal "$name: receive says once that counts wrap" "$4" \
    "$(modulo_in "$folder/messages")"
  equal "$name: bareprof_write" "$3" "$(count_in "$folder/1.profraw")"
  equal "$name: a full dump" "$3" "$(count_in "$folder/seen-2.profraw")"
  "$BAREPROF" extract "$folder/$1.elf" -o "$folder/meta"
  for pair in "$1.elf seen.bpdump" "$1.elf seen-3.bpdump" \
    "$1.elf counters.memory" "meta counters.memory"; do
    equal "$name: joined ${pair#"$1."}" "$3" "$(joined $pair)"
    equal "$name: join says so, ${pair#"$1."}" "$4" \
      "$(modulo_in "$folder/said")"
  done
  "$BAREPROF" show "$folder/1.profraw" --elf "$folder/$1.elf" \
    2>"$folder/said" >/dev/null
  equal "$name: show says so" "$4" "$(modulo_in "$folder/said")"
  "$BAREPROF" report "$folder/$1.elf" "$folder/capture" \
    -o "$folder/html" >"$folder/table" 2>"$folder/said"
  equal "$name: report says so" "0 $4" "$? $(modulo_in "$folder/said")"
}

# packed_of NAME FLAG COUNT TEXT: the same for 4-byte counters, about which the
# host prints TEXT.
packed_of() {
  name="$label $1" tiny="$1.elf seen-4.bpdump"
  case $2 in *FOLD*) tiny= ;; esac
  check "$name: builds" build_widths "$1" "-DPACKED $2" 32-packed packed
  check "$name: the firmware sends" capture "$1"
  check "$name: received" receive "$folder/capture" -o "$folder/seen.bpdump"
  "$BAREPROF" extract "$folder/$1.elf" -o "$folder/meta"
  equal "$name: half of the memory" 24 "$(wc -c <"$folder/counters.memory")"
  for pair in "$1.elf seen.bpdump" "$1.elf seen-2.bpdump" \
    "$1.elf seen-3.bpdump" ${tiny:+"$tiny"} \
    "$1.elf counters.memory" "meta counters.memory"; do
    equal "$name: joined ${pair#"$1."}" "$3" "$(joined $pair)"
    equal "$name: join says so, ${pair#"$1."}" 1 \
      "$(grep -c "$4" "$folder/said")"
  done
  "$BAREPROF" report "$folder/$1.elf" "$folder/capture" \
    -o "$folder/html" >"$folder/table" 2>"$folder/said"
  equal "$name: report says so" "0 1" "$? $(grep -c "$4" "$folder/said")"
}

row_widths() {
  [ -z "${FULL:-}" ] || packed_of packed "" 1 'counts are modulo 2^32, '
  packed_of headers -DSLOTS 1 'counts are modulo 2^32, '
  [ -z "${FULL:-}" ] || packed_of stops "-DFOLD -DFOLD_TWICE" 2147483648 \
    'from 2^31 on mean "at least"'
  widths_of modulo "" 1 1
  widths_of fold -DFOLD 4294967297 0
  widths_of folded "-DFOLD -DFOLD_TWICE" 4294967297 0
}
