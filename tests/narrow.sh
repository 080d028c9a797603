# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles objects that count in 32 bits. Tiers that have the host tool source
# this file after lib.sh.

# narrow WIDTH LLVM FLAGS SOURCE OBJECT: compiles a source. FLAGS include the
# flags of the profile. WIDTH is 32, or 32-atomic.
narrow() {
  # shellcheck disable=SC2086 # Several flags.
  "$BUILD/bareprof" cc --counters="$1" "clang-$2" $3 -c "$4" -o "$5"
}

# Prints a board's compiler flags.
board_flags() {
  sed -n 's/^BOARD_TARGET := /--target=/p; s/^BOARD_FLAGS := //p
    s/^BOARD_CPU := \(.\)/-mcpu=\1/p' "targets/$1/board.mk" | tr '\n' ' '
}
