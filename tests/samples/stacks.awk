# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -v every=N -f stacks.awk ENTRIES STEPS: prints one of N steps (PC LR) with
# its stack, PC LR CALLER... The distances vary: otherwise a loop whose length N
# divides would give the same steps each round; 1 takes each step. ENTRIES: the
# addresses of functions. A function is called if the step before is the call
# that LR returns to, and ends when that address is reached.
BEGIN { srand(7) }
function number(hex,   i, sum) {
  for (i = 1; i <= length(hex); i++)
    sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return sum
}
function even(hex) {
  return substr(hex, 1, 7) substr("0022446688aaccee", \
    index("0123456789abcdef", substr(hex, 8)), 1)
}
NR == FNR { entry[$1] = 1; next }
{
  while (depth && $1 == back[depth]) depth--
  if ($1 in entry) {
    returns = even($2)
    length_of = number(returns) - number(last)
    if (length_of == 2 || length_of == 4) back[++depth] = returns
  }
  last = $1
  if (FNR >= at) {
    at += every > 1 ? every * (0.75 + 0.5 * rand()) : 1
    line = $1 " " $2
    for (i = depth; i > 0; i--) line = line " " back[i]
    count[line]++
  }
}
END { for (line in count) print line, "x" count[line] }
