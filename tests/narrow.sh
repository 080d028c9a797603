# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Objects that count with 32 bits. Sourced after lib.sh, by tiers that have the
# host tool.

# narrow WIDTH LLVM FLAGS SOURCE OBJECT: compiles a source, whose flags have
# those of the profile. WIDTH is 32, or 32-atomic.
narrow() {
  # shellcheck disable=SC2086 # Several flags.
  "$BUILD/bareprof" cc --counters="$1" "clang-$2" $3 -c "$4" -o "$5"
}

# The compiler's flags of a board.
board_flags() {
  sed -n 's/^BOARD_TARGET := /--target=/p; s/^BOARD_FLAGS := //p
    s/^BOARD_CPU := \(.\)/-mcpu=\1/p' "targets/$1/board.mk" | tr '\n' ' '
}
