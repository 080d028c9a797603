# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a map and a raw section, as a machine would without the tool:
#   awk -v begin=HEX [-v pcs=FILE] -f asm.awk MAP-BYTES RAW-BYTES
# Both files are of od -v -tu1 -w1, of either byte order; begin is where the raw
# section is linked.
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
function join(a, b, c, d) { return a + 256 * (b + 256 * (c + 256 * d)) }
function word(at) {
  if (big) return join(map[at + 3], map[at + 2], map[at + 1], map[at])
  return join(map[at], map[at + 1], map[at + 2], map[at + 3])
}
function raw_word(at) {
  if (big) return join(raw[at + 3], raw[at + 2], raw[at + 1], raw[at])
  return join(raw[at], raw[at + 1], raw[at + 2], raw[at + 3])
}
# The lower half of 64 bits.
function lower(at) { return word(at + (big ? 4 : 0)) }
function difference(a, b) { return (a - b + 4294967296) % 4294967296 }
# Of revision B the distances of a record count from the record, and the
# header has that of the raw section, from the header. The lower halves do here.
function read_places(at,   start) {
  start = wide ? lower(16) - at : word(at)
  slot = difference(wide ? lower(at) : word(at + 4), start)
  distance = difference(wide ? lower(at + 8) : word(at + 8), start)
  if (distance >= 2147483648) distance -= 4294967296
  address = value(begin) + distance
  # On a target of 32 bits it wraps around.
  if (address >= 4294967296 && value(begin) < 4294967296) address -= 4294967296
  return at + (wide ? 16 : 12)
}
# From the end: a block, how many others, and these.
function read_ran(   i, k, n, block, drops) {
  split("", ran); split("", lost)
  for (i = follows; i > 0; i -= 2 + word(follows_at + 4 * (i - 2)))
    lost[word(follows_at + 4 * (i - 1))] = 1
  ran[0] = calls > 0
  for (i = 1; i <= blocks; i++)
    if (!(i in lost)) ran[i] = raw[first++] != 255
  for (i = follows; i > 0; i -= 2 + n) {
    block = word(follows_at + 4 * (i - 1)); n = word(follows_at + 4 * (i - 2))
    for (k = 0; k < n; k++)
      if (ran[word(follows_at + 4 * (i - 3 - k))]) ran[block] = 1
  }
}
# Some awks know no more than 32 bits of %x.
function hex(address) {
  if (address < 4294967296) return sprintf("%x", address)
  return sprintf("%x%08x", int(address / 4294967296), address % 4294967296)
}
function tell(kind, name, address, rest, covered,   ran) {
  if (!pcs) {
    printf "%s %s %s %s %d\n", kind, name, hex(address), rest, covered
    return
  }
  ran = sprintf("%.0f", address) in executed
  if (ran == (covered > 0)) agree++
  else printf "%s %s at %s: covered %d, executed %d\n", kind, name,
    hex(address), covered, ran
}
BEGIN {
  if (pcs) while ((getline line < pcs) > 0)
    executed[sprintf("%.0f", value(line))] = 1
}
FNR == NR { map[size++] = $1; next }
{ raw[raw_size++] = $1 }
END {
  big = map[0] == 80
  type = raw_word(8)
  wide = word(20) != 24
  for (at = wide ? 32 : 24; at < size; at = int((at + 7) / 8) * 8) {
    at = read_places(at)
    length_ = word(at); signature = word(at + 4); blocks = word(at + 8)
    name_at = at + 12 + 4 * blocks
    follows_at = name_at + 4; follows = 0
    if (int(type / 64) % 2) {
      follows = word(name_at)
      name_at = follows_at + 4 * follows
    }
    if (name_at + word(name_at) > size) { print "no map"; exit 1 }
    name = ""
    for (i = 0; i < word(name_at); i++)
      name = name sprintf("%c", map[name_at + 4 + i])
    if (int(type / 4) % 2) {
      calls = raw_word(slot); if (calls == 4294967295) calls = 0
      first = slot + 8
    } else { calls = raw[slot] != 255; first = slot + 1 }
    read_ran()
    if (!calls) calls = ran[0]
    tell("function", name, address,
      sprintf("%d %08x", length_, signature), calls)
    for (i = 0; i < blocks; i++)
      tell("block", name, address + word(at + 12 + 4 * i), "", ran[i + 1])
    at = name_at + 4 + word(name_at)
  }
  if (pcs) print "agree", agree
}
