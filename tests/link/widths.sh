# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Objects that count in 32 bits, in the link tests: their width strings have a
# place, and a link with bareprof_fold rejects objects that may lose counts.
# `run` sources this file.

# strings_in: prints the width strings of the image, in order, and their
# section's address and flags.
strings_in() {
  llvm-readelf-22 -p .bareprof.counters "$image" |
    sed -n 's/^\[ *[0-9a-f]*\] //p' | sort | paste -s -d ,
  llvm-readelf-22 -SW "$image" |
    awk '{ sub(/.*\]/, "") } $1 == ".bareprof.counters" {
      print "at " $3 ($7 ~ /^[A-Z]/ ? $7 : "") }'
}

# width_objects VERSION: fold.o of the archive, a plain and an atomic object;
# the plain one also as LLVM's bitcode.
width_objects() {
  target_of thumbv7m
  widths_in=$OUT/widths-$1
  mkdir -p "$widths_in"
  $MAKE -s lib LLVM="$1" TARGET=thumbv7m-none-eabi &&
    "llvm-ar-$1" p "$BUILD/llvm-$1/thumbv7m-none-eabi/libbareprof.a" \
      fold.c.o >"$widths_in/fold.o"
  for width in 32 32-atomic; do
    narrow $width "$1" "$flags $COMMON $COVERAGE" tests/atomic/counted.c \
      "$widths_in/$width.o"
  done
  narrow 32 "$1" "$flags $COMMON $COVERAGE -flto" tests/atomic/counted.c \
    "$widths_in/lto.o"
}

# widths LINKER
widths() {
  case ${FULL:-}${CASE:-}${LLVM:-}$1 in lld-19 | gnu-19) return ;; esac
  width_objects "${1#*-}"
  with_fold="$widths_in/fold.o -u bareprof_fold --defsym=bareprof_running=0"
  loose=32
  case $1 in lld-*) loose="32 lto" ;; esac
  for fragment in full lean full-insert lean-insert; do
    script vendor thumbv7m $fragment "end = __bareprof_end;"
    for object in $loose; do
      refused "$fragment bareprof_fold beside $object: refused" \
        "bareprof: bareprof_fold needs objects of --counters=32-atomic" \
        "$1" coverage "$widths_in/$object.o" $with_fold
      accepted "$fragment $object alone: links" "$1" "$widths_in/$object.o" \
        -u shared
    done
    accepted "$fragment bareprof_fold beside 32-atomic: links" "$1" \
      "$widths_in/32-atomic.o" -u shared $with_fold
    equal "link $1 $fragment widths are in the file only" \
      "32-atomic 0 tests/atomic/counted.c,fold at 00000000" "$(strings_in |
        one_line |
        sed 's/ $//')"
    link "$1" thumbv7m coverage --orphan-handling=warn --gc-sections \
      "$widths_in/32-atomic.o" -u shared $with_fold
    equal "link $1 $fragment widths are no orphan" "" \
      "$(echo "$said" | grep bareprof.counters)"
  done
}
