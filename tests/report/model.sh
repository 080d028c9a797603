# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of the coverage model: several ELFs, with counts known by hand; cases in
# which llvm-cov is wrong; reports without other programs. `run` sources this
# file.
# shellcheck disable=SC2154 # Of run.

# ---- several ELFs ----

# united_source: in both ELFs `same` is one function. `other` and main differ,
# and so are instantiations. only_b is in one ELF only.
united_source() {
  cat <<'END'
int same(int a) {
  if (a > 2)
    return 1;
  return 0;
}
int other(int a) {
#ifdef B
  if (a)
    return 2;
#endif
  return 3;
}
#ifdef B
int only_b(void) {
  return 4;
}
#endif
int main(void) {
#ifdef B
  return same(5) + same(6) + other(1) + only_b() == 0;
#else
  return same(1) + other(0) == 0;
#endif
}
END
}

# By hand: in a `same` ran once, in lines 1, 2, 4, 5; in b twice, in lines 1, 2,
# 3, 5. `other` ran in a in lines 6, 7, 10 to 12, in b in 6 to 9, 12.
united_lines() {
  printf '%s\n' 1,3 2,3 3,2 4,1 5,3 6,2 | sed 's/^/DA:/' >"$u/expected"
  grep '^DA:[1-6],' "$u/lcov" | diff "$u/expected" - || return 1
  for line in 7 8 9 11 12 14 15 16 18 22; do
    grep -q "^DA:$line,[1-9]" "$u/lcov" || { echo "line $line"; return 1; }
  done
}

united_built() {
  united_source >"$u/u.c" &&
    (cd "$u" && for name in a b; do
      define=
      [ $name = a ] || define=-DB
      "clang-$1" $define -w -g -fprofile-instr-generate -fcoverage-mapping \
        -Wl,--build-id u.c -o $name &&
        LLVM_PROFILE_FILE=$name.profraw "./$name" || [ -s $name.profraw ] ||
        exit 1
    done)
}

row_united() {
  label="report several ELFs"
  wanted "$label" || return 0
  u=$(source_folder united)
  check "$label: build" united_built 22
  check "$label: a report" good united-made "$u/a" "$u/b" "$u/a.profraw" \
    "$u/b.profraw" --lcov "$u/lcov" --uncovered
  check "$label: counts of one function add up, lines ran if they ran in one" \
    united_lines
  equal "$label: functions at one place are one" "FNF:4 FNH:4" \
    "$(grep '^FN[FH]' "$u/lcov" | one_line | sed 's/ $//')"
  check "$label: with --as-llvm-cov" good united-theirs "$u/a" "$u/b" \
    "$u/a.profraw" "$u/b.profraw" --as-llvm-cov
  for name in a b; do
    equal "$label: $name by itself is as llvm-cov has it" \
      "$(llvm_total 22 "$u/$name" \
        -instr-profile="$out/united-theirs/$name.profdata")" \
      "$(row_of "$out/united-theirs.said" "united/$name")"
  done
  # Line 10 is between two statements of b, of which the second one did not run.
  equal "$label: the total" "100.00 0 95.24 1" \
    "$(row_of "$out/united-made.said" total |
      awk '{ print $1, $2, $3, $4 }')"
  # Both sides of the branch in `same`, one in a and one in b; one in `other`.
  equal "$label: branches that one ELF lacks stay in the total" \
    "75.00 1 BRF:4 BRH:3 " \
    "$(row_of "$out/united-made.said" total | awk '{ print $5, $6 }') $(
      grep '^BR[FH]' "$u/lcov" | one_line)"
  equal "$label: no function is left" "Every function ran." \
    "$(head -n 1 "$out/united-made.said")"
  equal "$label: the other order gives the same" \
    "$(grep '^[^F]' "$u/lcov" | sort | cksum)" \
    "$(report united-again "$u/b" "$u/a" "$u/b.profraw" "$u/a.profraw" \
      --lcov "$u/again.lcov"; grep '^[^F]' "$u/again.lcov" | sort | cksum)"
}

# ---- several forms ----

