# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of the HTML pages: lines and totals equal llvm-cov's, the vectors to run
# cover what the page says, and hostile names are text. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# pages WHAT HTML ARGUMENT...: prints read.py's output for the pages.
pages() { python3 $here/html/read.py "$@"; }

# same_pages LLVM REPORT PROFILE LCOV ELF: compares lines and totals.
same_pages() {
  "llvm-cov-$1" export -summary-only -instr-profile="$2/$3" "$5" \
    >"$2.summary" 2>/dev/null &&
    pages totals "$2/html" "$2.summary" && pages lines "$2/html" "$4"
}

# tidy_pages HTML: a checker of HTML finds nothing.
tidy_pages() {
  for page in "$1"/*.html; do
    tidy -q -e --drop-empty-elements no "$page" 2>&1 | sed "s,^,$page: ,"
  done >"$out/tidied"
  [ ! -s "$out/tidied" ] || { head -n 3 "$out/tidied"; return 1; }
}

tidied() {
  needs "$1" tidy || return 0
  check "$1" tidy_pages "$2"
}

# ---- programs of the host ----

# host_built FOLDER LLVM SOURCE...: builds FOLDER/main.
host_built() {
  built_folder=$1 built_llvm=$2
  shift 2
  case $built_llvm in
    13) built_flag=-fuse-ld=lld ;; # With GNU ld, profiles have no build id.
    1[4-7]) built_flag= ;;
    *) built_flag=-fcoverage-mcdc ;;
  esac
  (cd "$built_folder" && "clang-$built_llvm" -w -g -Wl,--build-id \
    -fprofile-instr-generate -fcoverage-mapping $built_flag "$@" -o main)
}

# host_ran FOLDER ARGUMENT...: runs it, and writes FOLDER/main.profraw.
host_ran() {
  ran_folder=$1
  shift
  LLVM_PROFILE_FILE=$ran_folder/main.profraw "$ran_folder/main" "$@" \
    >/dev/null
}

# ---- vectors ----

# vectors_by_chance SEED COUNT SIGN: prints random vectors, for line 3 and later
# lines.
vectors_by_chance() {
  awk -v SEED="$1" -v COUNT="$2" -v SIGN="$3" 'BEGIN {
    srand(SEED)
    for (i = 0; i < COUNT; i++)
      for (k = int(rand() * 4); k; k--) {
        text = ""
        for (n = 0; n < 6; n++) text = text (rand() < 0.5)
        print i + 3 SIGN text
      }
  }'
}

# Runs the vectors that the first report asks for, and checks that they were
# all.
vectors_cover() {
  v=$out/vectors-$1
  mkdir -p "$v" &&
    awk -v SEED="$2" -v COUNT="$3" -v MOST=6 -f $here/html/decisions.awk \
      >"$v/main.c" && host_built "$v" "$1" main.c &&
    vectors_by_chance "$2" "$3" : >"$v/first" &&
    host_ran "$v" $(cat "$v/first") &&
    good "vectors-made-$1" "$v/main" "$v/main.profraw" &&
    pages todo "$out/vectors-made-$1/html" |
    awk '{ print $2 ":" $3 }' >"$v/wanted" && [ -s "$v/wanted" ] || return 1
  pages shown "$out/vectors-made-$1/html" >"$v/shown"
  [ "$(grep -c . "$v/shown")" = "$3" ] || { echo "decisions lack"; return 1; }
  ! grep missing "$v/shown" || return 1
  host_ran "$v" $(cat "$v/first" "$v/wanted") &&
    good "vectors-all-$1" "$v/main" "$v/main.profraw" || return 1
  pages shown "$out/vectors-all-$1/html" | awk '$3 != $4 {
    print "line " $2 ": " $3 " of " $4
    wrong = 1
  } END { exit wrong || !NR }' || return 1
  row_of "$out/vectors-all-$1.said" total | grep -q ' 100.00 0 $' ||
    { row_of "$out/vectors-all-$1.said" total; return 1; }
}

# If conditions share variables, the vectors that the first report asks for are
# possible, and all possible ones.
vectors_possible() {
  v=$out/possible-$1
  mkdir -p "$v" &&
    awk -v SEED="$2" -v COUNT="$3" -v MOST=6 -v REPEAT=1 \
      -f $here/html/decisions.awk >"$v/main.c" && host_built "$v" "$1" main.c &&
    vectors_by_chance "$2" "$3" = >"$v/first" &&
    host_ran "$v" $(cat "$v/first") &&
    good "possible-made-$1" "$v/main" "$v/main.profraw" &&
    pages todo "$out/possible-made-$1/html" |
    awk '{ print $2 ":" $3 }' >"$v/wanted" && [ -s "$v/wanted" ] || return 1
  host_ran "$v" $(cat "$v/first" "$v/wanted") || {
    for one in $(cat "$v/wanted"); do
      host_ran "$v" $one || sed -n "${one%:*}s/^/cannot be $one: /p" "$v/main.c"
    done
    return 1
  }
  good "possible-all-$1" "$v/main" "$v/main.profraw" &&
    pages rest "$out/possible-all-$1/html" >"$v/rest" &&
    ! grep -v 'no pair can' "$v/rest" && [ -s "$v/rest" ]
}

# Prints the page's text below a line's vectors, or nothing.
said_of_line() {
  awk -v line="id=\"L$2\"" '/<tr id="L/ { here = index($0, line) }
    here && sub(/.*class="note">/, "") { sub(/<.*/, ""); print }' "$1"
}

