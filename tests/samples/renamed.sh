#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# samples --rename: a profile from a build in one folder, with its files
# renamed, equals the profile of the same sources in another folder, with
# clang's names. `run` sources this file.

renamed_source() {
  mkdir -p "$folder/src"
  cat >"$folder/own.c" <<'END'
#define APART __attribute__((noinline))
static inline __attribute__((always_inline)) int inner(int x) {
  return x > 3 ? 7 * x : x;
}
APART static int twice(int x) { return inner(x) + x; }
APART static int half(int x) { return inner(x) / 2; }
static int (*volatile to_call)(int) = half;
APART int chosen(int x) { return (x & 1 ? twice(x) : to_call(x)) + 1; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += chosen(i) + inner(i);
  return sum == 1;
}
END
  cp "$folder/own.c" "$folder/src"
}

# renamed_image SOURCE NAME: compiles the file under the given name.
renamed_image() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$folder" && "clang-$LLVM_HOST" $renamed_flags -c "$1" -o "$2.o" &&
    "ld.lld-$LLVM_HOST" -e main "$2.o" -o "$2.elf")
}

# Makes a sample of each instruction, with a return after a call of its
# function.
renamed_samples() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/one.elf" | awk '
    /^[0-9a-f]+ <.*>:$/ { now = $2; gsub(/[<>:]/, "", now) }
    /^ *[0-9a-f]+:/ {
      sub(/:/, "", $1)
      if (call != "") back[call] = $1
      call = ""
      if ($2 == "bl") { call = $NF; gsub(/[<>]/, "", call) }
      if ($2 == "blx") call = "*"
      at[++count] = $1
      of[count] = now
    }
    END {
      for (i = 1; i <= count; i++) {
        to = of[i] in back ? back[of[i]] : of[i] ~ /half/ ? back["*"] : 0
        print at[i], to, to, "x" i * 10
      }
    }' >"$folder/samples"
}

# renamed_profile IMAGE OUT OPTION...
renamed_profile() {
  renamed_elf=$folder/$1.elf renamed_out=$folder/$2
  shift 2
  "$TOOL" samples "$renamed_elf" "$folder/samples" --force "$@" \
    -o "$renamed_out" 2>"$folder/said"
}

# renamed_as OPTION...: renames there and back, a file and a folder.
renamed_as() {
  renamed_profile one one "$@" && renamed_profile two two "$@" &&
    ! cmp -s "$folder/one" "$folder/two" &&
    renamed_profile one there --rename w=never --rename own.c=src/own.c "$@" &&
    renamed_profile two back --rename src/= "$@" &&
    cmp "$folder/two" "$folder/there" && cmp "$folder/one" "$folder/back" &&
    ! grep -e --rename "$folder/said"
}

# The profile has statics in each of the places.
renamed_places() {
  renamed_profile one one && renamed_profile one contexts --context || return
  for renamed_place in '^_ZL5twicei.__uniq' '^ [0-9]*: _ZL5inneri.__uniq' \
    '^ [0-9.]*: [0-9].* _ZL4halfi.__uniq'; do
    grep -q "$renamed_place" "$folder/one" ||
      { echo "$renamed_place"; cat "$folder/one"; return 1; }
  done
  grep -q '^\[.*_ZL5twicei.__uniq.[0-9]*:[0-9]* @ _ZL5inneri.__uniq' \
    "$folder/contexts" || { cat "$folder/contexts"; return 1; }
}

# renamed_taken OPTION...: prints how many static functions clang finds in the
# profile.
renamed_taken() {
  # shellcheck disable=SC2086 # Several flags.
  renamed_profile one used.prof "$@" && (cd "$folder" &&
    "clang-$LLVM_HOST" $renamed_flags -fprofile-sample-use=used.prof \
      -S -emit-llvm src/own.c -o used.ll) || return
  awk 'FNR == NR {
      if (/^![0-9]+ = .*"function_entry_count", i64 [1-9]/) counted[$1] = 1
      next
    }
    /^define internal/ && match($0, /!prof ![0-9]+/) &&
      counted[substr($0, RSTART + 6, RLENGTH - 6)] { count++ }
    END { print count + 0 }' "$folder/used.ll" "$folder/./used.ll"
}

