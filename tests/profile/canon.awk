# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts llvm-profdata's text of a profile to the lines of print.c: a line for
# each record, flag and trace; the values of a site are in the order of their
# text.

function next_line() {
  while ((more = (getline line)) > 0)
    if (line != "" && line !~ /^#/)
      return 1
  return 0
}

function take() {
  if (held)
    held = 0
  else
    more = next_line()
  return more
}

function read_traces(  i) {
  take(); traces = line + 0
  take()
  if (traces)
    print "runs " line
  for (i = 0; i < traces; i++) {
    take(); weight = line
    take(); print "trace " weight " " line
  }
}

function sorted(n,  i, j, t, text) {
  for (i = 2; i <= n; i++)
    for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
      t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
    }
  text = ""
  for (i = 1; i <= n; i++)
    text = text " " values[i]
  return text
}

function read_kinds(  kinds, kind, sites, n, i, j, k) {
  kinds = line + 0
  for (i = 0; i < kinds; i++) {
    take(); kind = line + 0
    take(); sites = line + 0
    for (j = 0; j < sites; j++) {
      take(); n = line + 0
      for (k = 1; k <= n; k++) {
        take(); values[k] = line
      }
      record = record " site " kind sorted(n)
    }
  }
}

# A bitmap, or a number of value kinds, may follow the counters; else a name.
function read_record(  n, i) {
  record = "function " line
  take(); record = record " " line
  take(); n = line + 0
  for (i = 0; i < n; i++) {
    take(); record = record " " line
  }
  if (take() && line ~ /^\$/) {
    n = substr(line, 2) + 0
    if (n)
      record = record " bitmap"
    for (i = 0; i < n; i++) {
      take(); record = record " " hex(line)
    }
    take()
  }
  if (more && line ~ /^[0-9]+$/)
    read_kinds()
  else
    held = 1
  print record
}

function hex(text,  i, value) {
  if (text !~ /^0x/)
    return text + 0
  value = 0
  for (i = 3; i <= length(text); i++)
    value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
  return value
}

BEGIN {
  while (take()) {
    if (line == ":temporal_prof_traces") {
      print "flag temporal_prof_traces"
      read_traces()
    } else if (line == ":csir") {
      print "flag ir\nflag csir"
    } else if (line ~ /^:/) {
      print "flag " substr(line, 2)
    } else {
      read_record()
      if (held && !more)
        exit
    }
  }
}