# Only in the first two lines the values surely are the same.
tied() {
  v=$(source_folder tied)
  printf '%s\n' 'int plain(int a, int b, int c) {' \
    '  return (a && b) || (!a && c); }' \
    'int turned(int a, int b) { return a == 0 || (b && (a) != 0); }' \
    'int called(int a, int b) { return (f(a) && b) || !f(a); }' \
    'int set(int a, int b) { return (a && (b = a)) || !a; }' \
    'int counted(int a, int b) { return (a && b++) || (a && b--); }' \
    'int read(int a, int b) { return (port && a) || (!port && b); }' \
    'int macro(int a, int b) { return (BIT && a) || (!BIT && b); }' \
    >"$v/lines"
  { echo 'volatile int port; int f(int a) { return a; }'
    echo '#define BIT (port & 1)'
    cat "$v/lines"
    echo 'int main(void) { return 0 & (plain(0, 0, 0) + turned(1, 0) +' \
      'called(0, 0) + set(1, 0) + counted(0, 0) + read(0, 0) + macro(0, 0)); }'
  } >"$v/main.c"
  host_built "$v" 22 main.c && host_ran "$v" &&
    good tied-made "$v/main" "$v/main.profraw" || return 1
  for line in 4 5 6 7 8 9 10; do
    said_of_line "$out/tied-made/html/main.c.html" $line
  done >"$v/said"
  [ "$(sed -n '1,2p' "$v/said" | grep -c 'taken to have one value')" = 2 ] &&
    [ "$(sed -n '3,$p' "$v/said" | grep -c 'may change between')" = 5 ] ||
    { cat "$v/said"; return 1; }
}

row_pairs() {
  label="report pages: pairs"
  wanted "$label" || return 0
  check "$label: compile" tool_program "$out/pairs" "$SANITIZERS" \
    $here/html/pairs.c
  check "$label: as by brute force" "$out/pairs" 1 3000
  if [ -n "${FULL:-}" ]; then
    for seed in 2 3 4 5 6 7 8 9; do
      check "$label: as by brute force, seed $seed" "$out/pairs" $seed 100000
    done
  fi
  for version in ${FULL:+19} 22; do
    have_llvm $version || continue
    check "$label: vectors to run cover all, llvm-$version" \
      vectors_cover $version 1 40
    check "$label: vectors to run can be, llvm-$version" \
      vectors_possible $version 1 40
    if [ -n "${FULL:-}" ]; then
      for seed in 2 3 4 5; do
        check "$label: vectors to run cover all, llvm-$version, seed $seed" \
          vectors_cover $version $seed 300
        check "$label: vectors to run can be, llvm-$version, seed $seed" \
          vectors_possible $version $seed 300
      done
    fi
  done
  check "$label: conditions of one text, or of its negation" tied
}

