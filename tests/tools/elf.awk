# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the output of llvm-readobj --sections --program-headers --symbols
# --notes to the lines of `dump elf`.

# Returns the number in `Something (0x1)`, or the number itself.
function number(text) {
  sub(/^.*\(/, "", text)
  sub(/\).*$/, "", text)
  return text
}

function value(line) {
  sub(/^ *[A-Za-z ]*: ?/, "", line)
  return line
}

function name(line) {
  line = value(line)
  sub(/ ?\([0-9]+\)$/, "", line)
  return line
}

/^ *(Section|ProgramHeader|Symbol) \{$/ { kind = $1; delete field; next }
/^ *Name: / { field["name"] = name($0) }
/^ *Flags \[/ { field["Flags"] = number($0) }
/^ *(Type|Binding|Section): / {
  sub(/:/, "", $1)
  field[$1] = number($0)
}
/^ *(Index|Address|Offset|Size|Link|Info|Value): / {
  field[substr($1, 1, length($1) - 1)] = $2
}
/^ *(AddressAlignment|EntrySize|Alignment|FileSize|MemSize): / {
  field[substr($1, 1, length($1) - 1)] = $2
}
/^ *(VirtualAddress|PhysicalAddress): / {
  field[substr($1, 1, length($1) - 1)] = $2
}
/^ *Build ID: / { id = $3 }

# At the end of the structure itself, not of a list in it.
/^  \}$/ && kind == "Section" {
  print "section", field["Index"], field["name"], field["Type"],
    field["Flags"], field["Address"], field["Offset"], field["Size"],
    field["Link"], field["Info"], field["AddressAlignment"],
    field["EntrySize"]
}
/^  \}$/ && kind == "ProgramHeader" {
  print "segment", field["Type"], field["Offset"], field["VirtualAddress"],
    field["PhysicalAddress"], field["FileSize"], field["MemSize"],
    field["Alignment"]
}
/^  \}$/ && kind == "Symbol" {
  print "symbol", field["Type"] == "0x3" ? "-" : field["name"],
    field["Value"], field["Size"], field["Binding"], field["Type"],
    field["Section"]
}
/^  \}$/ { kind = "" }
END { if (id != "") print "id", id }
