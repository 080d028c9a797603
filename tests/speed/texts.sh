#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Measures commands that print text: show of all functions, overlap, diff,
# order, and receive of a console without a dump. `run` sources this file.
# shellcheck disable=SC2034 # run knows THEIRS and READ.

# ---- show ----

# Prints a line for each function: its name, and its counters.
counters_of_theirs() {
  awk '/^  [^ ].*:$/ { name = substr($1, 1, length($1) - 1) }
    /^    Block counts:/ {
      gsub(/[^0-9 ]/, ""); $1 = $1; print name, $0
    }' | LC_ALL=C sort
}

counters_of_ours() {
  awk '/^{"name":/ && /"counters":/ {
      split($0, part, "\""); name = part[4]
      sub(/.*"counters":\[/, ""); sub(/\].*/, ""); gsub(/,/, " ")
      print name, $0
    }' | LC_ALL=C sort
}

same_counters() {
  "$PROFDATA" show --all-functions --counts "$OUT/large.profdata" |
    counters_of_theirs >"$OUT/theirs.counters" &&
    counters_of_ours <"$OUT/json" >"$OUT/ours.counters" &&
    [ "$(wc -l <"$OUT/ours.counters")" = "$LARGE" ] &&
    cmp "$OUT/theirs.counters" "$OUT/ours.counters"
}

# LLVM's output also has the compiler's names.
functions() {
  file=$OUT/large.profdata READ="cat of its output"
  "$BAREPROF" show "$file" --all-functions --counts --no-demangle \
    >"$OUT/text" && "$BAREPROF" show "$file" --json >"$OUT/json" || return 1
  timed "speed: show --all-functions --counts of $LARGE" "3 1.5" \
    "$BAREPROF" show "$file" --all-functions --counts --no-demangle -- \
    "$PROFDATA" show "$file" --all-functions --counts -- cat "$OUT/text"
  timed "speed: show --json of $LARGE" "3 1.5" \
    "$BAREPROF" show "$file" --json -- \
    "$PROFDATA" show "$file" --all-functions --counts --ic-targets \
    --memop-sizes -- cat "$OUT/json"
  check "speed: show --json: the same counters" same_counters
  unset READ
}

# ---- overlap ----

two_profiles() {
  a=$OUT/large.profdata b=$OUT/other.profdata READ="cat of both"
  timed "speed: overlap of two of $LARGE" "3 2 40" "$BAREPROF" overlap "$a" "$b" \
    -- "$PROFDATA" overlap "$a" "$b" -- cat "$a" "$b"
  unset READ
}

# ---- order ----

# Runs of some thousand functions of 20,000: they begin alike, then each has a
# quarter of the features.
order_text() {
  awk -v runs="$1" 'BEGIN {
    srand(7)
    print ":ir\n:temporal_prof_traces\n" runs "\n" runs
    for (run = 0; run < runs; run++) {
      for (i = 0; i < 50; i++)
        has[i] = rand() < 0.25
      print 1
      text = ""
      for (i = 0; i < 20000; i++) {
        at = (i * 7919) % 20000
        if (i < 1500 || (has[at % 50] && rand() < 0.8))
          text = text "," "_ZN6module" at % 300 "8functionE" at
      }
      print substr(text, 2)
    }
    for (i = 0; i < 20000; i++)
      print "_ZN6module" i % 300 "8functionE" i "\n7\n1\n1\n"
  }'
}

listed() { grep '^[^#]' "$1" | LC_ALL=C sort; }

same_functions() {
  "$BAREPROF" order "$OUT/order.profdata" -o "$OUT/ours" &&
    "$PROFDATA" order "$OUT/order.profdata" -o "$OUT/theirs" &&
    [ "$(listed "$OUT/ours")" = "$(listed "$OUT/theirs")" ]
}

order() {
  runs=20
  [ -z "${FULL:-}" ] || runs=100
  order_text "$runs" >"$OUT/order.proftext" &&
    "$PROFDATA" merge "$OUT/order.proftext" -o "$OUT/order.profdata" \
      --temporal-profile-max-trace-length=100000 || return 1
  timed "speed: order of $runs runs" "4 2" \
    "$BAREPROF" order "$OUT/order.profdata" -- \
    "$PROFDATA" order "$OUT/order.profdata" -- cat "$OUT/order.profdata"
  check "speed: order: the same functions" same_functions
}

# ---- receive ----

# without_dump WHAT LIMITS: times receive of the log $OUT/console next to wc -l.
# receive finds no dump, and so fails, which is right here. More input takes no
# more memory.
without_dump() {
  THEIRS="wc -l" READ="cat of it" timed "speed: receive of $1" "$2" \
    sh -c "'$BAREPROF' receive '$OUT/console' -o '$OUT/none' 2>'$OUT/said'
      grep -q 'bareprof: $OUT/console: ' '$OUT/said'" -- \
    sh -c "wc -l <'$OUT/console'" -- cat "$OUT/console"
  rm -f "$OUT/console"
}

console() {
  lines=200000
  [ -z "${FULL:-}" ] || lines=2000000
  awk -v lines="$lines" 'BEGIN {
    for (i = 0; i < lines; i++)
      print "[" i "] uart0: task started at 0x20001234, value = " i % 97 " ok"
  }' >"$OUT/console"
  without_dump "$lines lines without a dump" "0.33 0.15 2000"
  head -c $((lines * 50)) /dev/urandom >"$OUT/console"
  without_dump "$((lines / 20000)) MB of random bytes" "0.17 0.05 2000"
}
