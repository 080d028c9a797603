# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Damaged logs of two starts: sourced by host.sh. STARTS=number of each kind.

build_starts() {
  $cc -g $(headers) -Itools -DBAREPROF_FOREIGN $here/starts.c \
    $here/starts_make.c $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/starts"
}

if wanted "wire starts"; then
  check "wire starts: the test compiles" build_starts
  logs=300
  [ -z "${FULL:-}" ] || logs=17000
  [ -z "${QUICK:-}" ] || logs=50
  run_program starts "${STARTS:-$logs}"
fi
