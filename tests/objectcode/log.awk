# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares QEMU's log of -singlestep -d exec,nochain, an instruction a line,
# with the plugin's trace and the report's list: each count, and each outcome.
# An outcome is the number of times that a branch and one of its two successors
# are neighbours in the log. If an interrupt came, its handler (`handlers`,
# addresses) is not a successor: the log does not show which way the branch
# went. doubled: the log may have an instruction twice as often.
function decimal(text, i, value) {
  value = 0
  for (i = 1; i <= length(text); i++)
    value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
  return value
}
function wrong(what) { if (bad++ < 5) print what }
function same(ours, at) {
  return ours == count[at] + 0 || (doubled && 2 * ours == count[at])
}
BEGIN { split(handlers, part, " "); for (i in part) handler[part[i]] = 1 }
FILENAME ~ /log$/ && /^Trace/ {
  core = $2
  split($4, part, "/")
  at = part[2]
  sub(/^0+/, "", at)
  count[at]++
  if (last[core] != "") went[last[core]]++
  if (last[core] != "" && at in handler) cut[last[core]]++
  else if (last[core] != "") pair[last[core], at]++
  last[core] = at
}
# QEMU logged an instruction, but did not run it.
FILENAME ~ /log$/ && /^Stopped/ {
  for (core in last) if (last[core] != "" && index($0, last[core] "]")) {
    count[last[core]]--
    last[core] = ""
    break
  }
}
FILENAME ~ /trace$/ && $1 == "i" {
  seen[$2] = decimal($3)
}
FILENAME ~ /trace$/ && $1 == "o" { outside[$2] = 1 }
FILENAME ~ /tsv$/ && FNR > 1 {
  split($0, field, "\t")
  at = field[1]
  if (!same(field[3] + 0, at))
    wrong("listed " at ": " field[3] ", log " count[at] + 0)
  if (!field[3] || field[4] !~ /[0-9]/) next
  # The successor that is not the next instruction is the target.
  fell = pair[at, sprintf("%x", decimal(at) + field[2])] + 0
  outcomes += 2
  goes = went[at] - fell - cut[at]
  if (field[5] < fell || field[5] > fell + cut[at])
    wrong("branch " at " falls: " field[5] ", log " fell)
  if (field[4] < goes || field[4] > goes + cut[at])
    wrong("branch " at " goes: " field[4] ", log " goes)
}
END {
  for (at in seen) if (!same(seen[at], at))
    wrong("count " at ": " seen[at] ", log " count[at] + 0)
  for (at in count) if (count[at] && !(at in seen) && !(at in outside))
    wrong("nothing at " at)
  for (at in seen) addresses++
  if (addresses < 50 || outcomes < least)
    wrong("only " addresses " addresses, " outcomes + 0 " outcomes")
  exit bad != 0
}