# ---- what is on the pages ----

# Tests the pages of page.c's program.
row_shown_pages() {
  label="report pages"
  wanted "$label" || return 0
  p=$(source_folder pages)
  cp $here/html/page.c $here/html/page.h "$p"
  check "$label: build" host_built "$p" 22 page.c
  check "$label: run" host_ran "$p"
  check "$label: a report" good pages-made "$p/main" "$p/main.profraw" \
    --json "$out/pages.json"
  check "$label: with --as-llvm-cov" good pages-theirs "$p/main" \
    "$p/main.profraw" --as-llvm-cov --lcov "$out/pages.lcov"
  check "$label: as llvm-cov" same_pages 22 "$out/pages-theirs" main.profdata \
    "$out/pages.lcov" "$p/main"
  tidied "$label: tidy" "$out/pages-made/html"
  equal "$label: the code" "$(cat "$p/page.c")" \
    "$(pages text "$out/pages-made/html" page.c)"
  html=$out/pages-made/html
  equal "$label: what to test next: most first" "lacks leaf never" \
    "$(pages next "$html" | head -n 3 | tr '\n' ' ' | sed 's/ $//')"
  check "$label: a constant side is not missing" \
    page_has page.c 'never false: constant'
  check "$label: a macro's branches are at its use" \
    page_has page.c 'in macro <code>BOTH'
  check "$label: operators in a macro make MC/DC not known" \
    page_has page.c 'not derived: a macro may hide a !'
  check "$label: a condition that is a macro is one" \
    page_has page.c '<th scope="col"><code>READY(a)</code></th>'
  # By hand: a, b, c were 0, 1, 0 and then 1, 0, 1.
  equal "$label: vectors to run" "8:101 8:11- 12:11 12:10 " \
    "$(pages todo "$html" | awk '$1 == "page.c" { printf "%s:%s ", $2, $3 }')"
  check "$label: a decision that is not measured" \
    page_has page.c 'not measured by MC/DC'
  check "$label: a part of a line that never ran" \
    page_has page.c '<mark>never(a)</mark>'
  check "$label: no script and no network are needed" no_network "$html"
  check "$label: small pages" small_pages "$html"
  check "$label: a source named as a page" named_as_site
  check "$label: a project in a folder vendor" own_folder
}

page_has() { grep -q -e "$2" "$out/pages-made/html/$1.html"; }
no_network() {
  ! grep -rhoE '(src|href)="[^"]*"' "$1" |
    grep -vE '="(#|[A-Za-z0-9_.~-]+(#L[0-9]+)?")' &&
    ! grep -rn 'https\?:' "$1"
}
small_pages() { [ "$(du -sk "$1" | cut -f 1)" -le 100 ]; }

row_instances() {
  label="report pages: instantiations"
  wanted "$label" || return 0
  p=$(source_folder instances)
  printf '%s\n' 'template <class T> int twice(T a) {' \
    '  return a > 1 && a < 9 ? 1 : 2;' '}' \
    'template <class T> T x(T a) { return a; } template <class T> T y(T a) {' \
    '  return x(a); }' \
    'int main() { return twice(5) + twice(0.5) - 3 + y(0) + (int)y(0.0); }' \
    >"$p/main.cpp"
  check "$label: build" host_built "$p" 22 main.cpp
  check "$label: run" host_ran "$p"
  check "$label: a report" good instances-made "$p/main" "$p/main.profraw" --as-llvm-cov \
    --lcov "$out/instances.lcov"
  check "$label: as llvm-cov" same_pages 22 "$out/instances-made" \
    main.profdata "$out/instances.lcov" "$p/main"
  check "$label: each" grep -q '2 instantiations of <code>int twice' \
    "$out/instances-made/html/main.cpp.html"
  equal "$label: two templates on a line" 2 "$(grep -A 99 'id="L4"' \
    "$out/instances-made/html/main.cpp.html" | sed '/id="L5"/,$d' |
    grep -c '2 instantiations of <code>')"
  check "$label: one decision" grep -q 'in the best of 2 instantiations' \
    "$out/instances-made/html/main.cpp.html"
}

