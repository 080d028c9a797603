# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sinks that fail in any byte of a dump: sourced by host.sh.

build_failing() {
  $cc -g $(headers) -Itools -DBAREPROF_FOREIGN $here/failing.c \
    $here/starts_host.c \
    $(objects native "$cc -g" $here/failing_send.c) "$native" "$foreign" \
    -o "$out/failing"
}

if wanted "wire failing"; then
  check "wire failing: the test compiles" build_failing
  "$out/failing"
fi
