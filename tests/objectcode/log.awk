# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU's log of -singlestep -d exec,nochain, an instruction a line, next to the
# plugin's trace and the report's list: each count, and each outcome.
# A branch's two successors are the two places that it went to, so an outcome is
# a number of pairs in the log.
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
}
FILENAME ~ /trace$/ && $1 == "o" { outside[$2] = 1 }
FILENAME ~ /tsv$/ && FNR > 1 {
  split($0, field, "\t")
  at = field[1]
  if (field[3] + 0 != count[at] + 0)
    wrong("listed " at ": " field[3] ", log " count[at] + 0)
  if (!field[3] || field[4] !~ /[0-9]/) next
  # What is not the next instruction is the target.
  fell = pair[at, sprintf("%x", decimal(at) + field[2])] + 0
  outcomes += 2
  if (field[5] + 0 != fell) wrong("branch " at " falls: " field[5] ", log " fell)
  if (field[4] + 0 != went[at] - fell)
    wrong("branch " at " goes: " field[4] ", log " went[at] - fell)
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
