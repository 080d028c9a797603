#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof match of sample profiles, next to what clang takes: a function that
# it finds in the profile has an entry count. Sourced by run.

taken_program() {
  mkdir -p "$folder/first" "$folder/next"
  cat >"$folder/first/one.c" <<'END'
#define APART __attribute__((noinline))
APART static int twice(int x) { return x > 3 ? 7 * x : x; }
APART int summed(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += i ^ x;
  return sum;
}
APART int chosen(int x) {
  if (x & 1)
    return twice(x);
  return summed(x) + 1;
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += chosen(i) + summed(i);
  return sum == 1;
}
END
}

# taken_compile FOLDER FLAG...: there, as its name is a part of some functions'.
taken_compile() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$folder/$1" && shift && "clang-$LLVM_HOST" $taken_flags "$@")
}

# taken_image FOLDER SOURCE OUT
taken_image() {
  taken_compile "$1" -c "$2" -o "../$3.o" &&
    "ld.lld-$LLVM_HOST" -e main "$folder/$3.o" -o "$folder/$3.elf"
}

# Each instruction was sampled, the later ones more often.
taken_profile() {
  taken_program
  taken_image first one.c one &&
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/one.elf" |
    awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1, "x" NR }' \
      >"$folder/samples"
  "$TOOL" samples "$folder/one.elf" "$folder/samples" --no-targets --force \
    -o "$folder/one.prof" 2>"$folder/said" &&
    "llvm-profdata-$LLVM_HOST" merge --sample --text "$folder/one.prof" \
      -o "$folder/theirs.prof"
}

