# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of stacks that tests/report/stacks describes: only certain calls of a
# halted core count. Sourced by run.
# shellcheck disable=SC2154 # Of run.

# stack_image MACHINE: $out/stack/MACHINE
stack_image() {
  case $1 in
  arm) stack_target=armv7a-none-eabi ;;
  *) stack_target=$1-none-elf ;;
  esac
  clang-22 --target=$stack_target -c $here/stack.S -o "$out/stack/$1.o" &&
    ld.lld-22 --no-relax -Ttext=0x400000 -e 0 "$out/stack/$1.o" \
      -o "$out/stack/$1"
}

# stack_wrong MACHINE: prints the lines of the machine whose calls differ.
stack_wrong() {
  grep "^$1 " $here/stacks | while IFS= read -r line; do
    stack_words=${line%%" ="*}
    stack_seen=$("$out/stack/stack" "$out/stack/$1" ${stack_words#"$1 "} 2>&1)
    [ "$stack_words =$stack_seen" = "$line" ] || echo "$line, not$stack_seen;"
  done
}

rows_stack() {
  wanted "report active: stacks" || return 0
  mkdir -p "$out/stack"
  check "report active: stacks: the program compiles" tool_program \
    "$out/stack/stack" "$SANITIZERS" $here/stack.c
  for machine in arm aarch64 riscv32; do
    check "report active: stacks of $machine: build" stack_image $machine
    equal "report active: stacks of $machine" "" "$(stack_wrong $machine)"
  done
}
