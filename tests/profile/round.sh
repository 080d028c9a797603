# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Round trips of `bareprof merge`: raw to indexed to text to indexed, for every
# raw version, width and byte order, as forge.c makes them, and for profiles
# that firmware wrote in QEMU, in all modes; the latter are compared with
# llvm-profdata of their release. `run` sources this file after readers.sh.

WORK=$OUT/round

# to OUT IN [ARGUMENTS...]: merges without any message.
to() {
  to=$1
  shift
  "$BUILD/bareprof" merge "$@" -o "$WORK/$to" >"$WORK/errors" 2>&1 || {
    cat "$WORK/errors"
    return 1
  }
}

# Prints the part of an indexed profile that text lacks.
mcdc_of() {
  "$BUILD/bareprof" show --json "$WORK/$1" |
    sed -n 's/.*"mcdc_llvm":\([0-9]*\).*/--mcdc-llvm \1/p'
}

# round_trip RAW: text lacks build ids and names of vtables; the rest is the
# same on each way, and the newest llvm-profdata shows the same counts.
round_trip() {
  to first.profdata "$1" && to first.proftext "$WORK/first.profdata" --text &&
    to direct.proftext "$1" --text &&
    cmp "$WORK/direct.proftext" "$WORK/first.proftext" &&
    to second.profdata "$WORK/first.proftext" $(mcdc_of first.profdata) &&
    to second.proftext "$WORK/second.profdata" --text &&
    cmp "$WORK/first.proftext" "$WORK/second.proftext" || return
  grep -q '^[0-9]' "$WORK/first.proftext" || { echo "nothing in it"; return 1; }
  for way in first second; do
    llvm-profdata-$LLVM_HOST show --all-functions --counts --ic-targets \
      --memop-sizes "$WORK/$way.profdata" >"$WORK/$way.shown" || return
  done
  cmp "$WORK/first.shown" "$WORK/second.shown"
}

round_forged() {
  for version in 5 7 8 9 10 11; do
    for pointer in 4 8; do
      for big in 0 1; do
        for mode in counts bytes; do
          # Tests one version in half of the forms, the next one in the other
          # half.
          [ -n "${FULL:-}" ] || [ $(((version + pointer / 4 + big + \
            ${#mode}) % 2)) = 0 ] || continue
          forged=$OUT/raw-$version-$pointer-$big-$mode.profraw
          "$OUT/forge" raw $version $pointer $big $mode "$forged" >/dev/null
          check "profile round trip: raw $version, $pointer bytes, big $big, \
$mode" round_trip "$forged"
        done
      done
    done
  done
}

# shown_alike RAW LLVM: llvm-profdata writes the same text from our file and its
# own. Text is sorted by name; in an indexed file of LLVM 14, functions of one
# bucket have the order of a hash table in llvm-profdata.
shown_alike() {
  to ours "$1" --for-llvm "$2" &&
    "llvm-profdata-$2" merge "$1" -o "$WORK/theirs" 2>"$WORK/errors" || {
    cat "$WORK/errors"
    return 1
  }
  for who in ours theirs; do
    "llvm-profdata-$2" merge --text "$WORK/$who" -o "$WORK/$who.shown" || return
  done
  cmp "$WORK/ours.shown" "$WORK/theirs.shown"
}

round_firmware() {
  done_files=0
  for raw in "$BUILD"/tests/target/*/*.profraw; do
    [ -s "$raw" ] || continue
    llvm=$(tool_of "$raw")
    # Correlated, and so of no use without the ELF; or wrong on purpose.
    have "llvm-profdata-$llvm" &&
      "llvm-profdata-$llvm" show "$raw" >/dev/null 2>&1 || continue
    round_trip "$raw" && shown_alike "$raw" "$llvm" || {
      echo "$raw, LLVM $llvm"
      return 1
    }
    done_files=$((done_files + 1))
  done
  [ "$done_files" -gt 0 ]
}

round() {
  mkdir -p "$WORK"
  $MAKE -s BUILD="$BUILD" tool || { not_ok "profile: tool" "it fails"; return; }
  round_forged
  label="profile round trip: what firmware wrote in QEMU"
  if why=$(lacks llvm:$LLVM_HOST board:mps2-an385) && [ -n "$why" ]; then
    skip "$label" "$why"
  else
    firmware_rows
    check "$label" round_firmware
  fi
}
round
