# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that an image's flash has grown only by code. Input: the loaded
# sections of the image without instrumentation, as `name flags size` in hex;
# the line `lean`; the loaded sections of the lean image; the output of
# llvm-readelf -SlW for the lean image. Prints what is wrong. allowed: bytes that
# are neither code nor its unwinding. The addresses in .got are a part of the code that loads them,
# as the constants in .text are.

function number(hex,   i, n) {
  hex = tolower(hex)
  sub(/^0x/, "", hex)
  n = 0
  for (i = 1; i <= length(hex); i++)
    n = n * 16 + index("123456789abcdef", substr(hex, i, 1))
  return n
}

$0 == "lean" { lean = 1; next }
!lean { plain[$1] = number($3); next }
NF == 3 && $3 ~ /^[0-9a-f]+$/ {
  if ($1 ~ /llvm/) print $1 " is loaded"
  more = number($3) - plain[$1]
  if ($2 ~ /X/ || $1 == ".got") code += more
  else if ($1 !~ /^\.(eh_frame|ARM\.ex)/ || !allowed) other += more
  next
}

# Sections and segments.
{ sub(/^ *\[ *[0-9]+\] /, "") }
$1 ~ /^__llvm_/ && number($5) {
  if ($2 == "NOBITS") counters++
  else if ($1 ~ /^__llvm_prf_(cnts|bits)$/) print $1 " has bytes in the file"
  else {
    name[++count] = $1
    from[count] = number($4)
    to[count] = from[count] + number($5)
  }
}
$1 == "LOAD" {
  for (i = 1; i <= count; i++)
    if (from[i] < number($2) + number($5) && to[i] > number($2))
      print name[i] " is in a segment"
  segments++
}

END {
  if (code <= 0) print "no code is instrumented"
  if (other > allowed) print other " bytes more that are no code"
  if (count < 2 || !counters || !segments) print "it is not a lean image"
}
