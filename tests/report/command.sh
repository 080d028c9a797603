# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of `bareprof run`, and of its output. `run` sources this file.

# started NAME ARGUMENT...: like report, for `bareprof run`.
started() {
  report_name=$1
  shift
  timeout 60 "$BAREPROF" run -o "$out/$report_name" "$@" \
    >"$out/$report_name.said" 2>"$out/$report_name.errors" </dev/null
  status=$?
  return $status
}

# fails NAME PATTERN ARGUMENT...: expects exit status 1, one line that matches,
# no folder.
fails() {
  fails_name=$1 fails_pattern=$2
  shift 2
  started "$fails_name" "$@" && { echo "status 0"; return 1; }
  [ "$status" = 1 ] || { echo "status $status"; return 1; }
  [ ! -e "$out/$fails_name" ] || { echo "left a folder"; return 1; }
  grep -q -e "$fails_pattern" "$out/$fails_name.errors" ||
    { one_line <"$out/$fails_name.errors"; return 1; }
}

# Succeeds if no process has this argument any more.
gone() {
  for gone_try in $(seq 100); do
    pgrep -f "$1" >/dev/null || return 0
    sleep 0.2
  done
  echo "still runs: $(pgrep -f -a "$1")"
  return 1
}

# Makes a command that never ends, with a child that never ends.
forever() {
  printf 'cat %s; echo ready; sleep %s & exec sleep %s' "$1" "$2" "$2"
}

# killed NAME SIGNAL NUMBER LOG: bareprof gets the signal while the command
# runs, and ends it. A shell's background commands ignore SIGINT by default.
killed() {
  env --default-signal=INT,HUP,TERM setsid "$BAREPROF" run --count 20 -o "$out/$1" \
    "$a.elf" -- \
    sh -c "$(forever "$4" "$3")" >"$out/$1.said" 2>"$out/$1.errors" \
    </dev/null &
  killed_id=$!
  for killed_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q '^ready' "$out/$1.said" && break
    sleep 0.5
  done
  kill -s "$2" $killed_id
  wait $killed_id 2>/dev/null
  status=$?
  gone "sleep $3"
}

# run ends a firmware that dumps again and again, in the middle of a dump: the
# report has all complete dumps, and the log ends with the last one. If a
# firmware itself ends in a dump, data is lost.
cut_off() {
  awk '/^dump 2/ { exit } { print }' "$a.log" >"$out/cut.one"
  cut_first=$(wc -c <"$out/cut.one")
  for cut_more in 7 90 300 1000; do
    head -c $((cut_first + cut_more)) "$a.log" >"$out/cut.log"
    started cut "$a.elf" -- sh -c "$(forever "$out/cut.log" 103.$$)" &&
      grep -v '^dump 2' "$out/cut/console.log" | cmp "$out/cut.one" - ||
      { echo "$cut_more"; one_line <"$out/cut.errors"; return 1; }
    started ended "$a.elf" -- cat "$out/cut.log"
    [ $cut_more = 7 ] || [ "$status" = 1 ] ||
      { echo "$cut_more: nothing is said"; return 1; }
    head -c $((cut_first - 30)) "$a.log" >"$out/cut.log"
    ! started short "$a.elf" --timeout 0.5 -- \
      sh -c "$(forever "$out/cut.log" 103.$$)" || { echo "short"; return 1; }
  done
}

# played LOG LCOV: plays a log dump by dump. Each dump comes when LCOV has all
# earlier ones: a new file, as each is renamed into place. Copies of LCOV are
# NUMBER.lcov next to it.
played() {
  cat <<'SH'
number=0 last=
part() {
  for try in $(seq 500); do
    now=$(stat -c %i "$2" 2>/dev/null)
    [ "$number" -gt 0 ] && [ "$now" = "$last" ] || break
    sleep 0.02
  done
  last=$now
  [ ! -e "$2" ] || cp "$2" "${2%/*}/$number.lcov"
}
while IFS= read -r line; do
  case $line in "dump "*) part "$1" "$2"; number=$((number + 1)) ;; esac
  printf '%s\n' "$line"
done <"$1"
SH
}

