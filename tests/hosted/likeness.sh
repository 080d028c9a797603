# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests less usual behaviour that programs and scripts rely on: the runtime's
# functions link one by one, odd and later changed file names, files that are
# almost a pool. tests/hosted/run sources this file, and sets llvm and OUT.

WRAPPED="-Wl,-wrap,malloc -Wl,-wrap,calloc"

# shellcheck disable=SC2086 # Several flags.
likeness_programs() {
  program explicit explicit.c -O1 -fprofile-instr-generate &&
    program buffer explicit.c -DBUFFER -O1 -fprofile-instr-generate &&
    program values values.c -O0 -fprofile-generate $WRAPPED &&
    program many values.c -DMANY -O0 -fprofile-generate $WRAPPED &&
    program dynamic values.c -O0 -fprofile-generate $WRAPPED \
      -mllvm -vp-static-alloc=false &&
    program odd values.c -O0 -fprofile-generate $WRAPPED \
      -mllvm -vp-counters-per-site=11 &&
    link oddlld "--ld-path=ld.lld-$llvm" -Wl,--gc-sections -fprofile-generate \
      $WRAPPED "$OUT/odd.o"
}

odd_names() {
  same "unknown letters beside %p" front 'a%x%p%1%%b' hit 3
  same "a number of no letter" front 'a%4x%h' hit 3
  same "%c%m%m" moved %c%m%m hit 3
  same "%m%m%c" moved %m%m%c hit 3
  same "%c%t without TMPDIR" moved q%c%t hit 3
  same "%t%c without TMPDIR" moved q%t%c hit 3
  same "a name set stays" front a set b env c init-file hit 3
  same "a name set to the default stays" front a set default.profraw \
    env c init-file hit 3
  for name in r r%c r%m; do
    same "%c, then $name" moved q%c hit 3 env $name init-file hit 2
    same "%c, then $name, all anew" moved q%c hit 3 env $name init hit 2
  done
  same "%c%m, then another" moved q%c%m hit 3 env r init-file hit 2 reset hit 1
  same "%c, then a set one" moved q%c hit 3 set r hit 2
  same "%c without code for it, then a set one" front q%c hit 3 set r hit 2
  same "get_filename is to be freed" front a/b free-name
}

# ends LABEL PROGRAM COMMAND: compares a pool's file after a shell command has
# changed it, and a process has then merged into it.
ends() {
  ends_label=$1
  shift
  check "hosted $llvm ends: $ends_label" ends_same "$@"
}

ends_same() {
  forget
  for side in theirs ours; do
    start "$side" "$1" p%m hit 2
    (
      cd "$OUT/$side.run" || exit
      for file in p*; do eval "$2"; done
    ) || return 1
    start "$side" "$1" p%m hit 3 write
  done
  compare
}

odd_files() {
  cuts="1 16 100" places="16 104 176"
  if [ -n "${FULL:-}" ]; then
    cuts="1 8 9 16 24 40 100 250"
    # Offsets of the version, its bits, the header's last numbers, the build id,
    # a record's name, hash, function, values; not its counters, which our
    # runtime rejects.
    places="8 15 16 24 104 112 120 140 144 152 176 184"
    [ "$llvm" -ge 18 ] || places="8 15 16 24 64 72 80 100 104 112 128 136"
  fi
  for odd_program in front irvalues; do
    for cut in $cuts; do
      ends "$odd_program short by $cut" $odd_program "truncate -s -$cut \$file"
    done
    ends "$odd_program only a header" $odd_program 'truncate -s 128 $file'
    ends "$odd_program zeros behind" $odd_program 'truncate -s +64 $file'
    ends "$odd_program text behind" $odd_program 'echo more >>$file'
    ends "$odd_program twice" $odd_program 'cat $file >x; cat x >>$file; rm x'
    for at in $places; do
      ends "$odd_program byte $at" $odd_program \
        "printf '\\125' | dd of=\$file bs=1 seek=$at conv=notrunc 2>/dev/null"
    done
  done
}

# A build id of another length does not mean another program.
other_id() {
  forget
  link again -fprofile-instr-generate -no-pie -Wl,--build-id=sha1 \
    "$OUT/front.o" || return
  for side in theirs ours; do
    start "$side" front p%m hit 2
    start "$side" again p%m hit 3
    start "$side" front p%m hit 3
  done
  compare
}

