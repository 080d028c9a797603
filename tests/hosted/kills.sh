# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests that pools survive a kill: whatever a merging process was doing when it
# was killed, the file is a profile as long as before, each count is the old or
# the new one, and the next process adds to it. tests/hosted/run sources this
# file, and sets llvm and OUT.

KILLS=20
[ -z "${FULL:-}" ] || KILLS=400

# counts FILE: prints a line for each counter and value, with its function and
# site; values with equal counts are in any order.
counts() {
  "llvm-profdata-$llvm" show --all-functions --counts --ic-targets "$1" |
    sed -n '/^  [^ ].*:$/h; /Block counts\|Function count/{G; s/\n/ /p;}
      /^\t\[/{G; s/\n/ /; s/ ([0-9.]*%)//; p;}' | sort
}

# pool ARGUMENTS...: runs a process with the pool p in the folder of kills.
pool() {
  (cd "$OUT/kills" && LLVM_PROFILE_FILE=p%m ../ours/pool "$@") \
    2>"$OUT/kills.err"
}

# Succeeds if the file left is valid. Values of the first function that has any
# may be lost; counters may not.
survives() {
  now=$(echo "$OUT/kills"/p*)
  if [ "$(stat -c %s "$now")" -lt "$(stat -c %s "$OUT/old")" ]; then
    echo "$*: the file is shorter"
    return 1
  fi
  counts "$now" >"$OUT/counts.now" || return 1
  # Prints lines that are neither old nor new, and lost counters.
  sort -u "$OUT/counts.old" "$OUT/counts.new" | comm -13 - "$OUT/counts.now" \
    >"$OUT/neither"
  if [ -s "$OUT/neither" ] ||
    [ "$(grep -c ' counts\| count:' "$OUT/counts.now")" != "$functions" ]; then
    echo "$*: $(head -n 3 "$OUT/neither")"
    return 1
  fi
  if ! pool 7 || [ -s "$OUT/kills.err" ]; then
    echo "$*, then: $(cat "$OUT/kills.err")"
    return 1
  fi
  counts "$now" | diff "$OUT/counts.now" - >/dev/null || return 0
  echo "$*: the next process added nothing"
  return 1
}

# prepare VALUES: makes the pool before and after a process with so many values
# is added.
prepare() {
  rm -rf "$OUT/kills"
  mkdir "$OUT/kills"
  pool 3 && pool 3 || return 1
  cp "$OUT/kills"/p* "$OUT/old"
  pool "$1" || return 1
  counts "$OUT/old" >"$OUT/counts.old"
  counts "$OUT/kills"/p* >"$OUT/counts.new"
  functions=$(grep -c ' counts\| count:' "$OUT/counts.old")
  [ "$functions" -gt 60 ]
}

again() { cp "$OUT/old" "$OUT/kills"/p*; }

# at_each HOW VALUES: kills at the first system call that writes, the second,
# and so on, to the last.
at_each() {
  prepare "$2" || return 1
  number=0
  while number=$((number + 1)) && [ $number -lt 100 ]; do
    again
    pool "$2" "$1" $number
    [ $? = 1 ] && break
    survives "$1 $number" || return 1
  done
  echo "$number calls"
  [ $number -gt 1 ] && [ $number -lt 100 ]
}

# Kills after a number of microseconds, wherever the process is.
at_random() {
  prepare 7 || return 1
  number=0 ended=0
  while [ $number -lt $KILLS ]; do
    number=$((number + 1))
    again
    pool 7 after $((number * 7919 % 400 + 1)) || ended=$((ended + 1))
    survives "after $number" || return 1
  done
  echo "$ended of $number ended"
  [ $ended -gt 0 ]
}

# A process that was killed while it created a pool leaves no file.
at_first() {
  rm -rf "$OUT/kills"
  mkdir "$OUT/kills"
  for number in 0 1 2; do
    rm -f "$OUT/kills"/p*
    [ $number = 0 ] || pool 7 page $number
    pool 7 && [ ! -s "$OUT/kills.err" ] &&
      counts "$OUT/kills"/p* >"$OUT/counts.$number" &&
      cmp "$OUT/counts.0" "$OUT/counts.$number" || return 1
  done
  [ -s "$OUT/counts.0" ]
}

# Without room on the disk, the old file stays, also where the limit cuts a
# count in two.
no_room() {
  prepare 7 || return 1
  for limit in 1 2 5; do
    again
    (ulimit -f $limit && pool 7)
    cmp "$OUT/old" "$OUT/kills"/p* || return 1
    grep -q '^LLVM Profile Error: Failed to write file.*too large' \
      "$OUT/kills.err" || return 1
  done
}

# Fills a file system of 16 pages, which only this shell sees.
disk_full() {
  prepare 7 || return 1
  cat >"$OUT/full.sh" <<\END
    mount -t tmpfs -o size=64k tmpfs kills && cp old kills/"$1" || exit
    cd kills || exit
    dd if=/dev/zero of=rest bs=1k 2>/dev/null
    LLVM_PROFILE_FILE=p%m ../ours/pool 7 2>../kills.err
    cmp "$1" ../old
END
  (cd "$OUT" && unshare -rm sh full.sh "$(cd kills && echo p*)") &&
    cat "$OUT/kills.err" &&
    grep -q '^LLVM Profile Error: Failed to write file.*No space left' \
      "$OUT/kills.err"
}

# A process reads the pool all the time while others add to it.
readers() {
  prepare 7 || return 1
  (
    number=0
    while [ $number -lt $((KILLS * 5)) ]; do
      number=$((number + 1))
      pool $((number % 7))
    done
    : >"$OUT/done"
  ) &
  reads=0 failed=0
  while [ ! -f "$OUT/done" ]; do
    reads=$((reads + 1))
    "llvm-profdata-$llvm" show "$OUT/kills"/p* >/dev/null 2>&1 ||
      failed=$((failed + 1))
  done
  wait
  rm "$OUT/done"
  echo "$failed of $reads failed"
  [ $failed = 0 ]
}

kills() {
  program pool pool.c -O1 -fprofile-generate -fPIE || return
  check "hosted $llvm a pool, ended at each write" at_each write 3
  check "hosted $llvm a pool, ended at each page" at_each page 3
  check "hosted $llvm a pool with new values, ended at each write" \
    at_each write 7
  check "hosted $llvm a pool with new values, ended at each page" \
    at_each page 7
  check "hosted $llvm a pool, ended anywhere" at_random
  check "hosted $llvm a pool, ended when it begins" at_first
  check "hosted $llvm a pool, no room" no_room
  if unshare -rm mount -t tmpfs tmpfs "$OUT" 2>"$OUT/errors"; then
    check "hosted $llvm a pool, disk full" disk_full
  else
    skip "hosted $llvm a pool, disk full" "no file system can be mounted here"
  fi
  check "hosted $llvm a pool, read meanwhile" readers
}
