# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Samples on request, from firmware that does not end, over a good and a bad
# link. `run` sources this file.
. tests/wire/live.sh

ask() {
  timeout 40 "$BAREPROF" receive -q --port "$device" -o "$folder/seen.samples" \
    "$@" 2>"$folder/told"
}

# Prints how many samples were taken, from the header.
taken() { header "$1" | awk '{ print $5 }'; }

# Received samples are those that were served last. On a slow machine the host
# requests twice, and the second answer has more samples: then it receives once
# more.
received() {
  for _ in 1 2 3; do
    ask --request --samples "$@" || return 1
    sleep 0.2
    ! cmp "$folder/served.samples" "$folder/seen.samples" || return 0
  done
  return 1
}

reset_samples() {
  ask --request --samples && before=$(taken "$folder/seen.samples") &&
    received --reset && [ "$(taken "$folder/seen.samples")" -lt "$before" ]
}

# requests BOARD
requests() {
  label="sampler $1 requests" folder=$out/$1-requests
  needs "$label" llvm:22 "board:$1" || return
  mkdir -p "$folder"
  rm -f "$folder"/*.samples
  build "$1" requests "$here/requests.c $here/work.c" \
    -DPERIOD="$(period_of "$1")" || return
  connect requests pty 0 frames -icount shift=0 ||
    { not_ok "$label" "it does not start"; return; }
  ask --request --samples
  equal "$label: none is taken yet" "1 1" \
    "$? $(grep -c 'rejected a dump: no sample was taken' "$folder/told")"
  ask --request
  equal "$label: a profile is another wire's to give" "1 1" \
    "$? $(grep -c 'rejected a dump: the linker script does not bound' "$folder/told")"
  check "$label: received is what was served" received
  check "$label: in BINARY" received --binary
  names "$folder/seen.samples" "$folder/requests.elf" >"$folder/names"
  check "$label: half in leaf_c, all for via_2" share "leaf_c via_2" 500
  check "$label: less after a reset" reset_samples
  disconnect
  [ -n "${FULL:-}" ] || return 0
  connect requests tcp 200 frames -icount shift=0
  ask --request --samples
  check "$label: received over a bad line is what was served" received
  disconnect
  check "$label: frames were lost" test -s "$folder/faults"
}

$(host_cc) -O2 -D_POSIX_C_SOURCE=200809L \
  tests/wire/proxy.c -o "$out/proxy"
requests mps2-an385
[ -z "${FULL:-}" ] || requests virt-riscv32