temporal() {
  [ "$llvm" -ge 17 ] || return 0
  program temporal actor.c -O1 -fprofile-generate -mllvm -disable-vp \
    -mllvm -pgo-temporal-instrumentation 2>>"$OUT/errors" || return
  same "temporal, a pool" temporal p%m hit 3 write
  same "temporal, a buffer" temporal - hit 2 save hit 1 merge
  says "that temporal profiles are not merged" \
    'Error: Temporal profiles do not support profile merging at runtime\.' \
    temporal p%m hit 3 write write
}

# Prints the system functions that the buffer functions link into a program.
buffer_needs() {
  "llvm-nm-$llvm" "$OUT/ours/buffer" | grep -i \
    ' \(malloc\|calloc\|realloc\|free\|mmap\|munmap\|getenv\|open\|fopen\)\b' &&
    return 1
  (cd "$OUT" && ours/buffer && [ ! -e default.profraw ])
}

# A buffer is as long as the file, and also has the values.
buffer_values() {
  forget
  start ours irvalues p%m load library.so save keep b
  (
    cd "$OUT/ours.run" && find . -name 'p*' -size "$(stat -c %s b)c" | grep . &&
      "llvm-profdata-$llvm" show --all-functions --ic-targets b | grep '^	\['
  )
}

# No two members have one name: unpacking would lose one of them.
members() {
  "llvm-ar-$llvm" t \
    "$BUILD/llvm-$llvm/x86_64-pc-linux-gnu/libclang_rt.profile-x86_64.a" |
    sort | uniq -d | grep . && return 1
  return 0
}

# gold sets undefined weak symbols of a library to the library's address.
gold() {
  if ! have ld.gold; then
    skip "hosted $llvm gold" "ld.gold is not here"
    return
  fi
  check "hosted $llvm gold links" gold_programs || return
  same "gold, a program" goldfront q hit 3
  same "gold, a library loaded" front q load gold.so hit 3
  same "gold, a library loaded, pools" front p%m load gold.so hit 3
  same "gold, reset" goldfront q hit 3 reset hit 2
}

gold_programs() {
  link goldfront -fuse-ld=gold -fprofile-instr-generate -no-pie \
    "$OUT/front.o" &&
    link gold.so -fuse-ld=gold -shared -fprofile-generate "$OUT/library.so.o"
}

# reversed_ends PROGRAM ARGUMENT: prints the program's output and exit status,
# within seconds.
reversed_ends() {
  (
    cd "$OUT/ours.run" && rm -f q
    LLVM_PROFILE_FILE=q timeout 5 "../ours/$@" 2>&1 ||
      { echo "status $?"; return 1; }
    [ "$1" = reversed_buffer ] || stat -c %s q
  )
}

# Makes as many records as a large program has, in an order that LTO may choose.
reversed_programs() {
  "clang-$llvm" -O1 -c tests/hosted/reversed.c -o "$OUT/reversed.o" &&
    "clang-$llvm" -O1 -DBUFFER -c tests/hosted/reversed.c \
      -o "$OUT/reversed_buffer.o" &&
    link reversed -no-pie -fprofile-instr-generate "$OUT/reversed.o" &&
    link reversed_buffer -no-pie -fprofile-instr-generate \
      "$OUT/reversed_buffer.o"
}

reversed_records() {
  check "hosted $llvm 200,000 records reversed: link" reversed_programs ||
    return
  forget
  start theirs reversed q
  equal "hosted $llvm 200,000 records reversed" \
    "$(stat -c %s "$OUT/theirs.run/q")" "$(reversed_ends reversed)"
  equal "hosted $llvm 200,000 records reversed, two of one shape" \
    "$(stat -c %s "$OUT/theirs.run/q")" "$(reversed_ends reversed twin)"
  check "hosted $llvm 200,000 records reversed, a clash" \
    reversed_refused
  equal "hosted $llvm 20,000 records reversed, in a buffer" \
    "" "$(reversed_ends reversed_buffer twin)"
  equal "hosted $llvm 20,000 records reversed, in a buffer, a clash" \
    "status 1" "$(reversed_ends reversed_buffer clash)"
}

reversed_refused() {
  reversed_ends reversed clash |
    grep '^LLVM Profile Error: .* into the counters of another function'
}

weak_links() {
  for flags in -fprofile-instr-generate "-fprofile-generate -mllvm -disable-vp"
  do
    "clang-$llvm" -O0 $flags -c tests/hosted/weak.c -o "$OUT/w1.o" &&
      "clang-$llvm" -O0 $flags -DOTHER -c tests/hosted/weak.c \
        -o "$OUT/w2.o" || return
    link weak "--ld-path=ld.lld-$llvm" -no-pie ${flags%% *} "$OUT/w1.o" \
      "$OUT/w2.o" && link weakbfd -no-pie ${flags%% *} "$OUT/w1.o" \
      "$OUT/w2.o" || return
    same "weak twice, lld, ${flags%% *}" weak q
    same "weak twice, ld, ${flags%% *}" weakbfd q
  done
}

