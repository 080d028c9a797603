# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How many pages the runs of a text profile touch over time, in an order of
# functions: awk -v page=BYTES -f touched.awk ORDER PROFILE. Functions that are
# not in the order come after it. Prints the weighted mean over runs of the mean
# over calls of the pages touched by then. With sizes=FILE, functions are of a
# program of which `llvm-nm -S -t d` prints that.

BEGIN {
  while (sizes && (getline <sizes) > 0)
    size[$NF] = NF == 4 ? $2 + 0 : 0
}

# Returns the symbol of a local name.
function symbol(name) {
  sub(/.*[:;]/, "", name)
  return name
}

function place(name) {
  if (name in first)
    return
  if (name in size) {
    at = int((at + 15) / 16) * 16
    first[name] = int(at / page)
    at += size[name] + !size[name]
    last[name] = int((at - 1) / page)
    return
  }
  first[name] = int(at / page)
  # Returns a size that depends on the name: 16 to 600 bytes, rarely a large
  # one.
  number = substr(name, 2) * 2654435 % 1009 / 1009
  at += 16 + int(584 * number * number * number)
  last[name] = int((at - 1) / page)
}

FNR == 1 { file++ }
file == 1 { if (!/^#/) place(symbol($1)) }
file == 1 || /^:/ { next }

# The profile has two numbers, then a weight and a line for each run.
FNR > 4 && /,/ {
  runs++
  weights[runs] = previous
  calls[runs] = $0
}
/^f[0-9]*$/ { known[++functions] = $0 }
{ previous = $0 }

END {
  for (i = 1; i <= functions; i++)
    place(known[i])
  for (i = 1; i <= runs; i++) {
    count = split(calls[i], list, ",") - 1
    delete touched
    pages = area = 0
    for (j = 1; j <= count; j++) {
      list[j] = symbol(list[j])
      for (k = first[list[j]]; k <= last[list[j]]; k++)
        if (!(k in touched)) {
          touched[k] = 1
          pages++
        }
      area += pages
    }
    sum += weights[i] * area / count
    weight += weights[i]
  }
  printf "%.3f\n", sum / weight
}
