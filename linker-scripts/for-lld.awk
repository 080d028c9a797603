# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many vendors write their linker scripts for GNU ld. This program reads such a
# script and prints one that lld can read, too:
#
#   awk -f for-lld.awk vendor.ld >lld.ld
#
# The changes, each with lld's message if it is not made:
# - a line before MEMORY that uses a region moves to the end: "memory region not
#   defined"
# - letters of MEMORY that lld does not know: "invalid memory region attribute"
# - (READONLY), ALIGN_WITH_INPUT: "symbol not found: READONLY", "{ expected"
# - in a section, `. = x_size' becomes `. += x_size': "unable to move location
#   counter"

# Returns the code of a line, without comments. in_comment is 1 while a comment
# of an earlier line is open.
function without_comments(text,  code, at) {
  code = ""
  while (text != "") {
    at = index(text, in_comment ? "*/" : "/*")
    if (!in_comment)
      code = code (at ? substr(text, 1, at - 1) : text)
    if (!at)
      break
    in_comment = !in_comment
    text = substr(text, at + 2)
  }
  return code
}

{
  code = without_comments($0)
  if (code ~ /^[ \t]*MEMORY/)
    memory = in_memory = 1
  # lines that use a region before MEMORY
  if (!memory && code ~ /=.*(ORIGIN|LENGTH)[ \t]*\(.*;/) {
    last = last $0 "\n"
    next
  }
  if (in_memory && match($0, /\([A-Za-z!]+\)[ \t]*:/)) {
    letters = substr($0, RSTART, RLENGTH)
    gsub(/[iIlL]/, "", letters)
    $0 = substr($0, 1, RSTART - 1) letters substr($0, RSTART + RLENGTH)
  }
  gsub(/\([ \t]*READONLY[ \t]*\)/, "")
  gsub(/[ \t]ALIGN_WITH_INPUT/, "")
  # GNU ld takes `. = x_size' inside a section as an offset.
  depth += gsub(/[{]/, "{", code)
  if (depth > 1 && match($0, /\.[ \t]*=[ \t]*[A-Z_a-z(][^;]*[Ss][Ii][Zz][Ee]/) &&
      substr($0, RSTART) !~ /^\.[ \t]*=[ \t]*(ALIGN|ABSOLUTE|ADDR|ORIGIN)/)
    $0 = substr($0, 1, RSTART) " +" \
      substr($0, RSTART + index(substr($0, RSTART), "=") - 1)
  depth -= gsub(/[}]/, "}", code)
  if (code ~ /[}]/)
    in_memory = 0
  print
}

END {
  printf "%s", last
}
