# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Forged dumps, which no firmware sends: the time, memory and output of
# `receive` are bounded by its input. `host.sh` sources this file.

build_forged() {
  $cc $here/forged.c -o "$out/forged" && mkdir -p "$out/bounds"
}

# forged MESSAGE KIND N SEED: receives the dump in 10 seconds of processor time
# and 200 MB of memory, with MESSAGE.
forged() {
  rm -f "$out"/bounds/*
  "$out/forged" "$2" "$3" "$4" >"$out/bounds/in"
  (
    ulimit -t 10 -v 200000
    exec "$BAREPROF" receive --partial "$out/bounds/in" \
      -o "$out/bounds/out.bpdump"
  ) 2>"$out/bounds/said"
  status=$?
  [ $status = 1 ] && grep -q "$1" "$out/bounds/said" ||
    { echo "status $status: $(tail -n 1 "$out/bounds/said")"; return 1; }
}

# The output has the two lines that count received and missing frames.
scattered() {
  forged 'and 199001 more' many 200000 "$1" &&
    grep -qa '^piece 1 .* known 0-1 2-3 4-5 .* 400000-400001$' \
      "$out/bounds/out.partial.bpdump"
}

hollow() {
  forged 'almost nothing of a dump arrived' large 100 0 &&
    [ ! -e "$out/bounds/out.partial.bpdump" ]
}

if wanted "wire bounds"; then
  check "wire bounds: the test compiles" build_forged
  check "wire bounds: counters of more than 16 MB" \
    forged 'the dump has more than 16 MB of counters' large 1 1
  check "wire bounds: 200,000 gaps, in descending order" scattered 0
  check "wire bounds: 200,000 gaps, in no order" scattered 1
  check "wire bounds: large dumps of which a counter came" hollow
fi
