#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares ranges of other machines with llvm-profgen, and tests rejected
# branches and ranges. `run` sources this file, with branches.sh.

# ---- ranges of other machines ----

# Prints ranges from each seventh instruction to a later one of the same
# function.
made_ranges() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$1" | awk '
    BEGIN { n = 0 }
    /^[0-9a-f]+ </ { functions++ }
    /^ *[0-9a-f]+:/ {
      sub(/:/, "", $1)
      address[n] = $1
      of[n++] = functions
    }
    END {
      for (i = 0; i < n; i += 7) {
        last = i + i * 5 % 11
        while (last >= n || of[last] != of[i]) last--
        lines[count++] = address[i] "-" address[last] ":" (i * 31 % 500 + 1)
      }
      print count
      for (i = 0; i < count; i++) print lines[i]
      print 0
    }' >"$folder/ranges"
}

# other_ranges TARGET
other_ranges() {
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" --target="$1" -O2 -g1 -ffreestanding $probed \
    -c tests/samples/work.c -o "$folder/other.o" &&
    "ld.lld-$LLVM_HOST" -e main "$folder/other.o" -o "$folder/other" &&
    made_ranges "$folder/other" || return 1
  theirs other --unsymbolized-profile="$folder/ranges" --use-offset=0 &&
    ours other ranges --offset=0 && as_theirs
}

# Tests calls without probes, for which llvm-profgen has no targets and
# contexts: all direct calls of the program, with the lines' numbers.
other_calls() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/other" | awk '
    /^[0-9a-f]+ <main>/ { print "1\n" $1 "-" $1 ":5" >ranges }
    $2 == "bl" {
      sub(/:/, "", $1)
      sub(/0x/, "", $3)
      calls[n++] = $1 "->" $3
      if ($4 == "<sort>") print "[0x" $1 "]\n1\n" $3 "-" $3 ":7\n0" >context
    }
    END {
      print n >ranges
      for (i = 0; i < n; i++) print calls[i] ":" i + 10 >ranges
      print n * (n + 19) / 2
    }' ranges="$folder/ranges" context="$folder/context" >"$folder/sum"
  ours other ranges --offset=0 || return 1
  awk '/^ +[0-9]+: [0-9]+ / { sub(/.*:/, ""); sum += $0 } END { print sum }' \
    "$folder/ours" | cmp - "$folder/sum" || return 1
  ours other context --offset=0 --context &&
    grep -q '^\[main:12 @ sort\]:14:7$' "$folder/ours"
}

# ---- what is refused ----

# branches_refused LABEL WORDS IMAGE TEXT
branches_refused() {
  printf '%b' "$4" >"$folder/bad"
  elf=$folder/$3
  refused "$1" "$2" "$folder/bad"
}

branches_refusals() {
  branches_refused "a range that ends before it begins is refused" \
    "line 2: expected the number of lines" static '1\n20-10:4\n0\n'
  branches_refused "a range over the end of addresses is refused" \
    "line 2: expected the number of lines" static \
    '1\n7f0000001000-ffffffffffffffff:1\n0\n'
  branches_refused "ranges cut short are refused" \
    "line 2: expected the number of lines" static '2\n10-20:4\n'
  branches_refused "branches of other code are refused" \
    "no range is in a function" static \
    '1\n7f0000001000-7f0000001100:1\n0\n'
  echo 10 >"$folder/one"
  ! "$TOOL" samples "$folder/static" "$folder/static.perf.ranges" \
    "$folder/one" -o "$folder/none" >"$folder/said" 2>&1
  equal "samples: ranges and samples together are refused" 1 \
    "$(grep -c 'samples and ranges cannot' "$folder/said")"
  if ours static static.perf.ranges --hottest; then
    not_ok "samples: ranges have no places" "--hottest takes them"
  else
    equal "samples: ranges have no places" 1 \
      "$(grep -c 'need samples; pass those that the ranges' "$folder/said")"
  fi
}
