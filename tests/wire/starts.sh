# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Damaged logs of two starts: sourced by host.sh. STARTS=number of each kind.

build_starts() {
  $cc -g $(headers) -Itools -DBAREPROF_FOREIGN $here/starts.c \
    $here/starts_make.c $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/starts"
}

# Logs that were wrong once: a repetition of a dump that had come with gaps; a
# logger's colours in BINARY.
known_logs() {
  for seed in 7188 10760 13373; do
    "$out/starts" 1 $seed >"$out/known" || return 1
    ! grep -E '^not ok.*(unsaid|mixed)' "$out/known" || return 1
  done
}

if wanted "wire starts"; then
  check "wire starts: the test compiles" build_starts
  check "wire starts: logs that were wrong once" known_logs
  logs=300
  [ -z "${FULL:-}" ] || logs=17000
  [ -z "${QUICK:-}" ] || logs=50
  run_program starts "${STARTS:-$logs}"
fi
