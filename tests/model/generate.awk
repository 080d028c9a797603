# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# awk -v seed=N -v plus=0 -v header=NAME.h -f generate.awk: writes a random
# program in C, or in C++ with plus=1, and its header: macros in macros,
# decisions, constants, loops, switches, jumps, unused functions; templates and
# lambdas in C++. `fuel` ends all loops.

function pick(n) { return int(rand() * n) }

function line(text) { printf "%*s%s\n", 2 * depth, "", text }

# Returns a condition without && and ||.
function atom(n) {
  n = pick(20)
  if (n < 4) return "x > " pick(9)
  if (n < 8) return "(x & " 2 ^ pick(5) ")"
  if (n < 10) return "y < x"
  if (n < 11) return "!y"
  if (n < 12) return "ODD(x)"
  if (n < 13) return "ODD(TWICE(y) + x)"
  if (n < 14) return constants ? "1" : "x"
  if (n < 15) return constants ? "0" : "y"
  if (n < 16) return "LIMIT > 3"
  if (n < 17) return "call(x) > 4"
  if (n < 18) return "BETWEEN(y, 2, x)"
  return "x != " pick(6)
}

function decision(levels, n) {
  n = pick(levels > 0 ? 10 : 4)
  if (n < 4) return atom()
  if (n < 5 && negates) return "!(" decision(levels - 1) ")"
  if (n < 7) return "(" decision(levels - 1) " && " decision(levels - 1) ")"
  if (n < 9) return "(" decision(levels - 1) " || " decision(levels - 1) ")"
  return "EITHER(" atom() ", " decision(levels - 1) ")"
}

function block(levels, n) {
  depth++
  for (n = pick(3) + 1; n > 0; n--) statement(levels)
  depth--
}

function loop(head, levels) {
  line(head " {")
  block(levels - 1)
  if (!pick(4)) line("  if (" decision(1) ") break;")
  if (!pick(4)) line("  if (" atom() ") continue;")
  line("  x++;")
  line("}")
}

function switches(levels, n) {
  line("switch (x % 5) {")
  for (n = 0; n < 4; n++) {
    line("case " n ":")
    if (!pick(3)) continue
    block(levels - 1)
    if (pick(2)) line("  break;")
  }
  line("default:")
  line("  x--;")
  line("}")
}

function statement(levels, n) {
  n = pick(levels > 0 ? 19 : 5)
  if (n < 2) line("x += " pick(7) ";")
  else if (n < 3) line("y = " decision(2) " ? x : y + 1;")
  else if (n < 4) line("CHECK(" atom() ");")
  else if (n < 5) line("total += ODD(x) + " decision(2) ";")
  else if (n < 9) {
    line("if (" decision(3) ") {")
    block(levels - 1)
    if (pick(2)) {
      line("} else if (" decision(2) ") {")
      block(levels - 1)
    }
    if (pick(2)) {
      line("} else {")
      block(levels - 1)
    }
    line("}")
  } else if (n < 11) loop("for (int i = 0; i < 3 && fuel-- > 0; i++)", levels)
  else if (n < 12) loop("while (fuel-- > 0 && " decision(2) ")", levels)
  else if (n < 14) switches(levels)
  else if (n < 15) {
    line("do {")
    block(levels - 1)
    line("} while (fuel-- > 0 && " atom() ");")
  } else if (n < 16) {
    line("if (" atom() ") goto out;")
  } else if (n < 17) {
    line("#if 0")
    line("x = never(x);")
    line("#endif")
  } else if (n < 18 && plus) {
    line("{")
    line("  auto some = [&](int z) { return z > 2 || " atom() "; };")
    line("  if (some(x)) y++;")
    line("}")
  } else line("REPEAT(x += " pick(3) ");")
}

function body(name, n) {
  depth = 0
  line(name "(int x, int y) {")
  block(4)
  depth = 1
  line("goto out;")
  depth = 0
  line("out:")
  line("  return x + y;")
  line("}")
}

BEGIN {
  srand(seed)
  constants = pick(2)
  negates = v < 22 && pick(2)
  print "#include <stdio.h>"
  print "#define LIMIT " pick(8)
  print "#define ODD(n) ((n) & 1)"
  print "#define TWICE(n) ((n) + (n))"
  print "#define BETWEEN(a, n, b) ((a) < (n) && (n) <= TWICE(b))"
  print "#define EITHER(a, b) ((a) || (b))"
  print "#define CHECK(c) do { if (!(c)) total++; } while (0)"
  print "#define REPEAT(s) for (int k = 0; k < 2; k++) { s; if (ODD(k)) total++; }"
  print "static int fuel = 4000, total;"
  print "static inline int call(int x) { return x > 3 ? x - 1 : TWICE(x); }"
  print "static inline int idle(int x) { return x && idle(x - 1); }"
  print "int unused(int x) { return x && unused(x - 1); }"
  print "#include \"" header "\""
  if (plus) {
    print "template <class T, int N> struct box {"
    print "  T v;"
    print "  int get(int x, int y) {"
    depth = 1
    block(2)
    print "    if (v > 0 && N > 2) return x;"
    print "    out:"
    print "    return (int)v + y;"
    print "  }"
    print "};"
  }
  count = pick(3) + 2
  for (n = 0; n < count; n++) body((pick(2) ? "static " : "") "int f" n)
  print "int main(void) {"
  print "  int sum = 0;"
  print "  for (int i = 0; i < " 3 + pick(8) "; i++) {"
  for (n = 0; n < count; n++)
    print "    sum += f" n "(i, " pick(6) " - i) & 255; fuel = 300;"
  if (plus) {
    print "    box<int, 2> a{i}; box<double, 3> b{i * 0.5};"
    print "    sum += a.get(i, 2) + b.get(3, i);"
  }
  print "  }"
  print "  printf(\"%d %d\\n\", sum & 255, total & 255);"
  print "  return 0;"
  print "}"
  depth = 0
  print "static inline int within(int x, int y) {" > (folder "/" header)
  print "  return " decision(3) " ? x : y;" > (folder "/" header)
  print "}" > (folder "/" header)
}
