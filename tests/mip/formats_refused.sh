# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests inputs that `bareprof mip` rejects with one line, exit status 1, and no
# output; and invalid names. formats.sh sources this file.

# refused LABEL STATUS WORDS ARGUMENTS...: one line with these words, and no
# output.
refused() {
  refused_label=$1 wanted=$2 words=$3
  shift 3
  rm -f "$WORK/out"
  $MIP "$@" >"$WORK/said" 2>"$WORK/errors" </dev/null
  seen=$?
  if [ $seen != "$wanted" ]; then
    not_ok "mip formats: $refused_label" "exit status $seen"
  elif [ -e "$WORK/out" ]; then
    not_ok "mip formats: $refused_label" "there is an output"
  elif [ "$(wc -l <"$WORK/errors")" != 1 ] ||
    ! grep -q -e "^bareprof: .*$words.*; " "$WORK/errors"; then
    not_ok "mip formats: $refused_label" "$(one_line <"$WORK/errors")"
  else
    ok "mip formats: $refused_label"
  fi
}

# Files that are damaged in one place each.
make_damage() {
  head -c 70 "$WORK/arm.map" >"$WORK/cut.map"
  head -c 30 "$WORK/arm.1" >"$WORK/cut.raw"
  head -c 150 "$WORK/arm.mip" >"$WORK/cut.mip"
  (cat "$WORK/arm.1" && printf 'more') >"$WORK/more.raw"
  hex "$WORK/half.raw" "$(counts 0 3 7 1 -1 -1 00 FF)"
  hex "$WORK/zero.raw" "$(counts 0 0 7 1 -1 -1 00 FF)"
  hex "$WORK/hash.raw" "$(counts 5 2 7 1 -1 -1 00 FF | sed 's/3412/3512/')"
  hex "$WORK/type.raw" "$(counts 5 2 7 1 -1 -1 00 FF | sed 's/0E00/0C00/')"
  hex "$WORK/later.raw" "$(counts 5 2 7 1 -1 -1 00 FF | sed 's/0800/0900/')"
  hex "$WORK/edge.raw" FB4D4950 0800 0400 10000000 $TAIL 01000000 00000000 \
    19000000 00000000 01000000 00000000
  hex "$WORK/edges.raw" FB4D4950 0800 0400 10000000 $TAIL FFFFFFFF 00000000
  hex "$WORK/huge.mip" FB4D4950 0800 0300 0E000000 $TAIL FFFFFFFFFFFFFFFF
  hex "$WORK/blocks.mip" FB4D4950 0800 0300 0E000000 $TAIL 0100000000000000 \
    ACBD18DB4CC2F85C 18000000 00010000 10000000 00000000 FFFFFFFF 00000000 \
    0000000000000000 0000000000000000 00000000 01000000 00000000 666F6F00
  hex "$WORK/twice.map" FB4D4950 0800 0200 01000000 $TAIL 00000000 18000000 \
    00000000 10000000 00000000 00000000 01000000 66 000000 00000000 18000000 \
    00000000 10000000 00000000 00000000 01000000 67
  sed 's/size: 0x40/size: 0x44/' "$WORK/2.yaml" >"$WORK/other.yaml"
  tail -c +25 "$WORK/arm.map" >"$WORK/headless.map"
  "llvm-objcopy-$LLVM_HOST" -R __llvm_mipmap "$WORK/arm.elf" \
    "$WORK/unmapped.elf"
  "llvm-objcopy-$LLVM_HOST" --update-section \
    __llvm_mipmap="$WORK/headless.map" "$WORK/arm.elf" "$WORK/headless.elf"
  $TEXT make "$WORK/other.yaml" "$WORK/other.mip"
}

# with_build FROM TO NUMBER: makes a copy with another hash of the build id in
# the header.
with_build() {
  cp "$1" "$2"
  printf "\\00$3\\002\\003\\004" |
    dd of="$2" bs=1 seek=16 conv=notrunc 2>/dev/null
}

