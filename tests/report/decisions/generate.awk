# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes COUNT functions of random decisions, the same for the same SEED, to
# compare the compiler's warnings with bareprof's findings.

function pick(n) { return int(rand() * n) }
function leaf() { return substr("abcd", 1 + pick(4), 1) }
# A line break in some places.
function blank() { return pick(8) ? " " : "\n      " }

# Returns an expression that is not && or || itself.
function operand(depth, kind) {
  kind = pick(depth > 0 ? 12 : 4)
  if (kind < 4) return leaf()
  if (kind == 4) return "!" leaf()
  if (kind == 5) return "f(" any(depth - 1) ")"
  if (kind == 6) return "IS(" leaf() ")"
  if (kind == 7) return "(" leaf() " ? " any(depth - 1) " : " leaf() ")"
  if (kind == 8) return leaf() " > " leaf()
  if (kind == 9) return "(" logical(depth - 1) ")"
  if (kind == 10) return "!(" logical(depth - 1) ")"
  return "BOTH(" leaf() ", " operand(depth - 1) ")"
}
function logical(depth, count, text, sign) {
  count = 2 + pick(2)
  sign = pick(2) ? "&&" : "||"
  text = operand(depth)
  while (--count) text = text blank() sign " " operand(depth)
  return text
}
function any(depth) { return pick(3) ? logical(depth) : operand(depth) }

function statement(depth, kind) {
  kind = pick(depth > 0 ? 9 : 4)
  if (kind == 0) return "a = " any(2) ";"
  if (kind == 1) return "f(" any(2) ");"
  if (kind == 2) return "if (" any(2) ") return 1;"
  if (kind == 3) return "b = " leaf() " ? " any(1) " : " any(1) ";"
  if (kind == 4) return "if (" any(2) ") " statement(depth - 1) \
    "\n  else " statement(depth - 1)
  if (kind == 5) return "while (" any(2) ") {" statement(depth - 1) "}"
  if (kind == 6) return "do {" statement(depth - 1) "} while (" any(2) ");"
  if (kind == 7) return "for (; " any(2) "; a--) " statement(depth - 1)
  return "switch (a) { case 1: " statement(depth - 1) " break;\n  default: " \
    statement(depth - 1) "}"
}

BEGIN {
  srand(SEED)
  print "_Bool f(int);"
  print "#define BOTH(x, y) ((x) && (y))"
  print "#define IS(x) ((x) > 3)"
  for (i = 0; i < COUNT; i++) {
    print "int d" i "(int a, int b, int c, int d) {"
    for (k = 1 + pick(5); k; k--) print "  " statement(2)
    print "  return a + b;\n}"
  }
}
