# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A line a function, from the output of llvm-profdata merge -text: name, hash,
# counters, and the bitmap behind "$".
/^[#:]/ { next }
/^$/ { if (line) print line; line = ""; next }
line == "" { sub(/^.*[:;]/, ""); line = $0; next }
{ line = line " " $0 }
END { if (line) print line }
