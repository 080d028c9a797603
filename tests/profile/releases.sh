# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Merges raw profiles of one program, built by several releases of clang, to one
# profile for each release. clang 22 truncates front-end hashes to 60 bits; each
# function must stay one record. `run` sources this file.

BAREPROF=$BUILD/bareprof
WORK=$OUT/releases
RELEASES="14 19 22"

# made_by LLVM: makes WORK/LLVM.profraw, of a function with more than 60 bits of
# hash.
made_by() {
  "clang-$1" -fprofile-instr-generate "$WORK/wide.c" -o "$WORK/$1" &&
    LLVM_PROFILE_FILE=$WORK/$1.profraw "$WORK/$1"
}

make_releases() {
  rm -rf "$WORK" && mkdir -p "$WORK" || return 1
  awk 'BEGIN { print "int wide(int n) { int s = 0;"
    for (i = 0; i < 12; i++) print "if (n > " i ") s++;"
    print "return s; }\nint main(void) { return wide(5) != 5; }" }' \
    >"$WORK/wide.c"
  for llvm in $RELEASES; do
    made_by "$llvm" || return 1
  done
}

# hash_of LLVM FILE: prints the hash of `wide` from that release's
# llvm-profdata.
hash_of() {
  "llvm-profdata-$1" show --function=wide "$2" | sed -n 's/.*Hash: 0x//p'
}

# joins LLVM INPUT...: the merge has one record of each function, three times
# its counts, and the hash of the release's own profile; its clang finds all
# functions.
joins() {
  llvm=$1
  shift
  "$BAREPROF" merge "$@" --for-llvm "$llvm" -o "$WORK/all" || return 1
  "llvm-profdata-$llvm" merge "$WORK/$llvm.profraw" -o "$WORK/own" &&
    equal_text "$(hash_of "$llvm" "$WORK/all")" \
      "$(hash_of "$llvm" "$WORK/own")" &&
    equal_text "$("llvm-profdata-$llvm" show --all-functions "$WORK/all" |
      grep -c 'Function count: 3$')" 2 || return 1
  "clang-$llvm" -fprofile-instr-use="$WORK/all" -Werror -S "$WORK/wide.c" \
    -o "$WORK/wide.s" && [ -s "$WORK/wide.s" ]
}

joins_all() {
  cuts=$(hash_of 22 "$WORK/22.profraw")
  whole=$(hash_of 14 "$WORK/14.profraw")
  [ "$cuts" != "$whole" ] || { echo "nothing is cut: $cuts"; return 1; }
  for release in $RELEASES; do
    joins "$release" "$WORK/14.profraw" "$WORK/19.profraw" "$WORK/22.profraw" \
      && joins "$release" "$WORK/22.profraw" "$WORK/19.profraw" \
        "$WORK/14.profraw" || { echo "for $release"; return 1; }
  done
}

# Merges parts of each release without --for-llvm, from its llvm-profdata's
# text.
joins_parts() {
  parts=
  for release in $RELEASES; do
    "llvm-profdata-$release" merge --text "$WORK/$release.profraw" \
      -o "$WORK/$release.proftext" &&
      "$BAREPROF" merge "$WORK/$release.proftext" \
        -o "$WORK/$release.profdata" || return 1
    parts="$WORK/$release.profdata $parts"
  done
  for release in $RELEASES; do
    joins "$release" $parts || { echo "for $release"; return 1; }
  done
}

# A profile of only clang 22 has no hash for other releases: a message says so.
cut_alone() {
  "llvm-profdata-22" merge "$WORK/22.profraw" -o "$WORK/22.indexed" &&
    refused 1 "are from clang 22" merge "$WORK/22.indexed" --for-llvm 19 &&
    joins 22 "$WORK/22.indexed" "$WORK/22.indexed" "$WORK/19.profraw"
}

# overlap and diff treat a function of two releases as one.
compared_as_one() {
  "$BAREPROF" overlap "$WORK/14.profraw" "$WORK/22.profraw" >"$WORK/both" &&
    grep -q 'in both: 2$' "$WORK/both" || { cat "$WORK/both"; return 1; }
}

lacks_release=$(lacks llvm:14 llvm:19 llvm:22)
if [ -n "$lacks_release" ]; then
  skip "profile releases" "$lacks_release"
elif ! error=$({ $MAKE -s tool && make_releases; } 2>&1); then
  not_ok "profile releases" "$(printf '%s' "$error" | one_line)"
else
  check "profile releases: of 14, 19 and 22 one profile for each" joins_all
  check "profile releases: by way of text and parts" joins_parts
  check "profile releases: cut hashes are for clang 22 only" cut_alone
  check "profile releases: overlap knows the functions" compared_as_one
fi
