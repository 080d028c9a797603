# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that all input is one JSON document (RFC 8259): replaces each complete
# value with v, from the inside out.
{ text = text $0 "\n" }

END {
  gsub(/\\u[0-9a-f][0-9a-f][0-9a-f][0-9a-f]/, "u", text)
  gsub(/"([^"\\[:cntrl:]]|\\["\\\/bfnrt])*"/, "s", text)
  gsub(/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "v", text)
  gsub(/true|false|null/, "v", text)
  gsub(/[ \t\n\r]/, "", text)
  while (gsub(/\{\}|\{s:[sv](,s:[sv])*\}|\[\]|\[[sv](,[sv])*\]/, "v", text))
    continue
  if (text != "v") {
    print "no JSON: " substr(text, 1, 60)
    exit 1
  }
}
