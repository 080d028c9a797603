# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the claims: titles from docs/reference/claims.md, tests and mutations
# from tests/qualification/table, whose head describes the format. Source this
# file after tests/lib.sh, in the top folder.

claims=docs/reference/claims.md
claims_rows=tests/qualification/table

# claims_lines: prints the contents of both files as lines:
#   claim NUMBER TITLE
#   test LABEL, and in FILE, - TEXT, + TEXT, by LABEL of the claim above
# A claim that is missing in one file has no title, or no other line.
claims_lines() {
  awk '
    NR == FNR {
      if (/^### [0-9]+\. /) {
        number = $2
        sub(/\.$/, "", number)
        sub(/^### [0-9]+\. /, "")
        titles[number] = $0
      }
      next
    }
    /^#/ { next }
    /^claim [0-9]+$/ {
      print "claim", $2, titles[$2]
      delete titles[$2]
      next
    }
    { print }
    END { for (number in titles) print "claim", number, titles[number] }' \
    "$claims" "$claims_rows"
}

# claims_tests: prints NUMBER LABEL for each test of each claim, each once.
claims_tests() {
  claims_lines | awk '
    /^claim / { number = $2 }
    /^(test|by) / {
      sub(/^(test|by) /, "")
      line = number " " $0
      if (!seen[line]++) print line
    }'
}

# tier_of LABEL: prints its first word, without a colon.
tier_of() {
  tier_word=${1%% *}
  echo "${tier_word%:}"
}

# claims_table: prints the claims' mutations as records for
# tests/mutants/lib.sh.
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
