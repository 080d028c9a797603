# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests chains and tables on this machine, with sanitizers. `run` sources this
# file.

# on_host PROGRAM COMPILER
on_host() {
  program=$1 compiler=$2
  check "$label: builds" $compiler -std=c11 -g -O1 -Wall -Wextra -Wpedantic \
    -Wshadow -fsanitize=$SANITIZERS -fno-sanitize-recover=all -Iinclude \
    -Iruntime $here/$program.c \
    "$(runtime_archive NATIVE_CC=$compiler SANITIZE=$SANITIZERS)" \
    -o "$out/$program"
  check "$label" "$out/$program"
}

# For gcc, the complete runtime is compiled.
for compiler in clang-22 ${FULL:+gcc}; do
  label="sampler chain by $compiler: no load but within the stack"
  on_host chain $compiler
  label="sampler table by $compiler: counts, losses, intervals"
  on_host table $compiler
done
