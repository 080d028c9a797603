# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the entries of a .samples file with names of functions. Input: `nm -S`
# of the ELF, then the words after the header, one on each line, decimal; -v
# width=, folded=, thumb=. For each entry: COUNT, PC's function, LR's, callers';
# - for 0, ? for no function.
function value(hex,   i, n) {
  n = 0
  for (i = 1; i <= length(hex); i++)
    n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return n
}
function name(at,   i) {
  if (at == 0) return "-"
  if (thumb && at % 2) at--
  if (at in known) return known[at]
  known[at] = "?"
  for (i = 1; i <= count; i++)
    if (at >= begin[i] && at < end[i]) known[at] = names[i]
  return known[at]
}
FNR == NR {
  if (NF == 4 && $3 ~ /[tTwW]/) {
    begin[++count] = value($1)
    if (thumb && begin[count] % 2) begin[count]--
    end[count] = begin[count] + value($2)
    names[count] = $4
  }
  next
}
{
  word[++words] = $1
  if (words < width) next
  words = 0
  line = folded ? word[3] : 1
  for (i = 1; i <= (folded ? 2 : width); i++) line = line " " name(word[i])
  if (!folded || word[3]) print line
}
