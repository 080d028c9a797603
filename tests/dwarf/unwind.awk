# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the rows of llvm-dwarfdump --debug-frame and --eh-frame to the lines
# of `dump unwind`. Functions at 0, or at 0xffffffff, were dropped; registers
# above 31 are ignored.

function number(name) {
  if (name ~ /^W?SP$/) return sp
  if (name == "LR") return 14
  if (name == "PC") return 15
  if (name !~ /^[RXW][0-9]+$/) return -1
  return substr(name, 2) + 0
}
/file format/ { sp = /aarch64/ ? 31 : 13 }
/ FDE / { split($0, part, "pc="); good = part[2] !~ /^(0+|0*ffffffff)\.\.\./ }
good && $1 ~ /^0x[0-9a-f]+:$/ && $2 ~ /^CFA=/ {
  text = substr($1, 1, length($1) - 1)
  base = substr($2, 5)
  sub(/:$/, "", base)
  offset = "+0"
  if (match(base, /[+-][0-9]+$/)) {
    offset = substr(base, RSTART)
    base = substr(base, 1, RSTART - 1)
  }
  text = text " " number(base) offset
  split("", rules)
  for (i = 3; i <= NF; i++) {
    rule = $i
    sub(/,$/, "", rule)
    split(rule, sides, "=")
    at = number(sides[1])
    if (at < 0 || sides[2] == "same") continue
    value = sides[2]
    if (value == "undefined") rules[at] = "lost+0"
    else if (value ~ /^\[CFA/) {
      gsub(/[][]|CFA/, "", value)
      rules[at] = "at" (value == "" ? "+0" : value)
    } else if (value ~ /^CFA/) {
      sub(/CFA/, "", value)
      rules[at] = "is" (value == "" ? "+0" : value)
    } else
      rules[at] = "in+" number(value)
  }
  for (i = 0; i < 32; i++)
    if (i in rules)
      text = text " " i "=" rules[i]
  print text
}
