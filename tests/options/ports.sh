# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests `bareprof receive` on a terminal that `script` makes. `run` sources this
# file.

# on_terminal COMMAND: runs it with $port as its own terminal; bytes written to
# the terminal go to $OUT/written.
on_terminal() {
  rm -f "$OUT/written"
  BAREPROF=$BAREPROF OUT=$OUT timeout 30 script -qec "port=\$(tty); $1" \
    "$OUT/written" </dev/null >/dev/null
}

# receive --timeout: no byte comes, so receive ends, with status 1 and without a
# file.
silence() {
  mkfifo "$OUT/fifo" || return 1
  sleep 60 >"$OUT/fifo" &
  sleeper=$!
  timeout 30 "$BAREPROF" receive --timeout 0.3 -o "$OUT/none.profraw" - \
    <"$OUT/fifo" >"$OUT/console" 2>"$OUT/errors"
  status=$?
  kill $sleeper
  [ $status = 1 ] && grep -q 'the input is empty' "$OUT/errors" &&
    [ ! -e "$OUT/none.profraw" ] || { echo "status $status"; return 1; }
}

# Bytes prolong the timeout: five bytes, 0.7 s apart, with 3 s of timeout.
patience() {
  rm -f "$OUT/fifo"
  mkfifo "$OUT/fifo" || return 1
  { for i in 1 2 3 4 5; do sleep 0.7; printf '%s' $i; done; exec sleep 60; } \
    >"$OUT/fifo" &
  sleeper=$!
  timeout 30 "$BAREPROF" receive --timeout 3 -o "$OUT/none.profraw" - \
    <"$OUT/fifo" >"$OUT/console" 2>"$OUT/errors"
  kill $sleeper
  [ "$(cat "$OUT/console")" = 12345 ] || { cat "$OUT/console"; return 1; }
}

# receive --baud: prints the rate of the terminal while it is open, and before.
rate() {
  on_terminal "stty 9600 echo; \"\$BAREPROF\" receive --port \"\$port\" \
    ${1:+--baud $1} --timeout 4 -o \"\$OUT/none\" 2>\"\$OUT/errors\" &
    for i in \$(seq 30); do
      stty -a | grep -q -w -e -echo && break
      sleep 0.1
    done
    stty speed >\"\$OUT/during\"; stty -a | grep -c -w -e -echo \
      >\"\$OUT/raw\"
    wait; stty speed >\"\$OUT/after\""
  echo "$(cat "$OUT/during") $(cat "$OUT/raw") $(cat "$OUT/after")"
}

wrong_rate() {
  on_terminal "\"\$BAREPROF\" receive --port \"\$port\" --baud 12345 \
    -o \"\$OUT/none\" 2>\"\$OUT/errors\"; echo \$? >\"\$OUT/status\""
  [ "$(cat "$OUT/status")" = 1 ] && grep -q 12345 "$OUT/errors"
}

# receive --request: prints the request's byte of options, as in the format's
# description: 1 binary, 2 lean, 128 the firmware's choice.
wish() {
  on_terminal "\"\$BAREPROF\" receive --port \"\$port\" --request $1 \
    --timeout 0.5 -o \"\$OUT/none\" 2>/dev/null"
  sed -n 's/.*~{\([A-Za-z0-9+/]*\)}.*/\1/p' "$OUT/written" | head -n 1 |
    base64 -d 2>/dev/null | od -An -tu1 -j11 -N1 | tr -d ' '
}

ports() {
  check "options receive --timeout: silence" silence
  check "options receive --timeout: bytes" patience
  if ! have script || ! have stty; then
    skip "options receive: a terminal" "no script"
    return
  fi
  equal "options receive --baud 57600" "57600 1 9600" "$(rate 57600)"
  equal "options receive, without --baud" "115200 1 9600" "$(rate)"
  check "options receive --baud 12345" wrong_rate
  equal "options receive --request" 128 "$(wish "")"
  equal "options receive --request --text --full" 0 "$(wish "--text --full")"
  equal "options receive --request --text" 0 "$(wish "--text")"
  equal "options receive --request --lean" "$(options_of LEAN)" \
    "$(wish --lean)"
  equal "options receive --request --binary" "$(options_of BINARY)" \
    "$(wish --binary)"
}

# Prints an option's bit in the public header.
options_of() {
  printf '#include "bareprof_wire.h"\nvalue BAREPROF_%s\n' "$1" |
    "clang-$LLVM_HOST" -E -P -Iinclude - | sed -n 's/^value //p' |
    awk '{ print $1 + 0 }'
}
