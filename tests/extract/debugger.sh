# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads counters through QEMU's GDB server, for the extract tests: `receive
# --port gdb:` and `run --gdb`. The server is a socket in the row's folder, so
# no network port is needed. `run` sources this file.

# serve IMAGE COMMAND...: halts the board at reset, with a GDB server, while the
# command runs.
serve() {
  image=$1
  shift
  rm -f "$folder/gdb"
  SERIAL=${SERIAL:-null} targets/run "$board" "$image" "$folder" -S \
    -gdb unix:gdb,server=on,wait=off >"$folder/qemu.log" 2>&1 &
  qemu=$!
  "$@"
  served=$?
  kill $qemu 2>/dev/null
  wait $qemu 2>/dev/null
  return $served
}

# by_gdb NAME OUT OPTION...: reads the counts of NAME.elf into OUT.
by_gdb() {
  name=$1 to=$2
  shift 2
  "$BAREPROF" receive --port "gdb:unix:$folder/gdb" "$folder/$name.elf" \
    -o "$folder/$to" "$@" 2>"$folder/stderr"
  got=$?
  # The line that says when run reads comes first; the test is about the rest.
  grep -v ' runs, and its counters are read at ' "$folder/stderr" \
    >"$folder/said"
  return $got
}

# Fills counters and bitmaps with garbage before the first instruction, so that
# a wrong initial value shows: QEMU's RAM is 0.
garbage() {
  entry=$("$READELF" -h "$folder/$1.elf" | sed -n 's/.*Entry.*0x/0x/p')
  by_gdb "$1" none --poison --halt --at "$entry"
  grep -q 'the counters were not cleared' "$folder/said"
}

# gdb_run NAME: runs from reset to the end of main, and writes
# $folder/NAME.core. The runtime of a full image initialises its counters
# itself.
gdb_run() {
  case $1 in full) how= ;; *) how=--reset ;; esac
  soiled() {
    # shellcheck disable=SC2086 # An option, or none.
    garbage "$1" && by_gdb "$1" "$1.core" --at board_exit $how
  }
  serve "$folder/$1.elf" soiled "$1" || { cat "$folder/said"; return 1; }
}

# fails REASON NAME OPTION...: expects one line with REASON, exit status 1, no
# file.
fails() {
  reason=$1 name=$2
  shift 2
  rm -f "$folder/none"
  serve "$folder/$name.elf" by_gdb "$name" none "$@"
  status=$?
  [ $status = 1 ] || { echo "exit status $status"; return 1; }
  [ ! -e "$folder/none" ] || { echo "there is a file"; return 1; }
  [ "$(wc -l <"$folder/said")" = 1 ] && grep -q "$reason" "$folder/said" ||
    { echo "expected $reason, got $(cat "$folder/said")"; return 1; }
}

# ---- rows: what receive --port gdb: does ----

# No code has initialised the counters: they are garbage, or zeros.
not_initialised() {
  fails "lacks this ELF's guard" silent --at board_exit || return
  rm -f "$folder/none"
  soiled() {
    garbage silent && by_gdb silent none --at board_exit
  }
  serve "$folder/silent.elf" soiled && { echo "garbage is taken"; return 1; }
  grep -q "lacks this ELF's guard" "$folder/said" &&
    [ ! -e "$folder/none" ]
}

# A read changes no memory, and leaves the target in its state.
twice() {
  both() {
    by_gdb silent first.core --at board_exit --reset --halt &&
      by_gdb silent second.core --halt &&
      by_gdb silent third.core
  }
  serve "$folder/silent.elf" both || { cat "$folder/said"; return 1; }
  cmp "$folder/first.core" "$folder/second.core" &&
    cmp "$folder/first.core" "$folder/third.core"
}

# Poison: start-up code that clears the counters gives the same counts; other
# start-up code is an error.
poison() {
  image full lld full &&
    serve "$folder/full.elf" by_gdb full full.core --at board_exit --poison &&
    text_of "$folder/coverage.profraw" &&
    same_bytes "$folder/full.elf" "$folder/full.core" &&
    fails "the counters were not cleared" silent --at board_exit --poison
}

