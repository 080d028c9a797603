# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the output of llvm-profdata show to the lines of told.c.

function last() { return $NF }

/^  [^ ].*:$/ && !/^  Value sites histogram/ && !/^  Total/ {
  name = substr($0, 3, length($0) - 3)
}
/^    Hash: / { hash = $2; first = "" }
/<Pseudo/ {
  print "record\t" name "\t" hash "\t" (/Hot/ ? "hot" : "warm")
}
/^    Function count: / { first = $3 ", " }
/^    Block counts: / {
  text = first substr($0, index($0, "[") + 1)
  gsub(/[],]/, "", text)
  sub(/ $/, "", text)
  print "record\t" name "\t" hash "\t" text
}
/^    Indirect Target Results/ { kind = "call" }
/^    VTable Results/ { kind = "vtable" }
/^    Memory Intrinsic Size Results/ { kind = "memop" }
/^\t\[ / {
  # [  0, name,         33 ] (100.00%); a name may have commas.
  text = substr($0, index($0, "[") + 1)
  at = text + 0
  text = substr(text, index(text, ",") + 1)
  match(text, /, *[0-9]+ \]/)
  value = substr(text, 1, RSTART - 1)
  gsub(/^ +/, "", value)
  count = substr(text, RSTART + 1) + 0
  print "value\t" name "\t" hash "\t" kind "\t" at "\t" value "\t" \
    sprintf("%.0f", count)
}
/^Total functions: / { print "records " last() }
/^Maximum function count: / { print "first " last() }
/^Maximum internal block count: / { print "others " last() }
/^Total number of blocks: / { print "counters " last() }
/^Total count: / { print "total " last() }
/, max count = / { print "top " ++top " " last() }
/^Statistics for/ { kind = /indirect/ ? "call" : /vtable/ ? "vtable" : "memop" }
/^  Total number of sites: / { sites = last() }
/^  Total number of sites with values: / { with = last() }
/^  Total number of profiled values: / {
  if (sites + 0)
    print "sites " kind " " sites " " with " " last()
}
/^\t[0-9]+, [0-9]+$/ { print "histogram " kind " " $1 + 0 " " $2 }
/ with count >= .* account for / {
  match($0, />= [0-9]+/)
  print "cutoff " ++cutoffs " " substr($0, RSTART + 3, RLENGTH - 3) " " $1
}
/^  Temporal Profile Trace [0-9]/ {
  weight = $5
  gsub(/[^0-9]/, "", weight)
  print "trace " ++traces " " weight
}
/^Temporal Profile Traces / {
  in_traces = 1
  sub(/.*seen=/, "")
  if ($0 + 0)
    print "runs " $0 + 0
}
in_traces && /^    / { print "called " traces " " substr($0, 5) }
/^Binary IDs/ { in_ids = 1 }
in_ids && /^[0-9a-f]+$/ { print "id " $0 }
