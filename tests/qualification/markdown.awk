# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the facts of a record, words with tabs between, to Markdown.
function code(text) {
  gsub(/\|/, "\\|", text)
  return "`` " text " ``"
}
# Returns the worst result of a claim's tests and mutations.
function worse(number) {
  if ($1 == "test" && $4 == "ok" || $1 == "mutation" && $7 == "noticed")
    return
  state[number] = "**failed**"
}
BEGIN { FS = "\t" }
$1 == "program" { programs = programs "| " $2 " | " $3 " |\n"; next }
$1 == "hash" { hashes = hashes "| " $3 " | `" $2 "` |\n"; next }
$1 == "claim" { title[$2] = $3; next }
$1 == "test" {
  if (!($2 in state)) { state[$2] = "ok"; order[++count] = $2 }
  worse($2)
  tests[$2] = tests[$2] "| " code($3) " | " $4 ": " $5 " |\n"
  next
}
$1 == "mutation" {
  worse($2)
  gsub(/\|/, "\\|", $8)
  mutations[$2] = mutations[$2] "\n" $7 ": in `" $3 "`, by `" $6 "`: " $8 \
    "\n\n    - " $4 "\n    + " $5 "\n"
  next
}
{ fact[$1] = $2; more[$1] = $3 }
END {
  print "# Qualification record of bareprof\n"
  print "**" fact["verdict"] "**: " count " claims, on " fact["date"] ", in " \
    int(fact["seconds"] / 60) " min " fact["seconds"] % 60 " s.\n"
  print "| what | of which |\n|---|---|"
  print "| tool | " fact["version"] " |"
  print "| commit | " fact["commit"] " |"
  print "| files changed since the commit | " fact["changed"] " |"
  print "| host | " fact["host"] " |"
  print "| SHA-256 of `" fact["sums"] "` | `" more["sums"] "` |"
  print "\nThat file has the SHA-256 of each source, test and result; " \
    "`sha256sum -c --ignore-missing` checks it.\n"
  print "| claim | |\n|---|---|"
  for (i = 1; i <= count; i++)
    print "| " order[i] ". " title[order[i]] " | " state[order[i]] " |"
  for (i = 1; i <= count; i++) {
    n = order[i]
    print "\n## " n ". " title[n] "\n\n| test | |\n|---|---|"
    printf "%s", tests[n]
    printf "%s", mutations[n]
  }
  print "\n## What the tests used\n\n| file | SHA-256 |\n|---|---|"
  printf "%s", hashes
  print "\n## Programs\n\n| program | version |\n|---|---|"
  printf "%s", programs
}
