#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cold contexts: merged and trimmed as in llvm-profdata. `run` sources this
# file.

contexts() {
  "$TOOL" samples --context "$elf" "$folder/stacks" "$@" 2>/dev/null
}

# merged CUTOFF DEPTH TRIM OPTION...: the counts above CUTOFF are hot.
merged() {
  cutoff=$1 depth=$2 trim=$3
  shift 3
  contexts --merge-cold --cold-depth="$depth" ${trim:+--trim-cold} "$@" \
    -o "$folder/merged.prof" || return 1
  "llvm-profdata-$LLVM_HOST" merge --sample --text "$folder/context.prof" \
    --sample-merge-cold-context ${trim:+--sample-trim-cold-context} \
    --sample-frame-depth-for-cold-context="$depth" \
    --profile-summary-cutoff-cold="$cutoff" -o "$folder/merged.theirs" ||
    return 1
  cmp "$folder/merged.prof" "$folder/merged.theirs"
}

# Prints llvm-profdata's count at which 70 % of all counts are reached.
hot_at_70() {
  "llvm-profdata-$LLVM_HOST" show --sample --detailed-summary \
    "$folder/context.prof" |
    sed -n 's/.*count >= \([0-9]*\) account for 70[% ].*/\1/p'
}

total_of() {
  sed -n 's/^\[.*\]:\([0-9]*\):[0-9]*$/\1/p' "$1" |
    awk '{ sum += $1 } END { print NR, sum }'
}

# A context that comes twice gets both counts: fewer contexts, and the same sum.
conserved() {
  contexts --merge-cold --cold-below=1000000000000 -o "$folder/flat.prof" ||
    return 1
  contexts --keep-cold --cold-below=1000000000000 -o "$folder/kept.prof" ||
    return 1
  cmp "$folder/kept.prof" "$folder/context.prof" || return 1
  grep '^\[.* @ ' "$folder/flat.prof" && return 1
  echo "$(total_of "$folder/kept.prof") $(total_of "$folder/flat.prof")" |
    awk '{ print } END { exit !($1 > $3 && $3 > 1 && $2 == $4) }'
}

cold() {
  check "samples $board: cold contexts, totals stay" conserved
  check "samples $board: cold contexts, below the threshold" \
    merged 990000 1 ""
  at_70=$(hot_at_70)
  # llvm-profdata 17 treats each depth as 1.
  depths="1 2 3"
  [ "$LLVM_HOST" -ge 18 ] || depths=1
  for depth in $depths; do
    check "samples $board: cold contexts, $depth frames" merged 700000 \
      $depth "" --cold-below="$at_70"
    check "samples $board: cold contexts, $depth frames, trimmed" \
      merged 700000 $depth trim --cold-below="$at_70"
  done
  for wrong in --cold-depth=0 --cold-depth=x --cold-below=-1; do
    "$TOOL" samples "$elf" "$folder/stacks" $wrong >"$folder/none" 2>&1
    equal "samples $board: $wrong is wrong usage" 2 $?
  done
}
