# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the size of dumps with xz, and their cost with budgets. `run` sources
# this file after measuring. The encoding was not tuned for heatshrink's counts.

# The bytes that wire.c sends of recorded counts are those that the real image
# sent, except for what another build id and another dump's number change.
like_recorded() {
  for file in tests/bench/counts/*; do
    for form in lean-binary lean-text; do
      set -- "$(sed -n "s/^$form //p" "$file")" \
        "$(awk -v n="${file##*/}" -v f="$form" \
          '$1 == "wire" && $2 == n && $3 == f {print $4}' "$out/measured")"
      if [ -z "$1" ] || [ -z "$2" ] || [ "$1" -gt $(($2 + 6)) ] ||
        [ "$1" -lt $(($2 - 6)) ]; then
        echo "${file##*/}: $form is $2, and was $1 of the real image"
        return 1
      fi
    done
  done
}
check "size wire: counts were recorded of what is sent today" like_recorded

# The raw counters and bitmaps that were measured, one file a set.
for raw in "$BUILD"/bench/wire/*.raw; do
  name=${raw##*/} name=${name%.raw}
  label="size wire $name: at most 0.80 of xz -9e"
  if ! have xz; then
    skip "$label" "xz is not installed"
    continue
  fi
  sent=$(awk -v n="$name" '$1 == "wire" && $2 == n && $3 == "lean-binary" \
    {print $4}' "$out/measured")
  packed=$(xz -9e -c "$raw" | wc -c)
  check "$label" test $((100 * ${sent:-99999})) -le $((80 * packed))
done

# Exact, by -icount: for a counter, of reading, coding, the check, the encoding.
most_of() {
  tests/bench/table >"$out/table" &&
    awk -v what="$1" -v most="$2" '
      index($0, what) == 1 {
        seen = 1
        if ($(NF - 2) > most) { print; bad = 1 }
      }
      END { exit bad || !seen }' "$out/table"
}
check "size wire: at most 400 instructions a counter" \
  most_of "send BINARY, lean" 400
check "size wire: at most 320 of the tiny sender" most_of "tiny, BINARY" 320
check "size wire: at most 320 of it as TEXT" most_of "tiny, TEXT" 320
