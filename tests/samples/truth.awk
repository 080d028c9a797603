# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -f truth.awk DISASSEMBLY TRUTH: prints totals of contexts, "TOTAL
# CONTEXT", from step.c's counts; DISASSEMBLY is llvm-profgen's, with probes. A
# context is cut at a call without a probe, or without a number, and has
# repetitions once.
function compress(frames, n,   size, kept, at, i) {
  for (size = 1; size <= n / 2; size++) {
    kept = size
    for (at = size; at < n; ) {
      for (i = 1; i <= size && at + size <= n; i++)
        if (frames[kept - size + i] != frames[at + i]) break
      if (i > size) at += size
      else frames[++kept] = frames[++at]
    }
    n = kept
  }
  return n
}
# Adds "main:5 @ foo:2" after earlier frames, unless a call is unknown.
function add(frames, n, text,   part, count, i) {
  count = split(text, part, " @ ")
  for (i = 1; i <= count; i++)
    if (part[i] ~ /:0$/) n = 0
    else frames[++n] = part[i]
  return n
}
function put(frames, n, leaf, count,   i, name) {
  n = compress(frames, n)
  for (i = 1; i <= n; i++) name = name frames[i] " @ "
  total[name leaf] += count
  return n
}
function copy(from, n, to,   i) {
  for (i = 1; i <= n; i++) to[i] = from[i]
  return n
}
FNR == NR && /\[Probe\]/ {
  inlined = ""
  if (match($0, /Inlined: @ .*/)) inlined = substr($0, RSTART + 11)
  sub(/ +$/, "", inlined)
  k = ++waiting
  probe[k] = $3 SUBSEP $5 SUBSEP $7 SUBSEP inlined
  next
}
FNR == NR {
  if (/^ *[0-9a-f]+:/) {
    address = $1
    sub(/:.*/, "", address)
    for (k = 1; k <= waiting; k++) {
      at[address, ++count_at[address]] = probe[k]
      split(probe[k], field, SUBSEP)
      if (field[3] != "Block" && !(address in call))
        call[address] = (field[4] == "" ? "" : field[4] " @ ") \
          field[1] ":" field[2]
    }
    waiting = 0
  }
  next
}
!($2 in count_at) { next }
{
  for (last = 3; last <= NF && $last in call; ) last++
  depth = 0
  for (i = last - 1; i >= 3; i--) depth = add(prefix, depth, call[$i])
  for (k = 1; k <= count_at[$2]; k++) {
    split(at[$2, k], field, SUBSEP)
    n = copy(prefix, depth, frames)
    if (field[4] != "") n = add(frames, n, field[4])
    n = put(frames, n, field[1], $1)
    if (field[3] == "Block" && field[2] == 1 && field[4] != "") {
      caller = frames[n]
      sub(/:[0-9]+$/, "", caller)
      put(frames, n - 1, caller, $1)
    }
  }
}
END { for (name in total) print total[name], name }
