# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes C with COUNT random decisions from SEED, one on each line, each in a
# function named by its line. main takes LINE:VALUES of the conditions, such as
# 12:10-. With REPEAT conditions share variables: LINE=VALUES gives the
# variables, and main rejects values of conditions that contradict each other.
function condition(    form, contrary) {
  form = int(rand() * 4)
  contrary = rand() < 0.4
  variable = next_condition++
  if (REPEAT && rand() < 0.5) variable = int(rand() * next_condition)
  reads = reads variable (contrary ? "-" : "+")
  if (!REPEAT) return (contrary ? "!w[" : "v[") variable "]"
  if (form == 0) return "v[" variable (contrary ? "] == 0" : "] != 0")
  if (form == 1) return "(" (contrary ? "!(v[" : "(v[") variable "]))"
  if (form == 2) return (contrary ? "!(v[" : "(v[") variable "] != 0)"
  return (contrary ? "!v[" : "v[") variable "]"
}
function part(conditions, outer,    left, operator, text) {
  if (conditions == 1) return condition()
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
    reads = ""
    text = part(2 + int(rand() * (MOST - 1)), "")
    print "static int f" i + 3 "(const char *v, const char *w) { return (" \
      text ") ? 1 : 2; }"
    all = all "    case " i + 3 ": reads = \"" reads "\"; break;\n"
  }
  print "int main(int count, char **words) {"
  print "  for (int i = 1; i < count; i++) {"
  print "    char v[64], w[64], *values = strpbrk(words[i], \":=\");"
  print "    const char *reads = \"-\";"
  print "    int direct = *values == 61;"
  print "    memset(v, 2, 64);"
  print "    switch (atoi(words[i])) {"
  print all "    }"
  print "    for (int n = 0; *++values; n++, reads += 2 * !direct) {"
  print "      int k = direct ? n : *reads - 48, value = *values == 49;"
  print "      if (*values == 45) continue;"
  print "      if (!*reads) break;"
  print "      value ^= " (REPEAT ? "(reads[1] == 45) & !direct" : 0) ";"
  print "      if (v[k] + value == 1) return 3;"
  print "      w[k] = !(v[k] = value);"
  print "    }"
  print "    for (int k = 0; k < 64; k++) if (v[k] == 2) w[k] = !(v[k] = 0);"
  print "    switch (atoi(words[i])) {"
  for (i = 0; i < COUNT; i++)
    print "    case " i + 3 ": f" i + 3 "(v, w); break;"
  print "    }"
  print "  }"
  print "}"
}
