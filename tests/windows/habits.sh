# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests Windows' habits under wine: names, devices, ports, an open file, Ctrl-C,
# a full disk. `run` sources this file.

# Writes a text profile, for which both tools give the same.
habit_profile() {
  printf 'main\n# Func Hash:\n7\n# Num Counters:\n2\n# Counter Values:\n3\n4\n\n'
}

# same WORDS...: OUT has the bytes that Linux writes for in.proftext.
same() {
  wine "$EXE" "$@" 2>same.err || { cat same.err; return 1; }
}

# The names are Windows names of one file.
habit_names() {
  cd "$OUT/habits" || return
  mkdir -p folder "ünïcode" || return
  habit_profile >folder/in.proftext
  cp folder/in.proftext "ünïcode/größe.proftext"
  "$TOOL" merge --text folder/in.proftext -o want || return
  same merge --text 'folder\in.proftext' -o 'folder\out1' &&
    cmp want folder/out1 &&
    same merge --text 'FOLDER\IN.PROFTEXT' -o out2 && cmp want out2 &&
    same merge --text "$(winepath -w "$PWD/folder/in.proftext")" -o out3 &&
    cmp want out3 &&
    same merge --text 'ünïcode\größe.proftext' -o 'ünïcode\öut' &&
    cmp want "ünïcode/öut"
}

# A name of more than 260 characters.
habit_long() {
  cd "$OUT/habits" || return
  long=$(printf 'a%.0s' $(seq 100))
  mkdir -p "$long/$long/$long" || return
  habit_profile >"$long/$long/$long/in.proftext"
  same merge --text "$long\\$long\\$long\\in.proftext" \
    -o "$long\\$long\\$long\\out" && cmp want "$long/$long/$long/out"
}

# Lines end in CR LF, a list begins with a byte order mark, the log is UTF-16 as
# PowerShell writes it.
habit_ends() {
  cd "$OUT/habits" || return
  sed 's/$/\r/' folder/in.proftext >crlf.proftext
  printf '\357\273\277# a list\r\nfolder\\in.proftext\r\n' >list
  same merge --text crlf.proftext -o out4 && cmp want out4 &&
    same merge --text --input-files=list -o out5 && cmp want out5
}

# NUL takes everything, and is empty; a pattern means the files it matches.
habit_devices() {
  cd "$OUT/habits" || return
  same merge folder/in.proftext -o NUL && [ ! -e NUL ] || return
  mkdir -p many && cp folder/in.proftext many/1.proftext &&
    sed 's/main/other/' folder/in.proftext >many/2.proftext
  "$TOOL" merge --text many/1.proftext many/2.proftext -o want2 &&
    same merge 'many\*.proftext' --text -o out6 && cmp want2 out6
}

# An output that is an input under another name is an error.
habit_same() {
  cd "$OUT/habits" || return
  same merge folder/in.proftext -o 'Folder\In.proftext' && return 1
  grep -q 'the output file is also an input' same.err
}

# No command leaves a file if the file cannot be put in its place.
habit_damage() {
  cd "$OUT/habits" || return
  head -c 40 folder/in.proftext >cut.proftext
  for name in cut.proftext nothing 'x:\none' 'a*b'; do
    wine "$EXE" merge "$name" -o damaged >stdout 2>stderr && return 1
    [ "$(wc -l <stderr)" = 1 ] && [ ! -s stdout ] || { cat stderr; return 1; }
  done
  [ -z "$(find . -name 'damaged*')" ]
}

# A file system of 64 KB.
habit_full() {
  cd "$OUT/habits" || return
  mkdir -p full
  mount -t tmpfs -o size=64k none full 2>mounted || return 2
  head -c 60000 /dev/zero >full/most
  awk 'BEGIN { for (i = 0; i < 2000; i++)
    printf "function_%d\n%d\n1\n%d\n\n", i, i + 1, i }' >many.proftext
  wine "$EXE" merge --text many.proftext -o 'full\out' 2>stderr
  status=$?
  left=$(ls full)
  umount full
  [ $status = 1 ] && [ "$left" = most ] &&
    grep -q 'out: cannot be written: .*; check the permissions' stderr ||
    { echo "$status, $left, $(cat stderr)"; return 1; }
}

# receive reads a TCP port, and after Ctrl-C writes the received dumps.
habit_port() {
  cd "$OUT/habits" || return
  python3 -c '
import socket
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", 0))
server.listen(1)
server.settimeout(120)
print(server.getsockname()[1], flush=True)
to, _ = server.accept()
to.sendall(open("log", "rb").read())
to.close()
' >port &
  server=$!
  while [ ! -s port ]; do sleep 0.1; done
  wine "$EXE" receive --port "tcp:127.0.0.1:$(cat port)" -o heard.profraw \
    >heard.txt 2>heard.err
  wait $server
  "$TOOL" receive log -o want.profraw >want.txt 2>want.err
  cmp want.txt heard.txt || { cat heard.err; return 1; }
  [ ! -e want.profraw ] || cmp want.profraw heard.profraw
}

# Sends Ctrl-C to a program that reads a pipe: wine makes it of the signal.
# Prints its status.
interrupted() {
  rm -f held
  mkfifo held || return
  sleep 30 >held &
  holder=$!
  ( trap - INT; exec wine "$EXE" "$@" ) <held >stdout 2>stderr &
  ended=$!
  sleep "${PATIENCE:-3}"
  kill -INT $ended
  wait $ended
  echo $?
  kill $holder
}

# A command that only reads ends at once; receive reports what it has received.
habit_interrupt() {
  cd "$OUT/habits" || return
  status=$(interrupted merge folder/in.proftext - -o interrupted)
  [ "$status" != 0 ] && [ ! -s stderr ] &&
    [ -z "$(find . -name 'interrupted*')" ] ||
    { echo "merge: status $status, $(cat stderr)"; return 1; }
  status=$(interrupted receive - -o interrupted)
  [ "$status" = 1 ] && grep -q 'the input is empty; check that the' stderr ||
    { echo "receive: status $status, $(cat stderr)"; return 1; }
}

habits() {
  mkdir -p "$OUT/habits"
  check "windows habits: names" eval '(habit_names)'
  check "windows habits: more than 260 characters" eval '(habit_long)'
  check "windows habits: CR LF" eval '(habit_ends)'
  check "windows habits: NUL, patterns" eval '(habit_devices)'
  check "windows habits: an output that is an input" eval '(habit_same)'
  check "windows habits: damage" eval '(habit_damage)'
  if [ "$(id -u)" = 0 ]; then
    check "windows habits: a full disk" eval '(habit_full)'
  else
    skip "windows habits: a full disk" "no right to mount"
  fi
  printf 'hello\nno dump\n' >"$OUT/habits/log"
  for log in $(inputs 5 | grep '\.log$'); do
    grep -q '\[bareprof\|bp:' "$log" && cp "$log" "$OUT/habits/log"
  done
  check "windows habits: a TCP port" eval '(habit_port)'
  check "windows habits: Ctrl-C" eval '(habit_interrupt)'
}