# lines_of LCOV: prints how often each line ran.
lines_of() { grep -E '^(SF|DA):' "$1"; }

# With --every, files written while the firmware sends are the report of the
# dumps so far. A file NAME.new is the user's.
looks_right() {
  rm -rf "$out/live" && mkdir -p "$out/live" && played >"$out/live/player" &&
    echo mine >"$out/live/now.new" &&
    started looks "$a.elf" --every 0.01 --lcov "$out/live/now" -- \
      sh "$out/live/player" "$a.log" "$out/live/now" ||
    { one_line <"$out/looks.errors"; return 1; }
  [ "$(cat "$out/live/now.new")" = mine ] || { echo "now.new"; return 1; }
  lines_of "$out/live/now" >"$out/live/last"
  lines_of "$out/22.lcov" | diff - "$out/live/last" || return
  looks=0
  for looks_at in 1 2 3 4 5; do
    awk -v last=$looks_at '/^dump / && n++ == last { exit } { print }' \
      "$a.log" >"$out/live/$looks_at.log"
    [ -s "$out/live/$looks_at.lcov" ] || continue
    report prefix --allow-missing "$a.elf" "$out/live/$looks_at.log" \
      --lcov "$out/live/wanted" >/dev/null 2>&1
    lines_of "$out/live/wanted" >"$out/live/wanted.lines"
    lines_of "$out/live/$looks_at.lcov" |
      diff - "$out/live/wanted.lines" >&2 || return
    looks=$((looks + 1))
  done
  [ "$looks" -ge 3 ] || { echo "$looks looks"; return 1; }
}

# A firmware with 32-bit counters that loops: each look at them is a state, and
# what holds for all of them is said once.
live_narrow() {
  mkdir -p "$out/narrow"
  for source in examples/start/mps2-an385.c examples/start/libc.c \
    tests/mistakes/target.c; do
    cc=clang-22
    case $source in
      tests/*) cc="$BAREPROF cc --coverage --counters=32 clang-22" ;;
    esac
    $cc --target=thumbv7m-none-eabi -mcpu=cortex-m3 -O1 -g -DLOOP \
      -ffreestanding -Iexamples/start -c $source \
      -o "$out/narrow/$(basename $source .c).o" || return
  done
  ld.lld-22 -T examples/start/mps2-an385.ld "$out"/narrow/*.o \
    -o "$out/narrow.elf" &&
    timeout 60 "$BAREPROF" live "$out/narrow.elf" --gdb --every 0.1 \
      --timeout 3 -o "$out/narrow.report" -- qemu-system-arm \
      -machine mps2-an385 -nographic -monitor none -kernel "$out/narrow.elf" \
      </dev/null >"$out/narrow.said" 2>"$out/narrow.errors" ||
    { cat "$out/narrow.errors"; return 1; }
}

row_command() {
  label="report run"
  a=$out/full-22/fw
  check "$label: a command that says a log" started ran "$a.elf" \
    --lcov "$out/ran.lcov" --cobertura "$out/ran.xml" --cobertura-limit 9 \
    --sonarqube "$out/ran-sonar.xml" --markdown "$out/ran.md" \
    -- cat "$a.log"
  check "$label: gives the report of the log" cmp "$out/ran.lcov" \
    "$out/22.lcov"
  check "$label: shows the console without frames" \
    grep -q '^dump 6' "$out/ran.said"
  check "$label: only without frames" free_of '^~{' "$out/ran.said"
  check "$label: its sources elsewhere" started mapped "$a.elf" \
    --source-map "$top=$out/nowhere" --allow-missing -- cat "$a.log"
  check "$label: keeps all of it" cmp "$a.log" "$out/ran/console.log"
  check "$label: --quiet" started still -q "$a.elf" -- cat "$a.log"
  check "$label: shows the table alone" free_of '^dump 6' "$out/still.said"
  check "$label: ends what goes on behind the dump" started ends "$a.elf" -- \
    sh -c "$(forever "$a.log" 101.$$)"
  check "$label: and what that started" gone "sleep 101.$$"
  check "$label: firmware that goes on dumping" cut_off
  check "$label: --every, with each dump" looks_right
  check "$label: live, with 32-bit counters" live_narrow
  equal "$label: live: how often their width is said" 1 \
    "$(grep -c 'counts are modulo 2^32, ' "$out/narrow.errors")"
  check "$label: QEMU" started qemu "$a.elf" -- \
    targets/run mps2-an385 "$a.elf" "$out/full-22"
  started failed "$a.elf" -- sh -c "cat $a.log; exit 3"
  equal "$label: a command that fails, exit status" 1 "$status"
  check "$label: is said" grep -q 'fw.elf: sh failed with exit status 3' \
    "$out/failed.errors"
  check "$label: and what it said is reported" \
    [ -e "$out/failed/html/index.html" ]
  check "$label: --fail-under" fails_under
  check "$label: a file that the command writes" started wrote "$a.elf" \
    "$out/wrote.profraw" -- cp "$out/full-22/2.profraw" "$out/wrote.profraw"
}

fails_under() {
  started under "$a.elf" --fail-under lines=100 -- cat "$a.log"
  [ "$status" = 1 ] && grep -q 'lines: .*below the limit of 100' "$out/under.errors" &&
    limits_differ
}

# A limit just above the coverage: the two printed numbers differ, in each
# output.
limits_differ() {
  covered=$(sed -n 's/.*lines: \([0-9.]*\) %.*/\1/p' "$out/under.errors")
  started near "$a.elf" --fail-under "lines=${covered}00005" -- cat "$a.log"
  [ "$status" = 1 ] || { echo "status $status"; return 1; }
  awk '/lines: .* below / { sub(/.*lines: /, ""); n++; same = $1 == $8 }
    END { exit !(n == 1 && !same) }' "$out/near.errors" ||
    { cat "$out/near.errors"; return 1; }
}

