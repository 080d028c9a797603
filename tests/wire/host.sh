# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The part of the tier that needs no board: the sender compiled for
# this machine, next to the host's side. FAULTS=number of damaged streams.

# Builds the archives, compiled as for a target and as for the tool: the
# runtime's comes first.
host_libraries() {
  native=$(runtime_archive NATIVE_CC="${cc%% *}" AS=fast NATIVE_CFLAGS=-O2) &&
    foreign=$(tool_archive)
}

# objects FOLDER COMPILER SOURCE...: compiles to FOLDER, and prints the objects'
# names.
objects() {
  objects_to=$out/objects-$1 compiler=$2
  shift 2
  mkdir -p "$objects_to"
  for source_file; do
    object=$objects_to/$(basename "$source_file").o
    $compiler $(headers) -c "$source_file" -o "$object" || return 1
    echo "$object"
  done
}

build_faults() {
  $cc -g $(headers) -DBAREPROF_FOREIGN $here/faults.c $here/faults_make.c \
    $(objects native "$cc -g" $here/sender.c) "$native" "$foreign" \
    -o "$out/faults"
}

# build_asked PROGRAM: links the firmware's side of requests (the complete
# runtime) with the host's side.
build_asked() {
  $cc -g $(headers) -no-pie "$here/asked_$1.c" \
    $(objects foreign "$cc -g -DBAREPROF_FOREIGN" $here/wish.c) \
    $WITH_VALUES "$native" "$foreign" -o "$out/$1"
}

# build_scan PROGRAM: it makes its streams with only the encoding.
build_scan() {
  $cc -g $(headers) "$here/$1.c" $here/streams.c $here/hear.c "$native" \
    "$foreign" -o "$out/host-$1"
}

# Prints the checks of a program of these.
run_program() {
  if ! "$out/$1" ${2-}; then
    not_ok "wire $1" "it ends with another status than 0"
  fi
}

host_libraries
for program in "$here"/asked_*.c; do
  program=$(basename "$program" .c)
  program=${program#asked_}
  wanted "wire $program" || continue
  check "wire $program: the test compiles" build_asked "$program"
  run_program "$program" "$BAREPROF"
done
. $here/overtaken.sh
. $here/said.sh
. $here/bounds.sh
for program in scan noise; do
  wanted "wire scan" || continue
  check "wire scan: the test $program compiles" build_scan $program
  run_program host-$program
done
. $here/starts.sh
. $here/sessions.sh
. $here/failing.sh
: >"$out/faults.log"
if wanted "wire faults"; then
  check "wire faults: the test compiles" build_faults
  # Runs in parallel with the boards: the caller waits, and prints.
  streams=4000
  [ -z "${FULL:-}" ] || streams=100000
  [ -z "${QUICK:-}" ] || streams=400
  run_program faults "${FAULTS:-$streams}" >"$out/faults.log" 2>&1 &
fi
