# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests MIP's files and commands, mostly with hand-made bytes. `run` sources
# this file.

WORK=$OUT/formats
MIP="$BAREPROF mip"
TEXT="python3 $HERE/text.py"

# ---- bytes ----

# hex FILE DIGITS...: writes a file of these bytes.
hex() {
  hex_file=$1
  shift
  # shellcheck disable=SC2059
  printf "$(echo "$*" | awk '
    function digit(i) {
      return index("0123456789ABCDEF", toupper(substr($0, i, 1))) - 1
    }
    {
      gsub(/ /, "")
      for (i = 1; i < length($0); i += 2)
        printf "\\%03o", 16 * digit(i) + digit(i + 1)
    }')" >"$hex_file"
}

# le32 NUMBER: prints 8 hexadecimal digits, the lowest byte first.
le32() {
  printf %08x $(($1 & 0xFFFFFFFF)) | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/'
}

HASH=34120000
TAIL="$HASH 00000000 18000000"

# counts CALLS RANK CALLS RANK CALLS RANK BLOCK BLOCK: what a target with the
# map of places.c sends.
counts() {
  echo FB4D4950 0800 0100 0E000000 $TAIL "$(le32 "$1")" "$(le32 "$2")" \
    "$(le32 "$3")" "$(le32 "$4")" "$7" "$8" FFFF "$(le32 "$5")" "$(le32 "$6")"
}

# ---- the formats themselves ----

build_unit() {
  tool_program "$WORK/formats" "$SANITIZERS" -iquote tests/unit \
    $HERE/formats.c tests/unit/check.c
}

unit() {
  check "mip formats: the unit tests compile" build_unit
  "$WORK/formats" >"$WORK/unit.lines" 2>"$WORK/unit.errors" ||
    echo "not ok unit formats run to their end:" \
      "$(grep -m 1 -e ERROR -e error "$WORK/unit.errors")" >>"$WORK/unit.lines"
  sed 's/^ok unit /ok mip /; s/^not ok unit /not ok mip /' "$WORK/unit.lines"
}

# ---- merging ----

# profile SEED: prints a profile in text: 40 functions of one build, with counts
# that depend on the seed.
profile() {
  awk -v seed="$1" '
    function random(most) {
      seed = (seed * 1103515245 + 12345) % 2147483648
      return int(seed / 65536) % most
    }
    BEGIN {
      print "revision: A\nversion: 8\ntype: [blocks, times, calls]"
      print "hash: 0x1234\nlost: " random(3) "\nfunctions:"
      raw = 24
      for (i = 0; i < 40; i++) {
        ran = random(3) > 0
        printf "- name: \"f%d\"\n  raw: %d\n  address: -0x%x\n", i % 37, raw,
          65536 - 64 * i
        printf "  size: 0x40\n  cfg: %d\n  runs: %d\n", i, ran
        printf "  calls: %d\n  order: %d\n  blocks:\n", ran * (1 + random(99)),
          ran * (1 + random(40))
        for (k = 0; k < i % 5; k++)
          printf "  - {offset: %d, covered: %s}\n", 4 + 8 * k,
            ran && random(2) ? "true" : "false"
        raw += 8 + int((i % 5 + 3) / 4) * 4
        if (ran && random(2)) {
          print "  edges:"
          for (k = 0; k < 5; k++)
            if (random(2))
              printf "  - {from: %d, count: %d}\n", 8 * k - 65536, 1 + random(9)
        }
      }
    }'
}

parts() {
  for seed in 1 2 3 4; do
    profile $seed >"$WORK/$seed.yaml"
    $TEXT make "$WORK/$seed.yaml" "$WORK/$seed.mip" || return 1
  done
  $MIP merge --any-build "$WORK"/[1-4].mip -o "$WORK/whole.mip" &&
    $MIP merge --any-build "$WORK"/[43].mip -o "$WORK/a.mip" &&
    $MIP merge --any-build "$WORK"/[21].mip -o "$WORK/b.mip" &&
    $MIP merge --any-build "$WORK/a.mip" "$WORK/b.mip" -o "$WORK/c.mip" &&
    cmp "$WORK/whole.mip" "$WORK/c.mip"
}

# Sums by awk of the text of the parts.
sums() {
  awk '/calls:/ { sum += $2 } /count:/ { sub("}", ""); edges += $NF }
    /runs:/ { runs += $2 } /^lost/ { lost += $2 }
    END { print sum, edges, runs, lost }' "$@"
}

added_up() {
  $TEXT show "$WORK/whole.mip" >"$WORK/whole.yaml" &&
    [ "$(sums "$WORK/whole.yaml")" = "$(sums "$WORK"/[1-4].yaml)" ]
}

