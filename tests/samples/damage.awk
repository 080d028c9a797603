# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -f damage.awk JUMPS PERF: a perf script with branches that are lost, there
# twice, from or to other code, and stacks that lack frames or have others'.
# JUMPS: addresses of indirect jumps, which stay: that no range goes on behind
# one is a rule of ours, not of llvm-profgen.
function damaged(branch,   chance, from) {
  chance = rand()
  from = branch
  sub(/\/.*/, "", from)
  if (from in jumps) return branch
  if (chance < 0.01) return ""
  if (chance < 0.02) return branch "  " branch
  if (chance < 0.03) sub(/\/0x[0-9a-f]+/, "/0x7f0000001234", branch)
  else if (chance < 0.04) sub(/^0x[0-9a-f]+/, "0x7f0000001230", branch)
  else if (chance < 0.045) return "0x7f0000001230/0x7f0000001234/P/-/-/0"
  return branch
}
BEGIN { srand(7) }
FNR == NR { jumps["0x" $1]; next }
/^ .*\// {
  count = split($0, part, " ")
  line = ""
  for (i = 1; i <= count; i++)
    line = line " " (part[i] ~ /\// ? damaged(part[i]) : part[i])
  sub(/^ +/, " ", line)
  print line
  next
}
/^\t/ {
  chance = rand()
  if (chance < 0.02) next
  if (chance < 0.05) $0 = chance < 0.04 ? "\t    7f0000001234" : "\t    201191"
}
{ print }