# values_seen SIDE PROGRAM [LIMIT]: prints how many values the site has.
values_seen() {
  (
    cd "$OUT/$1.run" || exit
    [ -z "${3:-}" ] || export LLVM_VP_MAX_NUM_VALS_PER_SITE="$3"
    LLVM_PROFILE_FILE=q "../$1/$2"
  )
  "llvm-profdata-$llvm" show --all-functions --ic-targets "$OUT/$1.run/q" |
    grep -c '^	\['
}

# of_both COMMAND...: prints the command's output for each side.
of_both() {
  for of_side in theirs ours; do
    forget
    "$1" $of_side "$2" "${3:-}"
  done
}

# The program has 60 values.
values_limits() {
  for limit in 3 24 60 255 -1; do
    seen=$((limit < 0 || limit > 60 ? 60 : limit))
    equal "hosted $llvm values, $limit a site" "$seen
$seen" "$(of_both values_seen values $limit)"
  done
  equal "hosted $llvm values, none said" "24
24" "$(of_both values_seen values)"
  equal "hosted $llvm values, of records without room" "60
60" "$(of_both values_seen dynamic)"
  forget
  check "hosted $llvm values, the most frequent ones" most_frequent
  equal "hosted $llvm values, nodes in the objects: no memory asked for" \
    "status 0
status 0" "$(of_both status_of values)"
  equal "hosted $llvm values, no nodes: memory asked for" "status 1
status 1" "$(of_both status_of dynamic)"
  check "hosted $llvm values, more than there are nodes" values_many
  check "hosted $llvm values, merged before any is seen" values_merged
}

status_of() {
  start "$1" "$2" q
  cat "$OUT/$1.out"
}

# The signature of a pool depends on the number of nodes, also if there is a gap
# before the runtime's nodes.
odd_nodes() {
  for odd in odd oddlld; do
    same "a pool, 11 nodes, $odd" $odd p%m nothing
  done
}

# The last values are the most frequent ones, half of all.
most_frequent() {
  values_seen ours values 30 >/dev/null
  [ "$("llvm-profdata-$llvm" show --all-functions --ic-targets \
    "$OUT/ours.run/q" | grep -c '^	\[.*f[456][0-9], ')" = 30 ]
}

# Twenty sites have 50 or 60 values, with nodes for 1,034. Our runtime keeps all
# values.
values_many() {
  for many in theirs ours; do
    forget
    seen=$(values_seen $many many 50 2>"$OUT/few.err")
    seen="$seen $(values_seen $many many 60 2>"$OUT/many.err")"
    grep '^LLVM Profile' "$OUT/few.err" && return 1
    grep -q '^LLVM Profile Warning: .*-vp-counters-per-site=<n>' \
      "$OUT/many.err" || { cat "$OUT/many.err"; return 1; }
  done
  [ "$seen" = "1000 1200" ] || { echo "$seen"; return 1; }
}

# The second process has only values that the first one had.
values_merged() {
  forget
  start ours dynamic p%m
  cp "$OUT/ours.run"/p* "$OUT/before"
  start ours dynamic p%m nothing
  cmp "$OUT/ours.run"/p* "$OUT/before" && return 1
  for file in "$OUT/before" "$OUT/ours.run"/p*; do
    "llvm-profdata-$llvm" show --all-functions --ic-targets "$file" |
      grep '^	\[' >"$file.text"
  done
  [ "$(wc -l <"$OUT/before.text")" = 60 ] &&
    diff "$OUT/before.text" "$OUT/ours.run"/p*.text
}

likeness() {
  if ! likeness_programs >"$OUT/errors" 2>&1; then
    not_ok "hosted $llvm programs of their own kind" \
      "$(one_line <"$OUT/errors")"
    return
  fi
  cp "$OUT/theirs/pie" "$OUT/theirs/irvalues"
  cp "$OUT/ours/pie" "$OUT/ours/irvalues"
  same "writing at exit, asked for" explicit q
  check "hosted $llvm buffers need nothing" buffer_needs
  check "hosted $llvm buffers have values" buffer_values
  check "hosted $llvm members have names of their own" members
  odd_names
  odd_files
  check "hosted $llvm a pool, another build id" other_id
  temporal
  gold
  weak_links
  reversed_records
  values_limits
  odd_nodes
}
