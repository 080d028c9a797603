# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof cc --thin-probes: functions that probes make longer have none, and
# then clang's own code; others have the probes that clang gives them. clang
# itself says which probes are whose. Sourced by run.

thin_out=$BUILD/tests/probes/thin
# Without it probes change what clang inlines: clang takes them for a profile.
thin_same="-mllvm -enable-npm-pgo-inline-deferral=false"

# With probes clang 19 and later make no table of the switch. The loop is
# longer with probes, too, by fewer instructions than count.
thin_source() {
  cat >"$thin_out/own.c" <<'END'
int next(int);
static int inner(int x) { return x > 3 ? 7 * x : x; }
int chosen(int x) {
  int y;
  switch (x) {
  case 0: y = 71; break;
  case 1: y = 3; break;
  case 2: y = 96; break;
  case 3: y = 12; break;
  case 4: y = 55; break;
  case 5: y = 31; break;
  default: y = 0;
  }
  return inner(y) + x;
}
int kept(int x) {
  int sum = 0;
  while ((x = next(x)))
    sum += x;
  return sum;
}
int called(int x) { return next(x) ? next(x + 1) : kept(x); }
END
}

thin_clang() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$thin_out" && "clang-$llvm" $thin_flags "$@")
}
thin_cc() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$thin_out" && "$thin_tool" cc --thin-probes=list "clang-$llvm" $thin_flags \
    "$@")
}

# thin_probes ASSEMBLY: the number of probes of each function. The numbers of
# functions are of the IR that clang alone makes, where they have a sign.
thin_probes() {
  sed -n 's/^!.* = !{i64 \(-*[0-9]*\), i64 -*[0-9]*, !"\(.*\)"}$/\1 \2/p' \
    "$thin_out/whole.ll" | while read -r thin_number thin_name; do
    case $thin_name in *inner*) thin_name=inner ;; esac
    thin_number=$(printf %u "$thin_number")
    echo "$thin_name=$(grep -c "\.pseudoprobe[^0-9]*$thin_number " "$1")"
  done | sort | paste -sd ' ' -
}

