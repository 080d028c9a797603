# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the facts of a record, words with tabs between, to JSON.
function string(text,   part, count, i) {
  # gsub treats a backslash in the new text as an escape.
  count = split(text, part, /\\/)
  text = part[1]
  for (i = 2; i <= count; i++) text = text "\\\\" part[i]
  gsub(/"/, "\\\"", text)
  gsub(/[\001-\037]/, " ", text)
  return "\"" text "\""
}
# members NAMES: returns an object with the words after the first, with these
# names.
function members(names,   list, i, count, text) {
  count = split(names, list, " ")
  for (i = 1; i <= count; i++)
    text = text (i > 1 ? ", " : "") string(list[i]) ": " (list[i] == "claim" ? \
      $(i + 1) + 0 : string($(i + 1)))
  return "{" text "}"
}
function add(kind, text) {
  lists[kind] = lists[kind] (lists[kind] == "" ? "" : ",") "\n    " text
}
function list(kind) { return "[" lists[kind] "\n  ]" }
BEGIN { FS = "\t" }
$1 == "program" { add($1, members("name version")); next }
$1 == "hash" { add($1, members("sha256 file")); next }
$1 == "claim" { add($1, members("claim title")); next }
$1 == "test" { add($1, members("claim label result detail")); next }
$1 == "mutation" {
  add($1, members("claim file old new by result detail"))
  next
}
{ fact[$1] = $2; more[$1] = $3 }
END {
  print "{"
  print "  \"verdict\": " string(fact["verdict"]) ","
  print "  \"date\": " string(fact["date"]) ","
  print "  \"seconds\": " fact["seconds"] + 0 ","
  print "  \"version\": " string(fact["version"]) ","
  print "  \"commit\": " string(fact["commit"]) ","
  print "  \"changed\": " fact["changed"] + 0 ","
  print "  \"host\": " string(fact["host"]) ","
  print "  \"sums\": {\"file\": " string(fact["sums"]) ", \"sha256\": " \
    string(more["sums"]) "},"
  print "  \"claims\": " list("claim") ","
  print "  \"tests\": " list("test") ","
  print "  \"mutations\": " list("mutation") ","
  print "  \"used\": " list("hash") ","
  print "  \"programs\": " list("program")
  print "}"
}
