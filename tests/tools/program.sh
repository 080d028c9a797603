# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the tool as a program: two names of one file, signals, pipes, a full
# disk, names that are not text, words that are not options. tests/tools/run
# sources this file.

# told STATUS WORDS ARGUMENTS...: expects one line with these words, and that
# status.
told() {
  expected=$1 words=$2
  shift 2
  "$BAREPROF" "$@" >"$PROGRAM/said" 2>"$PROGRAM/why" </dev/null
  seen=$?
  [ $seen = "$expected" ] && [ "$(wc -l <"$PROGRAM/why")" = 1 ] &&
    grep -q -- "$words" "$PROGRAM/why" ||
    { echo "status $seen: $(cat "$PROGRAM/why")"; return 1; }
}

# Makes an ELF with sleds for `mip patch`, a profile, a log without a dump.
make_program() {
  rm -rf "$PROGRAM" && mkdir -p "$PROGRAM" || return 1
  printf 'int main(void) { return 0; }\n' >"$PROGRAM/one.c"
  "clang-$LLVM_HOST" -fpatchable-function-entry=16 "$PROGRAM/one.c" \
    -o "$PROGRAM/elf" && cp "$PROGRAM/elf" "$PROGRAM/kept" || return 1
  printf 'main\n1\n1\n1\n' >"$PROGRAM/text"
  echo "a log" >"$PROGRAM/log"
}

# untouched FILE: the file is unchanged, and there is no new file next to it.
untouched() {
  [ -z "$(find "$PROGRAM" -name '*.??????' ! -name said)" ] &&
    cmp "$1" "$2"
}

one_file() {
  cp "$PROGRAM/text" "$PROGRAM/x" && ln -f "$PROGRAM/x" "$PROGRAM/y" &&
    told 1 'y: the output file is also an input' merge "$PROGRAM/x" -o "$PROGRAM/y" &&
    untouched "$PROGRAM/x" "$PROGRAM/text" &&
    told 1 'x: the output file is also an input' mip patch "$PROGRAM/elf" -o "$PROGRAM/e" \
      --list "$PROGRAM/x" --log "$PROGRAM/x" && [ ! -e "$PROGRAM/e" ] &&
    told 1 'e: the output file is also another output' mip patch "$PROGRAM/elf" \
      -o "$PROGRAM/e" --log "$PROGRAM/e" --map "$PROGRAM/./e" &&
    [ ! -e "$PROGRAM/e" ]
}

# stopped SIGNAL: sends it while the tool writes to a pipe without a reader.
stopped() {
  rm -rf "$PROGRAM/stopped" && mkdir "$PROGRAM/stopped" || return 1
  mkfifo "$PROGRAM/stopped/log" || return 1
  # A shell's background commands ignore SIGINT, under nohup also SIGHUP.
  env --default-signal=INT,HUP,TERM "$OUT/dump" wait "$PROGRAM/stopped/out" &
  child=$!
  tries=0
  until ls "$PROGRAM/stopped" | grep -q 'out\.'; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "no temporary file"; return 1; }
    sleep 0.1
  done
  kill "-$1" $child
  wait $child
  status=$?
  [ $status -gt 128 ] && [ "$(ls "$PROGRAM/stopped")" = log ] ||
    { echo "status $status, left: $(ls "$PROGRAM/stopped")"; return 1; }
}

# `receive` under nohup: a hangup does not end it before the text has come.
hung_up() {
  rm -f "$PROGRAM/fifo" && mkfifo "$PROGRAM/fifo" || return 1
  (trap '' HUP && exec "$BAREPROF" receive --port "$PROGRAM/fifo" \
    -o "$PROGRAM/hung.profraw" 2>"$PROGRAM/why") &
  child=$!
  (
    sleep 1
    kill -HUP $child
    sleep 1
    echo "a log" 2>/dev/null
  ) >"$PROGRAM/fifo"
  wait $child
  ! grep 'the input is empty' "$PROGRAM/why"
}

# waiting: $child has not finished left/out, whose temporary name is
# $unfinished.
waiting() {
  ls "$PROGRAM/left" >"$PROGRAM/left.before"
  "$OUT/dump" wait "$PROGRAM/left/out" &
  child=$! tries=0 unfinished=
  until [ "$unfinished" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "no temporary file"; return 1; }
    sleep 0.1
    unfinished=$(ls "$PROGRAM/left" | comm -13 "$PROGRAM/left.before" -)
  done
}