# forms_built LLVM COMPILER SOURCE...: makes a report of these, in $u.
forms_built() {
  (cd "$u" && forms_by=$2-$1 && shift 2 && "$forms_by" -w -g \
    -fprofile-instr-generate -fcoverage-mapping -fuse-ld=lld \
    -Wl,--build-id "$@" -o forms && LLVM_PROFILE_FILE=forms.profraw ./forms)
}
forms_marked() {
  good forms-made "$u/forms" "$u/forms.profraw" --lcov "$u/lcov" --uncovered ||
    return 1
  awk -f $here/forms/marks.awk "$u/lcov" "$@"
}

row_forms() {
  label="report several forms"
  wanted "$label" || return 0
  for version in $(llvm_versions); do
    have_llvm "$version" || continue
    u=$(source_folder "forms-$version")
    cp $here/forms/* "$u"
    check "$label: build, llvm-$version" forms_built "$version" clang main.c \
      short.c
    check "$label: a line ran as often as all forms did, llvm-$version" \
      forms_marked $here/forms/forms.h $here/forms/body.inc $here/forms/main.c \
      $here/forms/short.c $here/forms/last.inc
    equal "$label: those of a line are told by their names, llvm-$version" \
      "forms.h:6 pick, as other macros or constants make it \
forms.h:18 sized main.c:6 right main.c:8 other " \
      "$(sed -n '2,/^$/s,^ .*/,,p' "$out/forms-made.said" | tr '\n' ' ')"
    report forms-llvm "$u/forms" "$u/forms.profraw" --as-llvm-cov \
      --lcov "$u/as-llvm"
    # llvm-cov 14 omits the line of a macro that is empty in one unit.
    [ "$version" -lt 18 ] ||
      check "$label: with --as-llvm-cov as llvm-cov has it, llvm-$version" \
        same_export "$version" "$u/as-llvm" -format=lcov \
        "$out/forms-llvm/forms.profdata" "$u/forms"
    check "$label: build with lambdas, llvm-$version" forms_built "$version" \
      clang++ -std=c++17 lambda.cpp twice.cpp
    # clang 14 records `if constexpr` only as two sides.
    [ "$version" -lt 18 ] || check \
      "$label: functions in functions do not run with them, llvm-$version" \
      forms_marked $here/forms/lambda.h
  done
}

# ---- one function, compiled twice ----

# f differs in the two units: MORE adds a line and inverts a comparison.
halves_sources() {
  cat >"$u/f.h" <<'END'
static int f(int n) {
#ifdef MORE
  n += 0;
#endif
  if (n IS 2 && n != 5)
    n += 3;
  if (n == 5)
    n = 0;
  else if (n == 2)
    n = 1;
  if (n > 90)
    n = 90;
  return n;
}
END
  printf '%s\n' '#define IS <' '#include "f.h"' 'int more(void);' \
    'int main(void) { return (f(1) + f(2) + more()) * 0; }' >"$u/main.c"
  printf '%s\n' '#define IS >' '#define MORE' '#include "f.h"' \
    'int more(void) { return f(3) + f(5); }' >"$u/more.c"
}

# With GNU ld, the runtime of clang 13 writes no build id.
halves_built() {
  halves_flag=
  [ "$1" -lt 19 ] || halves_flag=-fcoverage-mcdc
  (cd "$u" && "clang-$1" -w -g -fprofile-instr-generate -fcoverage-mapping \
    $halves_flag -fuse-ld=lld -Wl,--build-id main.c more.c -o main &&
    LLVM_PROFILE_FILE=p.profraw ./main) &&
    good halves-made "$u/main" "$u/p.profraw" --json "$u/json"
}

# Compares how many regions both units missed with llvm-cov.
halves_regions() {
  python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["data"][0]["files"]:
    if row["filename"].endswith("f.h"):
        score = row["summary"]["regions"]
        print(score["count"], score["count"] - score["covered"])' "$u/json"
}