builds() {
  p=$WORK/built.mip raw=$WORK/built.raw out=$WORK/out
  with_build "$WORK/arm.empty" "$p" 1
  with_build "$WORK/arm.1" "$raw" 1
  with_build "$WORK/arm.1" "$WORK/other.raw" 5
  refused "a profile without a build id" 1 "the profile has no build id" \
    merge "$WORK/arm.empty" "$raw" -o "$out"
  refused "a raw section without a build id" 1 "the build id is missing" \
    merge "$p" "$WORK/arm.1" -o "$out"
  refused "another build id" 1 "the build id does not match" \
    merge "$p" "$WORK/other.raw" -o "$out"
  check "mip formats: the same build id" $MIP merge "$p" "$raw" \
    -o "$WORK/merged.mip"
  check "mip formats: any build, if asked for" $MIP merge "$p" \
    "$WORK/other.raw" "$WORK/arm.1" --any-build -o "$WORK/any.mip"
  equal "mip formats: info names the build" "  build:      0x04030201" \
    "$($MIP info "$WORK/merged.mip" | grep build:)"
  equal "mip formats: its place in the profile" "build: 0x4030201" \
    "$($TEXT show "$WORK/merged.mip" | grep build)"
}

refusals() {
  make_damage
  builds
  check "mip formats: what follows from what" what_follows
  follows_refused
  p=$WORK/arm.empty out=$WORK/out
  refused "a map cut short" 1 "truncated" create "$WORK/cut.map" -o "$out"
  refused "bytes of two functions" 1 "share bytes" create "$WORK/twice.map" \
    -o "$out"
  refused "an image without a map" 1 "section __llvm_mipmap is missing" \
    create "$WORK/unmapped.elf" -o "$out"
  refused "a header where a function's bytes are" 1 \
    "another build than the profile" \
    merge --any-build "$WORK/far.empty.mip" "$WORK/b64.raw" -o "$out"
  refused "a raw section of the other revision" 1 "revision does not match" \
    merge --any-build "$WORK/b32.empty.mip" "$WORK/example.raw" -o "$out"
  refused "a map without its header" 1 "does not begin with a header" \
    create "$WORK/headless.elf" -o "$out"
  refused "an object" 1 "an object" create "$WORK/arm.o" -o "$out"
  refused "a text as a map" 1 "neither a MIP file" create $HERE/places.c -o "$out"
  refused "a profile cut short" 1 "truncated" show "$WORK/cut.mip"
  refused "more functions than bytes" 1 "truncated" show "$WORK/huge.mip"
  refused "more blocks than bytes" 1 "truncated" show "$WORK/blocks.mip"
  refused "a raw section cut short" 1 "too short" \
    merge --any-build "$p" "$WORK/cut.raw" -o "$out"
  refused "more than a raw section" 1 "follows the last" \
    merge --any-build "$p" "$WORK/more.raw" -o "$out"
  refused "half a count" 1 "does not match its time" \
    merge --any-build "$p" "$WORK/half.raw" -o "$out"
  refused "a section of zeros" 1 "bareprof_mip_init" \
    merge --any-build "$p" "$WORK/zero.raw" -o "$out"
  refused "another module" 1 "module hash does not match" \
    merge --any-build "$p" "$WORK/hash.raw" -o "$out"
  refused "another type" 1 "profile type does not match" \
    merge --any-build "$p" "$WORK/type.raw" -o "$out"
  refused "a later version" 1 "later format version" \
    merge --any-build "$p" "$WORK/later.raw" -o "$out"
  refused "an edge to nowhere" 1 "another build" \
    merge --any-build "$p" "$WORK/edge.raw" -o "$out"
  refused "more edges than bytes" 1 "truncated" \
    merge --any-build "$p" "$WORK/edges.raw" -o "$out"
  refused "a profile of another build" 1 "addresses, sizes or blocks" \
    merge --any-build "$WORK/1.mip" "$WORK/other.mip" -o "$out"
  refused "a good file before a bad one" 1 "too short" \
    merge --any-build "$p" "$WORK/arm.1" "$WORK/cut.raw" -o "$out"
  refused "what a target sent, to show" 1 "raw data from a target" show "$WORK/arm.1"
  refused "the ELF of another build" 1 "map of the ELF does not match" \
    show "$WORK/1.mip" --elf "$WORK/arm.elf"
  refused "coverage as an order" 1 "no order of first calls" \
    show --proftext "$WORK/example.mip"
  if $BAREPROF order "$WORK/example.mip" >/dev/null 2>&1; then
    not_ok "mip formats: coverage to bareprof order" "exit status 0"
  fi
  refused "no output" 2 "-o OUT.mip is missing" merge "$p"
  refused "lcov without an ELF" 2 "needs --elf" show --lcov "$p"
}

