# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Damaged logs of two boots. host.sh sources this file. STARTS=number of each
# kind.

build_starts() {
  $cc -g $(headers) -Itools -DBAREPROF_FOREIGN $here/starts.c \
    $here/starts_make.c $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/starts"
}

build_alike() {
  $cc -g $(headers) -Itools -DBAREPROF_FOREIGN $here/alike.c \
    $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/alike"
}

# By hand: 1, then 2 more, then 1 of the next boot, whose first dump is
# complete.
increments_end() {
  mkdir -p "$out/ended"
  rm -f "$out"/ended/*
  "$out/alike" starts >"$out/ended/log" &&
    "$BAREPROF" receive --increments "$out/ended/log" \
      -o "$out/ended/x.bpdump" 2>"$out/ended/messages" &&
    grep -q 'boot 7 has ended, and boot 8 begins; the increments lack ' \
      "$out/ended/messages" || { one_line <"$out/ended/messages"; return 1; }
  for file in x.bpdump:1 x-2.bpdump:2 x-3.bpdump:1; do
    counts=$(head -c -4 "$out/ended/${file%:*}" | tail -c 2400 |
      od -An -v -tu8 -w8 | tr -d ' ' | sort -u)
    [ "$counts" = "${file#*:}" ] || { echo "$file: $counts"; return 1; }
  done
}

# Logs that once gave wrong results: a repetition of a dump that had gaps; a
# logger's colours in BINARY.
known_logs() {
  for seed in 7188 10760 13373; do
    "$out/starts" 1 $seed >"$out/known" || return 1
    ! grep -E '^not ok.*(unsaid|mixed)' "$out/known" || return 1
  done
}

if wanted "wire alike"; then
  check "wire alike: the test compiles" build_alike
  run_program alike
  check "wire alike: --increments, and a start that ends" increments_end
fi
if wanted "wire starts"; then
  check "wire starts: the test compiles" build_starts
  check "wire starts: logs that were wrong once" known_logs
  logs=300
  [ -z "${FULL:-}" ] || logs=17000
  [ -z "${QUICK:-}" ] || logs=50
  run_program starts "${STARTS:-$logs}"
fi
