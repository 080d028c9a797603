# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mistakes with files, options and logs. `run` sources this file.

files() {
  good=$out/good.elf log=$out/good.log
  changed thermostat.c other.c 's/return /return 0 + /'
  compile "$out/other.c" other.o $MEASURED
  measured=other.o firmware stale.elf $USUAL $SCRIPTS
  LINES_MOST=2
  check "mistakes files: the ELF of another build" told \
    "which matches no ELF; pass the ELF that ran" reports "$out/stale.elf" "$log"
  LINES_MOST=1
  llvm-strip-22 "$good" -o "$out/stripped.elf"
  check "mistakes files: a stripped ELF" told \
    "the coverage mapping is missing; compile with -fcoverage-mapping, and do not strip the ELF" \
    reports "$out/stripped.elf" "$log"
  check "mistakes files: no ELF of this name, run" told \
    "missing.elf: cannot be opened" "$TOOL" run missing.elf -- true
  check "mistakes files: no ELF of this name, report" told \
    "missing.elf: cannot be opened" reports missing.elf "$log"
  check "mistakes files: no log of this name" told \
    "missing.log: cannot be opened" reports "$good" missing.log
  check "mistakes files: no log" told "pass the log of this ELF" reports "$good"
  check "mistakes files: the output folder is no report" told \
    "the folder exists and is not a report; use another -o" \
    "$TOOL" report "$good" "$log" -o tests
  mkdir -p "$out/moved" && cp $start/thermostat.c "$out/moved/t.c"
  compile "$out/moved/t.c" moved.o $MEASURED
  measured=moved.o firmware moved.elf $USUAL $SCRIPTS
  runs >/dev/null 2>&1 && cp "$out/report/console.log" "$out/moved.log"
  mv "$out/moved/t.c" "$out/moved/u.c"
  check "mistakes files: sources that moved" told \
    "this source is missing (missing sources: 1 of 1); use --source-map" \
    reports "$elf" "$out/moved.log"
  sed 's/wanted/Wanted/' "$out/moved/u.c" >"$out/moved/t.c"
  touch -d '+1 hour' "$out/moved/t.c"
  check "mistakes files: sources that changed" told \
    "the source has changed since" reports "$elf" "$out/moved.log"
}

# all_say TEXT LOG: report, run and receive print TEXT for a log without a dump.
all_say() {
  "$TOOL" receive "$2" -q -o "$out/dump.profraw" >"$out/stdout" 2>"$out/stderr"
  says "$out/stderr" "$1" || return 1
  reports "${ELF:-$out/good.elf}" "$2" >"$out/stdout" 2>"$out/stderr"
  says "$out/stderr" "$1" &&
    [ "$(grep -ac '^bareprof: ' "$out/stderr")" -le "${LINES_MOST:-2}" ] ||
    { cat "$out/stderr"; return 1; }
  "$TOOL" run "${ELF:-$out/good.elf}" -q -o "$out/report" -- cat "$2" \
    >"$out/stdout" 2>"$out/stderr"
  says "$out/stderr" "$1"
}
# whole LOG: the report is right in spite of changes to the log.
whole() {
  right reports "$out/good.elf" "$1" &&
    right "$TOOL" run "$out/good.elf" -q -o "$out/report" -- cat "$1"
}

