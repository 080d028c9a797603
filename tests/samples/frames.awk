# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -f frames.awk NAMES STEPS: prints for each step (PC LR) the active
# functions, OUTERMOST;...;INNERMOST COUNT, also functions that ended in a jump,
# and after " entered" how often the innermost one was entered so. NAMES:
# address and name of each function. A function is called if LR follows the step
# before; it is jumped to if its first instruction runs otherwise.
function number(hex,   i, sum) {
  for (i = 1; i <= length(hex); i++)
    sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return sum
}
NR == FNR { name[$1] = $2; next }
{
  while (depth && $1 == back[depth]) depth--
  if ($1 in name) {
    returns = number($2)
    returns -= returns % 2
    length_of = returns - number(last)
    if (length_of == 2 || length_of == 4) {
      ways[depth + 1] = (depth ? ways[depth] ";" : "") name[$1]
      back[++depth] = sprintf("%08x", returns)
    } else if (depth) ways[depth] = ways[depth] ";" name[$1]
    else ways[++depth] = name[$1]
    entered[ways[depth]]++
  }
  last = $1
  count[ways[depth]]++
}
END {
  for (way in count) print way, count[way], "entered", entered[way] + 0
}
