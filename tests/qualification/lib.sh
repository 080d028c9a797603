# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the claims of docs/reference/claims.md, which says how they are written. Sourced,
# behind tests/lib.sh, in the top folder.

claims=docs/reference/claims.md

# claims_lines: what the page has, a line each:
#   claim NUMBER TITLE
#   test LABEL, and in FILE, - TEXT, + TEXT, by LABEL of the claim above
claims_lines() {
  awk '
    /^### [0-9]+\. / {
      number = $2
      sub(/\.$/, "", number)
      sub(/^### [0-9]+\. /, "")
      print "claim", number, $0
    }
    $0 == "```" { inside = 0 }
    inside { print }
    $0 == "```claim" { inside = 1 }' "$claims"
}

# claims_tests: NUMBER LABEL, of each test of each claim, none twice for one.
claims_tests() {
  claims_lines | awk '
    /^claim / { number = $2 }
    /^(test|by) / {
      sub(/^(test|by) /, "")
      line = number " " $0
      if (!seen[line]++) print line
    }'
}

# tier_of LABEL: the first word, which may end in a colon.
tier_of() {
  tier_word=${1%% *}
  echo "${tier_word%:}"
}

# claims_table: records as tests/mutants/lib.sh reads them, of their claims.
claims_table() {
  claims_lines | awk '
    /^claim / { number = $2; next }
    /^in / { print "\nof " number }
    /^(in |- |\+ )/ { print }
    /^by / {
      tier = $2
      sub(/:$/, "", tier)
      sub(/^by /, "")
      print "by", tier, $0
      print ""
    }'
}
