# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# C with COUNT decisions by chance, of SEED, one a line, each a function of its
# line. main takes LINE:VALUES of the conditions, such as 12:10-.
function part(conditions, outer,    left, operator, text) {
  if (conditions == 1)
    return (rand() < 0.3 ? "!w[" : "v[") next_condition++ "]"
  left = 1 + int(rand() * (conditions - 1))
  operator = rand() < 0.5 ? "&&" : "||"
  text = part(left, operator) " " operator " " part(conditions - left, operator)
  return operator == outer && rand() < 0.7 ? text : "(" text ")"
}
BEGIN {
  srand(SEED)
  print "#include <stdlib.h>"
  print "#include <string.h>"
  for (i = 0; i < COUNT; i++) {
    next_condition = 0
    text = part(2 + int(rand() * (MOST - 1)), "")
    print "static int f" i + 3 "(const char *v, const char *w) { return (" \
      text ") ? 1 : 2; }"
  }
  print "int main(int count, char **words) {"
  print "  for (int i = 1; i < count; i++) {"
  print "    char v[64] = \"\", w[64] = \"\", *values = strchr(words[i], 58);"
  print "    for (int k = 0; *++values; k++) w[k] = !(v[k] = *values == 49);"
  print "    switch (atoi(words[i])) {"
  for (i = 0; i < COUNT; i++)
    print "    case " i + 3 ": f" i + 3 "(v, w); break;"
  print "    }"
  print "  }"
  print "}"
}