# Changes a byte at the start of the ELF's code, but not the build id.
stale() {
  offset=$("$READELF" -SW "$folder/silent.elf" |
    sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
  cp "$folder/silent.elf" "$folder/stale.elf" &&
    printf '\245' | dd of="$folder/stale.elf" bs=1 conv=notrunc status=none \
      seek=$((0x$offset + 17)) || return 1
  by_stale() {
    by_gdb stale none --at board_exit --reset
  }
  rm -f "$folder/none"
  serve "$folder/silent.elf" by_stale && { echo "it succeeds"; return 1; }
  grep -q 'code on the target does not match this ELF' "$folder/said" ||
    { cat "$folder/said"; return 1; }
  [ ! -e "$folder/none" ]
}

# The program on the board is stripped: the extracted META replaces its ELF.
released() {
  at=$("$NM" "$folder/silent.elf" | awk '$3 == "board_exit" { print $1 }')
  cp "$folder/silent.meta" "$folder/released.meta.elf" 2>/dev/null ||
    "$BAREPROF" extract "$folder/silent.elf" -o "$folder/released.meta.elf" &&
    arm-none-eabi-strip "$folder/silent.elf" -o "$folder/released.elf" &&
    serve "$folder/released.elf" by_gdb released.meta released.core --reset \
      --at "0x$at" || { cat "$folder/said"; return 1; }
  "$BAREPROF" join "$folder/silent.elf" "$folder/first.core" \
    -o "$folder/first.profraw" &&
    "$BAREPROF" join "$folder/released.meta.elf" "$folder/released.core" \
      -o "$folder/released.profraw" &&
    cmp "$folder/first.profraw" "$folder/released.profraw"
}

# Byte counters begin at 0xFF.
single_bytes() {
  image full lld full "$single_bytes" &&
    image bytes lld lean "$single_bytes" &&
    gdb_run full && gdb_run bytes &&
    text_of "$folder/coverage.profraw" &&
    same_profile "$folder/bytes.elf" "$folder/bytes.core"
}

# ---- rows: a program that prints, and goes on for ever ----

# spin NAME ENDS [LDFLAGS]: builds a program that prints "turn" after 300 calls,
# then goes on or ends.
spin() {
  cat >"$folder/$1.c" <<'C'
#include "board.h"
static volatile int turns;
__attribute__((noinline)) static void turn(void) { ++turns; }
static void go_on(void) {
  for (;;)
    ++turns;
}
int main(void) {
  for (int i = 0; i < 300; ++i)
    turn();
  board_puts("one turn\n");
  if (ENDS)
    return 0;
  go_on();
  return 1;
}
C
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" SCRIPT=lean NAME="$1" \
    OUT="$folder" CFLAGS_APP="-O1 -g -DENDS=$2" SOURCES="$folder/$1.c" \
    PROFILE="$front_end" LDFLAGS_APP="${3-}"
}

# counts NAME PROFILE: prints how often turn and main ran.
counts() {
  "llvm-profdata-$llvm" show --counts --all-functions "$folder/$1" |
    awk '/:$/ { name = $1 } /Function count/ { print name $3 }' |
    sed 's/.*[.]c://' | sort | one_line | sed 's/ $//'
}

running() {
  spin spin 0 && serve "$folder/spin.elf" by_gdb spin spin.profraw --reset \
    --timeout 1 || { cat "$folder/said"; return 1; }
  [ "$(counts spin.profraw)" = "go_on:1 main:1 turn:300" ] ||
    { counts spin.profraw; return 1; }
}

# Reads counts that grow while the target runs. A signal ends the series.
often() {
  serve "$folder/spin.elf" by_gdb spin often.profraw --reset --timeout 1 \
    --every 0.3 -n 3 || { cat "$folder/said"; return 1; }
  last=0
  for number in "" -2 -3; do
    [ "$(counts "often$number.profraw" | sed 's/go_on:[01] //')" = \
      "main:1 turn:300" ] || { counts "often$number.profraw"; return 1; }
    now=$("llvm-profdata-$llvm" show --counts --all-functions \
      "$folder/often$number.profraw" | sed -n 's/.*[[, ]\([0-9]*\)\]/\1/p' |
      sort -n | tail -n 1)
    [ "$now" -gt "$last" ] || { echo "$now after $last"; return 1; }
    last=$now
  done
  [ ! -e "$folder/often-4.profraw" ]
}

# After --at, later reads come by time.
often_after_at() {
  serve "$folder/spin.elf" by_gdb spin after.profraw --reset --at turn \
    --every 0.3 -n 2 || { cat "$folder/said"; return 1; }
  [ -s "$folder/after.profraw" ] && [ -s "$folder/after-2.profraw" ]
}

# Each read contains only the counts since the read before.
increments() {
  serve "$folder/spin.elf" by_gdb spin more.profraw --reset --timeout 1 \
    --every 0.3 -n 3 --increments || { cat "$folder/said"; return 1; }
  for number in "" -2 -3; do
    counts "more$number.profraw" | sed 's/go_on:[01] //'
  done >"$folder/more"
  printf '%s\n' "main:1 turn:300" "main:0 turn:0" "main:0 turn:0" |
    cmp - "$folder/more" || { cat "$folder/more"; return 1; }
  for number in -2 -3; do
    "llvm-profdata-$llvm" show --counts --all-functions \
      "$folder/more$number.profraw" | grep -q '[[, ][1-9][0-9]*\]' || return
  done
}

# has_turned: waits until the firmware, whose text goes to a file, has called turn
# 300 times.
has_turned() {
  for _ in $(seq 300); do
    ! grep -q 'one turn' "$folder/turned" 2>/dev/null || return 0
    sleep 0.1
  done
}

# After Ctrl-C, run still reads the counters.
stopped() {
  signal() {
    "$BAREPROF" receive --port "gdb:unix:$folder/gdb" "$folder/spin.elf" --reset \
      -o "$folder/stopped.profraw" --at board_exit 2>"$folder/said" &
    receiver=$!
    has_turned
    kill -TERM $receiver
    wait $receiver
  }
  rm -f "$folder/turned"
  SERIAL=file:turned
  serve "$folder/spin.elf" signal
  status=$?
  SERIAL=null
  [ $status = 0 ] || { cat "$folder/said"; return 1; }
  [ "$(counts stopped.profraw)" = "go_on:1 main:1 turn:300" ]
}

# Waits for a text on the console, which is a separate port.
until_text() {
  rm -f "$folder/serial"
  SERIAL=unix:serial,server=on,wait=on
  serve "$folder/spin.elf" by_gdb spin until.profraw --reset \
    --console "unix:$folder/serial" --until "one turn" --timeout 60
  status=$?
  SERIAL=null
  [ $status = 0 ] || { cat "$folder/said"; return 1; }
  counts until.profraw | grep -q 'turn:300'
}

# The process of the GDB server dies while the target runs.
dies() {
  killed() {
    { has_turned; kill -9 $(ps -o pid= --ppid $qemu); } &
    by_gdb spin none --reset --timeout 60
  }
  rm -f "$folder/none" "$folder/turned"
  SERIAL=file:turned
  serve "$folder/spin.elf" killed
  status=$?
  SERIAL=null
  [ $status = 1 ] && [ ! -e "$folder/none" ] ||
    { echo "exit $status"; return 1; }
  grep -q 'the GDB server closed the connection' "$folder/said"
}

# ---- rows: run --gdb ----

# runs NAME OPTION...: makes the report, and keeps the messages.
runs() {
  name=$1
  shift
  rm -rf "$folder/report"
  SERIAL=stdio "$BAREPROF" run --gdb "$folder/$name.elf" -o "$folder/report" \
    "$@" -- targets/run "$board" "$folder/$name.elf" "$folder" \
    >"$folder/shown" 2>"$folder/said"
}

# run stops at semihosting's exit, at a function, at a text, and at the timeout.
run_stops() {
  spin ends 1 || return 1
  while read -r name counts options; do
    # shellcheck disable=SC2086 # Several options.
    runs "$name" $options </dev/null ||
      { echo "$options"; cat "$folder/said"; return 1; }
    got=$(counts "report/$name.profdata" | tr ' ' ,)
    [ "$got" = "$counts" ] || { echo "$name $options: $got"; return 1; }
  done <<'RUNS'
ends main:1,turn:300
ends main:1,turn:0 --at turn
spin go_on:1,main:1,turn:300 --timeout 1
spin go_on:1,main:1,turn:300 --until turn
RUNS
  grep -q '^one turn$' "$folder/shown"
}

# Shows coverage while a program runs: new code, in the order of the program.
# The lcov file before the end lacks later code.
run_live() {
  cat >"$folder/phases.c" <<'C'
static volatile int turns;
__attribute__((noinline)) static void pass_time(void) {
  for (int i = 0; i < 20000000; ++i)
    ++turns;
}
__attribute__((noinline)) static int later(void) {
  return turns + 2;
}
int main(void) {
  pass_time();
  turns = later();
  pass_time();
  return 0;
}
C
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" SCRIPT=lean NAME=phases \
    OUT="$folder" CFLAGS_APP="-O1 -g" SOURCES="$folder/phases.c" \
    PROFILE="$front_end" || return
  rm -f "$folder/live.info" "$folder/early.info"
  { TIMEOUT=120 runs phases --every 0.2 --lcov "$folder/live.info"; } &
  live=$!
  for _ in $(seq 600); do
    [ ! -s "$folder/live.info" ] || break
    sleep 0.1
  done
  cp "$folder/live.info" "$folder/early.info"
  wait $live || { cat "$folder/said"; return 1; }
  sed -n 's/^live .*lines; //p' "$folder/shown" >"$folder/news"
  printf '%s\n' 'phases.c:2-5 phases.c:9-14' 'phases.c:6-8' |
    diff - "$folder/news" || return
  grep -q '^DA:7,0$' "$folder/early.info" &&
    grep -q '^DA:7,1$' "$folder/live.info" &&
    [ "$(awk 'length > 80 && !/file:/' "$folder/shown")" = "" ]
}

# A running board has a debug probe with a GDB server. The board goes on after a
# poll, and can be polled again.
board_live() {
  rm -f "$folder/probe"
  spin alone 0 "-u bareprof_preinit" || return
  SERIAL=null TIMEOUT=60 targets/run "$board" "$folder/alone.elf" "$folder" \
    -gdb unix:probe,server=on,wait=off </dev/null >"$folder/console" \
    2>&1 &
  qemu=$!
  for _ in $(seq 100); do
    [ ! -S "$folder/probe" ] || break
    sleep 0.05
  done
  # The last --every is longer than --timeout, which ends the run even so.
  for times in "2 0.2" "0.5 0.2" "1 50"; do
    rm -rf "$folder/report"
    timeout 20 "$BAREPROF" live "$folder/alone.elf" -o "$folder/report" \
      --every "${times#* }" --port "gdb:unix:$folder/probe" \
      --timeout "${times% *}" >"$folder/shown" 2>"$folder/said" &&
      grep -q '^live  *[0-9.]* s: [0-9]* of' "$folder/shown" &&
      grep -q '^Line by line' "$folder/shown" && continue
    kill $qemu
    cat "$folder/said"
    return 1
  done
  kill $qemu
  got=$(counts report/alone.profdata)
  [ "$got" = "go_on:1 main:1 turn:300" ] || { echo "$got"; return 1; }
}

# If the awaited place is not reached, run makes the report with exit status 1.
run_misses() {
  runs ends --at board_fault && { echo "--at succeeds"; return 1; }
  grep -q 'did not reach board_fault' "$folder/said" &&
    [ -e "$folder/report/evidence.json" ] || { cat "$folder/said"; return 1; }
  runs ends --poison && { echo "--poison succeeds"; return 1; }
  grep -q 'the counters were not cleared' "$folder/said" &&
    [ ! -e "$folder/report" ]
}

# QEMU ends before the read: it exits, or is killed.
run_dies() {
  for how in "exit 0" "exec qemu-system-arm -machine none -nonsense" \
    "targets/run $board $folder/spin.elf $folder \"\$@\" & sleep 1; kill \$!"
  do
    rm -rf "$folder/report"
    "$BAREPROF" run --gdb "$folder/spin.elf" -o "$folder/report" -- \
      sh -c "$how" sh >/dev/null 2>"$folder/said"
    status=$?
    [ $status = 1 ] && [ ! -e "$folder/report" ] &&
      grep -q 'ended .*before' "$folder/said" ||
      { echo "$how: $status"; cat "$folder/said"; return 1; }
  done
}

# A vendor's script and start-up code without any line for bareprof, and without
# a build id: the compiler's launcher puts the counters into .bss.
plain_script() {
  cat >"$folder/plain.ld" <<'LD'
MEMORY {
  FLASH (rx) : ORIGIN = 0, LENGTH = 4M
  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M
}
ENTRY(reset)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
  .bss (NOLOAD) : { first = .; *(.bss*) . = ALIGN(4); last = .; } > RAM
  /DISCARD/ : { *(.ARM.exidx*) *(.note*) }
}
LD
  cat >"$folder/plain_start.c" <<'C'
extern unsigned first[], last[];
int main(void);
static void finish(int status) {
  register int call __asm__("r0") = 0x18;
  register int reason __asm__("r1") = 0x20026 + status;
  __asm__ volatile("bkpt 0xab" : : "r"(call), "r"(reason));
  for (;;)
    ;
}
void reset(void) {
#ifdef CLEARS
  for (volatile unsigned *word = first; word < last; ++word)
    *word = 0;
#endif
  finish(main());
}
__attribute__((section(".vectors"), used)) void *const vectors[] = {
    (void *)0x20400000, (void *)reset};
C
  cat >"$folder/plain.c" <<'C'
static int odd(int n) { return n > 3 && n & 1 ? n : 0; }
int main(void) {
  int sum = 0;
  for (int n = 0; n < 10; ++n)
    sum += odd(n);
  return sum > 1000;
}
C
  flags="--target=thumbv7m-none-eabi -mcpu=cortex-m3 -O1 -g -ffreestanding"
  "$BAREPROF" cc --place=bss --coverage "clang-$llvm" $flags \
    -c "$folder/plain.c" -o "$folder/plain.o" || return
  for clears in clears not; do
    define=
    [ $clears = not ] || define=-DCLEARS
    "clang-$llvm" $flags $define -c "$folder/plain_start.c" \
      -o "$folder/plain_start.o" || return
    "ld.lld-$llvm" -T "$folder/plain.ld" "$folder/plain_start.o" \
      "$folder/plain.o" -o "$folder/$clears-lld.elf" &&
      arm-none-eabi-ld -T "$folder/plain.ld" "$folder/plain_start.o" \
        "$folder/plain.o" -o "$folder/$clears-gnu.elf" || return
  done
}