# The link escapes characters of a folder's name that URLs do not have.
linked() {
  started "a b%ü" "$a.elf" -- cat "$a.log" || return 1
  [ "$(tail -n 1 "$out/a b%ü.said")" = \
    "Line by line: file://$(cd "$out" && pwd -P)/a%20b%25%C3%BC/html/index.html" ] &&
    grep -q '^Next: .*--fail-under' "$out/a b%ü.said" ||
    { tail -n 2 "$out/a b%ü.said"; return 1; }
  started limited "$a.elf" --fail-under lines=1 -- cat "$a.log" &&
    ! grep '^Next:' "$out/limited.said"
}
# --open: the program that opens the report gets the link.
opens() {
  mkdir -p "$out/browser" && printf '#!/bin/sh\necho "$1" >"%s/opened"\n' \
    "$out" >"$out/browser/xdg-open" && chmod +x "$out/browser/xdg-open"
  PATH=$out/browser:$PATH "$BAREPROF" report --open -q "$a.elf" "$a.log" \
    -o "$out/opened-report" >"$out/opened.said" 2>&1 || return 1
  [ ! -s "$out/opened.said" ] && [ "$(cat "$out/opened")" = \
    "file://$(cd "$out" && pwd -P)/opened-report/html/index.html" ] || return 1
  printf '#!/bin/sh\nexit 1\n' >"$out/browser/xdg-open"
  PATH=$out/browser:$PATH "$BAREPROF" run --open -q "$a.elf" \
    -o "$out/opened-report" -- cat "$a.log" 2>&1 >/dev/null |
    grep -qx "bareprof: --open: xdg-open is missing or failed; .*"
}
# --color: in the table, in errors, or nowhere. By default a pipe gets no
# colours.
in_colour() {
  red=$(printf '\033[31m') none=$(printf '\033[0m')
  "$BAREPROF" report --color=always "$out/nonesuch.elf" 2>&1 |
    grep -q -F "${red}bareprof:$none $out/nonesuch.elf: " &&
    "$BAREPROF" reprot 2>&1 | grep -q "^bareprof: unknown" &&
    "$BAREPROF" report --color=always "$a.elf" "$a.log" -o "$out/colour" |
    grep '^total' | grep -q -F "$none" || return 1
  for never in "" --color=never --color=auto; do
    "$BAREPROF" report $never "$a.elf" "$a.log" -o "$out/colour" 2>&1 |
      grep "$(printf '\033')" && return 1
  done
  "$BAREPROF" report --color=maybe 2>&1 | grep -q 'is auto, always or never'
}
# 200 equal inputs give one message, and the counts of one input.
equal_inputs() {
  mkdir -p "$out/many"
  for i in $(seq 200); do cp "$out/full-22/2.profraw" "$out/many/$i.profraw"; done
  "$BAREPROF" report "$a.elf" "$out"/many/*.profraw -o "$out/many-report" \
    --lcov "$out/many.lcov" >"$out/many.said" 2>"$out/many.errors" &&
    "$BAREPROF" report "$a.elf" "$out/many/1.profraw" -o "$out/many-report" \
      --lcov "$out/one.lcov" >/dev/null && cmp "$out/many.lcov" "$out/one.lcov" &&
    [ "$(wc -l <"$out/many.errors")" = 1 ] &&
    grep -q 'equals .*, and counts once; so do 198 more equal files$' \
      "$out/many.errors" || { cat "$out/many.errors"; return 1; }
}
# bareprof.conf: its limit fails, the command line wins, lists add up.
configured() {
  tool=$(cd "$(dirname "$BAREPROF")" && pwd)/${BAREPROF##*/}
  folder=$(cd "$out" && pwd)/configured elf=$(cd "$out/full-22" && pwd)/fw
  mkdir -p "$folder" && cd "$folder" || return 1
  printf '# limits\nfail-under functions=100\noutput = rep\nignore nmea\n' \
    >bareprof.conf
  "$tool" report "$elf.elf" "$elf.log" >said 2>errors
  [ $? = 1 ] && [ -d rep ] && ! grep -q nmea said &&
    [ "$(sed -n 1p errors)" = "bareprof: options of bareprof.conf" ] &&
    "$tool" report "$elf.elf" "$elf.log" --fail-under functions=1 \
      --ignore 'monitor\.c' >said 2>errors && ! grep 'nmea\|monitor' said &&
    "$tool" report --no-config "$elf.elf" "$elf.log" >said 2>errors &&
    [ ! -s errors ] && grep -q nmea said
  status=$?
  cd "$OLDPWD" && [ $status = 0 ] || { cat "$folder/errors"; return 1; }
}
row_screen() {
  label="report on the terminal" a=$out/full-22/fw
  check "$label: the last line is a link, run says what comes next" linked
  check "$label: --open, -q" opens
  check "$label: --color" in_colour
  check "$label: bareprof.conf" configured
  check "$label: equal inputs are one line" equal_inputs
}