# follows NUMBERS [TYPE]: makes a profile of a function with two blocks, and
# with these implications.
follows() {
  printf '%s\n' 'revision: A' "type: [coverage, blocks${2-, follows}]" \
    'hash: 0x1234' 'functions:' '- name: "f"' '  raw: 24' "  follows: [$1]" \
    '  blocks:' '  - {offset: 4, covered: false}' \
    '  - {offset: 8, covered: false}' >"$WORK/follows.yaml"
  $TEXT make "$WORK/follows.yaml" "$WORK/follows.mip"
}

# Read from the end: 2 follows from the entry, 1 from 2. By hand.
what_follows() {
  follows "2, 1, 1, 0, 1, 2" || return
  for byte in FF 00; do
    hex "$WORK/follows.raw" FB4D4950 0800 0100 43000000 $TAIL $byte
    $MIP merge --any-build "$WORK/follows.mip" "$WORK/follows.raw" \
      -o "$WORK/followed.mip" && $TEXT show "$WORK/followed.mip" |
      sed -n 's/.*covered: \(.*\)}/\1/p; s/ *runs: //p'
  done | tr '\n' ' ' | grep -qx '0 false false 1 true true '
}

# From itself, in a circle, before it is known, twice, from none; blocks that
# are not there, numbers that are missing.
follows_refused() {
  for numbers in "1, 1, 1" "2, 1, 1, 1, 1, 2" "0, 1, 2, 2, 1, 1" \
    "0, 1, 1, 0, 1, 1" "0, 1" "0, 1, 3" "3, 1, 1" "1" "0, 5, 1"; do
    follows "$numbers"
    refused "follows: $numbers" 1 "implied blocks is damaged" \
      show "$WORK/follows.mip"
  done
  follows "1, 1, 0" ", times, follows"
  refused "follows, but the entry counts" 1 "implied blocks is damaged" \
    show "$WORK/follows.mip"
}
# Names that would be commands of a terminal, a graph, or a linker.
names() {
  printf '%s\n' 'revision: A' 'type: [coverage]' 'functions:' \
    '- name: "a\u001b[31m\"\\ \u000ab"' '  raw: 24' '  runs: 1' \
    '  edges:' '  - {from: 4, count: 1}' '- name: "caf\u00e9"' '  raw: 25' \
    '  size: 8' >"$WORK/names.yaml"
  $TEXT make "$WORK/names.yaml" "$WORK/names.mip" &&
    $MIP show "$WORK/names.mip" >"$WORK/names.out" &&
    $MIP covered "$WORK/names.mip" >>"$WORK/names.out" &&
    $MIP edges --dot "$WORK/names.mip" >>"$WORK/names.out" &&
    $MIP hot "$WORK/names.mip" 2>"$WORK/names.left" >>"$WORK/names.out" ||
    return 1
  ! LC_ALL=C grep -q "$(printf '\033')" "$WORK/names.out" &&
    grep -qF 'a\x1B[31m"\ \x0Ab' "$WORK/names.out" &&
    grep -qF '"a\u001b[31m\"\\ \u000ab" [label="1"]' "$WORK/names.out" &&
    grep -q 'functions left out, .*: 1$' "$WORK/names.left"
}

help() {
  for name in create extract merge show covered hot cold edges info; do
    $MIP $name --help | grep -q "^usage: bareprof mip $name" || return 1
  done
}
