# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the rows of `llvm-dwarfdump --debug-line` to the lines of `dump
# rows`, without the instruction set and the operation index.
/^0x[0-9a-f]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+/ {
  line = $1 " " $2 " " $3 " " $4 " " $6
  for (i = 8; i <= NF; i++)
    line = line " " $i
  print line
}