# What clang takes, without a guess at functions that were changed.
taken_by_clang() {
  taken_compile next -fprofile-sample-use=../theirs.prof \
    -mllvm -salvage-stale-profile=false -S -emit-llvm "$1" -o ../used.ll ||
    return 1
  awk '
    FNR == NR {
      if (/^![0-9]+ = .*"function_entry_count", i64 [0-9]/) counted[$1] = 1
      next
    }
    FILENAME ~ /ll$/ {
      if (/^define/ && match($0, /!prof ![0-9]+/) &&
          counted[substr($0, RSTART + 6, RLENGTH - 6)] &&
          match($0, /@[^(]+/))
        taken[substr($0, RSTART + 1, RLENGTH - 1)] = 1
      next
    }
    /^[^ ]/ { name = $0; sub(/:.*/, "", name) }
    /^ [0-9.]+: [0-9]/ && name in taken { sum += $2 }
    END { print sum + 0 }' "$folder/used.ll" "$folder/./used.ll" \
    "$folder/theirs.prof"
}

# taken_pair NAME EDIT FILE: the reasons, if clang takes as many.
taken_pair() {
  sed "$1" "$folder/first/one.c" >"$folder/next/$2" &&
    taken_image next "$2" next || return
  "$TOOL" match "$folder/theirs.prof" "$folder/next.elf" >"$folder/table" ||
    return
  awk -v clang="$(taken_by_clang "$2")" '
    NR == 1 { next }
    $1 == "all" { exit }
    { sum += $4 }
    $1 == "taken" { taken = $4; next }
    { reasons = reasons (reasons ? " " : "") $1 "=" $5 }
    END {
      if ($1 != "all" || sum != $4) print "the sum is wrong:"
      if (taken != clang) print "clang takes " clang ", not " taken ":"
      print reasons ? reasons : "none"
    }' "$folder/table"
}

taken_kind() {
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" --target=thumbv7m-none-eabi -O2 -ffreestanding \
    -c "$folder/first/one.c" -o "$folder/plain.o" &&
    "ld.lld-$LLVM_HOST" -e main "$folder/plain.o" -o "$folder/plain.elf" &&
    "$TOOL" match "$folder/one.prof" "$folder/plain.elf" |
    awk '$1 == "kind" { print $2, $5 }'
}

# What is inlined, and contexts, count for the function that they are of.
taken_inlined() {
  sed 's/^APART //' "$folder/first/one.c" >"$folder/first/inline.c"
  taken_image first inline.c inline && for taken_form in "" --context; do
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/inline.elf" |
      awk '/^ *[0-9a-f]+:/ { sub(/:/, "", $1); print $1, "x" NR }' \
        >"$folder/samples"
    # shellcheck disable=SC2086 # None, or one.
    "$TOOL" samples "$folder/inline.elf" "$folder/samples" --no-targets \
      --force $taken_form -o "$folder/inline.prof" 2>"$folder/said" &&
      grep -q 'summed' "$folder/inline.prof" &&
      "$TOOL" match "$folder/inline.prof" "$folder/inline.elf" \
        --at-least 100% >"$folder/table" &&
      [ "$(awk '/^ +[0-9.]+: [0-9]/ { n += $2 } END { print n }' \
        "$folder/inline.prof")" = "$(awk '$1 == "all" { print $4 }' \
        "$folder/table")" ] || return 1
  done
}

# Contexts of two builds: of main 5 counts are of this one, 7 are not.
taken_two() {
  taken_sum=$(awk '/^main:/ { on = 1 }
    on && /^ !CFGChecksum/ { print $2; exit }' "$folder/one.prof")
  printf '%s\n' "[main]:5:1" " 1: 5" " !CFGChecksum: $taken_sum" \
    "[a:2 @ main]:7:1" " 1: 7" " !CFGChecksum: 1" >"$folder/two.prof"
  "$TOOL" match "$folder/two.prof" "$folder/one.elf" |
    awk 'NR > 1 { print $1, $4 } $1 == "all" { exit }' | paste -sd ' ' -
}

taken_refused() {
  while IFS='|' read -r taken_text taken_why; do
    printf '%b' "$taken_text" >"$folder/bad"
    "$TOOL" match "$folder/bad" "$folder/one.elf" -o "$folder/no" \
      2>"$folder/said"
    [ $? = 1 ] && [ ! -e "$folder/no" ] &&
      [ "$(wc -l <"$folder/said")" = 1 ] &&
      grep -q "$taken_why" "$folder/said" ||
      { echo "$taken_text"; cat "$folder/said"; return 1; }
  done <<'END'
main:1:1\n 1: 5\n|it has no checksums
main:1:1\n 1; 5\n|line 2: here should be the count
main:1:1\n  1: 5\n|line 2: here should be a function
main:1:1\n 1: 5\n !CFGChecksum: x\n|line 3: here should be a checksum
main:1:1\n 1: 0\n !CFGChecksum: 1\n|nothing was counted
END
}

taken_all() {
  folder=$OUT/taken
  taken_flags="--target=thumbv7m-none-eabi -O2 -g1 -ffreestanding $probed"
  mkdir -p "$folder"
  check "samples match: a profile" taken_profile
  while IFS='|' read -r label edit file reasons; do
    equal "samples match: $label" "$reasons" "$(taken_pair "$edit" "$file")"
  done <<'END'
the same build|s/x/x/|one.c|none
a function was changed|s/sum += i ^ x/for (int j = i; j--;) &/|one.c|hash=1
a function has another name|s/chosen/selected/|one.c|renamed=1
a function is gone|s/chosen(i) +//; /int chosen/,/^}/d|one.c|hash=1 gone=2
a file has another name|s/x/x/|two.c|__uniq=1
several|s/i ^ x/i % 3 ? i : x/; s/chosen/at/|two.c|hash=1 __uniq=1 renamed=1
END
  equal "samples match: a build without probes" "100.000 4" "$(taken_kind)"
  check "samples match: inlined, and in contexts" taken_inlined
  equal "samples match: two checksums" "taken 5 hash 7 all 12" "$(taken_two)"
  check "samples match: what is refused" taken_refused
}