plain_runs() {
  plain_script || return
  for linker in lld gnu; do
    runs clears-$linker --poison || { cat "$folder/said"; return 1; }
    [ "$(counts "report/clears-$linker.profdata")" = "main:1 odd:10" ] ||
      { counts "report/clears-$linker.profdata"; return 1; }
    runs not-$linker --poison && { echo "not cleared"; return 1; }
    grep -q 'the counters were not cleared' "$folder/said" || return
  done
}

# Runs the example as a user does: its counts are those that awk finds in the
# recording.
example() {
  LLVM=$llvm examples/gdb/run >"$folder/report.txt" 2>&1 ||
    { tail -n 2 "$folder/report.txt"; return 1; }
  "llvm-profdata-$llvm" show --all-functions --counts \
    "$BUILD/gdb/report/silent.profraw" | awk '
      /^  [^ ].*:$/ { name = $1; sub(/:$/, "", name); sub(/.*:/, "", name) }
      /Function count:/ { print name, $3 }' | sort >"$folder/counts"
  awk -f $coverage/expected-counts $coverage/stream.nmea | sort \
    >"$folder/expected"
  [ "$(wc -l <"$folder/expected")" -ge 10 ] || { echo few; return 1; }
  missing=$(comm -23 "$folder/expected" "$folder/counts")
  [ -z "$missing" ] || { echo "not in the profile: $missing"; return 1; }
  grep -q 'MC/DC' "$folder/report.txt"
}

