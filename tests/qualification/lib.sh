# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the claims: their titles from docs/reference/claims.md, their tests and mutations
# from tests/qualification/table, which says how they are written. Sourced, after
# tests/lib.sh, in the top folder.

claims=docs/reference/claims.md
claims_rows=tests/qualification/table

# claims_lines: what both files have, a line each:
#   claim NUMBER TITLE
#   test LABEL, and in FILE, - TEXT, + TEXT, by LABEL of the claim above
# A claim that is only in one of the files has no title, or no other line.
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
