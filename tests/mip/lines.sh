# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lines of patched firmware: each function is at the line of its declaration.
# gcc's functions begin after the nops, and the first code may be an inlined
# function's. `run` sources this file.
# shellcheck disable=SC1091,SC2046,SC2086 # Several flags.
. $HERE/compilers.sh
lines_out=$OUT/lines

# Prints name:line from the source, for functions that are not inlined.
lines_expected() {
  awk '/^[a-z].*\(/ && !/;$/ { sub(/\(.*/, ""); print $NF ":" NR }' \
    $HERE/lines.c | grep -v inlined_first | sort
}

lines_build() {
  $(mip_compiler "$board" "$compiler") -O2 -g -ffreestanding \
    -ffunction-sections -fpatchable-function-entry="$(mip_nops "$board")" \
    -c $HERE/lines.c -o "$folder/lines.o" &&
    "ld.lld-$LLVM_HOST" -L linker-scripts -T $HERE/lines.ld --build-id \
      "$folder/lines.o" -o "$folder/lines.elf" &&
    "$BAREPROF" mip patch "$folder/lines.elf" -o "$folder/patched.elf" \
      --map "$folder/map" &&
    "$BAREPROF" mip create "$folder/map" -o "$folder/lines.mip"
}

lines_seen() {
  set -- "$folder/lines.mip" --elf "$folder/patched.elf"
  "$BAREPROF" mip show "$@" |
    sed -n 's/.* \([a-z_]*\)  .*:\([0-9]*\)$/\1:\2/p' | sort >"$folder/shown"
  "$BAREPROF" mip show --lcov "$@" |
    sed -n 's/^FN:\([0-9]*\),\(.*\)/\2:\1/p' | sort >"$folder/lcov"
  "$BAREPROF" mip covered -u --lines "$@" | sed 's/.*://' | sort \
    >"$folder/covered"
  lines_expected >"$folder/expected"
  diff "$folder/expected" "$folder/shown" &&
    diff "$folder/expected" "$folder/lcov" &&
    sed 's/.*://' "$folder/expected" | sort | diff - "$folder/covered" &&
    [ "$(wc -l <"$folder/expected")" = 3 ]
}

while read -r board compiler; do
  folder=$lines_out/$board-$compiler label="mip lines: $board $compiler"
  mkdir -p "$folder"
  wanted "$label" || continue
  check "$label: links, is patched" lines_build
  check "$label: every function at its line" lines_seen
done <<EOF
mps2-an385 gcc
virt-riscv32 gcc
virt-riscv32 $LLVM_HOST
EOF
