# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of coverage while firmware runs, with requests. `run` sources this file.
# The firmware goes on only when the host polls, so each state is known:
# llvm-cov shows it for the same parts of the work on the host.
# shellcheck disable=SC2154 # Of run.

# Prints the total of covered lines of an export, whose last line may have no
# end.
covered_of() {
  { cat "$1"; echo; } | sed -n 's/.*"totals".*"lines":{"count":[0-9]*,//p' |
    sed 's/"covered":\([0-9]*\).*/\1/'
}

# covered_lines: prints how many lines llvm-cov shows as covered, for each state
# of the firmware.
covered_lines() {
  work=$folder/work
  mkdir -p "$work"
  cat >"$work/main.c" <<'C'
#include <stdlib.h>
#include "parts.h"
int main(int count, char **words) {
  for (int i = 0; count > 1 && i < atoi(words[1]); i++)
    work((unsigned)i);
}
C
  for source in $here/work.c $coverage/monitor.c $coverage/nmea.c; do
    "clang-$llvm" -O1 -g -I$coverage -I$here -fprofile-instr-generate \
      -fcoverage-mapping -c $source -o "$work/$(basename $source .c).o" ||
      return
  done
  "clang-$llvm" -I$here -c "$work/main.c" -o "$work/main.o" &&
    "clang-$llvm" -I$coverage -c $coverage/stream.S -o "$work/stream.o" &&
    "clang-$llvm" -fprofile-instr-generate "$work"/*.o -o "$work/main" ||
    return
  for parts in $(seq 0 16); do
    LLVM_PROFILE_FILE=$work/$parts.profraw "$work/main" "$parts" &&
      "llvm-profdata-$llvm" merge "$work/$parts.profraw" -o "$work/data" &&
      "llvm-cov-$llvm" export -summary-only -instr-profile="$work/data" \
        "$work/main" >"$work/export" && covered_of "$work/export" || return
  done
}

# The lines of all states, by llvm-cov.
lines_in_all() {
  { cat "$folder/work/export"; echo; } |
    sed -n 's/.*"totals".*"lines":{"count":\([0-9]*\),.*/\1/p'
}

# watch NAME ARGUMENT...: polls NAME.elf at the device, and compares the shown
# counts of lines with llvm-cov.
watch() {
  rm -rf "$folder/report"
  name=$1
  shift
  timeout 60 "$BAREPROF" live "$folder/$name.elf" --port "$device" \
    --as-llvm-cov -o "$folder/report" "$@" \
    >"$folder/shown" 2>"$folder/said" || {
    echo "live ends with $?: $(tail -n 3 "$folder/said" | one_line)"
    return 1
  }
}

# Prints the numbers of the first boot, each once, in their order.
states() {
  sed -n '/boot 2/q; s/^live .* s: \([0-9]*\) of .*/\1/p' "$folder/shown" |
    uniq
}

watch_states() {
  covered_lines | uniq >"$folder/wanted" || return
  [ "$(wc -l <"$folder/wanted")" -ge 8 ] || { cat "$folder/wanted"; return 1; }
  states | only_wanted "$folder/wanted"
}

# only_wanted WANTED: fails if a line of stdin is not in WANTED after the line
# before, or if stdin has fewer than four lines. `live` may skip states, because
# it shows at most a tenth of the time: how many depends on the machine's pace.
only_wanted() {
  awk -v wanted="$1" '
    BEGIN { while ((getline line <wanted) > 0) lines[++count] = line }
    {
      while (++at <= count && lines[at] != $0) { }
      if (at > count) { print $0 " is not expected in line " NR; exit failed = 1 }
    }
    END {
      if (!failed && NR < 4) { print NR " states"; failed = 1 }
      exit failed
    }'
}

