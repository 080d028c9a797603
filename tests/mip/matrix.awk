# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares a target's counts with QEMU's log, both in the lines of log.sh, and
# prints differences:
#   awk [-v only=coverage|sampled] -f matrix.awk MAP LOGGED READ
# For samples, the counts of a function's edges are first scaled to its calls;
# then at least 0.85 of all calls must be on the right edge: a sample stands for
# several of the program's 750 calls, and which calls are sampled depends on the
# compiler (0.886 with clang 19, 0.92 and more with clang 22 and gcc). MAP is
# raw.awk's output with all=1: only its functions in the log count. The same
# functions ran, as often, and first in the same order; each edge is in the log,
# as often; and of the edges that have 99 % of the calls in the log, at least 95
# % are there. The target must count the missing ones as lost.
FNR == 1 { file++ }
file == 1 { if ($1 == "call") known[$2] = 1; next }
$1 == "call" && file == 2 && $2 in known {
  logged[$2] = $4
  order[++n] = $2
}
$1 == "call" && file == 3 {
  seen[$2] = $4
  if (!($2 in logged))
    print $3, "has not run"
  else if (only != "coverage" && logged[$2] != $4)
    print $3, "ran", logged[$2], "times, not", $4
  if (only != "coverage" && order[++m] != $2) print $3, "is not call", m
}
$1 == "edge" && file == 2 && $3 in known {
  edges[$2 " " $3] = $5
  all += $5
}
$1 == "edge" && file == 3 {
  told[$2 " " $3] = $5
  sum += $5
  sampled[$3] += $5
  if (!($2 " " $3 in edges))
    print "no call from", $2, "to", $4
  else if (only != "sampled" && edges[$2 " " $3] != $5)
    print $2, "calls", $4, edges[$2 " " $3], "times, not", $5
}
$1 == "lost" { lost = $2 }
$1 == "torn" { print }
END {
  for (function_ in logged)
    if (!(function_ in seen)) print function_, "has run"
  if (n < 30) print "only", n, "functions in the log"
  if (only == "coverage") exit
  for (edge in told) {
    split(edge, part, " ")
    share = told[edge] * logged[part[2]] / sampled[part[2]]
    common += share < edges[edge] ? share : edges[edge]
  }
  if (only == "sampled" && common < 0.85 * all)
    print "of", all, "calls", common, "are told right"
  if (only == "sampled") exit
  if (sum + lost != all) print all, "calls,", sum, "told,", lost + 0, "lost"
  # Sorts edges by calls, most first.
  for (edge in edges) count[++e] = edges[edge] " " edge
  for (i = 2; i <= e; i++)
    for (k = i; k > 1 && count[k] + 0 > count[k - 1] + 0; k--) {
      swap = count[k]
      count[k] = count[k - 1]
      count[k - 1] = swap
    }
  for (i = 1; i <= e && carried < 0.99 * all; i++) {
    split(count[i], part, " ")
    carried += part[1]
    wanted++
    if (part[2] " " part[3] in told) there++
  }
  if (wanted < 20 || there < 0.95 * wanted)
    print "of", wanted + 0, "edges", there + 0, "are there"
}
