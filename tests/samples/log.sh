#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a firmware in QEMU an instruction at a time, and prints the address of
# each with what the link register held before it: `PC LR`, hexadecimal.
#   tests/samples/log.sh BOARD ELF FOLDER
# The image does not influence this log, so tests compare samples with it.
set -u
board=$1 elf=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") folder=$3
mkdir -p "$folder"
pipe=$(cd "$folder" && pwd)/pipe
rm -f "$pipe"
mkfifo "$pipe"
TIMEOUT=${TIMEOUT:-100} targets/run "$board" "$elf" "$folder" -singlestep \
  -d exec,cpu,nochain -D "$pipe" </dev/null >"$folder/output" 2>&1 &
# QEMU 10 and later write addresses of 32 bits with 16 digits, too.
digits=$((8 * $(od -An -tu1 -j4 -N1 "$elf")))
# The block, then the registers at its beginning. Of Arm, of RISC-V.
LC_ALL=C grep -a -o -E \
  '^Trace 0: [^ ]* \[[0-9a-f]*/[0-9a-f]*|x1/ra +[0-9a-f]+|R14=[0-9a-f]+' \
  "$pipe" | awk -v digits=$digits '
  /^Trace/ {
    split($0, part, "/")
    pc = substr(part[2], length(part[2]) - digits + 1)
    next
  }
  { sub(/.*[= ]/, ""); print pc, $0 }'
rm -f "$pipe"
wait $!
