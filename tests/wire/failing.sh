# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sinks fail at each byte of a dump. host.sh sources this file.

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

build_large() {
  $cc -O1 -g $(headers) -Itools -DBAREPROF_FOREIGN $here/large.c \
    $here/starts_host.c \
    $(objects native "$cc -O1 -g" $here/large_send.c) "$native" "$foreign" \
    -o "$out/large"
}

if [ -n "${FULL:-}" ] && wanted "wire large"; then
  check "wire large: the test compiles" build_large
  "$out/large"
fi
