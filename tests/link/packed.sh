# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# 4-byte counters in the link tests: bareprof-packed.ld places them and rejects
# others, and the other fragments reject 4-byte counters. `run` sources this
# file.

# packed_objects VERSION TARGET: compiles the code of the tests in mode packed.
# Sets $mixed to one of the objects, for links with objects of other modes.
packed_objects() {
  objects "$1" "$2" coverage $COVERAGE
  folder=$OUT/$1-$2-packed
  mixed=$folder/code.o
  [ -d "$folder" ] && return
  cp -r "$OUT/$1-$2-coverage" "$folder"
  target_of "$2"
  [ "$1" -lt 15 ] && case $flags in *riscv*) flags="$flags -mno-relax" ;; esac
  for part in code.c code.cpp more.cpp; do
    to=${part%.cpp}
    [ $part = code.c ] && to=c
    narrow 32-packed "$1" "$flags $COMMON -fno-exceptions $COVERAGE" \
      $HERE/$part "$folder/$to.o" || return 1
    [ "$1" -ge 18 ] || $OBJCOPY --remove-section=.init_array.0 \
      --remove-section=.rel.init_array.0 \
      --remove-section=.rela.init_array.0 "$folder/$to.o"
  done
}

# packed_layout: prints address modulo 8, type, and size between the bounds of
# the counters; and the place of the profile's end relative to the heap.
packed_layout() {
  $READELF -SsW "$image" | awk '
    { sub(/^ *\[ *[0-9]+\]/, "") }
    $1 == "__llvm_prf_cnt4" {
      place = substr($3, length($3)) ~ /[08]/ ? "aligned" : $3
      type = $2
      size = $5
    }
    $1 == "__llvm_prf_cnts" { others = " and others" }
    $8 == "__start___llvm_prf_cnts" { start = $2 }
    $8 == "__stop___llvm_prf_cnts" { stop = $2 }
    $8 == "__bareprof_end" { last = $2 }
    $8 == "end" { heap = $2 }
    END { print place, type, start, stop, size (heap < last ? " heap" : "") \
      others }' | while read -r place type start stop rest; do
    echo "$place $type $((0x$stop - 0x$start))${rest#*0000??}"
  done
}

# The doctor finds the fault in the image that --noinhibit-exec leaves.
packed_named() {
  $MAKE -s tool || return 1
  said=$("$BUILD/bareprof" doctor "$image" 2>&1 | one_line)
  case $said in
    *"D086 counters-mixed: "*"$1"*) ;;
    *) echo "$said"; return 1 ;;
  esac
}

# packed LINKER
packed() {
  case ${FULL:-}${CASE:-}${LLVM:-}$1 in lld-1? | gnu-1?) return ;; esac
  packed_objects "${1#*-}" thumbv7m ||
    { not_ok "link $1 packed" compile; return; }
  for fragment in packed packed-insert; do
    script vendor thumbv7m $fragment "end = __bareprof_end;"
    link "$1" thumbv7m packed --gc-sections
    equal "link $1 $fragment: links without a word" "" "$said"
    equal "link $1 $fragment: half as much as 72 bytes" "aligned NOBITS 36" \
      "$(packed_layout)"
    refused "$fragment counters of 8 bytes: refused" \
      "bareprof-packed.ld needs all objects" "$1" coverage
    refused "$fragment one object of 8 bytes: refused" \
      "bareprof-packed.ld needs all objects" "$1" packed \
      "$OUT/${1#*-}-thumbv7m-coverage/c.o" --allow-multiple-definition
  done
  for fragment in full lean full-insert lean-insert; do
    script vendor thumbv7m $fragment "end = __bareprof_end;"
    refused "$fragment counters of 4 bytes: refused" \
      "counters of 4 bytes, by --counters=32-packed" "$1" packed
    # Both objects have a template: the first one's counters stay.
    refused "$fragment one object of 4 bytes: refused" \
      "counters of 4 bytes, by --counters=32-packed" "$1" coverage "$mixed" \
      --allow-multiple-definition
  done
}