# on_port FILE NAME ARGUMENT...: runs `run --port` on a board that sends the
# file. The board must receive nothing, not even an echo.
on_port() {
  port_log=$1 port_name=$2
  shift 2
  $(host_cc) -O1 tests/report/board.c -o "$out/board" || return 1
  rm -f "$out/board.said"
  "$out/board" "$port_log" >"$out/board.said" &
  port_board=$!
  for port_try in $(seq 50); do
    [ -s "$out/board.said" ] && break
    sleep 0.1
  done
  started "$port_name" "$a.elf" --port "$(head -n 1 "$out/board.said")" "$@"
  port_status=$?
  wait $port_board
  grep -qx '0 came back' "$out/board.said" || { cat "$out/board.said"; return 1; }
  return $port_status
}
# Bytes after the requested dumps are not a loss.
received_one() {
  head -c "$(($(awk '/^dump 2/ { exit } { print }' "$a.log" | wc -c) + $1))" \
    "$a.log" >"$out/half.log"
  rm -f "$out/board.said"
  "$out/board" "$out/half.log" >"$out/board.said" &
  for port_try in $(seq 50); do
    [ -s "$out/board.said" ] && break
    sleep 0.1
  done
  timeout 20 "$BAREPROF" receive -q -n 1 -o "$out/half.profraw" \
    --port "$(head -n 1 "$out/board.said")" 2>"$out/half.errors" ||
    { one_line <"$out/half.errors"; return 1; }
}
row_port() {
  label="report run: a port" a=$out/full-22/fw
  check "$label" on_port "$a.log" ported --lcov "$out/ported.lcov"
  check "$label: the report of the log" cmp "$out/ported.lcov" "$out/22.lcov"
  check "$label: shows the console" grep -q '^dump 6' "$out/ported.said"
  for more in 90 300 1000; do
    check "$label: receive -n 1, and $more bytes more" received_one $more
  done
  ! on_port /dev/null mute --timeout 0.5
  check "$label: nothing comes" grep -q 'the input is empty; check that the firmware runs' \
    "$out/mute.errors"
  check "$label: none there" fails nowhere 'nonesuch: .*check that the board is connected' \
    "$a.elf" --port /dev/nonesuch
  check "$label: an ELF that is not there" fails missing \
    'missing.elf: cannot be opened' missing.elf -- true
  check "$label: and a second one" fails missing \
    'missing.elf: cannot be opened' "$a.elf" missing.elf -- true
  "$BAREPROF" run "$a.elf" --port x -- true 2>"$out/both.errors"
  equal "$label: and a command" 2 $?
  "$BAREPROF" run "$a.elf" --baud 9600 -- true 2>"$out/baud.errors"
  equal "$label: a rate without one" 2 $?
}

