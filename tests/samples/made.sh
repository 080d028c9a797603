#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Random profiles: the text equals llvm-profdata's for the same functions in any
# order. `run` sources this file.

build_convert() {
  tool_program "$OUT/convert" "" tests/samples/convert.c
}

# alike RELEASES OPTION...
alike() {
  made=$OUT/made releases=$1
  shift
  for option; do set -- "$@" -v "$option"; shift; done
  awk "$@" -f tests/samples/profiles.awk >"$made.in" || return 1
  "$OUT/convert" "$made.in" "$made.prof" || return 1
  for llvm in $releases; do
    have "llvm-profdata-$llvm" || continue
    "llvm-profdata-$llvm" merge --sample --text "$made.in" \
      -o "$made.theirs" && cmp "$made.prof" "$made.theirs" || return 1
  done
}

# Tests one and more functions, with the same options.
alike_all() {
  for functions in 1 14 60 700; do
    [ $functions = 60 ] && all=$LLVM_REQUIRED || all=$LLVM_HOST
    alike "$all" functions=$functions seed=$functions "$@" || {
      echo "$functions functions, $*"
      return 1
    }
  done
}

# used PROFILE FLAG...: each clang makes other code with the profile, without a
# message.
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

made_profiles() {
  check "samples made: it compiles" build_convert
  check "samples made: flat, as llvm-profdata" alike_all
  check "samples made: names without a mark" alike_all plain=1 deep=2
  check "samples made: inlined" alike_all deep=4
  check "samples made: inlined, decided" alike_all deep=3 decided=1
  check "samples made: of lines" alike_all lines=1 deep=4
  check "samples made: of lines, decided" alike_all lines=1 deep=3 decided=1
  check "samples made: contexts" alike_all frames=6
  check "samples made: contexts, decided" alike_all frames=3 decided=1
  check "samples made: contexts of lines" alike_all frames=4 lines=1
  check "samples made: contexts, deep" alike_all frames=30
}