# renamed_text MARK KIND...: file names stand before a mark, in all places with
# names. Functions that become the same are added up, as llvm-profdata does with
# the text of the new names. Its contexts cannot contain a colon.
renamed_text() {
  renamed_mark=$1
  shift
  for renamed_in; do
    awk -v functions=60 -v seed=3 -v plain=1 -v decided=1 -v "$renamed_in" \
      -f tests/samples/profiles.awk |
      sed "s/f[0-9][0-9]*/own.c$renamed_mark&/g" >"$folder/in"
    [ "$renamed_in" = frames=4 ] ||
      printf '%s\n' "own.c${renamed_mark}a:12:3" " 1: 12" " !CFGChecksum: 5" \
        "src/own.c${renamed_mark}a:30:4" " 1: 20" " 2: 10" " !CFGChecksum: 5" \
        >>"$folder/in"
    sed -e "s|\([^/]\)own.c$renamed_mark|\1src/own.c$renamed_mark|g" \
      -e "s|^own.c$renamed_mark|src/&|" "$folder/in" >"$folder/sed" &&
      "llvm-profdata-$LLVM_HOST" merge --sample --text "$folder/sed" \
        -o "$folder/theirs" &&
      "$OUT/convert" "$folder/in" "$folder/ours" own.c=src/own.c &&
      cmp "$folder/ours" "$folder/theirs" || return 1
  done
}

# renamed_says STATUS TEXT OPTION...
renamed_says() {
  renamed_status=$1 renamed_why=$2
  shift 2
  "$TOOL" samples "$folder/one.elf" "$folder/samples" --force "$@" \
    -o "$folder/none" 2>"$folder/said"
  [ $? = "$renamed_status" ] && grep -q -e "$renamed_why" "$folder/said" ||
    { cat "$folder/said"; return 1; }
}

renamed_all() {
  folder=$OUT/renamed
  renamed_base="--target=thumbv7m-none-eabi -O2 -g1 -ffreestanding"
  renamed_flags="$renamed_base $probed"
  renamed_source
  check "samples renamed: an image" renamed_image own.c one
  check "samples renamed: of another folder" renamed_image src/own.c two
  renamed_samples
  check "samples renamed: statics in all places" renamed_places
  check "samples renamed: of probes" renamed_as
  check "samples renamed: without targets" renamed_as --no-targets
  check "samples renamed: contexts" renamed_as --context
  check "samples renamed: cold contexts" renamed_as --context --merge-cold
  equal "samples renamed: clang finds no static" 0 "$(renamed_taken)"
  equal "samples renamed: and now it does" 2 \
    "$(renamed_taken --rename own.c=src/own.c)"
  check "samples renamed: no name changes" renamed_says 0 \
    "--rename matched no name" --rename src/own.c=own.c
  check "samples renamed: what is no rule" renamed_says 2 \
    "expected FROM=TO after --rename" --rename own.c
  check "samples renamed: of no profile" renamed_says 2 \
    "rename changes profiles only" --rename own.c=b.c --hottest
  check "samples renamed: it compiles" build_convert
  check "samples renamed: files before a semicolon" renamed_text ';' \
    deep=3 frames=4
  check "samples renamed: files before a colon" renamed_text ':' deep=3
  renamed_flags="$renamed_base -fdebug-info-for-profiling \
    -funique-internal-linkage-names"
  check "samples renamed: an image with lines" renamed_image own.c one
  check "samples renamed: of another folder, too" renamed_image src/own.c two
  renamed_samples
  check "samples renamed: of lines" renamed_as --lines
}
