# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# alike.awk THEIRS OURS: prints our lines without details that LLVM's lines
# lack. LLVM's have no file for functions with a separate declaration, and use
# the names of the symbol table: these end in .isra.0 and the like, and are
# mangled where the debug information has only the source's name.
NR == FNR { theirs[NR] = $0; next }
{
  n = split(theirs[FNR], their, " ")
  plain = $2
  sub(/<.*/, "", plain)
  if (their[2] == "-" || $2 == "-" || index(their[2], $2 ".") == 1 ||
      (their[2] ~ /^_Z/ && $2 !~ /^_Z/ && index(their[2], plain)))
    $2 = their[2]
  if (n == NF && their[n] ~ /^:/)
    sub(/^.*:/, ":", $NF)
  print
}