logs() {
  log=$out/good.log
  first=$(grep -n '^~{' "$log" | head -n 1 | cut -d : -f 1)
  sed 's/$/\r/' "$log" >"$out/crlf.log"
  awk '{ print "[   12.345] uart0: " $0 }' "$log" >"$out/stamps.log"
  awk '{ print "Nov 25 23:00:00 host tty[1]: " $0 }' "$log" >"$out/syslog.log"
  sed 's/.*/00> &\r/' "$log" >"$out/rtt.log"
  sed 's/.*/\x1b[32m&\x1b[0m/' "$log" >"$out/ansi.log"
  { printf '\377\376'; iconv -f ascii -t utf-16le <"$log"; } >"$out/utf16.log"
  { cat "$out/utf16.log" "$log"; } >"$out/utf16-8.log"
  { cat "$log"; iconv -f ascii -t utf-16le <"$log"; } >"$out/8-utf16.log"
  tr '\n' '\r' <"$log" >"$out/cr.log"
  sed "$((first + 1))s/^/a line of the log\n/" "$log" >"$out/inside.log"
  { head -n $((first + 2)) "$log"; cat "$log"; } >"$out/reset.log"
  for name in crlf cr stamps syslog rtt ansi inside reset; do
    check "mistakes log: $name: the report is right" whole "$out/$name.log"
  done
  check "mistakes log: UTF-16: the report is right" \
    right reports "$out/good.elf" "$out/utf16.log"
  LINES_MOST=2 check "mistakes log: 8-bit text in UTF-16" all_say \
    "8-bit text; write the whole log in one encoding" "$out/utf16-8.log"
  LINES_MOST=2 check "mistakes log: UTF-16 in 8-bit text" all_say \
    "does not begin with a byte order mark" "$out/8-utf16.log"
  check "mistakes log: LF and CR LF of one boot count once" \
    right reports "$out/good.elf" "$log" "$out/crlf.log"
  : >"$out/empty.log"
  check "mistakes log: empty" all_say "the input is empty; check that the firmware runs" \
    "$out/empty.log"
  printf 'hello\nworld\n' >"$out/plain.log"
  check "mistakes log: no dump" all_say "check that the firmware calls bareprof_send" \
    "$out/plain.log"
  tr ' -~' '\200-\377' <"$log" | head -c 300 >"$out/baud.log"
  check "mistakes log: a wrong baud rate" all_say \
    "the input is not text; pass a console log, or check that the baud rate" \
    "$out/baud.log"
  for _ in 1 2 3 4 5; do echo 'датчик температуры: 温度传感器启动'; done >"$out/utf8.log"
  check "mistakes log: a console in another language" all_say \
    "check that the firmware calls bareprof_send" "$out/utf8.log"
  awk -v first="$first" 'NR >= first { gsub(/[a-e]/, "") } 1' "$log" \
    >"$out/lossy.log"
  sed 's/.*/b"&\\r\\n"/' "$log" >"$out/suffix.log"
  LINES_MOST=4 check "mistakes log: text behind the lines" all_say \
    "or remove the text that a logger put after each line" "$out/suffix.log"
  # Prints a line for each kind of damage to frames, which depends on the build.
  LINES_MOST=4 check "mistakes log: a UART that loses bytes" all_say \
    "only damaged lines of a dump arrived; send the dump again" "$out/lossy.log"
  head -n "$((first))" "$log" >"$out/half.log"
  check "mistakes log: cut off in the dump" all_say \
    "only damaged lines of a dump arrived; send the dump again" "$out/half.log"
}

# The problem matchers of docs/how-to/editors match the output.
matcher() {
  sed -n '/^```json$/,/^```$/p' docs/how-to/editors.md | sed '/^```/d' |
    jq -r ".tasks[0].problemMatcher[$1].pattern.regexp"
}
editors() {
  lines=$(wc -l <$start/thermostat.c)
  {
    echo "--- a/$start/thermostat.c"
    echo "+++ b/$start/thermostat.c"
    echo "@@ -0,0 +1,$lines @@"
    sed 's/^/+/' $start/thermostat.c
  } >"$out/all.diff"
  changes() {
    reports "$out/good.elf" "$out/good.log" --diff "$out/all.diff" \
      >"$out/stdout" 2>"$out/stderr"
    grep -qP "$(matcher 0)" "$out/stdout" || { cat "$out/stdout"; return 1; }
    ! reports missing.elf "$out/good.log" 2>"$out/stderr" &&
      grep -qP "$(matcher 1)" "$out/stderr"
  }
  check "mistakes editors: the problem matchers match" changes
}
