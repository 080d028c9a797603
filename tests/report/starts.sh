# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of dumps that count once, and of logs in which boots cannot be
# distinguished. `run` sources this file.

# dump N: prints the lines of the nth dump of a log, with the line that
# announces it.
dump() { awk -v n="$1" '/^dump /{ at = $2 + 0 } at == n' "$a.log"; }

# spoil: damages one character in each line of frames.
spoil() { sed 's/^\(~{\{0,1\}.....\)./\1!/'; }

# without N: drops the nth line of frames.
without() { awk -v n="$1" '!/^~/ || ++at != n'; }

row_starts() {
  label="report starts"
  a=$out/full-22/fw
  cp "$a.log" "$out/twin.log"
  check "$label: a log twice, by another name" report twice "$a.elf" \
    "$a.log" "$out/twin.log" --lcov "$out/twice.lcov"
  check "$label: counts once" cmp "$out/twice.lcov" "$out/22.lcov"
  check "$label: which is said" \
    grep -q 'twin.log: this file equals .*fw.log' "$out/twice.errors"
  check "$label: a log's own profile" report own "$out/full-22/2.profraw" \
    "$a.elf" "$a.log" --lcov "$out/own.lcov"
  check "$label: counts once, too" cmp "$out/own.lcov" "$out/22.lcov"
  check "$label: which is said, too" \
    grep -q '2.profraw: a log has this dump' "$out/own.errors"
  { dump 1; dump 2 | spoil; } >"$out/spoilt.log"
  check "$label: a dump of which all lines are damaged" bad no-spoilt 1 \
    'spoilt.log: data is lost: only damaged lines of a dump' "$a.elf" \
    "$out/spoilt.log"
  timeout 30 "$BAREPROF" receive -q "$out/spoilt.log" -o "$out/spoilt.x" \
    2>"$out/spoilt.errors"
  equal "$label: receive says so with its status" 1 $?
  { dump 1 | without 6; dump 2; } >"$out/passed.log"
  check "$label: gaps that a later dump of the start has" report passed \
    "$a.elf" "$out/passed.log"
  check "$label: which is said by name" grep -q \
    'boot 1 has gaps; a later dump of this boot' "$out/passed.errors"
  { dump 1 | without 4; dump 2; } >"$out/counts.log"
  check "$label: nothing shows that it is of the start" bad common 1 \
    'boot 1 has gaps; send the dump again' "$a.elf" "$out/counts.log"
  dump 1 >"$out/second.log"
  check "$label: a number that begins two logs tells nothing" bad two-logs 1 \
    'boot 0 has gaps' "$a.elf" "$out/counts.log" "$out/second.log"
  { dump 4 | without 4; dump 5 | without 5; dump 6; } >"$out/gaps.log"
  check "$label: without numbers gaps are not filled" bad unnumbered 1 \
    'boot 0 has gaps; send the dump again' "$a.elf" "$out/gaps.log"
  { dump 1; dump 2; } | sed 's/^dump.*//' >"$out/one.log"
  check "$label: with numbers nothing is said" good one "$a.elf" \
    "$out/one.log"
  check "$label: not even in the table" free_of 'told apart' "$out/one.said"
}