# The next run removes the files that SIGKILL left, but no file of a run that is
# still active, and no other file with a similar name.
left_behind() {
  rm -rf "$PROGRAM/left" && mkdir "$PROGRAM/left" && waiting || return 1
  kill -KILL $child
  wait $child 2>/dev/null
  mkdir "$PROGRAM/left/out.bareprof.Folder" &&
    echo old >"$PROGRAM/left/out.bareprof.Folder/file" || return 1
  [ "$(ls "$PROGRAM/left" | wc -l)" = 2 ] || { echo "control"; return 1; }
  others="a.out.bareprof.abc123 out.abc123 out.bareprof.abc-12
    out.bareprof.abc12 out.bareprof.abc123.old out.bareprof.abc1234
    out.bareprof.linked outer.bareprof.abc123"
  for other in $others; do
    ln -s none "$PROGRAM/left/$other" || return 1
    case $other in *linked) ;; *) rm "$PROGRAM/left/$other" &&
      echo other >"$PROGRAM/left/$other" || return 1 ;; esac
  done
  waiting && "$OUT/dump" copy "$PROGRAM/log" "$PROGRAM/left/out" 9 commit ||
    return 1
  ls "$PROGRAM/left" >"$PROGRAM/left.seen"
  kill -TERM $child
  wait $child 2>/dev/null
  printf '%s\n' $others out "$unfinished" | LC_ALL=C sort |
    LC_ALL=C diff - "$PROGRAM/left.seen" || return 1
  # A replaced report is removed once the new one is complete.
  "$OUT/dump" copy "$PROGRAM/log" "$PROGRAM/left/out" 9 commit &&
    [ "$(cd "$PROGRAM/left" && echo *.old)" = "*.old" ]
}

shrinks() {
  head -c 100000 /dev/zero >"$PROGRAM/shrinks"
  refused "shrinks: the file became shorter" "$OUT/dump" shrink "$PROGRAM/shrinks"
}

full_console() {
  sh -c "'$BAREPROF' doctor '$PROGRAM/elf' 2>'$PROGRAM/why' >/dev/full"
  [ $? = 1 ] && grep -q 'standard output: cannot be written' "$PROGRAM/why" ||
    { cat "$PROGRAM/why"; return 1; }
  sh -c "'$BAREPROF' --version 2>'$PROGRAM/why' >/dev/full"
  [ $? = 1 ] && grep -q 'standard output: cannot be written' "$PROGRAM/why" ||
    { cat "$PROGRAM/why"; return 1; }
}

# A pipe without a reader, or a closed output, is not reported as a full disk.
gone_console() {
  rm -f "$PROGRAM/fifo" && mkfifo "$PROGRAM/fifo" || return 1
  : <"$PROGRAM/fifo" &
  {
    wait $!
    "$BAREPROF" merge --text "$PROGRAM/text" -o - 2>"$PROGRAM/why"
  } >"$PROGRAM/fifo"
  grep -q 'Broken pipe; let the program' "$PROGRAM/why" || {
    cat "$PROGRAM/why"
    return 1
  }
  "$BAREPROF" show "$PROGRAM/text" 2>"$PROGRAM/why" >&-
  [ $? = 1 ] && grep -q 'Bad file descriptor; open the output' "$PROGRAM/why" ||
    { cat "$PROGRAM/why"; return 1; }
}

# A symbol with a new line and an escape sequence in it.
odd_symbol() {
  printf '.text\n.globl odd\n.type odd,%%function\nodd: .space 64\n' \
    >"$PROGRAM/odd.s"
  printf '.size odd,64\n' >>"$PROGRAM/odd.s"
  "clang-$LLVM_HOST" --target=armv7m-none-eabi -c "$PROGRAM/odd.s" \
    -o "$PROGRAM/odd.o" && "ld.lld-$LLVM_HOST" -Ttext=0x20000 -e 0x20000 \
    "$PROGRAM/odd.o" -o "$PROGRAM/odd.elf" &&
    "$OBJCOPY" --redefine-sym "odd=$(printf 'a\nb:1:1')" \
      "$PROGRAM/odd.elf" || return 1
  printf '20004 x7\n' >"$PROGRAM/odd.txt"
  "$BAREPROF" samples "$PROGRAM/odd.elf" "$PROGRAM/odd.txt" --hottest \
    >"$PROGRAM/top" && "$BAREPROF" samples "$PROGRAM/odd.elf" \
    "$PROGRAM/odd.txt" --folded >"$PROGRAM/folded" || return 1
  equal_lines '         7  100.0 %  a\x0Ab:1:1' "$PROGRAM/top" &&
    equal_lines 'a\x0Ab:1:1 7' "$PROGRAM/folded"
}

equal_lines() {
  [ "$1" = "$(cat "$2")" ] ||
    { printf "%s" "not $1 but $(cat "$2")"; return 1; }
}

wrong_options() {
  told 2 'merge: unknown option --what;' merge --what &&
    told 2 'merge: unknown option -x;' merge -x &&
    told 2 'merge: option -o lacks its value;' merge -o &&
    told 2 'merge: -o lacks its value;' merge a -o '' &&
    told 2 'merge: option --output lacks its value;' merge --output &&
    told 2 'merge: option --text takes no value;' merge --text=1 &&
    told 2 'doctor: unknown option --what;' doctor --what || return 1
  "$BAREPROF" doctor "$PROGRAM/elf" --json 2>&1 | grep -q '^{"images"' ||
    { echo "doctor ELF --json"; return 1; }
}