# The report equals llvm-cov's for all parts, with two and more boots.
watch_report() {
  grep -q ': clang.*, [2-9] boots, ' "$folder/shown" &&
    grep -q ', boot 2' "$folder/shown" ||
    { grep ': clang' "$folder/shown"; return 1; }
  got=$(covered_of "$folder/report.json")
  [ "$got" = "$(tail -n 1 "$folder/wanted")" ] || { echo "$got lines"; return 1; }
}

row_watch() {
  check "$label: builds" build phases phases ""
  connect phases tcp 0 frames
  check "$label: 45 dumps" watch phases --every 0.02 --count 45 \
    --json "$folder/report.json"
  disconnect
  check "$label: each state shown is llvm-cov's" watch_states
  check "$label: the report, over resets" watch_report
  equal "$label: no line is longer than a terminal" "" \
    "$(awk '/^live/ && length > 80' "$folder/shown")"
  looks=16
  [ -z "${FULL:-}" ] || looks=30
  for unit in "50 frames" "1 bytes"; do
    connect phases tcp ${unit% *} ${unit#* }
    check "$label: ${unit% *} of 1,000 ${unit#* } lost" \
      watch phases --every 0.02 --count "$looks"
    disconnect
    check "$label: $(cat "$folder/faults")" \
      grep -q ' [1-9][0-9]* faults' "$folder/faults"
  done
  [ "$board" = mps2-an385 ] && [ -n "${FULL:-}" ] || return 0
  needs "$label: the page in a browser" chromium || return 0
  connect phases tcp 0 frames
  check "$label: the page in a browser" browsed
  disconnect
}

# ---- the page, and the screen ----

# Reads the page in a browser after some seconds, while the firmware runs: no
# reload, and no rule of the page is broken. `live` goes on until the browser
# has ended, however slowly it starts.
browsed() {
  rm -rf "$folder/report" "$folder/said"
  timeout 60 "$BAREPROF" live "$folder/phases.elf" --port "$device" --page 0 \
    -o "$folder/report" --every 0.05 >"$folder/shown" 2>"$folder/said" &
  live=$!
  await grep -q '^bareprof: live at http' "$folder/said" || return
  address=$(sed -n 's/^bareprof: live at //p' "$folder/said")
  timeout 60 chromium --headless --no-sandbox --disable-gpu \
    --user-data-dir="$folder/chromium" --enable-logging=stderr \
    --virtual-time-budget=4000 --dump-dom "$address" >"$folder/dom" \
    2>"$folder/browser"
  kill $live || { one_line <"$folder/said"; return 1; }
  wait $live
  ! grep -i 'content security\|refused to\|uncaught' "$folder/browser" &&
    grep -q 'phases.elf</h1>' "$folder/dom" &&
    grep -q 'last change after' "$folder/dom" &&
    grep -q ">[1-9][0-9]* of $(lines_in_all)<" "$folder/dom" &&
    grep -q '<a href="[^"]*nmea.c.html#L[0-9]*"><code>nmea.c:[0-9]' \
      "$folder/dom" &&
    grep -q 'monitor.c.html"><code>[^<]*monitor.c</code></a></th>' \
      "$folder/dom" ||
    { tail -n 5 "$folder/browser" | one_line; return 1; }
}

# Prints the last screen, whose rows overwrite each other, and the report.
screened() {
  "$out/typist" '^C' "$BAREPROF" live "$folder/rest.elf" --port "$device" \
    --every 0.1 -o "$folder/report" >"$folder/screen" ||
    { echo "ends with $?: $(one_line <"$folder/screen")"; return 1; }
  escape=$(printf '\033')
  grep -q "^1003 of 1003 lines, 500 of 1000 branches; [0-9]* s$escape\[K" "$folder/screen" &&
    grep -q "^. many.c .* \[###*\.*\]  1003/1003 *$escape\[K" \
      "$folder/screen" &&
    grep -q 'Line by line: ' "$folder/screen" ||
    { one_line <"$folder/screen"; return 1; }
}

# ---- what it costs ----

# A link of 115,200 baud has 11,520 bytes a second. The difference of two
# reports is the cost of four seconds without a change.
rest_bytes() {
  for seconds in 1 5; do
    watch rest --timeout $seconds || return
    cp "$folder/report/console.log" "$folder/rest.$seconds"
  done
  got=$(($(wc -c <"$folder/rest.5") - $(wc -c <"$folder/rest.1")))
  [ "$got" -ge 200 ] && [ "$got" -le $((4 * 11520 / 20)) ] ||
    { echo "$got bytes in 4 s"; return 1; }
}

# Makes one request, before the firmware sends a dump by itself.
asked_once() {
  timeout 20 "$BAREPROF" run --request -q "$folder/rest.elf" --port "$device" \
    -o "$folder/report" >"$folder/shown" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  grep -q ': clang.*, 1 boot, [12] dump' "$folder/shown" &&
    [ "$(grep -c '^~{DQ\|^~{D' "$folder/report/console.log")" -le 2 ]
}

# Messages say what live waits for, and why there is no report.
unanswered() {
  rm -f "$folder/nobody"
  "$out/proxy" 0 1 frames >"$folder/nobody" 2>/dev/null &
  nobody=$!
  await test -s "$folder/nobody" || return 1
  read -r _ for_host <"$folder/nobody"
  "$BAREPROF" live "$folder/rest.elf" --port "tcp:127.0.0.1:$for_host" \
    --timeout 3 -o "$folder/report" >"$folder/shown" 2>"$folder/said"
  status=$?
  kill $nobody
  [ $status = 1 ] && grep -q 'waiting for an answer' "$folder/said" &&
    grep -q '0 of 1 dump arrived in 3 s' "$folder/said" ||
    { one_line <"$folder/said"; return 1; }
}

# Makes a thousand counters that count.
many() {
  many_of rest -DREST && many_of mute "-DREST -DMUTE=5" &&
    many_of sends -DSENDS=300
}

# An idle firmware sends more dumps than there are ordinals. The last dump
# differs.
sent_often() {
  capture sends && "$BAREPROF" report "$folder/sends.elf" "$folder/capture" \
    -o "$folder/report" >"$folder/shown" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  grep -q ': clang.*, 1 boot, 301 dumps' "$folder/shown"
}

# The firmware stops answering: its later counts are missing.
muted() {
  connect mute tcp 0 frames
  watch mute --timeout 3 --every 0.2 >"$folder/ended" && return 1
  disconnect
  grep -q 'no answer to the last request' "$folder/said" &&
    grep -q ' lines' "$folder/shown" && [ -e "$folder/report/html" ] ||
    { one_line <"$folder/said"; return 1; }
}

# many_of NAME FLAGS
many_of() {
  awk 'BEGIN {
    print "volatile int turns;"
    for (i = 0; i < 500; i++)
      printf "int f%d(void) { return turns > %d ? 1 : 2; }\n", i, i
    print "void work(unsigned part);\nvoid work(unsigned part) {"
    print "  turns = (int)part;"
    for (i = 0; i < 500; i++) printf "  turns += f%d();\n", i
    print "}"
  }' >"$folder/many.c"
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" NAME="$1" \
    SCRIPT=lean SOURCES="$folder/many.c" \
    PLAIN="$here/console.c $here/phases.c" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    CFLAGS_APP="-O1 -g $2" LDFLAGS_APP="-u bareprof_preinit"
}

row_rest() {
  check "$label: builds" many
  equal "$label: bytes of counters" 8008 "$(llvm-size-$llvm -A \
    "$folder/rest.elf" | awk '$1 == "__llvm_prf_cnts" { print $2 }')"
  connect rest tcp 0 frames
  check "$label: run --request: one dump, and the report" asked_once
  check "$label: firmware that answers nothing" unanswered
  check "$label: at 2 Hz at most 5 % of 115,200 baud" rest_bytes
  check "$label: a screen" screened
  disconnect
  check "$label: firmware that answers no more" muted
  check "$label: 300 dumps at rest, and one more" sent_often
}
