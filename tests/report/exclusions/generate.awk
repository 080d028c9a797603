# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints a C program of COUNT lines with random markers (SEED). Each line is
# code, every second one with a branch. FAMILY: lcov's or gcovr's markers.
# ENDING=crlf: lines end with CR LF.
BEGIN {
  srand(SEED)
  words = split("LINE START STOP START STOP BR_LINE BR_START BR_STOP " \
    "BR_START BR_STOP LINES BR_SOURCE", word, " ")
  prefixes = split(FAMILY == "lcov" ? "LCOV LCOV LCOV XLCOV GCOV GCOVR" : \
    "GCOVR GCOVR GCOV LCOVR XGCOVR", prefix, " ")
  end("#include <stdio.h>")
  end("static int n;")
  end("static void see(const char *text) { n += *text != 0; }")
  end("int main(int argc, char **argv) {")
  end("  (void)argv;")
  for (i = 0; i < COUNT; i++) {
    text = ""
    many = int(rand() * 9)
    many = many < 4 ? 0 : many < 7 ? 1 : many - 5
    while (many-- > 0)
      text = text (rand() < 0.5 ? " " : "") pick(prefix, prefixes) "_EXCL_" \
        pick(word, words) (rand() < 0.5 ? ": why " i : "")
    code = i % 2 ? "if (argc > " int(rand() * 3) ") n++;" : "n += argc;"
    form = text == "" ? 3 : int(rand() * 4)
    if (form == 0) end("  " code " //" text)
    if (form == 1) end("  " code " /*" text " */ n--;")
    if (form == 2) end("  see(\"" text "\"); " code)
    if (form == 3) end("  " code text_only(text))
  }
  end("  return n < 0;")
  end("}")
}
function pick(list, count) { return list[1 + int(rand() * count)] }
function text_only(text) { return text == "" ? "" : " /*" text "*/" }
function end(text) { printf "%s%s", text, ENDING == "crlf" ? "\r\n" : "\n" }