# Names without a folder, reported in another folder: one message names the
# root.
relative() {
  (cd "$out/relative" &&
    "$top/$BUILD/bareprof" report prog prog.profraw -o far "$@" >said 2>&1 </dev/null &&
    grep -q 'own.c  *100.00' said && [ -e far/html/index.html ] ||
    { one_line <said; return 1; })
}
row_relative() {
  label="report: -ffile-prefix-map=DIR=."
  r=$out/relative
  rm -rf "$r" && mkdir -p "$r/sources/src" &&
    echo 'int main(void) { return 0; }' >"$r/sources/src/own.c" &&
    (cd "$r/sources" && clang-22 -fprofile-instr-generate -Wl,--build-id \
      -fcoverage-mapping "-ffile-prefix-map=$PWD=." src/own.c -o ../prog) &&
    LLVM_PROFILE_FILE=$r/prog.profraw "$r/prog" ||
    { not_ok "$label" "does not build"; return; }
  check "$label: --root" relative --root sources
  check "$label: --source-map" relative --source-map .=sources
  check "$label: --source-map with a slash" relative --source-map ./=sources/
  ! relative
  check "$label: which one to give" grep -q 'use --root DIR, ' "$r/said"
}

# The killed run has left a folder next to the report's.
removed_later() {
  ls -d "$out"/shot.bareprof.* >/dev/null &&
    "$BAREPROF" report "$a.elf" "$a.log" -o "$out/shot" >"$out/shot.said" &&
    [ -e "$out/shot/html/index.html" ] &&
    [ "$(echo "$out"/shot.bareprof.*)" = "$out/shot.bareprof.*" ]
}

row_command_ends() {
  label="report run"
  check "$label: no such program" fails none 'nonesuch: cannot be run' \
    "$a.elf" -- nonesuch
  check "$label: no dump" fails silent 'fw.elf: sh: no dump found;' \
    "$a.elf" -- sh -c 'echo hello'
  $BUILD/bareprof extract "$a.elf" -o "$out/other.elf" >/dev/null 2>&1
  check "$label: --timeout" fails late 'fw.elf: sh: only 0 of 1 dump arrived in 0.5 s' "$a.elf" \
    --timeout 0.5 -- sh -c "$(forever /dev/null 102.$$)"
  check "$label: ends the command" gone "sleep 102.$$"
  started more "$a.elf" --count 20 --timeout 4 -- \
    sh -c "$(forever "$a.log" 103.$$)"
  equal "$label: fewer than --count, exit status" 1 "$status"
  check "$label: is said, and reported" \
    grep -q 'only [0-9]* of 20 dumps' "$out/more.errors"
  check "$label: SIGTERM ends all" killed termed TERM 104.$$ /dev/null
  check "$label: and leaves no folder" [ ! -e "$out/termed" ]
  check "$label: SIGKILL, too" killed shot KILL 105.$$ /dev/null
  check "$label: the next report removes what that left" removed_later
  check "$label: Ctrl-C reports what has come" \
    killed stopped INT 106.$$ "$a.log"
  check "$label: with the report" [ -e "$out/stopped/html/index.html" ]
  "$BAREPROF" run "$a.elf" -o "$out/nothing" 2>"$out/nothing.errors"
  equal "$label: without a command, exit status" 2 $?
}