row_halves() {
  label="report one function, two units"
  wanted "$label" || return 0
  for version in $(llvm_formats); do
    have_llvm "$version" || continue
    u=$(source_folder "halves-$version")
    halves_sources
    check "$label: build, llvm-$version" halves_built "$version"
    # By hand: each unit covers the gaps of the other one, except line 12: one
    # line of 14, one side of 10. One unit shows each condition's independence
    # pair.
    halves="100.00 0 92.86 1 90.00 1 "
    [ "$version" -lt 19 ] || halves="${halves}100.00 0 "
    equal "$label: what ran in one unit ran, llvm-$version" "$halves" \
      "$(row_of "$out/halves-made.said" f.h)"
    check "$label: so the pages say, llvm-$version" add_up "$out/halves-made"
    theirs=$("llvm-cov-$version" report "$u/main" \
      -instr-profile="$out/halves-made/main.profdata" | grep 'f\.h')
    equal "$label: so did its regions, llvm-$version" \
      "$(echo "$theirs" | awk '{ print $2, 1 }')" "$(halves_regions)"
    equal "$label: llvm-cov takes the better unit, llvm-$version" "70.00%" \
      "$(echo "$theirs" | awk '{ print $NF }')"
  done
}

# ---- no mapping ----

# Functions of which the linker keeps only one mapping: two functions help, and
# pairs with one hash: same, weak and idle, which no run calls, and common, one
# function of a header. plain has no mapping.
unmapped_built() {
  level=-O2 # Functions are inlined: they have no symbol.
  [ "$1" != 14 ] || level=-O0
  mkdir -p "$u/a" "$u/b"
  echo 'static int common(int n) { return n * 3; }' >"$u/common.h"
  echo '#include "common.h"
    static int help(int n) { return n + 1; }
    static int same(int n) { return n > 1 ? 2 : 1; }
    static int idle(int n) { return n + 3; }
    __attribute__((weak)) int weak(int n) { return n; }
    int a(int n) {
      return n ? common(n) + help(n) : same(n) + idle(n);
    }' >"$u/a/util.c"
  echo '#include "common.h"
    static int help(int n) { return n ? n : 7; }
    static int same(int n) { return n > 2 ? 2 : 7; }
    static int idle(int n) { return n + 4; }
    int weak(int n) { return n + 2; }
    int b(int n) {
      return n ? common(n) + help(n) + same(n) + weak(n) : idle(n);
    }' >"$u/b/util.c"
  echo 'int plain(int n) { return n; }' >"$u/plain.c"
  echo 'int a(int), b(int), plain(int);
    int main(void) { return (a(1) + b(1) + plain(1)) * 0; }' >"$u/main.c"
  (for name in a/util b/util main plain; do
    unmapped_flag=-fcoverage-mapping
    [ $name != plain ] || unmapped_flag=
    cd "$u/$(dirname $name)" && "clang-$1" -w -g $level -I"$u" \
      -fprofile-instr-generate $unmapped_flag -c "${name##*/}.c" &&
      cd "$OLDPWD" || exit
  done) &&
    (cd "$u" && "clang-$1" -fprofile-instr-generate -fuse-ld=lld \
      -Wl,--build-id main.o plain.o a/util.o b/util.o -o main &&
      LLVM_PROFILE_FILE=p.profraw ./main)
}

# The first one's lines have the counts of both.
unmapped_summed() {
  good unmapped-llvm "$u/main" "$u/p.profraw" --as-llvm-cov --lcov "$u/llvm" &&
    same_export "$version" "$u/llvm" -format=lcov \
      "$out/unmapped-llvm/main.profdata" "$u/main"
}

