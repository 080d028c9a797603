# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Converts the output of `llvm-symbolizer --verbose --print-address` to the
# lines of `dump frames`: address name path:line:column:discriminator
# declared:line

function give() {
  # Only the symbol table has this function, or no table has it.
  if (name != "" && first && path !~ "/" && line == 0)
    print address, "none"
  else if (name != "")
    print address, name, path ":" line ":" column ":" discriminator, \
      from ":" start
  if (name != "")
    first = 0
  name = ""
}
function begin(text) {
  give()
  name = text
  path = from = ""
  line = column = discriminator = start = 0
}
/^0x/ && (fresh || NR == 1) { address = $1; fresh = 0; first = 1; next }
# The end of a frame; or, if fields follow, an empty name of the symbol table.
/^$/ { give(); fresh = 1; next }
/^  Filename: / && fresh { fresh = 0; begin("-") }
/^  Filename: / { path = substr($0, 13); if (path == "??") path = ""; next }
/^  Function start filename: / { from = substr($0, 28); next }
/^  Function start line: / { start = $NF; next }
/^  Line: / { line = $NF; next }
/^  Column: / { column = $NF; next }
/^  Discriminator: / { discriminator = $NF; next }
/^  / { next }
{ begin($0) }
END { give() }