# ---- names and files ----

row_shown() {
  label="report shown"
  mkdir -p "$out/names/inc" "$out/names/inc2" &&
    echo 'inline int thrice(int a) { return 3 * a; }' \
      >"$out/names/inc2/thrice.h" &&
    echo 'inline int twice(int a) { return a ? 2 * a : 0; }
      inline int unused(int a) { return a; }' >"$out/names/inc/twice.h" &&
    echo '#include "inc/twice.h"
      #include "inc2/thrice.h"
      #include <cstdlib>
      namespace motor { struct pump { int run(int a); int idle(int a); };
        int pump::run(int a) { return twice(a); }
        int pump::idle(int a) { return thrice(a); } }
      extern "C" int rusty(int) __asm__("_ZN5motor5spare17h0123456789abcdefE");
      extern "C" int rusty(int a) { return a; }
      int main() { return std::abs(motor::pump().run(1)) != 2; }' \
      >"$out/names/pump.cpp"
  (cd "$out/names" && clang++-22 -fprofile-instr-generate -fcoverage-mapping \
    -Wl,--build-id pump.cpp -o pump &&
    LLVM_PROFILE_FILE=pump.profraw ./pump) >"$out/names.log" 2>&1 ||
    { not_ok "$label" "$(one_line <"$out/names.log")"; return; }
  n=$out/names
  check "$label: C++" good plain "$n/pump" "$n/pump.profraw" --uncovered
  check "$label: a C++ name as it was written" \
    grep -q ' motor::pump::idle(int)$' "$out/plain.said"
  check "$label: a Rust name without its hash" \
    grep -q ' motor::spare$' "$out/plain.said"
  check "$label: HTML" grep -q 'motor::pump' -r "$out/plain/html"
  check "$label: --no-demangle" good mangled "$n/pump" "$n/pump.profraw" \
    --uncovered --no-demangle
  check "$label: leaves names" grep -q ' _ZN5motor4pump4idleEi$' \
    "$out/mangled.said"
  check "$label: show" sh -c "'$BAREPROF' show '$n/pump.profraw' --top 9 |
    grep -q 'motor::pump::run(int)'"
  check "$label: show to a file has names as they are" sh -c "'$BAREPROF' \
    show '$n/pump.profraw' --top 9 -o '$n/top' && grep -q _ZN5motor '$n/top'"
  check "$label: --root" good rooted "$n/pump" "$n/pump.profraw" \
    --root "$n/inc" --as-llvm-cov
  equal "$label: files below it alone" twice.h \
    "$(awk '/^-/ { on++; next } on == 1 { print $1 }' "$out/rooted.said")"
  equal "$label: as llvm-cov has them" \
    "$(llvm_total 22 "$n/pump" -instr-profile="$out/rooted/pump.profdata" \
      -ignore-filename-regex='pump\.cpp$|thrice')" \
    "$(row_of "$out/rooted.said" total)"
  check "$label: --include" good included "$n/pump" "$n/pump.profraw" \
    --include '\.cpp$'
  equal "$label: what matches alone" pump.cpp \
    "$(awk '/^-/ { on++; next } on == 1 { print $1 }' "$out/included.said")"
  check "$label: no file left" bad none-left 1 'leave no source file' \
    "$n/pump" "$n/pump.profraw" --ignore 'pump|twice|thrice'
  check "$label: a pattern that is none" bad_pattern
}

bad_pattern() {
  "$BAREPROF" report -o "$out/x" --include '(' "$n/pump" 2>"$out/x.errors"
  [ $? = 2 ] && grep -q 'the pattern is not valid' "$out/x.errors"
}

# ---- what is asked for once more ----

