# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests devices: serial ports (pseudo terminals, for wine), the console, pipes,
# and files that another program has open. `run` sources this file.

# device_com PORT NAME WAY ARGUMENT...: bytes from wine's port give the same as
# the log.
device_com() {
  cd "$DEVICES" || return
  com_port=$1 com_name=$2 com_way=$3
  shift 3
  rm -f com.profraw
  com_status=$(timeout 60 python3 "$TOP/tests/windows/com.py" "$com_port" \
    "$IN/fw.log" "$com_way" wine "$EXE" receive -q --port "$com_name" -n 1 \
    -o com.profraw "$@" 2>com.errors)
  "$TOOL" receive -q "$IN/fw.log" -n 1 -o want.profraw 2>want.errors
  [ "$com_status" = 0 ] && cmp want.profraw com.profraw ||
    { echo "status $com_status"; cat com.errors; return 1; }
}

device_pulled() {
  ! device_com com7 COM7 pulled >/dev/null && [ "$com_status" = 1 ] &&
    grep -q 'the dump .* has gaps' com.errors &&
    [ -z "$(ls | grep '^com.profraw')" ] ||
    { echo "status $com_status"; cat com.errors; return 1; }
}

device_no_port() {
  cd "$DEVICES" || return
  wine "$EXE" receive --port 'com29' -o none.profraw 2>none.errors && return 1
  grep -q '^bareprof: com29: .*; check that the board is connected' none.errors &&
    [ ! -e none.profraw ] || { cat none.errors; return 1; }
}

# Colours in a console, which `script` imitates: wine's own hides the cursor
# around each character.
device_colours() {
  WINEPATH="Z:${PROGRAMS//\//\\}" STAND_IN=$PROGRAMS LLVM=$LLVM_HOST \
    TERM=xterm timeout 60 script -qec \
    "wine '$EXE' report '$IN/fw.elf' '$IN/fw.log' -o colours" /dev/null \
    </dev/null | sed "s/$(printf '\033')\\[?25[lh]//g" |
    grep -c "$(printf '\033')\\[3[123]m"
}
device_console() {
  cd "$DEVICES" || return
  with=$(unset NO_COLOR && device_colours)
  without=$(export NO_COLOR=1 && device_colours)
  [ "$with" -gt 3 ] && [ "$without" = 0 ] ||
    { echo "$with lines with colours, $without with NO_COLOR"; return 1; }
}

# Bytes with a special meaning in text go through pipes: CR LF, Ctrl-Z.
device_pipes() {
  cd "$DEVICES" || return
  printf 'main\n1\n3\n2573\n26\n3338\n\n' >odd.proftext
  "$TOOL" merge odd.proftext -o odd.profdata &&
    od -An -v -tx1 odd.profdata | tr -d ' \n' | grep -q '0d0a.*1a' &&
    cat odd.profdata | wine "$EXE" merge - -o piped.profdata &&
    cmp odd.profdata piped.profdata || return
  "$TOOL" show --json odd.profdata >want.json
  wine "$EXE" show --json odd.profdata | cat | cmp want.json -
}

# held FILE WORD COMMAND...: runs it while another program has the file open.
held() {
  rm -f held.in held.out && mkfifo held.in || return
  sleep 60 >held.in &
  held_writer=$!
  # shellcheck disable=SC2086 # A word, or none.
  wine "$DEVICES/hold.exe" "$1" $2 <held.in >held.out 2>&1 &
  held_by=$!
  for _ in $(seq 100); do
    [ -s held.out ] && break
    sleep 0.1
  done
  shift 2
  "$@"
  held_status=$?
  kill $held_writer
  wait $held_by
  grep -q open held.out && return $held_status
}

device_open() {
  cd "$DEVICES" || return
  $HOST-gcc -O1 -Wall -Wextra "$TOP/tests/windows/hold.c" -o hold.exe || return
  "$TOOL" merge --text odd.proftext -o want.text
  cp odd.proftext other.text
  held odd.proftext "" wine "$EXE" merge --text odd.proftext -o read.text &&
    cmp want.text read.text || { echo "not read"; return 1; }
  held other.text alone wine "$EXE" merge --text odd.proftext -o other.text \
    2>held.errors && { echo "replaced"; return 1; }
  grep -q 'other.text: .*another program has it open' held.errors &&
    cmp odd.proftext other.text && [ "$(ls other.text* | wc -l)" = 1 ] ||
    { cat held.errors; ls; return 1; }
}

devices() {
  DEVICES=$OUT/devices TOP=$PWD
  mkdir -p "$DEVICES"
  check "windows devices: COM7" eval '(device_com com7 COM7 sends)'
  check "windows devices: \\\\.\\COM12" \
    eval '(device_com com12 "\\\\.\\COM12" sends)'
  check "windows devices: com12, a request" \
    eval '(device_com com12 com12 asked --request)'
  check "windows devices: the board is pulled" eval '(device_pulled)'
  check "windows devices: no such port" eval '(device_no_port)'
  if have script; then
    check "windows devices: colours in a console" eval '(device_console)'
  else
    skip "windows devices: colours in a console" "no script"
  fi
  check "windows devices: binary pipes" eval '(device_pipes)'
  check "windows devices: a file that is open elsewhere" eval '(device_open)'
}
