# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints a line for each function in the output of llvm-profdata merge -text:
# name, hash, counters, and the bitmap after "$". With bitmaps=1: the name and
# the bitmap.
/^[#:]/ { next }
/^$/ { if (line) print line; line = ""; next }
line == "" { sub(/^.*[:;]/, ""); line = $0; next }
!bitmaps || /^(\$|0x)/ { line = line " " $0 }
END { if (line) print line }