row_unmapped() {
  label="report no mapping"
  wanted "$label" || return 0
  for version in $(llvm_formats); do
    have_llvm "$version" || continue
    u=$(source_folder "unmapped-$version")
    check "$label: build, llvm-$version" unmapped_built "$version"
    check "$label: a report, llvm-$version" good unmapped-made "$u/main" \
      "$u/p.profraw" --lcov "$u/lcov"
    said=$out/unmapped-made.said
    equal "$label: what the profile has more is named, llvm-$version" \
      "plain util.c:help util.c:idle util.c:same weak " \
      "$(sed -n '/no coverage mapping/,/^$/s/^  //p' "$said" | sort | one_line)"
    # By hand: b's function ran, and no mapping has its lines.
    equal "$label: which of two ran is not known, llvm-$version" \
      "util.c:3 same util.c:5 weak " \
      "$(sed -n '/2 functions: functions of several/,/ lines: /p' "$said" |
        sed -n 's,^    .*/\([^:]*:[0-9]*\):[0-9]* ,\1 ,p' | one_line)"
    equal "$label: the lines, in order of sources, llvm-$version" \
      "2,1 3,0 4,0 5,0 6,1 7,1 8,1 6,1 7,1 8,1 1,2 2,1 " \
      "$(sed -n 's/^DA://p' "$u/lcov" | one_line)"
    check "$label: with --as-llvm-cov as llvm-cov has it, llvm-$version" \
      unmapped_summed
  done
}

# The linker drops functions with the same name and hash as functions that run:
# hook, which is weak, and same, which only old calls.
replaced_sources() {
  mkdir -p "$u/a" "$u/b"
  printf '%s\n' '__attribute__((weak)) int hook(int n) { return n + 1; }' \
    'int once(int n) { return n; }' >"$u/weak.c"
  echo 'int hook(int n) { return n + 2; }' >"$u/strong.c"
  printf '%s\n' 'static int same(int n) { return n > 1 ? 2 : 1; }' \
    'int old(int n) { return same(n); }' >"$u/a/part.c"
  printf '%s\n' 'static int same(int n) { return n > 2 ? 2 : 7; }' \
    'int new(int n) { return same(n); }' >"$u/b/part.c"
  echo 'int hook(int), once(int), new(int);
    int main(void) { return (hook(1) + once(1) + new(1)) * 0; }' >"$u/main.c"
}

# replaced_built VERSION FLAGS FILE...: links these objects in order, with weak
# in an archive.
replaced_built() (
  compiler="clang-$1 -w -ffunction-sections -fprofile-instr-generate" debug=$2
  shift 2
  for name in a/part b/part weak strong main; do
    (cd "$u/$(dirname $name)" &&
      $compiler $debug -fcoverage-mapping -c "${name##*/}.c") || exit
  done
  cd "$u" && rm -f libweak.a && ar rc libweak.a weak.o &&
    $compiler -fuse-ld=lld -Wl,--gc-sections,--build-id,-z,start-stop-gc \
      main.o "$@" -o main && LLVM_PROFILE_FILE=p.profraw ./main
)

# replaced VERSION FLAGS NAMES UNKNOWN FILE...: compares the report with results
# known by hand.
replaced() {
  names=$3 unknown=$4 replaced_version=$1 debug=$2
  shift 4
  replaced_built "$replaced_version" "$debug" "$@" &&
    good replaced-made "$u/main" "$u/p.profraw" || return 1
  said=$out/replaced-made.said
  set -- "$(sed -n '/no coverage mapping/,/^$/s/^  //p' "$said" | sort |
    one_line)" "$(sed -n '/functions of several/,/ lines\{0,1\}: /p' "$said" |
    sed -n 's,^    .*/\([^:/]*/[^:/]*:[0-9]*\):[0-9]* ,\1 ,p' | one_line)"
  [ "$1" = "$names" ] && [ "$2" = "$unknown" ] || { echo "$1, $2"; return 1; }
}

row_replaced() {
  label="report replaced"
  wanted "$label" || return 0
  for version in $(llvm_formats); do
    have_llvm "$version" && have "ld.lld-$version" || continue
    u=$(source_folder "replaced-$version")
    replaced_sources
    check "$label: the mapping of what was dropped, llvm-$version" replaced \
      "$version" -g "hook part.c:same " \
      "a/part.c:1 same replaced-$version/weak.c:1 hook " \
      a/part.o libweak.a b/part.o strong.o
    check "$label: the mapping of what runs, llvm-$version" replaced \
      "$version" -g "" "" b/part.o strong.o a/part.o libweak.a
    check "$label: without debug information, llvm-$version" replaced \
      "$version" "" "hook part.c:same " \
      "b/part.c:1 same replaced-$version/strong.c:1 hook " \
      b/part.o strong.o a/part.o libweak.a
  done
}

