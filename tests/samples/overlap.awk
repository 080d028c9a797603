# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints how much two text sample profiles agree: the sum, over all places, of
# the lesser of a place's two shares of all counts. 1: equal. awk -f overlap.awk
# A B -v flat=1: a place is a function's, wherever the function is inlined; -v
# list=FILE: of functions that are not in the list.
BEGIN {
  while (list && (getline line < list) > 0)
    left[line]
}
FNR == 1 { side++ }
/^[^ ]/ {
  path[0] = function_at[0] = substr($0, 1, match($0, /:[0-9]+:[0-9]+$/) - 1)
  next
}
{
  match($0, /^ */)
  depth = RLENGTH
  if ($1 ~ /^!/) next
  if ($2 !~ /^[0-9]+$/) {
    name = substr($2, 1, match($2, /:[0-9]+$/) - 1)
    path[depth] = flat ? name : path[depth - 1] " " $1 name
    function_at[depth] = name
    next
  }
  if (function_at[depth - 1] in left) next
  place = path[depth - 1] " " $1
  count[side, place] += $2
  sum[side] += $2
  places[place]
}
END {
  for (place in places) {
    a = sum[1] ? count[1, place] / sum[1] : 0
    b = sum[2] ? count[2, place] / sum[2] : 0
    overlap += a < b ? a : b
  }
  printf "%.4f\n", overlap
}
