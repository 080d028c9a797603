# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The checks of tests/values/run about dumps at one time. Sourced.
# shellcheck disable=SC2046,SC2086 # Several flags.

# overlapping NAME ARCHIVE FLAG...: $out/host/NAME
overlapping() {
  program=$out/host/$1 archive=$2
  shift 2
  clang-22 -g -O1 -std=c11 -Wall -Wextra -Werror $(headers) "$@" -pthread \
    $here/overlap.c $here/table.c "$archive" -o "$program"
}

overlaps() {
  check "values overlapping dumps: compiles" overlapping overlap \
    "$(runtime_archive NATIVE_CC=clang-22 AS=fast NATIVE_CFLAGS=-O2)"
  "$out/host/overlap" ||
    not_ok "values overlapping dumps: runs to its end" "status $?"
  check "values hooks and dumps of threads: no data race" races
}

# ThreadSanitizer; of the instructions' turn it makes too many.
races() {
  overlapping races "$(runtime_archive NATIVE_CC=clang-22 SANITIZE=thread)" \
    -fsanitize=thread && "$program" threads
}