# The page of a source that is named as a page of the site has another name.
named_as_site() {
  v=$(source_folder named)
  echo 'static int twice(int a) { return 2 * a; }' >"$v/functions"
  printf '%s\n' '#include "functions"' \
    'int main(int c, char **v) { return v == 0 || twice(c) < 0; }' >"$v/main.c"
  host_built "$v" 22 main.c && host_ran "$v" &&
    good named-made "$v/main" "$v/main.profraw" &&
    grep -q 'id="L1"' "$out/named-made/html/functions~2.html"
}

# A project in a folder such as vendor/ is not another project.
own_folder() {
  v=$(source_folder vendor/app) && cp "$out/named/functions" \
    "$out/named/main.c" "$v" && host_built "$v" 22 main.c && host_ran "$v" &&
    good vendor-made "$v/main" "$v/main.profraw" &&
    ! grep -q 'Sources of other projects' "$out/vendor-made/html/index.html"
}

# ---- hostile names ----

# hostile_source FOLDER: writes a source whose name and text are markup.
hostile_source() {
  hostile=$1/'<script>alert("1")&'\''; é.c'
  printf 'int f(int a) { return a; } // <script>alert(1)</script> & "\n' \
    >"$hostile"
  printf '/* \303\251 \377 \001 \f */\rint g(int a) { return a < 2; }\r\n' \
    >>"$hostile"
  printf 'int main(void) { return f(0) ||\rg(0) - 1; }\n' >>"$hostile"
  cp "$hostile" "$1/main.c"
}

row_hostile() {
  label="report pages: hostile names"
  wanted "$label" || return 0
  p=$(source_folder hostile)
  hostile_source "$p"
  check "$label: build" host_built "$p" 22 "$hostile"
  check "$label: run" host_ran "$p"
  check "$label: a report" good hostile-made "$p/main" "$p/main.profraw" --as-llvm-cov \
    --lcov "$out/hostile.lcov"
  check "$label: as llvm-cov" same_pages 22 "$out/hostile-made" main.profdata \
    "$out/hostile.lcov" "$p/main"
  tidied "$label: tidy" "$out/hostile-made/html"
  check "$label: no script but ours" only_our_script "$out/hostile-made/html"
  check "$label: UTF-8" utf8_pages "$out/hostile-made/html"
  equal "$label: lines end as clang's do" 'int g(int a) { return a < 2; }' \
    "$(pages text "$out/hostile-made/html" "${hostile##*/}" | sed -n 3p)"
  mkdir -p "$p/A" "$p/a"
  for file in A/x a_x a-x A-x a/x; do
    printf 'int f%s(void) { return 0; }\n' "$(echo $file | tr / _ | tr - _)$(
      echo $file | cksum | cut -c1-4)" >"$p/$file.c"
  done
  printf 'int main(void) { return 0; }\n' >"$p/last.c"
  check "$label: names that are alike: build" host_built "$p" 22 last.c A/x.c \
    a_x.c a-x.c A-x.c a/x.c
  check "$label: run" host_ran "$p"
  check "$label: names that are alike" good alike "$p/main" "$p/main.profraw" --as-llvm-cov \
    --lcov "$out/alike.lcov"
  check "$label: each has a page" same_pages 22 "$out/alike" main.profdata \
    "$out/alike.lcov" "$p/main"
  equal "$label: also where case does not count" 6 \
    "$(find "$out/alike/html" -name '*.c*.html' | tr A-Z a-z | sort -u |
      wc -l)"
}