# ---- where llvm-cov is wrong ----

# Has a macro of two conditions, and a switch without cases.
wrong_source() {
  cat <<'END'
#define BOTH(a, b) ((a) && (b))
int main(int n, char **v) {
  if (BOTH(n, n > 5))
    return 1;
  switch (n) {
  }
  return 0;
}
END
}

# branches_of LCOV LINE: prints the counts of its branches.
branches_of() {
  sed -n "s/^BRDA:$2,[0-9]*,[0-9]*,//p" "$1" | one_line | sed 's/ $//'
}

wrong_built() {
  wrong_source >"$u/w.c" &&
    (cd "$u" && "clang-$1" -w -g -fprofile-instr-generate -fcoverage-mapping \
      -Wl,--build-id w.c -o w && LLVM_PROFILE_FILE=w.profraw ./w) &&
    good wrong-made "$u/w" "$u/w.profraw" --lcov "$u/lcov" &&
    "llvm-cov-$1" export -format=lcov -instr-profile="$out/wrong-made/w.profdata" \
      "$u/w" >"$u/theirs"
}

row_llvm_wrong() {
  label="report where llvm-cov is wrong"
  wanted "$label" || return 0
  u=$(source_folder wrong)
  check "$label: build" wrong_built 22
  # By hand, for one run without arguments: n is 1.
  equal "$label: each condition of a macro is a branch" "1 0 0 1" \
    "$(branches_of "$u/lcov" 3)"
  equal "$label: llvm-cov 22 adds them up" "1 1" "$(branches_of "$u/theirs" 3)"
  have_llvm 14 || return 0
  check "$label: build with clang 14" wrong_built 14
  # n and n > 5 have two sides each, of which two ran; a switch without cases
  # has one, which ran.
  equal "$label: a side that cannot be does not count" "BRF:5 BRH:3" \
    "$(grep '^BR[FH]' "$u/lcov" | one_line | sed 's/ $//')"
  equal "$label: for llvm-cov 14 it counts" "BRF:6 BRH:3" \
    "$(grep '^BR[FH]' "$u/theirs" | one_line | sed 's/ $//')"
}

# ---- no other program ----

# alone_report PATH ARGUMENT...: runs under a filter of system calls that kills
# a program that starts a process.
alone_report() {
  "$out/filtered" "$BAREPROF" report -o "$out/alone-made" "$@" \
    >"$out/alone-made.said" 2>"$out/alone-made.errors" &&
    [ ! -s "$out/alone-made.errors" ] ||
    { echo "status $?: $(one_line <"$out/alone-made.errors")"; return 1; }
}

# Control: the filter kills a shell that starts a child.
alone_ends() {
  ! "$out/filtered" /bin/sh -c 'ls / >/dev/null; true' 2>/dev/null
}

row_alone() {
  label="report alone"
  wanted "$label" || return 0
  a=$out/full-22/fw
  if ! $(host_cc) -O1 -Wall $here/alone.c -o "$out/filtered" 2>"$out/alone.errors" ||
    ! "$out/filtered" /bin/true; then
    skip "$label" "no filter of system calls can be made here"
    return
  fi
  check "$label: the filter ends what starts a program" alone_ends
  check "$label: no PATH, no process: table, pages, all outputs" \
    alone_report "$a.elf" "$a.log" --lcov "$out/alone.lcov" \
    --json "$out/alone.json" --cobertura "$out/alone.xml" \
    --sonarqube "$out/alone.sonar" --markdown "$out/alone.md" \
    --uncovered
  equal "$label: the table is that of a machine with LLVM" \
    "$(row_of "$out/made-22.said" total)" \
    "$(row_of "$out/alone-made.said" total)"
  check "$label: so are the pages" diff -r "$out/made-22/html" \
    "$out/alone-made/html"
}