# A run leaves console.log in its folder: a report of this log goes to another
# folder.
in_its_folder() {
  ! "$BAREPROF" report "$a.elf" "$out/ran/console.log" -o "$out/ran" \
    >"$out/in.said" 2>"$out/in.errors" &&
    grep -q 'console.log: the file is inside .*; use another -o' "$out/in.errors" &&
    cmp "$a.log" "$out/ran/console.log"
}
# A number below a limit is never rounded up to the limit.
rounded() {
  "$BAREPROF" report "$n/pump" "$n/pump.profraw" -o "$out/rounded" \
    --fail-under functions=83.34 >"$out/rounded.log" 2>&1
  tail -n 1 "$out/rounded.log" | grep -q 'covered, below the limit of' ||
    { cat "$out/rounded.log"; return 1; }
}
# Names stay as they are if the demangler fails or is missing.
not_demangled() {
  mkdir -p "$out/fake-path" && printf '#!/bin/sh\nexit 1\n' \
    >"$out/fake-path/llvm-cxxfilt" && chmod +x "$out/fake-path/llvm-cxxfilt" &&
    "$BAREPROF" show "$n/pump.profraw" --all-functions --no-demangle \
      >"$out/plain.text" || return 1
  for path in "$out/fake-path" /nonexistent; do
    PATH=$path "$BAREPROF" show "$n/pump.profraw" --all-functions \
      >"$out/fake.text" && cmp "$out/plain.text" "$out/fake.text" || return 1
  done
}
# Names are demangled although the demangler also writes to standard error, as
# the loader of a program does that lacks a library of LD_PRELOAD.
demangled_with_warning() {
  mkdir -p "$out/warning" && printf \
    '#!/bin/sh\necho "ld.so: ignored" >&2\nexec "%s" "$@"\n' \
    "$(command -v c++filt)" >"$out/warning/c++filt" &&
    chmod +x "$out/warning/c++filt" &&
    PATH=$out/warning "$BAREPROF" show "$n/pump.profraw" --all-functions \
      >"$out/warning.text" 2>"$out/warning.said" &&
    grep -q 'motor::pump::run(int)' "$out/warning.text" &&
    [ ! -s "$out/warning.said" ]
}
# A caller that ignores the end of its child processes does not hide the end of
# the demangler.
demangled_without_sigchld() {
  env --ignore-signal=CHLD "$BAREPROF" show "$n/pump.profraw" \
    --all-functions >"$out/sigchld.text" &&
    grep -q 'motor::pump::run(int)' "$out/sigchld.text"
}
# If LLVM's demangler is missing, binutils' is used.
demangled_by_binutils() {
  mkdir -p "$out/binutils" &&
    ln -sf "$(command -v c++filt)" "$out/binutils/c++filt" &&
    PATH=$out/binutils "$BAREPROF" show "$n/pump.profraw" --all-functions \
      >"$out/binutils.text" && grep -q 'motor::pump::run(int)' \
      "$out/binutils.text" && grep -q 'motor::spare$' "$out/binutils.text"
}
# coloured VARIABLE=VALUE...: succeeds if a table on a terminal has colours.
coloured() {
  env -u NO_COLOR TERM=xterm "$@" script -qec "'$BAREPROF' report '$n/pump' \
    '$n/pump.profraw' -o '$out/coloured'" /dev/null </dev/null |
    grep -q "$(printf '\033\\[3[123]m')"
}
plain() { ! coloured "$@" && [ -e "$out/coloured/html" ]; }
row_once_more() {
  a=$out/full-22/fw n=$out/names
  check "report run: an input in the folder is not lost" in_its_folder
  check "report shown: the reason is the last line of a log" rounded
  check "report shown: names that nobody demangles" not_demangled
  check "report shown: names by c++filt alone" demangled_by_binutils
  check "report shown: a demangler that warns" demangled_with_warning
  check "report shown: a caller that ignores SIGCHLD" demangled_without_sigchld
  check "report shown: colours on a terminal" coloured
  check "report shown: NO_COLOR" plain NO_COLOR=1
  check "report shown: a dumb terminal" plain TERM=dumb
  check "report shown: none in a file" free_of '\[3' "$out/plain.said"
}