# ---- rows: servers of debug probes, by stand-ins ----

# behind SERVER NAME OUT OPTION...: like by_gdb, with an imitation of this
# server between bareprof and QEMU.
behind() {
  rm -f "$folder/probe"
  "$folder/habits" "$1" "$folder/probe" "$folder/gdb" &
  between=$! name=$2 to=$3
  shift 3
  for _ in $(seq 100); do
    [ ! -S "$folder/probe" ] || break
    sleep 0.05
  done
  "$BAREPROF" receive --port "gdb:unix:$folder/probe" "$folder/$name.elf" \
    -o "$folder/$to" "$@" 2>"$folder/said" >"$folder/shown"
  between_status=$?
  kill $between 2>/dev/null
  wait $between 2>/dev/null
  return $between_status
}

# Breakpoints, writes, reads and the halt work as with QEMU's own server.
by_server() {
  at_exit() {
    behind "$1" silent server.core --at board_exit --reset --halt &&
      behind "$1" silent again.core
  }
  serve "$folder/silent.elf" at_exit "$1" || { cat "$folder/said"; return 1; }
  cmp "$folder/first.core" "$folder/server.core" &&
    cmp "$folder/first.core" "$folder/again.core" || return
  serve "$folder/spin.elf" behind "$1" spin server.profraw --reset \
    --timeout 1 || { cat "$folder/said"; return 1; }
  [ "$(counts server.profraw)" = "go_on:1 main:1 turn:300" ] ||
    { counts server.profraw; return 1; }
  case $1 in openocd) grep -q "^.mps. halted$" "$folder/shown" ;; esac
}

