# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# alike.awk THEIRS OURS: ours without what theirs does not know. They have no
# file for functions that are described elsewhere, and the names of the symbol
# table: they end in .isra.0 and the like, and are the linker's where the debug
# information has only that of the source.
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
