# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints how much the counts that clang infers from a profile agree with the
# true counts.
#   awk -f inferred.awk EXACT.prof MODULE.ll FREQUENCIES
# EXACT.prof is a profile as text, MODULE.ll what the optimiser made of another
# one before it inlined anything, with probes, FREQUENCIES what opt's
# print<block-freq> says of it. Of each probe of a block the lesser of its two
# parts of all counts is summed, wherever it was inlined in the profile.
FNR == 1 { file++ }

file == 1 && /^[^ ]/ {
  name[0] = substr($0, 1, match($0, /:[0-9]+:[0-9]+$/) - 1)
  next
}
file == 1 {
  match($0, /^ */)
  if ($1 ~ /^!/) next
  if ($2 ~ /^[0-9]+$/) {
    exact[name[RLENGTH - 1] " " ($1 + 0)] += $2
  } else {
    depth = RLENGTH
    name[depth] = substr($2, 1, match($2, /:[0-9]+$/) - 1)
  }
  next
}

# The probes of each block.
file == 2 && /^define / {
  match($0, /@[^(]*/)
  in_function = substr($0, RSTART + 1, RLENGTH - 1)
  block = "entry"
}
file == 2 && /^[^ ;}]*:/ { block = $1; sub(/:.*/, "", block) }
file == 2 && /call void @llvm\.pseudoprobe\(/ {
  split($0, part, /i64 |,/)
  at = in_function " " block
  probes[at] = probes[at] " " part[4]
}

file == 3 && /^block-frequency-info: / { in_function = $2 }
file == 3 && /^ - .*: float/ {
  block = $2
  sub(/:$/, "", block)
  value = match($0, /count = [0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : 0
  n = split(probes[in_function " " block], ids, " ")
  for (i = 1; i <= n; i++) {
    place = in_function " " ids[i]
    inferred[place] += value
    sum += value
    all += exact[place]
    places[place]
  }
}

END {
  for (place in places) {
    a = all ? exact[place] / all : 0
    b = sum ? inferred[place] / sum : 0
    overlap += a < b ? a : b
  }
  printf "%.4f\n", overlap
}
