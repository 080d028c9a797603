# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a random sample profile as text: awk -v seed=1 -v functions=9 -f this
#   -v deep=N     what is inlined, up to N deep
#   -v frames=N   contexts, of up to N callers
#   -v lines=1    of lines: no checksums
#   -v decided=1  attributes say what is to be inlined
#   -v plain=1    no name that is unique to its file
# Totals repeat, so that names and contexts decide about the order.
function up_to(most) { return int(rand() * (most + 1)) }

function name() {
  number = up_to(40)
  return "f" number substr("abcdefghijklmnopqrst", 1, number % 20) \
    (number % 3 || plain ? "" : ".__uniq.12345678901234567890")
}

function site() {
  return up_to(3) ? up_to(30) + 1 : up_to(65000) "." up_to(400) + 1
}

# A function has one checksum in all of its contexts.
function metadata(indent) {
  if (!lines)
    print indent "!CFGChecksum: " (frames ? leaf * 12345678 : up_to(1000000000))
  if (frames && up_to(1)) print indent "!Attributes: " up_to(1) * 4 + 1
  else if (decided && up_to(1)) print indent "!Attributes: " up_to(7)
}

function body(depth, indent,    used, i, at, to, count, targets) {
  for (i = up_to(5); i >= 0; i--) {
    at = site()
    if (at in used) continue
    used[at]
    printf "%s%s: %d", indent, at, up_to(3) ? up_to(500) : up_to(90000000)
    targets = " "
    for (count = up_to(6) - 3; count > 0; count--) {
      to = name()
      if (index(targets, " " to ":")) continue
      targets = targets to ":" up_to(9) " "
    }
    sub(/ $/, "", targets)
    print targets
  }
  for (i = depth < deep ? up_to(3) : 0; i > 0; i--) {
    at = site() ": " name()
    if (at in used) continue
    used[at]
    print indent at ":" up_to(9000)
    body(depth + 1, indent " ")
  }
  metadata(indent)
}

BEGIN {
  srand(seed)
  while (made < functions) {
    text = frames ? name() : "top" made (made % 7 || plain ? "" : ".__uniq.1")
    leaf = number
    for (i = frames ? up_to(frames) : 0; i > 0; i--)
      text = name() ":" site() " @ " text
    if (text in seen) continue
    seen[text]
    made++
    print (frames ? "[" text "]" : text) ":" up_to(functions) ":" up_to(999)
    body(0, " ")
  }
}
