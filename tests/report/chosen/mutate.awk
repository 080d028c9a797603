# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints mutations of single lines of C, in a pseudo-random order that is always
# the same: KIND FILE LINE HOW TEXT, tabs between. KIND: code, or data for
# constants of tables and initialisers. HOW: change, delete, insert.

function chance() { return seed = seed * 16807 % 2147483647 }

function put(kind, how, text) {
  printf "%d\t%s\t%s\t%d\t%s\t%s\n", chance(), kind, FILENAME, FNR, how, text
}

# Prints a mutation that replaces text at a place of the line.
function other(kind, at, size, text) {
  put(kind, "change", substr($0, 1, at - 1) text substr($0, at + size))
}

# Changes all constants: numbers grow, characters become the next ones.
function constants(kind,   at, rest, text) {
  for (at = 1; match(rest = substr($0, at), constant);) {
    text = substr(rest, RSTART, RLENGTH)
    at += RSTART - 1
    if (substr($0, at - 1, 1) ~ /[A-Za-z_]/ && text ~ /^[0-9]/)
      ; # of a name
    else if (text ~ /^0x/)
      other(kind, at + RLENGTH - 1, 1, text ~ /0$/ ? "1" : "0")
    else if (text ~ /^[0-9]/)
      other(kind, at, RLENGTH, text + 1)
    else
      other(kind, at + 1, 1, substr(text, 2, 1) == "k" ? "q" : "k")
    at += length(text)
  }
}

function operators(   i, at) {
  for (i = 1; i in from; i++)
    if (at = index($0, from[i]))
      other("code", at, length(from[i]), to[i])
}

BEGIN {
  seed = 20261
  constant = "'[^'\\\\]'|\"[^\"\\\\%]+\"|0x[0-9A-F]+|[0-9]+"
  split(" < ; <= ; > ; >= ; == ; != ; + ; - ; * ; % ; && ; || ; += ;++;--",
        from, ";")
  split(" <= ; < ; >= ; > ; != ; == ; - ; + ; + ; * ; || ; && ; -= ;--;++",
        to, ";")
}
FNR == 1 { table = 0 }
/^ *(\/\*|\*|$|#)/ { next }
/^[}a-z][^()]*=/ { table = 1 }
table { constants("data"); if (/;$/) table = 0; next }
/^[^ ]/ { next } # heads of functions, and their ends
{
  constants("code")
  operators()
}
match($0, /if \(.*\)( \{)?$/) {
  text = substr($0, RSTART)
  end = text ~ /\{$/ ? " {" : ""
  other("code", RSTART, RLENGTH, \
    "if (!" substr(text, 4, length(text) - 3 - length(end)) ")" end)
}
/} else {/ { put("code", "change", "  } {") }
/^ *(return|break|continue)/ { put("code", "delete") }
/^ *[a-z][a-z>.-]*( = | \+= |\+\+|--|\[|\().*;$/ && !/return/ {
  put("code", "delete")
  put("code", "insert", $0)
}
