# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cases for the doctor as a command: files that are not images, JSON, options,
# sizes, the complete tool. `run` sources this file.

# refuses LABEL FILE: expects one line on standard error, none on standard
# output, and status 1.
refuses() {
  examine "$2"
  if [ $status = 1 ] && [ ! -s "$OUT/text" ] &&
    [ "$(wc -l <"$OUT/errors")" = 1 ] &&
    grep -q "^bareprof: .*: .*; " "$OUT/errors"; then
    return 0
  fi
  echo "$1: status $status, $(one_line <"$OUT/errors")"
  return 1
}

# Truncates an image at 20 places: its table of sections, at the end, is
# missing.
cut_short() {
  size=$(wc -c <"$OUT/full.elf")
  for part in $(seq 0 19); do
    head -c $((size * part / 20)) "$OUT/full.elf" >"$OUT/cut"
    refuses "$part of 20" "$OUT/cut" || return 1
  done
}

not_elfs() {
  echo hello >"$OUT/other"
  refuses text "$OUT/other" && refuses folder "$OUT" &&
    refuses "no such file" "$OUT/nothing" && refuses device /dev/null
}

# On any image, the doctor prints findings or one line of error. Damages bytes
# in the headers, in the table of sections, anywhere.
damaged() {
  size=$(wc -c <"$OUT/lean.elf")
  for seed in $(seq 1 12); do
    cp "$OUT/lean.elf" "$OUT/damaged"
    for at in $(awk -v seed="$seed" -v size="$size" 'BEGIN {
        srand(seed)
        print int(rand() * 256), size - int(rand() * 1600),
          size - int(rand() * 1600), int(rand() * size) }'); do
      printf '%b' "\\0$(printf %o $(((seed * 37 + at) % 256)))" |
        dd of="$OUT/damaged" bs=1 seek=$((at - 1)) conv=notrunc 2>/dev/null
    done
    examine "$OUT/damaged"
    if [ $status -gt 1 ] || grep -q Sanitizer "$OUT/errors" ||
      { [ ! -s "$OUT/text" ] && [ "$(wc -l <"$OUT/errors")" != 1 ]; }; then
      echo "seed $seed: status $status, $(one_line <"$OUT/errors")"
      return 1
    fi
  done
}

others_than_images() {
  compile 22 code.c $COVERAGE
  cp "$object" "$image"
  found "an object" e2
  # Sets the type of a core file.
  cp "$OUT/full.elf" "$image"
  printf '\4' | dd of="$image" bs=1 seek=16 conv=notrunc 2>/dev/null
  found "a core" e2
  printf '\3' | dd of="$image" bs=1 seek=16 conv=notrunc 2>/dev/null
  found "position-independent" w3
  check "doctor files that are no ELF" not_elfs
  check "doctor an ELF cut short" cut_short
  check "doctor damaged ELFs" damaged
}

# The JSON is well-formed, and has the findings of the text.
json_of() {
  "$DOCTOR" "$@" >"$OUT/text" 2>/dev/null
  "$DOCTOR" --json "$@" >"$OUT/json" 2>/dev/null
  json_status=$?
  awk '/^(error|warning|note) *D[0-9]+ / { print $1, $2 }' "$OUT/text" \
    >"$OUT/wanted"
  awk -f $HERE/json.awk "$OUT/json" >"$OUT/seen" ||
    { cat "$OUT/seen"; return 1; }
  awk '{ print $1, $2 }' "$OUT/seen" | grep -v ' D001$' >"$OUT/known"
  cmp "$OUT/wanted" "$OUT/known" && [ -s "$OUT/known" ]
}

json() {
  "llvm-strip-$LLVM_HOST" "$OUT/lean.elf" -o "$OUT/stripped.elf"
  json_of "$OUT/full.elf" "$OUT/stripped.elf" "$OUT/lean.elf" &&
    [ $json_status = 1 ] || return 1
  # Odd names of a section and of a file could break the JSON.
  odd=$(printf '.a"\\\001\377\303\244')
  "$OBJCOPY" --rename-section="__llvm_prf_cnts=$odd" "$OUT/full.elf" \
    "$OUT/odd\"$odd" && json_of "$OUT/odd\"$odd" || return 1
  json_of "$OUT/nothing" "$OUT/stripped.elf" && [ $json_status = 1 ] &&
    grep -q D001 "$OUT/seen"
}

uses() {
  "$DOCTOR" --help | grep -q '^usage: bareprof doctor' || return 1
  for wrong in "" --jsom "--json --text $OUT/full.elf"; do
    "$DOCTOR" $wrong >"$OUT/text" 2>"$OUT/errors"
    [ $? = 2 ] && [ ! -s "$OUT/text" ] &&
      [ "$(wc -l <"$OUT/errors")" = 1 ] || { echo "'$wrong'"; return 1; }
  done
  "$DOCTOR" -- "$OUT/full.elf" >/dev/null
}

# Compares the doctor's sizes with llvm-readelf's.
costs() {
  "$DOCTOR" "$OUT/full.elf" >"$OUT/text"
  "llvm-readelf-$LLVM_HOST" -SW "$OUT/full.elf" |
    sed 's/^ *\[ *[0-9]*\]//' | while read -r name _ _ _ size _; do
      case $name in
        __llvm_prf_cnts) echo "counters $((0x$size))" ;;
        __llvm_prf_data) echo "records $((0x$size))" ;;
        __llvm_prf_names) echo "names $((0x$size))" ;;
      esac
    done >"$OUT/sizes"
  [ "$(wc -l <"$OUT/sizes")" = 3 ] || return 1
  while read -r cost; do
    grep -q "[:,] $cost\(,\|\$\)" "$OUT/text" ||
      { echo "not said: $cost"; return 1; }
  done <"$OUT/sizes"
}

# Some image above had each code, except the code of unreadable files.
all_codes() {
  sed -n 's/^ *X(\([0-9]*\), .*/\1/p' tools/doctor/findings.h |
    grep -vxE '1|36|37|38|105' | sort >"$OUT/codes" # see place
  tr -s ' a-z' '\n' <"$OUT/expected" | grep . | sort -u |
    diff "$OUT/codes" -
}

# Runs the complete tool on a board's firmware.
tool() {
  $MAKE -s tool BUILD="$BUILD" || return 1
  for script in full lean; do
    $MAKE -s firmware BUILD="$BUILD" BOARD=mps2-an385 OUT="$OUT" \
      NAME=firmware SCRIPT=$script SOURCES=tests/target/counts.c \
      PLAIN=tests/target/report.c PROFILE="$COVERAGE -fcoverage-mcdc" \
      LDFLAGS_APP="-u bareprof_preinit" \
      CFLAGS_APP="-O1 -g -DBUFFER_SIZE=6144 -DEXPECTED_STATUS=0" || return 1
    "$BUILD/bareprof" doctor "$OUT/firmware.elf" >"$OUT/$script.text"
    status=$?
    [ $status = 0 ] || { cat "$OUT/$script.text"; return 1; }
  done
  ! grep '^error\|^warning\|^note' "$OUT/full.text" &&
    [ "$(grep -c '^error\|^warning\|^note' "$OUT/lean.text")" = 1 ] &&
    grep '^warning D031 writer-refuses: ' "$OUT/lean.text"
}