only_our_script() {
  equal_script=$(grep -rho '<script[^>]*>' "$1" | sort -u)
  [ "$equal_script" = '<script defer src="script.js">' ] ||
    { echo "$equal_script"; return 1; }
}
utf8_pages() {
  for page in "$1"/*.html; do
    iconv -f UTF-8 -t UTF-8 "$page" >/dev/null || return 1
  done
}

# No output contains a line end, or a mark of direction, from a name.
row_names_shown() {
  label="report pages: names that do not show"
  wanted "$label" || return 0
  p=$(source_folder unseen)
  unseen=$p/$(printf 'a\342\200\256b\nSF:c.c')
  echo 'int main(void) { return 0; } int never(void) { return 1; }' >"$unseen"
  check "$label: build" host_built "$p" 22 "$unseen"
  check "$label: run" host_ran "$p"
  check "$label: a report" good unseen-made "$p/main" "$p/main.profraw" \
    --markdown "$out/unseen.md"
  check "$label: the table" names_are_shown "$out/unseen-made.said"
  check "$label: Markdown" names_are_shown "$out/unseen.md"
  for page in index functions; do
    check "$label: $page" names_are_shown "$out/unseen-made/html/$page.html"
  done
}

# Of 110,005 lines 110,001 never ran.
row_columns() {
  label="report many lines: columns"
  wanted "$label" || return 0
  p=$(source_folder columns)
  awk 'BEGIN {
    print "int main(int n, char **v) {\n  if (n > 9) {"
    for (i = 0; i < 110000; i++) print "    n++;"
    print "  }\n  return 0;\n}"
  }' >"$p/main.c"
  check "$label: build" host_built "$p" 22 main.c
  check "$label: run" host_ran "$p"
  check "$label: a report" good columns-made "$p/main" "$p/main.profraw"
  equal "$label: percent and what is missed" "100.00 0 0.00 110001" \
    "$(row_of "$out/columns-made.said" total | cut -d ' ' -f 1-4)"
  equal "$label: below their titles" "$(awk '/% +miss/ { print length }' \
    "$out/columns-made.said")" \
    "$(awk '/^total/ { print length }' "$out/columns-made.said")"
}

names_are_shown() {
  [ -s "$1" ] && ! grep -n "$(printf '\342\200\256')" "$1" &&
    ! grep -n '^SF:c.c' "$1" && grep -q 'SF:c.c\|SF&#58;c.c' "$1"
}

# ---- time, and many files ----

# Makes a project of 170 files, each a copy of the parser.
many_sources() {
  mkdir -p "$1/one" "$1/two" "$1/two/three"
  awk -v folder="$1" 'BEGIN {
    for (i = 0; i < 170; i++) {
      name = folder "/" (i % 3 ? i % 3 > 1 ? "two/" : "two/three/" : "one/") \
        "part" i ".c"
      print "#include \"../../common.h\"" >name
      for (k = 0; k < 12; k++) {
        print "int part" i "_" k "(int a, int b, int c) {\n" \
          "  int sum = 0;\n" \
          "  for (int i = 0; i < (a & 3); i++)\n" \
          "    if (LIMITED(i, b) && (c || a > b))\n" \
          "      sum += i;\n" \
          "    else if (a == " k " || b == c)\n" \
          "      sum -= c ? 1 : 2;\n" \
          "  switch (b & 3) {\n" \
          "  case 0: return sum;\n" \
          "  case 1: return -sum;\n" \
          "  default: break;\n" \
          "  }\n" \
          "  return a > b && b > c ? sum : 0;\n" \
          "}" >name
        if (k % 5 == 0) continue
        calls = calls "  sum += part" i "_" k "(n + " k ", " i ", sum);\n"
        shown = shown "int part" i "_" k "(int, int, int);\n"
      }
      close(name)
    }
    print shown "int main(int n, char **v) {\n  int sum = n;\n" calls \
      "  return sum == 1;\n}" >(folder "/main.c")
    print "#define LIMITED(a, b) ((a) < 100 && (b) < 1000)" \
      >(folder "/common.h")
  }'
  sed -i 's,../../common,../common,' "$1"/one/*.c "$1"/two/*.c
}

# milliseconds COMMAND: prints its processor time, with children.
milliseconds() {
  bash -c "time -p $1 >/dev/null 2>&1" 2>&1 |
    awk '/^(user|sys)/ { sum += $2 } END { print int(sum * 1000) }'
}

# least MILLISECONDS BEFORE: prints the lower number; BEFORE may be empty.
least() {
  if [ -z "$2" ] || [ "$1" -lt "$2" ]; then echo "$1"; else echo "$2"; fi
}

# Compares the time of a complete report, with merging and comparing, with only
# the export. Three runs each, in turn; the best one counts.
many_time() {
  best_report='' best_export=''
  for turn in 1 2 3 4 5; do
    best_export=$(least "$(milliseconds "llvm-cov-22 export \
      -instr-profile='$out/many-made/main.profdata' '$1'")" "$best_export")
    best_report=$(least "$(milliseconds "'$BAREPROF' report '$1' '$1.profraw' \
      -o '$out/many-timed'")" "$best_report")
  done
  echo "report: $best_report ms; llvm-cov export alone: $best_export ms" |
    tee "$out/many.time"
  [ -s "$out/many-timed/html/index.html" ] && [ "$best_export" -gt 100 ] &&
    [ $((best_report * 10)) -le $((best_export * 13)) ]
}

row_many() {
  label="report pages: 170 files"
  wanted "$label" || return 0
  [ -n "${FULL:-}" ] || return 0
  p=$(source_folder many)
  many_sources "$p"
  check "$label: build" host_built "$p" 22 \
    $(cd "$p" && find . -name '*.c')
  check "$label: run" host_ran "$p"
  check "$label: a report" good many-made "$p/main" "$p/main.profraw" --as-llvm-cov \
    --lcov "$out/many.lcov"
  check "$label: as llvm-cov" same_pages 22 "$out/many-made" main.profdata \
    "$out/many.lcov" "$p/main"
  tidied "$label: tidy" "$out/many-made/html"
  check "$label: at most 1.3 times llvm-cov's export" many_time "$p/main"
}

# ---- first steps ----

# Steps name a side that never ran before the decision in it, conditions as in
# the source, the call that would have run a function, and other projects'
# sources last.
row_steps() {
  label="report pages: first steps"
  wanted "$label" || return 0
  p=$out/steps
  mkdir -p "$p/third_party"
  cat >"$p/main.c" <<-'END'
	#include "third_party/theirs.h"
	int f(int x, int a, int b) {
	  if (x) {
	    if (a && b) return 1;
	  }
	  return 0;
	}
	int g(int a, int b, int c) { return a && b && c; }
	static int deep(int a) { return a; }
	int h(int a) {
	  /* No deep(a). */
	  return a > 9 ? deep(a) : 0;
	}
	int main(void) {
	  return f(0, 1, 1) + g(1, 1, 1) - g(0, 1, 1) - 1 + theirs(0) + h(0);
	}
	END
  cat >"$p/third_party/theirs.h" <<-'END'
	static int theirs(int x) {
	  if (x == 1) return 1;
	  if (x == 2) return 1;
	  if (x == 3) return 1;
	  if (x == 4) return 1;
	  if (x == 5) return 1;
	  if (x == 6) return 1;
	  return x;
	}
	END
  host_built "$p" 22 main.c || { not_ok "$label" "does not build"; return; }
  check "$label: run" host_ran "$p"
  check "$label: a report" good steps-made "$p/main" "$p/main.profraw"
  steps=$(sed 's/<[^>]*>//g' "$out/steps-made/html/index.html" |
    sed -n '/Test next/,/with something/p')
  check "$label: the side before what is in it" grep -q \
    'main.c:3 x was never true' <<-END
	$steps
	END
  check "$label: conditions as in the source" grep -q \
    'main.c:8 run a &rarr; T, b &rarr; F\|main.c:8 run a → T, b → F' <<-END
	$steps
	END
  check "$label: a function that never ran, at the line that could call it" \
    grep -q 'main.c:12 h ran, but not this call' <<-END
	$steps
	END
  equal "$label: others' sources last, and how to leave them out" \
    "Sources theirs" "$(printf '%s\n' "$steps" | grep -v '^$' |
      grep -o '^Sources\|^theirs\|^g ' | sed '/^g $/d' | tail -n 2 | one_line |
      sed 's/ $//')"
}