# Reads missing memory: the RAM of this ELF is at another address.
no_memory() {
  rm -f "$folder/none"
  sed 's/0x20000000/0x60000000/' "$folder/plain.ld" >"$folder/elsewhere.ld"
  "ld.lld-$llvm" -T "$folder/elsewhere.ld" "$folder/plain_start.o" \
    "$folder/plain.o" -o "$folder/elsewhere.elf" || return
  serve "$folder/silent.elf" behind "$1" elsewhere none
  status=$?
  [ $status = 1 ] && [ ! -e "$folder/none" ] &&
    grep -q "memory cannot be read at 0x60000000" "$folder/said" ||
    { echo "status $status"; cat "$folder/said"; return 1; }
}

# A slow link may take long: in total longer than the limit for answers without
# progress.
patient() {
  at_exit() {
    behind patient silent server.core --at board_exit --reset --halt
  }
  begun=$(date +%s)
  TIMEOUT=100 serve "$folder/silent.elf" at_exit || { cat "$folder/said"; return 1; }
  took=$(($(date +%s) - begun))
  cmp "$folder/first.core" "$folder/server.core" &&
    [ $took -gt 12 ] || { echo "$took s"; return 1; }
}

# endless SERVER REASON: expects one line and no file, within seconds.
endless() {
  rm -f "$folder/none"
  begun=$(date +%s)
  serve "$folder/spin.elf" behind "$1" spin none --timeout 0.3
  status=$? took=$(($(date +%s) - begun))
  grep -v ' runs, and its counters are read at ' "$folder/said" \
    >"$folder/stderr"
  [ $status = 1 ] && [ ! -e "$folder/none" ] && [ $took -le 20 ] &&
    [ "$(wc -l <"$folder/stderr")" = 1 ] &&
    grep -q "$2" "$folder/stderr" ||
    { echo "status $status, $took s"; cat "$folder/said"; return 1; }
}

