# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the examples of the API: each public function is in one of them, each
# example compiles, and contains the code that a header's comments show. `run`
# sources this file.

# Functions that patched or rewritten code calls, or that a macro chooses.
not_by_hand='^bareprof_(mip_(cover|count|edge|step)(_index)?|mip_first
|mip_sample|sampler_(ring|chain|table)|send_(lean|full|name_as)|values_.*|.*_inline)$'
not_by_hand=$(echo "$not_by_hand" | tr -d '\n')

# Prints the functions that a header declares, also with a long return type.
declared() {
  cat include/*.h | awk '/\/\*/ { c = 1 } !c { print } /\*\// { c = 0 }' |
    grep -oE '^[a-z_].*[ *]bareprof_[a-z0-9_]+\(' |
    grep -oE 'bareprof_[a-z0-9_]+\($' | tr -d '(' | sort -u |
    grep -vE "$not_by_hand" | grep -vE '^bareprof_(encoding|tiny_put|tiny_byte)$'
}
without_example() {
  declared >"$out/declared" && at_least 40 "$(wc -l <"$out/declared")" ||
    return 1
  while read -r name; do
    grep -qw "$name" examples/api/*.c || echo "$name"
  done <"$out/declared"
}

# Prints the C lines of the headers' examples, without the text around them.
shown() {
  awk '/^ \*     / { print substr($0, 8) }' include/*.h |
    sed 's/^ *//; s/;   .*/;/' | grep -E 'bareprof_|BAREPROF_' |
    grep -vE '^(INCLUDE|REGION_ALIAS|uintptr_t|__asm__|void|.*_AT\()' |
    grep -E '[;{})]$|^#include'
}
not_compiled() {
  shown >"$out/shown" && at_least 15 "$(wc -l <"$out/shown")" || return 1
  sed 's/^ *//; s/&uart/\&sink/' examples/api/*.c >"$out/compiled"
  sed 's/&uart/\&sink/' "$out/shown" | while read -r line; do
    grep -qF -- "$line" "$out/compiled" || echo "$line"
  done
}

api_compiles() {
  for file in examples/api/*.c; do
    clang-22 --target="$1" -std=c11 -Oz -ffreestanding -Wall -Wextra -Werror \
      -Iinclude -c "$file" -o "$out/api.o" || return 1
  done
}

equal "free api: each function has an example" "" \
  "$(without_example | one_line)"
equal "free api: the headers' examples are compiled" "" \
  "$(not_compiled | one_line)"
if needs "free api: examples compile" llvm:22; then
  for target in thumbv6m-none-eabi riscv32-none-elf; do
    check "free api: examples compile, $target" api_compiles "$target"
  done
fi

# Links the example of the tiny senders with the files that bareprof_tiny.h says
# to copy, without the archive. GNU ld without --gc-sections needs the variable
# of abi_objects.c.
tiny_links() {
  tiny_compile="clang-22 --target=thumbv7m-none-eabi -Os -ffreestanding
    -fprofile-instr-generate -Iinclude"
  tiny_objects=$out/tiny.o
  $tiny_compile -c examples/api/tiny.c -o "$tiny_objects" || return 1
  for file in abi_objects tiny_init tiny_binary tiny_text tiny_bits; do
    $tiny_compile -fno-profile-instr-generate -c "runtime/$file.c" \
      -o "$out/$file.o" || return 1
    tiny_objects="$tiny_objects $out/$file.o"
  done
  printf '%s\n' 'MEMORY { RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K }' \
    'REGION_ALIAS("BAREPROF_RAM", RAM) REGION_ALIAS("BAREPROF_ROM", RAM)' \
    'SECTIONS {' 'INCLUDE bareprof-lean.ld' '}' >"$out/tiny.ld"
  arm-none-eabi-ld --build-id -e dump_text --defsym=uart_putc=0 \
    -L linker-scripts -T "$out/tiny.ld" $tiny_objects -o "$out/tiny.elf"
}
if needs "free api: copied tiny senders" llvm:22 gnu:thumb; then
  check "free api: copied tiny senders need no archive" tiny_links
fi
