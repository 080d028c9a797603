# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a map and a raw section, as a machine would without the tool:
#   awk -v begin=HEX [-v pcs=FILE] -f asm.awk MAP-BYTES RAW-BYTES
# Both files are of od -v -tu1 -w1; begin is where the raw section is linked.
# Without pcs, prints a line for each function and block:
#   function NAME ADDRESS SIZE SIGNATURE CALLS   (CALLS: 0 or 1 for coverage)
#   block NAME ADDRESS COVERED
# With pcs, a list of executed addresses in hexadecimal, prints those lines
# that it does not agree with, and at last how many do.
function value(hex,   i, sum) {
  for (i = 1; i <= length(hex); i++)
    sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return sum
}
function word(at) {
  return map[at] + 256 * (map[at + 1] + 256 * (map[at + 2] + 256 * map[at + 3]))
}
function raw_word(at) {
  return raw[at] + 256 * (raw[at + 1] + 256 * (raw[at + 2] + 256 * raw[at + 3]))
}
function difference(a, b) { return (a - b + 4294967296) % 4294967296 }
function tell(kind, name, address, rest, covered,   ran) {
  if (!pcs) {
    printf "%s %s %x %s %d\n", kind, name, address, rest, covered
    return
  }
  ran = sprintf("%.0f", address) in executed
  if (ran == (covered > 0)) agree++
  else printf "%s %s at %x: covered %d, executed %d\n", kind, name, address,
    covered, ran
}
BEGIN {
  if (pcs) while ((getline line < pcs) > 0)
    executed[sprintf("%.0f", value(line))] = 1
}
FNR == NR { map[size++] = $1; next }
{ raw[raw_size++] = $1 }
END {
  type = raw_word(8)
  for (at = 24; at < size; at = int((at + 7) / 8) * 8) {
    slot = difference(word(at + 4), word(at))
    # The distance from the raw section may be negative.
    address = (value(begin) + word(at + 8) - word(at)) % 4294967296
    if (address < 0) address += 4294967296
    length_ = word(at + 12); signature = word(at + 16); blocks = word(at + 20)
    name_at = at + 24 + 4 * blocks
    name = ""
    for (i = 0; i < word(name_at); i++)
      name = name sprintf("%c", map[name_at + 4 + i])
    if (int(type / 4) % 2) {
      calls = raw_word(slot); if (calls == 4294967295) calls = 0
      first = slot + 8
    } else { calls = raw[slot] != 255; first = slot + 1 }
    tell("function", name, address,
      sprintf("%d %08x", length_, signature), calls)
    for (i = 0; i < blocks; i++)
      tell("block", name, (address + word(at + 24 + 4 * i)) % 4294967296,
        "", raw[first + i] != 255)
    at = name_at + 4 + word(name_at)
  }
  if (pcs) print "agree", agree
}