misled() {
  printf 'bareprof dump 1\n' >"$PROGRAM/x.bpdump"
  printf 'boot\n~{abc~}\n' >"$PROGRAM/x.log"
  printf '# by hand\n\nmain:10:1\n 1: 10\n' >"$PROGRAM/x.prof"
  # As llvm-profdata merge --sample writes it.
  printf '\204\344\320\261\364\311\224\250\123\147' >"$PROGRAM/b.prof"
  for command in show "merge -o $PROGRAM/out"; do
    told 1 'bareprof join' $command "$PROGRAM/x.bpdump" &&
      told 1 'bareprof receive' $command "$PROGRAM/x.log" &&
      told 1 'llvm-profdata merge --sample' $command "$PROGRAM/x.prof" &&
      told 1 'llvm-profdata merge --sample' $command "$PROGRAM/b.prof" ||
      return 1
  done
  told 1 'nosuch.elf: cannot be opened' report "$PROGRAM/nosuch.elf"
}

# A line program of 30 million rows, and strings of 100 MB, of one character
# each, which the linker packed into 100 KB or less.
packed() {
  lacks_packed=$(lacking cc objcopy)
  [ -z "$lacks_packed" ] || { echo "$lacks_packed: not found"; return 1; }
  printf 'int main(void) { return 0; }\n' >"$PROGRAM/packed.c"
  cc -g -O1 -nostdlib -static -Wl,-e,main "$PROGRAM/packed.c" \
    -o "$PROGRAM/plain" &&
    objcopy -O binary --only-section=.debug_line --set-section-flags \
      .debug_line=alloc "$PROGRAM/plain" "$PROGRAM/line" || return 1
  # The length of the unit, then all of it but its last three bytes.
  count=30000000 size=$(wc -c <"$PROGRAM/line")
  length=$((size - 4 + count)) escapes=
  for shift in 0 8 16 24; do
    escapes="$escapes\\0$(printf %o $((length >> shift & 255)))"
  done
  {
    printf '%b' "$escapes"
    head -c $((size - 3)) "$PROGRAM/line" | tail -c +5
    head -c $count /dev/zero | tr '\0' '\1'
    tail -c 3 "$PROGRAM/line"
  } >"$PROGRAM/rows"
  head -c 100000000 /dev/zero >"$PROGRAM/strings"
  echo "0x$(nm "$PROGRAM/plain" | awk '/ main$/ {print $1}')" \
    >"$PROGRAM/samples"
  for each in line=rows str=strings; do
    objcopy --update-section ".debug_${each%=*}=$PROGRAM/${each#*=}" \
      "$PROGRAM/plain" "$PROGRAM/packed" &&
      objcopy --compress-debug-sections=zlib "$PROGRAM/packed" &&
      [ "$(wc -c <"$PROGRAM/packed")" -lt 200000 ] || return 1
    (ulimit -v 100000; told 1 'larger than' samples "$PROGRAM/packed" \
      "$PROGRAM/samples" --lines) || return 1
  done
  rm "$PROGRAM/strings" "$PROGRAM/rows"
}

# The console is closed: received data is written nevertheless.
closed_console() {
  printf 'boot\n' >"$PROGRAM/console"
  head -c 300000 /dev/zero | tr '\0' 'x' >>"$PROGRAM/console"
  (
    "$BAREPROF" receive "$PROGRAM/console" -o "$PROGRAM/c.profraw" \
      2>"$PROGRAM/why"
    echo $? >"$PROGRAM/status"
  ) | head -c 1 >"$PROGRAM/said"
  [ "$(cat "$PROGRAM/status")" = 1 ] && grep -q 'no dump' "$PROGRAM/why" ||
    { echo "status $(cat "$PROGRAM/status"): $(cat "$PROGRAM/why")"; return 1; }
}

program() {
  PROGRAM=$OUT/program BAREPROF=$BUILD/bareprof
  error=$({ $MAKE -s tool && make_program; } 2>&1) || {
    not_ok "tools program" "$(printf '%s' "$error" | one_line)"
    return
  }
  check "tools program: files that are one" one_file
  for signal in INT TERM HUP; do
    check "tools program: $signal leaves no file" stopped $signal
  done
  check "tools program: nohup" hung_up
  check "tools program: SIGKILL's litter is removed later" left_behind
  check "tools program: a file that shrinks" shrinks
  check "tools program: a full console" full_console
  check "tools program: a closed console" closed_console
  check "tools program: a reader that has gone" gone_console
  check "tools program: debug information that is packed 1000 times" packed
  check "tools program: symbols with new lines" odd_symbol
  check "tools program: words that are no options" wrong_options
  check "tools program: files of other kinds" misled
}
