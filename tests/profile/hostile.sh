# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Files that were made to take much time or memory: four times the input takes
# about four times the time, not sixteen, and memory in proportion to its size.
# `run` sources this file.

WORK=$OUT/hostile-files

build_hostile() {
  mkdir -p "$WORK"
  for source_name in $HERE/hostile.c tests/join/measure.c; do
    $(host_cc) -std=c11 -O1 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror \
      "$source_name" -o "$OUT/$(basename "$source_name" .c)" || return 1
  done
}

# measured KIND COUNT: sets ms, kb, and size (of the file in KB).
measured() {
  "$OUT/hostile" "$1" "$2" >"$WORK/$1.in" &&
    numbers=$("$OUT/measure" 3 "$BUILD/bareprof" merge "$WORK/$1.in" \
      -o "$WORK/out") || return
  ms=${numbers% *} kb=${numbers#* } size=$(($(wc -c <"$WORK/$1.in") / 1024))
}

# compared KIND COUNT: sets line, which begins with ok or not ok.
compared() {
  measured "$1" "$2" && few=$ms && measured "$1" $(($2 * 4)) || return
  line=$(awk -v few="$few" -v many="$ms" -v kb="$kb" -v size="$size" \
    -v label="profile hostile: $1" 'BEGIN {
      times = many / (few + 1)
      good = times < 9 && kb < 40 * size + 8000
      printf "%s %s, %d KB: %.0f ms, %.1f times as long as a quarter of it; " \
        "%d KB of memory\n", good ? "ok" : "not ok", label (good ? "" : ":"),
        size, many, times, kb
    }')
}

# bounded KIND COUNT: prints a check for COUNT and four times COUNT. Other work
# on the machine may slow one measurement, but not five: a quadratic algorithm
# takes sixteen times as long each time.
bounded() {
  line='' turn=0
  while [ "${line#ok }" = "$line" ] && [ $turn -lt 5 ]; do
    turn=$((turn + 1))
    compared "$1" "$2" || line="not ok profile hostile: $1: is not merged"
  done
  echo "$line"
  rm -f "$WORK/$1.in" "$WORK/out"
}

if ! why=$({ $MAKE -s tool && build_hostile; } 2>&1); then
  not_ok "profile hostile" "$(printf '%s' "$why" | one_line)"
else
  bounded ids 25000
  bounded hashes 50000
  bounded values 20000
  bounded counts 50000
fi
