# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The part of the tier that needs no board: the link's sender compiled for
# this machine, next to the host's side. FAULTS=number of damaged streams.

NATIVE="$cc -g -Iinclude -Iruntime"
FOREIGN="$cc -g -DBAREPROF_FOREIGN -Iinclude -Iruntime -Itools/link"

# objects FOLDER COMPILER SOURCE...: compiled there; prints their names.
objects() {
  objects_to=$out/objects-$1 compiler=$2
  shift 2
  mkdir -p "$objects_to"
  for source_file; do
    object=$objects_to/$(basename "$source_file").o
    $compiler -c "$source_file" -o "$object" || return 1
    echo "$object"
  done
}

sender_objects() {
  objects native "$NATIVE" $here/sender.c runtime/link.c runtime/frame.c \
    runtime/coder.c runtime/text.c runtime/binary.c runtime/full.c \
    runtime/values_link.c runtime/values_freeze.c
}

receiver_objects() {
  objects foreign "$FOREIGN" runtime/crc32.c tools/link/scan*.c \
    tools/link/collect.c tools/link/dumps.c tools/link/compose.c \
    tools/link/frame.c \
    tools/link/decode.c tools/link/snapshot.c tools/link/slots.c \
    tools/base/buffer.c
}

build_faults() {
  $FOREIGN $here/faults.c $here/faults_make.c $(sender_objects) \
    $(receiver_objects) -o "$out/faults"
}

# The firmware's side of requests, which is all of the runtime.
build_requests() {
  runtime=$(ls runtime/*.c | grep -v -e preinit -e exit -e abi -e compat \
    -e unwind -e timestamp)
  $NATIVE -no-pie $here/requests.c \
    $(objects requests "$NATIVE" $runtime) \
    $(objects requests-foreign "$FOREIGN" $here/wish.c \
      tools/link/compose.c) \
    -o "$out/requests"
}

# build_scan PROGRAM: it has its streams from the armor alone.
build_scan() {
  $NATIVE -Itools/link "$here/$1.c" $(objects scan "$NATIVE -Itools/link" \
    $here/streams.c $here/hear.c tools/link/scan*.c runtime/frame.c \
    runtime/text.c runtime/binary.c runtime/crc32.c) -o "$out/host-$1"
}

# Prints the checks of a program of these.
run_program() {
  if ! "$out/$1" ${2-}; then
    not_ok "wire $1" "it ends with another status than 0"
  fi
}

check "wire: the fault injection compiles" build_faults
check "wire: the requests' test compiles" build_requests
run_program requests
for program in scan noise; do
  check "wire: the scanner's test $program compiles" build_scan $program
  run_program host-$program
done
# Next to the boards: the caller waits, and prints.
[ -n "${FULL:-}" ] && streams=100000 || streams=4000
run_program faults "${FAULTS:-$streams}" >"$out/faults.log" 2>&1 &