rows_servers() {
  check "extract gdb: servers: the stand-ins compile" \
    cc -std=c11 -O1 -Wall -Wextra -Werror -o "$folder/habits" $here/habits.c
  for server in openocd jlink pyocd probe-rs; do
    wanted "extract gdb: servers: $server" || continue
    check "extract gdb: servers: $server" by_server $server
    check "extract gdb: servers: $server, memory that is not there" \
      no_memory $server
  done
  sole "extract gdb: servers: slow, with small packets" patient
  for server in crumbs chatter; do
    sole "extract gdb: servers: $server: an end" endless $server \
      "too slowly or with too few bytes; .*restart the server"
  done
  sole "extract gdb: servers: acknowledges: an end" endless acknowledges \
    "the GDB server does not answer"
}

rows_gdb() {
  board=mps2-an385
  check "extract gdb: builds" image silent lld lean
  check "extract gdb: refuses what nobody initialised" not_initialised
  check "extract gdb: reads twice, and leaves the target as it was" twice
  check "extract gdb: poison" poison
  check "extract gdb: an ELF with other code" stale
  check "extract gdb: no such function" fails "has the symbol in --at" silent \
    --at nowhere
  check "extract gdb: a stripped program, by what was extracted" released
  check "extract gdb: single bytes" single_bytes
  check "extract gdb: a program that goes on, for a time" running
  check "extract gdb: a function that is not reached" \
    fails "did not reach the function" spin --reset --at board_fault \
    --timeout 0.5
  check "extract gdb: again and again" often
  check "extract gdb: again and again, after --at" often_after_at
  check "extract gdb: increments" increments
  check "extract gdb: a signal" stopped
  check "extract gdb: a text of the console" until_text
  check "extract gdb: the server dies" dies
  check "extract gdb: run: each stop" run_stops
  check "extract gdb: run: coverage while it runs" run_live
  check "extract gdb: live: a board that runs" board_live
  check "extract gdb: run: a stop that is not reached" run_misses
  check "extract gdb: run: QEMU ends before the read" run_dies
  check "extract gdb: run: a vendor's script, counters in .bss" plain_runs
  check "extract gdb: the example counts as the recording" example
  rows_servers
}
