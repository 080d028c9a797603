# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the input is one JSON value (RFC 8259) with nothing after it.
# Prints the code and severity of each finding, as in the text, or prints what
# is wrong, and fails.

function fail(what) {
  print "JSON: " what " before: " substr(text, 1, 40)
  failed = 1
  exit 1
}

# Removes the matching start of the text.
function take(pattern) {
  sub(/^[ \t\r\n]+/, "", text)
  if (!match(text, "^(" pattern ")")) return 0
  token = substr(text, 1, RLENGTH)
  text = substr(text, RLENGTH + 1)
  return 1
}

function string() {
  if (!take("\"([^\"\\\\]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F][0-9a-fA-F]" \
    "[0-9a-fA-F][0-9a-fA-F])*\"")) return 0
  if (token ~ /[\001-\037]/) fail("a control character")
  return 1
}

function value(   key) {
  if (string() || take("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?") ||
      take("true|false|null")) return
  if (take("\\[")) {
    if (take("\\]")) return
    do value(); while (take(","))
    if (!take("\\]")) fail("no ]")
  } else if (take("\\{")) {
    if (take("\\}")) return
    do {
      if (!string()) fail("no key")
      key = token
      if (!take(":")) fail("no colon")
      value()
      if (key == "\"code\"") code = token
      if (key == "\"severity\"") found = found token code "\n"
    } while (take(","))
    if (!take("\\}")) fail("no }")
  } else
    fail("no value")
}

{ text = text $0 "\n" }
END {
  if (failed) exit 1
  value()
  if (text !~ /^[ \t\r\n]*$/) fail("something follows")
  gsub(/"/, " ", found)
  printf "%s", found
}
