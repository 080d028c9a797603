# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes a twin of a csmith program, with a counter before each statement: csmith
# writes one statement on each line, and blocks in braces, except loops that
# fill arrays and conditions of a break, continue or goto. The twin writes how
# often these lines ran to the file `counts`.

BEGIN {
  print "#include <stdio.h>\n#include <stdlib.h>"
  print "static unsigned long ran[200000];\n#define P(line) ran[line]++"
}
/^(struct|union)/ && !/;/ { record = 1 }
/^}/ { record = 0 }
# A single statement below a loop or a condition gets braces.
{ opens = /^ +(for|if) \(/ }
/^ / && !record && (/;( *\/\*.*\*\/)? *$/ || /^ +if \(/) && !/^ *[#}{]/ {
  match($0, /^ +/)
  $0 = substr($0, 1, RLENGTH) (alone ? "{ " : "") "P(" NR "); " \
    substr($0, RLENGTH + 1) (alone ? " }" : "")
  list = list NR ","
}
/[^ ]/ { alone = opens }
{ print }
END {
  print "static const int all[] = {" list "};"
  print "static void print_counts(void) {"
  print "  FILE *to = fopen(\"counts\", \"w\");"
  print "  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)"
  print "    fprintf(to, \"%d %lu\\n\", all[i], ran[all[i]]);\n  fclose(to);\n}"
  print "__attribute__((constructor)) static void begin(void)"
  print "{ atexit(print_counts); }"
}
