# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of Arm's exception tables, next to llvm-readelf's text and to
# .debug_frame of the same code. Sourced by run.
# shellcheck disable=SC2154 # Of run.

# same_exidx ELF LEAST: compares each function of the symbol table. Functions
# without an entry of their own have no row.
same_exidx() {
  "$READELF" --unwind "$1" | awk -f $HERE/exidx.awk >"$OUT/exidx.entries"
  "$READELF" -sW "$1" | awk 'NR == FNR { row[$1] = $0; next }
    $4 == "FUNC" && $3 {
      sub(/^0*/, "", $2)
      if ($2 ~ /[13579bdf]$/)
        $2 = substr($2, 1, length($2) - 1) \
          substr("02468ace", index("13579bdf", substr($2, length($2))), 1)
      if (!seen[$2]++)
        print "0x" $2 in row ? row["0x" $2] : "0x" $2 " none" }' \
    "$OUT/exidx.entries" - >"$OUT/exidx.expected"
  cut -d ' ' -f 1 "$OUT/exidx.expected" >"$OUT/addresses"
  "$OUT/dump" exidx "$1" <"$OUT/addresses" >"$OUT/exidx.seen" || return 1
  grep -v none "$OUT/exidx.seen" >"$OUT/exidx.known"
  enough "$OUT/exidx.known" "$2" &&
    same "$OUT/exidx.expected" "$OUT/exidx.seen" exidx
}

# same_at_calls ELF LEAST: at each call, both tables must say where the saved
# registers are, seen from the frame's address.
same_at_calls() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$1" |
    awk '$2 ~ /^blx?$/ { sub(/:/, "", $1); print "0x" $1 }' >"$OUT/addresses"
  for what in unwind exidx; do
    "$OUT/dump" $what "$1" <"$OUT/addresses" >"$OUT/calls.$what" || return 1
  done
  paste -d '|' "$OUT/calls.unwind" "$OUT/calls.exidx" | grep -v none |
    tee "$OUT/calls" | awk -F '|' '{
      for (i = 1; i <= 2; i++) {
        side[i] = ""
        count = split($i, part, " ")
        for (k = 3; k <= count; k++)
          if (part[k] ~ /^([4-9]|1[014])=/) side[i] = side[i] " " part[k]
        base[i] = part[2]
      }
      split(base[1], a, "+"); split(base[2], b, "+")
      if (side[1] != side[2] || (a[1] == b[1] && a[2] != b[2]))
        print }' >"$OUT/calls.unlike"
  enough "$OUT/calls" "$2" &&
    same /dev/null "$OUT/calls.unlike" calls
}

# The compilers' runtimes are not here: nothing runs.
link_exidx() {
  exidx_absent=
  for exidx_name in d2iz i2d dmul dadd idiv unwind_cpp_pr0 unwind_cpp_pr1 \
    unwind_cpp_pr2; do
    exidx_absent="$exidx_absent --defsym=__aeabi_$exidx_name=absent"
  done
  # The first object says which machine llvm-objdump takes.
  "ld.lld-$LLVM_HOST" -e _start $exidx_absent "$OUT"/exidx-of-*.o \
    "$OUT/exidx-all.o" -o "$OUT/exidx.elf"
}

# exidx_row COMPILER FLAGS LEAST
exidx_row() {
  for source_name in frames.c other.c inline.cpp; do
    language=
    case $source_name in *.cpp) language="-fno-exceptions -fno-rtti" ;; esac
    "$1" $2 $language -gdwarf-4 -funwind-tables -ffreestanding \
      -ffunction-sections -c "$HERE/$source_name" \
      -o "$OUT/exidx-of-${source_name%.*}.o" || return 1
  done
  link_exidx && same_exidx "$OUT/exidx.elf" 700 &&
    same_at_calls "$OUT/exidx.elf" "$3"
}

exidx() {
  error=$("clang-$LLVM_HOST" --target=thumbv7m-none-eabi -c $HERE/exidx.S \
    -o "$OUT/exidx-all.o" 2>&1) ||
    { not_ok "dwarf exidx: assembles" "$(printf '%s' "$error" | one_line)"
      return; }
  while IFS='|' read -r compiler flags least; do
    compiler=$(echo $compiler)
    case $compiler in '#'* | '') continue ;; esac
    label="dwarf exidx: $compiler:$flags"
    wanted "$label" || continue
    if have "$compiler"; then
      check "$label" exidx_row "$compiler" "$flags" "$least" </dev/null
    else
      skip "$label" "no $compiler"
    fi
  done <$HERE/exidx.rows
}
