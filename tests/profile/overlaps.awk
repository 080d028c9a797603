# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the output of llvm-profdata overlap, or bareprof overlap, to the same
# lines: kind, overlap, sums, and data that is mismatched or only in B, for the
# program and for each function.

function flush(i) {
  for (i = 1; i <= kinds; i++)
    print who, kind[i], overlap[i], a[i], b[i], mismatched[i] + 0, only[i] + 0
  kinds = 0
}

BEGIN {
  short["edge"] = "Edge"
  short["indirect"] = "IndirectCall"
  short["memory"] = "MemOP"
  short["vtables"] = "VTable"
}

# ---- llvm-profdata's ----

/^Program level:/ { flush(); who = "all" }
/^Function level:/ { flush(); who = "" }
/^  Function: / { who = $2 " " substr($3, 7, length($3) - 7) }
/^  # of edge counters overlap:/ { print who, "counters", $NF }
/^  # of functions overlap:/ { print "both", $NF }
/^  # of functions mismatch:/ { print "mismatched", $NF }
/^  # of functions only in test_profile:/ { print "only_b", $NF }
/ profile overlap: / { kind[++kinds] = $1; overlap[kinds] = $NF
  mismatched[kinds] = only[kinds] = 0 }
/^  Mismatched count percentage/ { mismatched[kinds] = $NF }
/^  Percentage of .* profile only in/ { only[kinds] = $NF }
/ profile base count sum: / { a[kinds] = $NF }
/ profile test count sum: / { b[kinds] = $NF }

# ---- ours ----

/^A  / { who = "all" }
/^  in both: / { print "both", $NF }
/^  in A with another hash or shape: / { if ($NF) print "mismatched", $NF }
/^  only in B: / { if ($NF) print "only_b", $NF }
/^[^ ]/ && named && !/^Functions/ { flush(); who = $1; named = 0 }
/^$/ { named = 1 }
/^  hash [0-9]*, counters: / { who = who " " substr($2, 1, length($2) - 1)
  print who, "counters", $NF }
/^  (edge counters|indirect calls|memory operations|vtables) / {
  kind[++kinds] = short[$1]
  i = $1 == "vtables" ? 2 : 3
  overlap[kinds] = $i
  a[kinds] = $(i + 1)
  b[kinds] = $(i + 2)
  mismatched[kinds] = $(i + 3)
  only[kinds] = $(i + 4)
}

END { flush() }
