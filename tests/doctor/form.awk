# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks the form of the doctor's text: 80 columns, one or two lines a finding
# (except lists of functions), errors first, and each finding says what is
# wrong; what to do. Prints violations.

function finish() {
  if (finding == "") return
  if (lines > 2 && finding !~ /D023|D078/) wrong(lines " lines: " finding)
  if (finding !~ /; [a-zI-]/) wrong("no mend: " finding)
  finding = ""
}

function wrong(what) {
  print what
  failed = 1
}

length($0) > 80 && !/^[^ ]*: / { wrong("more than 80 columns: " $0) }
/^(error|warning|note) *D/ {
  finish()
  rank = /^error/ ? 1 : /^warning/ ? 2 : 3
  if (rank < last) wrong("order: " $0)
  last = rank
  finding = $0
  lines = 1
  next
}
/^  [^ ]/ && finding != "" && !/^  (RAM|flash) / {
  sub(/^ +/, "")
  finding = finding " " $0
  lines++
  next
}
{ finish() }
END { finish(); exit failed }