# text.py writes the same bytes for any profile that the tool wrote.
round() {
  for file in "$WORK"/[1-4].mip "$WORK/whole.mip" "$WORK"/*.empty \
    "$WORK/arm.mip" "$WORK/example.mip" "$WORK/b32.mip" "$WORK/b64.mip"; do
    $TEXT show "$file" >"$WORK/round.yaml" &&
      $TEXT make "$WORK/round.yaml" "$WORK/round.mip" &&
      cmp "$file" "$WORK/round.mip" || return 1
  done
}

thousands() {
  yes "$WORK/arm.2" | head -n 3000 >"$WORK/list"
  $MIP merge --any-build "$WORK/arm.elf" --input-files="$WORK/list" \
    -o "$WORK/many.mip" &&
    $MIP show "$WORK/many.mip" --function help | squeeze >"$WORK/table" &&
    grep -q '^9000 3000 4.0 ' "$WORK/table" &&
    grep -q '^6000 from ' "$WORK/table" && ! grep -q unused "$WORK/table" &&
    $MIP info "$WORK/many.mip" | grep -q 'edges: *4; .*no room: 6000$'
}

# Maps of both revisions, through everything. NAME MAP RAW SIGNS
survive() {
  $MIP create "$WORK/$1.map" -o "$WORK/$1.empty.mip" &&
    $MIP merge --any-build "$WORK/$1.empty.mip" "$WORK/$1.raw" \
      -o "$WORK/$1.mip" &&
    $MIP show "$WORK/$1.mip" | squeeze | grep -q "$2" &&
    $MIP info "$WORK/$1.mip" | grep -q "$3"
}

make_maps() {
  hex "$WORK/example.map" FB4D4950 0700 0200 01000000 EFBEADDE 00000000 \
    18000000 80FEFFFF 98FEFFFF 80FFFFFF 10000000 15770E00 01000000 04000000 \
    03000000 666F6F 0000000000 98FEFFFF B1FEFFFF A8FFFFFF 30000000 11110000 \
    00000000 04000000 6D61696E
  hex "$WORK/example.raw" FB4D4950 0700 0100 01000000 EFBEADDE 00000000 \
    18000000 00 FF
  hex "$WORK/b32.map" FB4D4950 0800 2400 01000000 EFBEADDE 00FFFFFF 00000000 \
    00000000 20000000 00FFFFFF E0FEFFE7 10000000 00000000 00000000 04000000 \
    6D61696E E5FEFFFF D4FEFFE7 20000000 00000000 00000000 01000000 66 000000
  hex "$WORK/b32.raw" FB4D4950 0800 2100 01000000 EFBEADDE 0000000000000000 \
    00000000 20000000 FF 00
  hex "$WORK/b64.map" FB4D4950 0800 1400 03000000 EFBEADDE 0000010000000000 \
    00000000 20000000 0000010000000000 E0BF000000000000 40000000 27FAC970 \
    02000000 08000000 10000000 04000000 6D61696E 00000000
  hex "$WORK/b64.raw" FB4D4950 0800 1100 03000000 EFBEADDE 0000000000000000 \
    00000000 20000000 00 00 FF FFFFFFFFFF
  # As our targets of 64 bits have it: the raw section is of revision A.
  hex "$WORK/far.map" FB4D4950 0800 1400 03000000 EFBEADDE 0000010000000000 \
    00000000 20000000 F8FF000000000000 E0BFFFFFFFFFFFFF 40000000 27FAC970 \
    02000000 08000000 10000000 04000000 6D61696E 00000000
  hex "$WORK/far.raw" FB4D4950 0800 0100 03000000 EFBEADDE 00000000 18000000 \
    00 00 FF FFFFFFFFFF
}

# merge --strict: only the byte 0 says that something ran, as for others.
strict() {
  hex "$WORK/odd.raw" FB4D4950 0700 0100 01000000 EFBEADDE 00000000 \
    18000000 02 FF
  $MIP merge --any-build --strict "$WORK/example.empty.mip" \
    "$WORK/example.raw" \
    -o "$WORK/strict.mip" && cmp "$WORK/strict.mip" "$WORK/example.mip" &&
    $MIP merge --any-build "$WORK/example.empty.mip" "$WORK/odd.raw" \
      -o "$WORK/odd.mip" && cmp "$WORK/odd.mip" "$WORK/example.mip" || return 1
  rm "$WORK/odd.mip"
  strict_said=$($MIP merge --any-build --strict "$WORK/example.empty.mip" \
    "$WORK/odd.raw" \
    -o "$WORK/odd.mip" 2>&1)
  case $?$strict_said in
    "1bareprof: $WORK/odd.raw: a byte is neither 0 nor 0xFF; "*) ;;
    *) echo "$strict_said"; return 1 ;;
  esac
  [ ! -e "$WORK/odd.mip" ]
}

extracted() {
  $MIP extract "$WORK/arm.elf" -o "$WORK/arm.map" &&
    "llvm-objcopy-$LLVM_HOST" --dump-section=__llvm_mipmap="$WORK/dumped.map" \
      "$WORK/arm.elf" /dev/null &&
    cmp "$WORK/arm.map" "$WORK/dumped.map" &&
    $MIP create "$WORK/arm.map" -o "$WORK/map.mip" &&
    cmp "$WORK/map.mip" "$WORK/arm.empty"
}

. $HERE/formats_views.sh
. $HERE/formats_refused.sh

rm -rf "$WORK"
mkdir -p "$WORK"
unit
views
check "mip formats: the merge of parts is that of the whole" parts
check "mip formats: counts add up" added_up
check "mip formats: thousands of raw files" thousands
make_maps
check "mip formats: the example survives" survive example \
  '^1 raw+0x100 16 foo$' 'revision A'
check "mip formats: merge --strict" strict
check "mip formats: revision B of 32 bits survives" survive b32 \
  '^1 raw-0x17fffff0 32 f$' 'revision B of 32 bits'
check "mip formats: revision B of 64 bits survives" survive b64 \
  '^1 2/3 raw-0x4000 64 main$' 'revision B of 64 bits'
check "mip formats: revision B of 64 bits, its raw section of revision A" \
  survive far '^1 2/3 raw-0x14000 64 main$' 'revision B of 64 bits'
check "mip formats: extract, as objcopy" extracted
sole "mip formats: each byte of profiles" round
check "mip formats: names that are no names" names
check "mip formats: --help" help
refusals