# thin_code ASSEMBLY FUNCTION: its instructions.
thin_code() {
  awk -v name="$2:" '
    $1 == name { on = 1; next }
    /^\.Lfunc_end/ { on = 0 }
    on && /^\t[a-z]/ { sub(/[@#] .*/, ""); gsub(/[ \t]+/, " "); print }' "$1"
}

thin_names() {
  sed 's/^_ZL5inneri\.__uniq\.[0-9]*$/inner/' "$thin_out/list" | sort |
    paste -sd ' ' -
}

# Which functions lose theirs, and that they are as without.
thin_dropped() {
  rm -f "$thin_out/list"
  thin_clang $thin_on -S -emit-llvm own.c -o whole.ll &&
    thin_clang $thin_on $thin_same -S own.c -o whole.s &&
    thin_clang -S own.c -o plain.s &&
    thin_cc $thin_on -S own.c -o thin.s || return
  thin_code "$thin_out/plain.s" chosen >"$thin_out/plain"
  thin_code "$thin_out/whole.s" chosen >"$thin_out/whole"
  thin_code "$thin_out/thin.s" chosen >"$thin_out/thin"
  [ "$llvm" = 14 ] || {
    [ -s "$thin_out/plain" ] && ! cmp -s "$thin_out/plain" "$thin_out/whole" &&
      diff "$thin_out/plain" "$thin_out/thin"
  } || return
  for thin_function in kept called; do
    thin_code "$thin_out/whole.s" $thin_function >"$thin_out/whole"
    thin_code "$thin_out/thin.s" $thin_function >"$thin_out/thin"
    diff "$thin_out/whole" "$thin_out/thin" || return
  done
  thin_probes "$thin_out/whole.s" >"$thin_out/whole"
  thin_probes "$thin_out/thin.s" >"$thin_out/thin"
  grep -q 'called=[1-9].* chosen=[1-9].* inner=[1-9].* kept=[1-9]' \
    "$thin_out/whole" || { cat "$thin_out/whole"; return 1; }
  sed 's/chosen=[0-9]*/chosen=0/; s/inner=[0-9]*/inner=0/' "$thin_out/whole" |
    cmp -s - "$thin_out/thin" && echo "without: $(thin_names)"
  cmp -s "$thin_out/whole" "$thin_out/thin" && echo "all"
  return 0
}

# An object from which nothing goes is clang's own.
thin_nothing() {
  rm -f "$thin_out/list"
  sed '/^static int inner/,/^int kept/{ /^int kept/!d; }' "$thin_out/own.c" \
    >"$thin_out/few.c"
  thin_clang $thin_on $thin_same -c few.c -o whole.o &&
    thin_cc $thin_on -c few.c -o thin.o -MMD -MF thin.d &&
    [ -e "$thin_out/list" ] && [ ! -s "$thin_out/list" ] &&
    grep -q '^thin.o:.* few.c' "$thin_out/thin.d" || return
  for thin_object in whole thin; do
    "llvm-objdump-$llvm" -dr "$thin_out/$thin_object.o" |
      sed 1,3d >"$thin_out/$thin_object"
    "llvm-readelf-$llvm" -SW "$thin_out/$thin_object.o" |
      awk '/pseudo_probe/ { print $3, $7 }' >>"$thin_out/$thin_object"
  done
  grep -q pseudo_probe "$thin_out/thin" && cmp "$thin_out/whole" "$thin_out/thin"
}

# The build that uses the profile goes by the list alone.
thin_used() {
  echo 'kept' >"$thin_out/list"
  printf '%s\n' 'called:200:9' ' 1: 9' ' !CFGChecksum: 1' >"$thin_out/prof"
  thin_clang $thin_on -S -emit-llvm own.c -o whole.ll &&
    thin_cc $thin_on -fprofile-sample-use=prof -S own.c -o used.s || return
  echo "$(thin_names): $(thin_probes "$thin_out/used.s" |
    tr ' ' '\n' | grep -c '=0$') $(thin_probes "$thin_out/used.s" |
    tr ' ' '\n' | grep kept)"
}

# Functions in the list lose their probes again, and the list stays the same.
thin_again() {
  printf '%s\n' kept other >"$thin_out/list"
  thin_cc $thin_on -c own.c -o own.o && thin_cc $thin_on -c own.c -o own.o &&
    thin_names
}

# The compiler's words and status are the compiler's, said once; and what goes
# to standard output is written once.
thin_says() {
  rm -f "$thin_out/list" "$thin_out/bad.o"
  echo 'int bad(void) { int unused; return nowhere; }' >"$thin_out/bad.c"
  thin_clang $thin_on -Wall -c bad.c -o bad.o 2>"$thin_out/theirs"
  thin_status=$?
  thin_cc $thin_on -Wall -c bad.c -o bad.o 2>"$thin_out/ours"
  [ $? = $thin_status ] && [ ! -e "$thin_out/bad.o" ] &&
    [ ! -e "$thin_out/list" ] && diff "$thin_out/theirs" "$thin_out/ours" &&
    { echo 'static int lonely;' | cat - "$thin_out/own.c"; } \
      >"$thin_out/warn.c" &&
    thin_clang $thin_on -Wall -c warn.c -o own.o 2>"$thin_out/theirs" &&
    thin_cc $thin_on -Wall -c warn.c -o own.o 2>"$thin_out/ours" &&
    grep -q lonely "$thin_out/ours" && [ -s "$thin_out/list" ] &&
    diff "$thin_out/theirs" "$thin_out/ours" &&
    thin_cc $thin_on -S own.c -o thin.s &&
    thin_cc $thin_on -S own.c -o - | diff "$thin_out/thin.s" - &&
    (cd "$thin_out" && "$thin_tool" cc --verbose --thin-probes list \
      "clang-$llvm" $thin_flags $thin_on -c own.c -o own.o 2>ours) &&
    grep -q '^bareprof: own.c: 2 of 4 functions have no probes: .*chosen' \
      "$thin_out/ours"
}

# thin_time LIMIT FLAG...: how many times as long as clang alone takes for a
# source of some length that keeps all probes; processor time, by turns.
thin_time() {
  limit=$1
  shift
  for thin_copy in $(seq 300); do
    sed "s/\\(inner\\|kept\\|called\\)\\b/&_$thin_copy/g; 1!{ /^int next/d; }" \
      "$thin_out/few.c"
  done >"$thin_out/long.c"
  : >"$thin_out/list"
  set -- clang-22 -w $thin_flags $thin_on "$@" -c long.c -o long.o
  # Again, if others have disturbed the first turns.
  for thin_try in 1 2; do
    (cd "$thin_out" && ./alternate 5 "$@" -- \
      "$thin_tool" cc --thin-probes list "$@") >"$thin_out/times" || return
    [ ! -s "$thin_out/list" ] && awk -v limit="$limit" '
      { times = $4 } END { print "(" times " times)"; exit !(times < limit) }' \
      "$thin_out/times" && return
  done
  return 1
}

thin_refused() {
  rm -f "$thin_out/list"
  while IFS='|' read -r thin_list thin_words thin_why; do
    rm -f "$thin_out/no.o"
    # shellcheck disable=SC2086 # Several flags.
    (cd "$thin_out" && "$thin_tool" cc --thin-probes="$thin_list" "clang-$llvm" \
      $thin_flags $thin_on $thin_words -c own.c -o no.o) 2>"$thin_out/said"
    [ $? = 1 ] && [ ! -e "$thin_out/no.o" ] &&
      [ "$(wc -l <"$thin_out/said")" = 1 ] &&
      grep -q "$thin_why" "$thin_out/said" ||
      { echo "$thin_words"; cat "$thin_out/said"; return 1; }
  done <<'END'
list|-flto|own.c: it is compiled to bitcode
list|-fprofile-sample-use=prof|list: there is no such list
no/list||no/list: cannot be written
END
}

thin() {
  mkdir -p "$thin_out"
  $(host_cc) -O2 tests/speed/alternate.c -o "$thin_out/alternate" || {
    not_ok "probes thin: what takes the time is built"
    return
  }
  thin_tool=$(cd "${TOOL%/*}" && pwd)/bareprof
  thin_source
  thin_on=-fpseudo-probe-for-profiling
  for llvm in $(llvm_versions); do
    needs "probes thin $llvm" "llvm:$llvm" || continue
    for thin_target in thumbv7m-none-eabi riscv32-none-elf; do
      thin_flags="--target=$thin_target -O2 -g1 -ffreestanding \
        -funique-internal-linkage-names"
      [ "$thin_target" = thumbv7m-none-eabi ] ||
        thin_flags="$thin_flags -mno-relax"
      thin_wanted="without: chosen inner"
      [ "$llvm" != 14 ] || thin_wanted=all
      equal "probes thin $llvm ${thin_target%%-*}: what goes" "$thin_wanted" \
        "$(thin_dropped)"
      check "probes thin $llvm ${thin_target%%-*}: nothing goes" thin_nothing
      equal "probes thin $llvm ${thin_target%%-*}: with a profile" "kept: 1 kept=0" \
        "$(thin_used)"
    done
    check "probes thin $llvm: what is refused" thin_refused
    [ "$llvm" != 14 ] || continue
    equal "probes thin $llvm: again" "chosen inner kept other" "$(thin_again)"
    check "probes thin $llvm: what is said" thin_says
  done
  needs "probes thin: time" llvm:22 || return
  llvm=22
  check "probes thin: less than 3 times as long, 2.4 measured" thin_time 3
  check "probes thin: with a profile less than 1.5, 1.1 measured" \
    thin_time 1.5 -fprofile-sample-use=prof
}
