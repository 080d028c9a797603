# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# marks.awk LCOV SOURCE...: prints each line whose count is not its mark, and
# each line after the end of its source.
function base(name) { sub(/.*\//, "", name); return name }
FNR == 1 { file = base(FILENAME) }
NR != FNR { lines[file] = FNR }
NR == FNR && /^SF:/ { of = base($0) }
NR == FNR && /^DA:/ {
  split(substr($0, 4), part, ",")
  count[of, part[1]] = part[2]
}
NR == FNR { next }
/\/\/= [0-9]+$/ {
  marks++
  want = $NF
  got = (file, FNR) in count ? count[file, FNR] : "none"
  if (got != want) {
    print file ":" FNR ": " got ", not " want
    bad = 1
  }
}
END {
  for (place in count) {
    split(place, part, SUBSEP)
    if (part[1] in lines && part[2] > lines[part[1]]) {
      print part[1] ":" part[2] ": there is no such line"
      bad = 1
    }
  }
  exit bad || !marks
}
