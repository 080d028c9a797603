# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The checks of tests/values/run about dumps at one time. Sourced.

# overlapping NAME FLAG...: $out/host/NAME, the hooks with what holds them.
overlapping() {
  program=$out/host/$1
  shift
  clang-22 -g -std=c11 -Wall -Wextra -Werror -Iinclude -I"$RUNTIME" "$@" \
    -pthread $here/overlap.c $here/table.c "$RUNTIME/values.c" \
    "$RUNTIME/values_freeze.c" -Wl,--unresolved-symbols=ignore-all \
    -o "$program"
}

overlaps() {
  check "values overlapping dumps: compiles" overlapping overlap -O1 &&
    "$out/host/overlap" ||
    not_ok "values overlapping dumps: runs to its end" "status $?"
  check "values hooks and dumps of threads: no data race" races
}

# ThreadSanitizer; of the instructions' turn it makes too many.
races() {
  overlapping races -O1 -fsanitize=thread && "$program" threads
}
