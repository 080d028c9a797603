# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of a live port. `run` sources this file. QEMU itself makes the
# pseudo-terminal; for TCP both sides connect to a proxy, which chooses the
# ports, and may imitate a bad link.

# await COMMAND...: polls for twenty seconds until the command succeeds.
await() {
  for _ in $(seq 400); do
    "$@" && return
    sleep 0.05
  done
  echo "waited in vain: $*"
  return 1
}

# connect NAME PORT PER_MILLE UNIT [QEMU-FLAG...]: starts NAME.elf with its
# serial port as a pty, or behind a proxy; sets device. Ends with disconnect.
connect() {
  rm -f "$folder"/seen* "$folder/ports" "$folder/said" "$folder"/*.profraw
  case $2 in
    pty) serial=pty ;;
    tcp)
      "$out/proxy" "$3" 1 "$4" >"$folder/ports" 2>"$folder/faults" &
      await test -s "$folder/ports" || return 1
      read -r for_target for_host <"$folder/ports"
      serial=tcp:127.0.0.1:$for_target
      device=tcp:127.0.0.1:$for_host ;;
  esac
  image=$folder/$1.elf wired=$2
  shift 4
  SERIAL=$serial TIMEOUT=60 targets/run "$board" "$image" "$folder" "$@" \
    </dev/null >"$folder/said" 2>&1 &
  qemu=$!
  [ "$wired" = tcp ] && return 0
  await grep -q '/dev/[^ ]*' "$folder/said" || return 1
  device=$(sed -n 's,.*\(/dev/[^ ]*\).*,\1,p' "$folder/said")
}

# connect_server PORT PER_MILLE UNIT [QEMU-FLAG...]: like connect; waits until
# the UART is on, which drops earlier bytes.
connect_server() {
  connect server "$@" && await test -s "$folder/served.profraw"
}

disconnect() {
  kill "$qemu"
  wait
} 2>/dev/null

# Receives from firmware that begins to send at the first byte of the request,
# and reads no more of it.
live() {
  receive --port "$device" --request --count 6 -o "$folder/seen.profraw"
}

row_live() {
  check "$label: builds" build firmware firmware -DLIVE
  connect firmware "$port" 0 frames -icount shift=6
  check "$label: received" live
  disconnect
  check "$label: the dumps are the same" \
    in_order profraw profraw bpdump bpdump profraw bpdump
  check "$label: the text is the same" text_of 6 1
}

# ---- rows: firmware that is asked ----

# asked ARGUMENT...: requested dumps equal the server's counters.
asked() {
  rm -f "$folder"/seen*
  receive --port "$device" --request -o "$folder/seen.profraw" "$@" ||
    return 1
  for seen in "$folder"/seen*; do
    is_of served "$seen" || return 1
  done
}

# A dump after a reset has no counts.
reset_counts() {
  rm -f "$folder"/seen*
  receive --port "$device" --reset --request -o "$folder/seen.profraw" ||
    return 1
  "llvm-profdata-$llvm" show --counts --all-functions \
    "$folder/seen.profraw" >"$folder/counts" &&
    grep -q '^Total functions: [1-9]' "$folder/counts" &&
    grep -q '^Maximum function count: 0$' "$folder/counts" ||
    { one_line <"$folder/counts"; return 1; }
}

row_request() {
  check "$label: builds" build server server ""
  connect_server "$port" 0 frames
  check "$label: a dump when asked for" asked
  check "$label: in BINARY" asked --binary
  check "$label: LEAN" asked --lean
  check "$label: LEAN in BINARY" asked --lean --binary
  check "$label: three" asked --every 0.05 --count 3
  equal "$label: three files" 3 "$(count_seen)"
  check "$label: a reset" reset_counts
  disconnect
}

# Lost frames are requested again. There must be faults, to prove anything.
# Compares without the head, which may say that frames came again, and without
# the CRC.
data_of() {
  size=$(sed -n 's/^data //p;/^data /q' "$1")
  head=$(sed '/^data /q' "$1" | wc -c)
  tail -c +$((head + 1)) "$1" | head -c "$size"
}

# Ten dumps all have the same slots, though frames were lost.
all_slots() {
  rm -f "$folder"/seen*
  receive --port "$device" --lean --every 0.2 --count 10 \
    -o "$folder/seen.bpdump" || return 1
  set -- "$(grep -c ', 90 of 500 value slots in use' "$folder/messages")"
  [ $1 = 10 ] || { echo "$1 of 10 have all: $(one_line <"$folder/messages")"
    return 1; }
  data_of "$folder/seen.bpdump" >"$folder/data"
  [ -s "$folder/data" ] || { echo "no data"; return 1; }
  for seen in "$folder"/seen-*; do
    data_of "$seen" | cmp - "$folder/data" ||
      { echo "$seen differs"; return 1; }
  done
}

row_slots() {
  check "$label: builds" build server server -DSLOTS "" $here/slots.c
  connect_server tcp 50 frames
  check "$label: 10 dumps, 50 of 1,000 frames lost" all_slots
  disconnect
  check "$label: $(cat "$folder/faults")" \
    grep -q ' [1-9][0-9]* faults' "$folder/faults"
}

row_faulty() {
  check "$label: builds" build server server ""
  for unit in "50 frames" "1 bytes"; do
    connect_server tcp ${unit% *} ${unit#* }
    check "$label: 10 dumps, ${unit% *} of 1,000 ${unit#* } lost" \
      asked --every 0.02 --count 10
    equal "$label: 10 files" 10 "$(count_seen)"
    disconnect
    check "$label: $(cat "$folder/faults")" \
      grep -q ' [1-9][0-9]* faults' "$folder/faults"
  done
}

# Prints the calls of tick in a profile.
ticks_in() {
  "llvm-profdata-$llvm" show --function=tick "$1" |
    sed -n 's/.*Function count: //p'
}

sum_of_ticks() {
  "llvm-profdata-$llvm" merge "$folder"/seen*.profraw \
    -o "$folder/sum.profdata" && ticks_in "$folder/sum.profdata"
}

# Counts the increments with some calls.
busy_increments() {
  for seen in "$folder"/seen*.profraw; do
    ticks_in "$seen"
  done | grep -vc '^0$'
}

row_increments() {
  count=24 ticks=12000
  [ -z "${FULL:-}" ] || { count=50 ticks=30000; }
  # The last dumps wait for the last tick, however slow the machine is.
  check "$label: builds" build server server \
    "-DTICKS=$ticks -DLAST=$((count - 2))" -fprofile-update=atomic
  # Only so do interrupts come after any instruction.
  connect_server tcp 50 frames -icount shift=3
  check "$label: $count received" receive --port "$device" --request \
    --every 0.02 --count $count --increments -o "$folder/seen.profraw"
  disconnect
  check "$label: $(cat "$folder/faults")" \
    grep -q ' [1-9][0-9]* faults' "$folder/faults"
  equal "$label: $count increments" $count "$(count_seen)"
  equal "$label: their sum is exact" $((ticks * 51)) "$(sum_of_ticks)"
  busy=$(busy_increments)
  check "$label: $busy of them have counts" test "$busy" -ge $((count / 5))
}

# ---- rows: the user's terminal ----

# The firmware answers a typed key, and Ctrl-C loses nothing.
typed() {
  rm -f "$folder"/seen*
  "$out/typist" '?^C' "$BAREPROF" receive --port "$device" --every 100 \
    -o "$folder/seen.profraw" >"$folder/screen" ||
    { echo "ends with $?: $(one_line <"$folder/screen")"; return 1; }
  grep -q 'shell: here' "$folder/screen" ||
    { one_line <"$folder/screen"; return 1; }
  cmp "$folder/served.profraw" "$folder/seen.profraw"
}

# A dump pauses after a prompt: receive shows the bar, then the prompt again.
paused() {
  rm -f "$folder"/seen*
  sed -n '/^~/,$p' "$folder/capture" >"$folder/cut"
  "$out/typist" '' sh -c "{ printf '> '; head -c 1000; sleep 0.3; cat; } \
    <'$folder/cut' | '$BAREPROF' receive - -o '$folder/seen.profraw'" \
    >"$folder/screen" ||
    { echo "ends with $?: $(one_line <"$folder/screen")"; return 1; }
  escape=$(printf '\033')
  grep -q "> .\[##*\.*\] *[0-9]* %  [0-9]* bytes, .*$escape\[K.$escape\[K> " \
    "$folder/screen" || { one_line <"$folder/screen"; return 1; }
}

row_terminal() {
  check "$label: builds" build server server ""
  connect_server tcp 0 frames
  check "$label: keys go to the target, Ctrl-C ends" typed
  disconnect
  check "$label: builds what sends" build firmware firmware ""
  check "$label: the firmware sends" capture firmware
  check "$label: a bar shows how far it is" paused
}

