# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes one random image for a seed: sources in the folder out, and its plan on
# standard output: `image WAY RELEASE LINKER LTO GC JOIN`, and a line for each
# object: `object SOURCE LEVEL COUNTERS PLACE`. COUNTERS plain: clang without
# the launcher. A third of the images have objects of one kind, some have kinds
# that fit together.

function below(n) { return int(rand() * n) }

function pick(list,   words) { return words[1 + below(split(list, words, " "))] }

# Returns a block of statements on x, which only ends at its end.
function block(depth, indent,   kind, text) {
  kind = below(depth > 2 ? 2 : 5)
  if (kind == 0)
    return indent "x = (x * 3 + " below(9) ") & 4095;\n"
  if (kind == 1)
    return indent "x ^= " (1 + below(6)) ";\n" block(depth + 1, indent)
  if (kind == 2)
    return indent "if (x % " (2 + below(4)) " == " below(2) ") {\n" \
      block(depth + 1, indent "  ") indent "} else {\n" \
      block(depth + 1, indent "  ") indent "}\n"
  if (kind == 3)
    return indent "for (int i = 0; i < " (1 + below(5)) "; i++) {\n" \
      block(depth + 1, indent "  ") indent "}\n"
  return indent "if (x > " below(40) " && (x & " (1 + below(7)) \
    ") != 0) {\n" block(depth + 1, indent "  ") indent "}\n"
}

function function_of(name, kind) {
  return kind " int " name "(int x) {\n" block(0, "  ") block(1, "  ") \
    "  return x & 1023;\n}\n"
}

# Objects with shared.h are in C++: the linker keeps one object's copy of its
# functions.
function unit(i, cxx,   file, text, n, f) {
  file = out "/u" i (cxx ? ".cpp" : ".c")
  n = 1 + below(3)
  text = cxx ? "#include \"shared.h\"\n" : ""
  for (f = 0; f < n; f++)
    text = text function_of("u" i "_" f, \
      cxx ? "extern \"C\"" : "__attribute__((noinline))")
  text = text function_of("u" i "_unused", cxx ? "extern \"C\"" : "extern")
  text = text (cxx ? "extern \"C\" " : "") "int u" i "(int x) {\n"
  for (f = 0; f < n; f++)
    text = text "  x += u" i "_" f "(x + " f ");\n"
  if (cxx)
    text = text "  x += shared(x) + of<1>(x);\n"
  printf "%s  return x & 1023;\n}\n", text >file
  return "u" i (cxx ? ".cpp" : ".c")
}

BEGIN {
  srand(seed)
  way = pick("host bss bss bss full lean")
  release = pick(releases)
  linker = pick("lld lld gnu")
  lto = release < 19 || below(4) ? "none" : pick("full thin")
  modes = "64 32 32-atomic 32-packed byte byte-bits byte-bytes trace plain"
  # The kinds of objects that an image of this way can have.
  own["host"] = "plain 64 32 32-atomic byte"
  own["bss"] = "64 32 32-atomic 32-packed byte byte-bits trace"
  own["full"] = "plain 32 32-atomic byte"
  own["lean"] = "plain 32 32-atomic 32-packed byte byte-bytes"
  place = way == "bss" ? "bss" : "sections"
  print "image", way, release, linker, lto, \
    release < 18 || below(2) ? "gc" : "all", \
    lto == "none" && !below(4) ? "joined" : "apart"
  count = 2 + below(3)
  mixed = below(3)
  if (mixed == 1)
    own[way] = "64 32 32-atomic" (way == "bss" ? "" : " plain")
  mode = pick(own[way])
  printf "#pragma once\n%s\ntemplate <int N> %s", \
    function_of("shared", "inline"), \
    function_of("of", "inline") >(out "/shared.h")
  odd = below(count)
  for (i = 0; i < count; i++) {
    m = mixed == 0 ? mode : mixed == 1 ? pick(own[way]) \
      : i == odd ? pick(modes) : mode
    p = mixed == 2 && i == odd && !below(4) \
      ? pick("bss sections") : place
    if (m == "trace")
      p = "bss"
    if (m == "plain")
      p = "sections"
    if (release < 19 && m ~ /bytes/)
      m = "byte-bits"
    print "object", unit(i, below(2)), pick("-O0 -O1 -O2 -Os"), m, p
  }
  for (i = 0; i < count; i++)
    calls = calls "  for (int i = 0; i < " (1 + below(9)) "; i++)\n" \
      "    x += u" i "(i);\n"
  for (i = 0; i < count; i++)
    declared = declared "int u" i "(int x);\n"
  printf "%sint program(void) {\n  int x = 1;\n%s  return x;\n}\n", declared, \
    calls >(out "/program.c")
}
