# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts llvm-readelf --unwind, whose text says what each opcode does, to the
# lines of `dump exidx`. A line "none" is for an entry whose frame is not
# certain: a spare opcode, a frame's address in a register that calls change, SP
# or PC on the stack, registers that do not exist, or the program's own
# personality routine.

function give(i, text) {
  if (address == "") return
  text = base (offset < 0 ? "-" : "+") (offset < 0 ? -offset : offset)
  for (i = 0; i < 16; i++)
    if (i in at)
      text = text " " i "=at" (at[i] - offset < 0 ? "" : "+") (at[i] - offset)
  print address " " (good ? text : "none")
  address = ""
}
function digit(text, at) {
  return index("0123456789ABCDEF", substr(text, at, 1)) - 1
}
function number(name) {
  if (name == "fp") return 11
  if (name == "ip") return 12
  if (name == "sp") return 13
  if (name == "lr") return 14
  if (name == "pc") return 15
  return substr(name, 2) + 0
}
$1 == "FunctionAddress:" {
  give()
  address = tolower($2)
  base = 13; offset = 0; good = 1; done = 0
  split("", at)
}
$1 == "Model:" && (/CantUnwind/ || /Generic/) { good = 0 }
$1 ~ /^0x/ && / ; / && address != "" && !done {
  text = $0
  sub(/^[^;]*; /, "", text)
  split(text, word)
  if (text == "finish") done = 1
  else if (text == "pop ra_auth_code") offset += 4
  else if ($1 == "0xB5") continues = 1 # GNU readelf names it; LLVM's: spare
  else if (text ~ /^vsp = vsp [-+] /)
    offset += (word[4] == "-" ? -1 : 1) * word[5]
  else if (text ~ /^vsp = r/) {
    base = number(word[3])
    offset = 0
    for (i in at) good = 0
    if (base < 4 || base > 11) good = 0
  } else if (text ~ /^pop \{/) {
    gsub(/^pop \{|\}$|,/, "", text)
    count = split(text, names, " ")
    if (!count || text ~ /wR|wCGR/) good = 0
    for (i = 1; i <= count; i++) {
      if (names[i] ~ /^d/) { offset += 8; continue }
      at[number(names[i])] = offset
      offset += 4
      if (names[i] ~ /^(sp|pc)$/) good = 0
    }
    if ($1 ~ /^0xB3$|^0xB[89A-F]$/) offset += 4
    if ($1 ~ /^0xB3$|^0xC[89]$/ && digit($2, 3) + digit($2, 4) > 15) good = 0
  } else
    good = 0
}
END { give() }
