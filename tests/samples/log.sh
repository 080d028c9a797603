#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs a firmware in QEMU an instruction at a time, and prints the address of
# each with what the link register held before it: `PC LR`, hexadecimal.
#   tests/samples/log.sh BOARD ELF FOLDER
# Nothing in the image has a part in it: it is what samples are judged by.
set -u
board=$1 elf=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") folder=$3
mkdir -p "$folder"
pipe=$(cd "$folder" && pwd)/pipe
rm -f "$pipe"
mkfifo "$pipe"
TIMEOUT=${TIMEOUT:-100} targets/run "$board" "$elf" "$folder" -singlestep \
  -d exec,cpu,nochain -D "$pipe" </dev/null >"$folder/output" 2>&1 &
# The block, then the registers at its beginning. Of Arm, of RISC-V.
LC_ALL=C grep -a -o -E \
  '^Trace 0: [^ ]* \[[0-9a-f]*/[0-9a-f]*|x1/ra +[0-9a-f]+|R14=[0-9a-f]+' \
  "$pipe" | awk '
  /^Trace/ { split($0, part, "/"); pc = part[2]; next }
  { sub(/.*[= ]/, ""); print pc, $0 }'
rm -f "$pipe"
wait $!
