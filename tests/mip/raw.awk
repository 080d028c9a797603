# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints a map and a raw section with its edges in the lines of log.sh, from the
# format's description, independently of the tool's readers. The map is revision
# A, or 64-bit revision B, of which this program reads the lower halves:
#   awk -v begin=HEX -f raw.awk MAP.bytes RAW.bytes
# MAP and RAW are the output of `od -An -v -tu1 -w1`, and begin is the address
# of the raw section. Coverage has the counts 1 and 0. -v all=1 also prints
# functions that have not run; -v raws=1 prints only the map: `raw OFFSET
# ADDRESS NAME`.
function number_of(hex,   value, i) {
  hex = tolower(hex)
  sub(/^0x/, "", hex)
  for (i = 1; i <= length(hex); i++)
    value = value * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
  return value
}
function hex_of(value,   text, i) {
  if (value < 0) value += 4294967296
  for (i = 0; i < 16; i++) {
    text = substr("0123456789abcdef", value % 16 + 1, 1) text
    value = int(value / 16)
  }
  return "0x" text
}
function signed(value) {
  return value >= 2147483648 ? value - 4294967296 : value
}
function map32(at) {
  return map[at] + 256 * (map[at + 1] + 256 * (map[at + 2] + 256 * map[at + 3]))
}
function raw32(at) {
  return raw[at] + 256 * (raw[at + 1] + 256 * (raw[at + 2] + 256 * raw[at + 3]))
}
function low32(value) {
  value -= int(value / 4294967296) * 4294967296
  return value < 0 ? value + 4294967296 : value
}
# Addresses of 32-bit targets wrap around.
function address(distance,   value) {
  value = base + signed(distance)
  return hex_of(value >= 4294967296 && narrow ? value - 4294967296 : value)
}
function read_map(   wide, at, start, length_at, i) {
  wide = map32(20) != 24
  type = map32(8)
  for (at = wide ? 32 : 24; at < map_size; at += (8 - at % 8) % 8) {
    start = wide ? map32(16) - at : map32(at)
    raw_of[++n] = low32(map32(at + (wide ? 0 : 4)) - start)
    code[n] = address(low32(map32(at + 8) - start))
    at += wide ? 16 : 12
    length_at = at + 12 + 4 * map32(at + 8)
    # Skips the list of blocks that follow from others.
    if (type >= 64) length_at += 4 + 4 * map32(length_at)
    name[n] = ""
    for (i = 0; i < map32(length_at); i++)
      name[n] = name[n] sprintf("%c", map[length_at + 4 + i])
    at = length_at + 4 + i
    number[raw_of[n]] = n
  }
}
function read_counts(   i, count, time) {
  for (i = 1; i <= n; i++) {
    if (type % 2)
      count = raw[raw_of[i]] == 0
    else {
      count = raw32(raw_of[i])
      time = raw32(raw_of[i] + 4)
      if (count == 4294967295) count = 0
      # Samples count in advance: subtracts the calls that are still to come.
      else if (type >= 32) count -= signed(raw32(raw_of[i] + 8))
      if ((count == 0) != (time == 4294967295)) print "torn", name[i]
    }
    if (count || all)
      printf "%d call %s %s %d\n", type % 2 ? i : time, code[i],
        name[i], count | "sort -n | sed 's/^[0-9]* //'"
  }
  close("sort -n | sed 's/^[0-9]* //'")
}
function read_edges(at,   i, entry) {
  for (i = 0; i < raw32(at + 24); i++) {
    entry = at + 32 + 12 * i
    callee = number[raw32(entry)]
    print "edge", address(raw32(entry + 4)), code[callee], name[callee],
      raw32(entry + 8) | "sort"
  }
  close("sort")
  if (raw32(at + 28)) print "lost", raw32(at + 28)
}
FNR == 1 { file++ }
file == 1 { map[map_size++] = $1 + 0; next }
{ raw[raw_size++] = $1 + 0 }
END {
  base = number_of(begin)
  narrow = base < 4294967296
  for (i = 8; i < 16; i++)
    if (map[i] != raw[i]) { print "another build"; exit 1 }
  read_map()
  for (i = 1; i <= n && raws; i++) print "raw", raw_of[i], code[i], name[i]
  if (raws) exit
  read_counts()
  # Edges come after the raw section, with their own header.
  for (i = 24; i + 31 < raw_size; i += 8)
    if (raw32(i) == 1346981371 && raw[i + 6] == 4) read_edges(i)
}
