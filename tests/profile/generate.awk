# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a random text profile: awk -v kind="ir values" -v functions=100 -v
# seed=1. kind: ir, cs (several hashes for a function), fe; values, vtables,
# bitmaps, strangers (many calls of unknown functions), bytes, loops, entry,
# traces, many (traces), stream (traces from more runs), zeros (most functions
# never ran), locals (some names have a file).

function has(what) { return index(" " kind " ", " " what " ") }
function random(n) { return int(rand() * n) }

# Shapes and hashes are the same for all seeds.
function shape(n) {
  state = (state * 69069 + 1) % 2147483648
  return int(state / 65536) % n
}

function name_of(i) {
  if (has("locals") && i % 3 == 0)
    return "file" i % 7 ".c;f" i
  return "f" i
}

function count() {
  if (has("bytes") || has("zeros"))
    return has("zeros") && zero ? 0 : random(2)
  return sprintf("%.0f", exp(rand() * 25) - 1)
}

function traces(i, j, n, line, step) {
  n = has("many") ? 70 : 3
  print ":temporal_prof_traces\n" n "\n" (has("stream") ? 20 + n : n)
  for (i = 1; i <= n; i++) {
    line = ""
    step = has("many") ? 30 : 5
    for (j = random(3); j < functions && j < 60; j += 1 + random(step))
      line = line name_of(j) ","
    print i * 2 "\n" line
  }
}

function target(i) {
  i = random(functions + 20)
  if (i >= functions)
    return "** External Symbol **"
  if (vtable)
    return "_ZTV" i
  return name_of(i)
}

# Values of a site differ, except values of unknown functions.
function site(n, i, value, seen) {
  n = random(6)
  if (random(20) == 0)
    n = 30
  delete seen
  count_of = 0
  for (i = 0; i < n; i++) {
    value = size ? random(600) : target()
    if (!(value in seen) || has("strangers") && value ~ /External/) {
      lines[++count_of] = value ":" random(50)
      seen[value] = 1
    }
  }
  print count_of
  for (i = 1; i <= count_of; i++)
    print lines[i]
}

function values(kinds, k, n) {
  kinds = has("vtables") ? 3 : 2
  print kinds
  for (k = 0; k < kinds; k++) {
    size = k == 1
    vtable = k == 2
    n = 1 + shape(3)
    print k "\n" n
    while (n--)
      site()
  }
}

function record(name, hash, n, i) {
  print name "\n" hash
  n = 1 + shape(6)
  print n
  for (i = 0; i < n; i++)
    print count()
  if (has("bitmaps") && shape(3) == 0) {
    n = 1 + shape(12)
    print "$" n
    for (i = 0; i < n; i++)
      print "0x" sprintf("%x", random(256))
  }
  if (has("values") && shape(3) == 0)
    values()
  print ""
}

BEGIN {
  srand(seed)
  print has("cs") ? ":csir" : has("ir") ? ":ir" : ":fe"
  if (has("entry"))
    print ":entry_first"
  if (has("loops"))
    print ":instrument_loop_entries"
  if (has("bytes"))
    print ":single_byte_coverage"
  if (has("traces"))
    traces()
  for (i = 0; i < functions; i++) {
    zero = random(4)
    hashes = has("cs") ? 1 + shape(i % 50 ? 4 : 200) : 1
    for (j = 0; j < hashes; j++) {
      hash = sprintf("%.0f%03d", shape(32768) * 30000, j)
      # Context-sensitive hashes have bit 60 set; awk adds in doubles.
      if (has("cs") && j % 2)
        hash = sprintf("1152921504606%.0f%03d", 847 + shape(1000), j)
      record(name_of(i), hash)
    }
  }
}
