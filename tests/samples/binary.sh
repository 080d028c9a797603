#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Profiles that are made up, as text and in the binary form: the bytes of
# llvm-profdata, but for the order of functions in the last section, which means
# nothing to readers. Sourced by run.

build_convert() {
  tool_program "$OUT/convert" "" tests/samples/convert.c
}

# same_binary OURS THEIRS: the table of sections, of which the last row is that
# of checksums, begins at byte 18.
same_binary() {
  same_until=$(od -An -td8 -j 226 -N 8 "$1" | tr -d ' ')
  cmp -n "$same_until" "$1" "$2" || return 1
  for same_file; do
    tail -c +$((same_until + 1)) "$same_file" | od -An -v -tx1 -w1 | sort |
      cksum
  done | uniq | awk 'END { exit NR != 1 }' ||
    { echo "the checksums are others"; return 1; }
}

# alike RELEASES OPTION...: theirs is made of the same text, for their order
# follows that of their input.
alike() {
  made=$OUT/made releases=$1
  shift
  for option; do set -- "$@" -v "$option"; shift; done
  awk "$@" -f tests/samples/profiles.awk >"$made.in" || return 1
  "$OUT/convert" "$made.in" "$made.prof" "$made.binary" || return 1
  for llvm in $releases; do
    have "llvm-profdata-$llvm" || continue
    "llvm-profdata-$llvm" merge --sample --text "$made.in" \
      -o "$made.theirs" && cmp "$made.prof" "$made.theirs" || return 1
    "llvm-profdata-$llvm" merge --sample --text "$made.binary" \
      -o "$made.theirs" && cmp "$made.prof" "$made.theirs" || return 1
    # 14 knows functions by another number.
    [ "$llvm" = 14 ] && continue
    "llvm-profdata-$llvm" merge --sample --extbinary "$made.prof" \
      -o "$made.theirs" && same_binary "$made.binary" "$made.theirs" ||
      return 1
  done
}

# Counts that reach cutoffs of the summary exactly.
at_cutoffs() {
  printf 'f:1000000:1\n 1: 900000\n 2: 90000\n 3: 10000\n' >"$OUT/made.in"
  "$OUT/convert" "$OUT/made.in" "$OUT/made.prof" "$OUT/made.binary" &&
    "llvm-profdata-$LLVM_HOST" merge --sample --extbinary "$OUT/made.prof" \
      -o "$OUT/made.theirs" && same_binary "$OUT/made.binary" "$OUT/made.theirs"
}

# How many functions, from one on, with the same options.
alike_all() {
  for functions in 1 14 60 700; do
    [ $functions = 60 ] && all=$LLVM_REQUIRED || all=$LLVM_HOST
    alike "$all" functions=$functions seed=$functions "$@" || {
      echo "$functions functions, $*"
      return 1
    }
  done
}

# as_bytes TEXT SAMPLES OPTION...: what is written is what llvm-profdata makes
# of the text, and for each release that text again.
as_bytes() {
  as_text=$1
  shift
  "$TOOL" samples --binary "$elf" "$@" -o "$folder/binary" 2>/dev/null &&
    "llvm-profdata-$LLVM_HOST" merge --sample --extbinary "$as_text" \
      -o "$folder/theirs" && same_binary "$folder/binary" "$folder/theirs" ||
    return 1
  for llvm in $LLVM_REQUIRED; do
    have "llvm-profdata-$llvm" || continue
    "llvm-profdata-$llvm" merge --sample --text "$folder/binary" |
      cmp - "$as_text" || return 1
  done
}

# used BINARY FLAG...: each clang makes other code because of it, and says
# nothing.
used() {
  used_profile=$1
  shift
  for llvm in $LLVM_REQUIRED; do
    have "clang-$llvm" || continue
    for with in "" "-fprofile-sample-use=$used_profile"; do
      # shellcheck disable=SC2086 # Nothing, or one flag.
      "clang-$llvm" --target=x86_64-linux-gnu -O2 -ffreestanding -g1 "$@" \
        $with -S tests/samples/work.c -o "$OUT/used${with:+-with}.s" \
        2>&1 || return 1
    done >"$OUT/used.said"
    [ ! -s "$OUT/used.said" ] || { cat "$OUT/used.said"; return 1; }
    cmp -s "$OUT/used.s" "$OUT/used-with.s" && {
      echo "clang $llvm makes the same code"
      return 1
    }
  done
  return 0
}

binary() {
  check "samples binary: it compiles" build_convert
  check "samples binary: flat, bytes as llvm-profdata's" alike_all
  check "samples binary: counts at cutoffs" at_cutoffs
  check "samples binary: names without a mark" alike_all plain=1 deep=2
  check "samples binary: inlined" alike_all deep=4
  check "samples binary: inlined, decided" alike_all deep=3 decided=1
  check "samples binary: of lines" alike_all lines=1 deep=4
  check "samples binary: of lines, decided" alike_all lines=1 deep=3 decided=1
  check "samples binary: contexts" alike_all frames=6
  check "samples binary: contexts, decided" alike_all frames=3 decided=1
  check "samples binary: contexts of lines" alike_all frames=4 lines=1
  check "samples binary: contexts, deep" alike_all frames=30
}
