# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# merge --rename: a profile from a build in one folder, with its files renamed,
# equals the profile of the same sources in another folder. `run` sources this
# file.
# shellcheck disable=SC2154 # Of run.

BAREPROF=$BUILD/bareprof
renamed_out=$OUT/renamed

renamed_program() {
  mkdir -p "$renamed_out/one/src" "$renamed_out/two"
  cat >"$renamed_out/one/src/own.c" <<'END'
static int twice(int x) { return x > 3 ? 2 * x : x; }
static int (*volatile call)(int) = twice;
int other(int);
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += call(i) + other(i);
  return sum == 1;
}
END
  cat >"$renamed_out/one/src/other.c" <<'END'
static int half(int x) { return x & 1 ? x / 2 : x; }
static int (*volatile call)(int) = half;
int other(int x) { return call(x); }
END
  cp "$renamed_out"/one/src/*.c "$renamed_out/two"
}

# renamed_profile LLVM FOLDER PREFIX FLAGS: prints the text of FOLDER.profraw.
renamed_profile() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$renamed_out/$2" && "clang-$1" -O1 $4 "$3own.c" "$3other.c" \
    -fuse-ld=lld -o own &&
    LLVM_PROFILE_FILE=../$2.profraw ./own) &&
    "llvm-profdata-$1" merge --text "$renamed_out/$2.profraw" \
      -o "$renamed_out/$2.text"
}

# Renames files, a folder, and back again.
renamed_as() {
  renamed_profile "$1" one src/ "$2" && renamed_profile "$1" two "" "$2" &&
    ! cmp -s "$renamed_out/one.text" "$renamed_out/two.text" &&
    renamed_same "$1" two one --rename own.c=src/own.c \
      --rename other.c=src/other.c --rename "w=never" &&
    renamed_same "$1" one two --rename src/=
}

# renamed_same LLVM FROM TO OPTION...: merges FROM with the options, and
# compares with TO.
renamed_same() {
  renamed_llvm=$1 renamed_from=$2 renamed_to=$3
  shift 3
  "$BAREPROF" merge "$renamed_out/$renamed_from.profraw" "$@" \
    --for-llvm "$renamed_llvm" -o "$renamed_out/out.profdata" &&
    "llvm-profdata-$renamed_llvm" merge --text "$renamed_out/out.profdata" \
      -o "$renamed_out/out.text" &&
    diff "$renamed_out/$renamed_to.text" "$renamed_out/out.text"
}

# The next build has the counts of a static that it did not find before.
renamed_used() {
  "$BAREPROF" merge "$renamed_out/two.profraw" $1 --for-llvm 22 \
    -o "$renamed_out/use.profdata" &&
    (cd "$renamed_out/one" && clang-$LLVM_HOST -O1 -S -emit-llvm -o - src/other.c \
      -fno-inline -fprofile-use=../use.profdata) |
    grep -c 'define internal .*@half(.*!prof'
}

# A rule that fits no name gives a message, and changes nothing.
renamed_none() {
  "$BAREPROF" merge "$renamed_out/two.profraw" --rename src/own.c=own.c \
    -o "$renamed_out/none.profdata" 2>"$renamed_out/said" &&
    "$BAREPROF" merge "$renamed_out/two.profraw" \
      -o "$renamed_out/two.profdata" &&
    cmp "$renamed_out/two.profdata" "$renamed_out/none.profdata" &&
    grep -q "none.profdata: --rename matched no name" "$renamed_out/said"
}

renamed_refused() {
  for renamed_rule in own.c =own.c own.c= ''; do
    "$BAREPROF" merge "$renamed_out/two.profraw" --rename "$renamed_rule" \
      -o "$renamed_out/no.profdata" 2>"$renamed_out/said"
    [ $? = 2 ] && grep -q 'expected FROM=TO after --rename' "$renamed_out/said" &&
      [ ! -e "$renamed_out/no.profdata" ] || { echo "$renamed_rule"; return 1; }
  done
}

renamed() {
  renamed_program
  for version in ${LLVM:-14 19 22}; do
    needs "profile merge renamed $version" "llvm:$version" || continue
    check "profile merge renamed $version: statics of IR" \
      renamed_as "$version" -fprofile-generate
  done
  have_llvm $LLVM_HOST || return
  check "profile merge renamed 22: with an order of first calls" renamed_as $LLVM_HOST \
    "-fprofile-generate -mllvm -pgo-temporal-instrumentation"
  check "profile merge renamed 22: with numbers of files" renamed_as $LLVM_HOST \
    "-fprofile-generate -funique-internal-linkage-names"
  check "profile merge renamed: no name changes" renamed_none
  renamed_profile $LLVM_HOST two "" -fprofile-generate
  equal "profile merge renamed 22: clang finds no static" 0 "$(renamed_used "")"
  equal "profile merge renamed 22: and now it does" 1 \
    "$(renamed_used "--rename other.c=src/other.c")"
  check "profile merge renamed: what is no rule" renamed_refused
}
renamed
