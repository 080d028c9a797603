# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU's log of -singlestep -d exec,nochain, an instruction a line, next to the
# plugin's trace and the branches in lcov's form: each count, and each outcome.
# A branch's two successors are the two places that it went to, so an outcome is
# a number of pairs in the log.
# mawk would write large numbers with an exponent.
function key(number) { return sprintf("%.0f", number) }
function decimal(text, i, value) {
  value = 0
  for (i = 1; i <= length(text); i++)
    value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
  return value
}
function wrong(what) { if (bad++ < 5) print what }
FILENAME ~ /log$/ && /^Trace/ {
  split($4, part, "/")
  at = part[2]
  sub(/^0+/, "", at)
  count[at]++
  if (last != "") went[last]++
  if (last != "") pair[last, at]++
  last = at
}
FILENAME ~ /log$/ && /^Stopped/ { count[last]-- }
FILENAME ~ /trace$/ && $1 == "i" {
  seen[$2] = decimal($3)
  length_of[key(decimal($2))] = decimal($5)
  name_of[key(decimal($2))] = $2
}
FILENAME ~ /trace$/ && $1 == "o" { outside[$2] = 1 }
FILENAME ~ /info$/ && /^BRDA/ {
  split(substr($0, 6), part, ",")
  if (part[4] == "-") next
  at = part[2]
  next_one = name_of[key(at + length_of[at])]
  # What is not the next instruction is the target.
  fell = pair[name_of[at], next_one] + 0
  expected = part[3] == 0 ? fell : went[name_of[at]] - fell
  outcomes++
  if (part[4] + 0 != expected)
    wrong("branch " name_of[at] " way " part[3] ": " part[4] ", log " expected)
}
END {
  for (at in seen) if (seen[at] != count[at] + 0)
    wrong("count " at ": " seen[at] ", log " count[at] + 0)
  for (at in count) if (count[at] && !(at in seen) && !(at in outside))
    wrong("nothing at " at)
  for (at in seen) addresses++
  if (addresses < 50 || outcomes < least)
    wrong("only " addresses " addresses, " outcomes + 0 " outcomes")
  exit bad != 0
}
