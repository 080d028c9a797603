# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Chains and tables on this machine, with the sanitizers looking on. Sourced
# by run.

# on_host PROGRAM COMPILER SOURCES...
on_host() {
  program=$1 compiler=$2
  shift 2
  check "$label: builds" $compiler -std=c11 -g -O1 -Wall -Wextra -Wpedantic \
    -Wshadow -fsanitize=address,undefined -fno-sanitize-recover=all -Iinclude \
    -I$RUNTIME $here/$program.c $RUNTIME/sampler.c "$@" -o "$out/$program"
  check "$label" "$out/$program"
}

for compiler in clang-22 gcc; do
  label="sampler chain by $compiler: no load but within the stack"
  on_host chain $compiler $RUNTIME/sampler_chain.c
  label="sampler table by $compiler: counts, losses, intervals"
  on_host table $compiler $RUNTIME/sampler_table.c \
    $RUNTIME/sampler_write.c $RUNTIME/sampler_interval.c
done
