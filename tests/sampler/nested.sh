# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Samples within samples. Sourced by run.

number() { sed -n "s/^$1 //p" "$folder/printed" | head -n 1; }

# nested ROOM SAMPLES
nested() {
  label="sampler nested $1" folder=$out/nested-${1%%(*}
  mkdir -p "$folder"
  build mps2-an385 nested "$here/nested.c $here/work.c" -DSAMPLES=$2 \
    -DPERIOD=1000 "-DROOM='BAREPROF_SAMPLER_$1'" || return
  TIMEOUT=60 start mps2-an385 nested -icount shift=6 >"$folder/printed"
  sed "s/^/# $label: /" "$folder/printed"
  check "$label: $2 samples" test "$(number samples)" -ge $2
  equal "$label: all are counted" "$(number samples)" "$(number taken)"
  equal "$label: all are there, or counted as lost" "$(number samples)" \
    "$(number kept)"
  levels="1 2"
  [ $2 -lt 1000000 ] || levels="1 2 3"
  for level in $levels; do
    check "$label: some are lost at level $level" test \
      "$(sed -n 's/^level //p' "$folder/printed" | sed -n $((level + 1))p)" \
      -gt 0
  done
}

# Three levels take long.
nested "TABLE(256)" "$([ -n "${FULL:-}" ] && echo 1000000 || echo 200000)"
nested "RING(100)" 100000
