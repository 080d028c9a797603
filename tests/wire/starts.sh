# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Damaged logs of two boots. host.sh sources this file. STARTS=number of each
# kind.

# The logs contain addresses of the program: -no-pie makes them the same in each
# run.
build_starts() {
  $cc -g -no-pie $(headers) -Itools -DBAREPROF_FOREIGN $here/starts.c \
    $here/starts_make.c $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/starts"
}

build_alike() {
  $cc -g -no-pie $(headers) -Itools -DBAREPROF_FOREIGN $here/alike.c \
    $here/starts_host.c \
    $(objects native "$cc -g" $here/starts_send.c) "$native" "$foreign" \
    -o "$out/alike"
}

# By hand: 1, then 2 more; of the next boot 2, then 1, as counts have fallen; 1 of
# each of 32 boots, and 2 more of the last one.
increments_end() {
  mkdir -p "$out/ended"
  rm -f "$out"/ended/*
  "$out/alike" starts >"$out/ended/log" &&
    "$BAREPROF" receive --increments "$out/ended/log" \
      -o "$out/ended/x.bpdump" 2>"$out/ended/messages" &&
    grep -q 'boot 7 has ended, and boot 8 begins; the increments lack ' \
      "$out/ended/messages" &&
    grep -q 'counts of boot 8 have fallen, because ' "$out/ended/messages" &&
    [ "$(grep -c 'have fallen' "$out/ended/messages")" = 1 ] ||
    { one_line <"$out/ended/messages"; return 1; }
  for file in x.bpdump:1 x-2.bpdump:2 x-3.bpdump:2 x-4.bpdump:1 \
    x-5.bpdump:1 x-36.bpdump:1 x-37.bpdump:2; do
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

# The last two frames of a dump are swapped; before them is a fragment, which no
# frame of this dump needs.
swapped_frames() {
  cat >"$out/swapped" <<'END'
~{AGAVAAMAFICmqAMACBAAABjQmOGY4eEqAtICAMJ3ZBg}
~{BmAVAQCr/4Y2NmZm2zNmYzbDDbAwZmMwbZtsxtm22ZjbBm2w222bGNtg2DMYbDbZs2bZttgb
~NtjM2MzGzYYMwNsYZtm22NgbZmzGDNmYw2wYzGBsDNszbYbZoklK6Q}
~{Bt78AQCr/4BmNgbDYAADM2ANg2AAABsbDYBsBsGYAAGwAADYA2xg2GwbbANjG2AAAZttjbYA
~{AmAVAwOGmfGsBrjKApk}
~{AWAVAgB/SCSm/boACHnKYiKL7WM}
END
  "$BAREPROF" receive "$out/swapped" -o "$out/swapped.raw" \
    2>"$out/swapped.said" && { echo "the fragment is not missed"; return 1; }
  grep -q 'only damaged lines of a dump arrived' "$out/swapped.said" ||
    { one_line <"$out/swapped.said"; return 1; }
  sed -i '/^~{Bt78/d' "$out/swapped"
  "$BAREPROF" receive "$out/swapped" -o "$out/swapped.raw" 2>"$out/swapped.said" ||
    { one_line <"$out/swapped.said"; return 1; }
}

if wanted "wire alike"; then
  check "wire alike: the test compiles" build_alike
  run_program alike
  check "wire alike: --increments, and a start that ends" increments_end
fi
if wanted "wire starts"; then
  check "wire starts: the test compiles" build_starts
  check "wire starts: logs that were wrong once" known_logs
  check "wire starts: a fragment before frames that are swapped" swapped_frames
  logs=300
  [ -z "${FULL:-}" ] || logs=17000
  [ -z "${QUICK:-}" ] || logs=50
  run_program starts "${STARTS:-$logs}"
fi
