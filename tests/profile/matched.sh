# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares bareprof match with clang, for pairs of builds. clang gives each
# function that it finds in the profile an entry count: the build uses the
# counters of these functions, as llvm-profdata prints them. `run` sources this
# file.
# shellcheck disable=SC2154 # Of run.

BAREPROF=$BUILD/bareprof
matched_out=$OUT/matched

matched_program() {
  mkdir -p "$matched_out/one"
  cat >"$matched_out/one/own.c" <<'END_OF_C'
#define APART __attribute__((noinline))
int other(int);
APART static int twice(int x) { return x > 3 ? 7 * x : x; }
APART static int thrice(int x) { return x > 5 ? 3 * x : x; }
APART int summed(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += i ^ x;
  return sum;
}
APART int chosen(int x) {
  if (x & 1)
    return twice(x);
  return thrice(x);
}
APART int idle(int x) { return x ? x + 1 : 7; }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 100; i++)
    sum += chosen(i) + summed(i) + other(i) + (i > 200 ? idle(i) : 0);
  return sum == 1;
}
END_OF_C
  cat >"$matched_out/one/other.c" <<'END_OF_C'
#define APART __attribute__((noinline))
APART static int half(int x) {
  while (x > 50)
    x -= x & 1 ? 3 : 2;
  return x / 2;
}
APART static int nested(int x) {
  int sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < x; j++)
      sum += i * j;
  return sum;
}
int other(int x) { return half(x) + nested(x); }
END_OF_C
}

# matched_counted LLVM FLAGS: runs the first build, and lists its counts by
# name.
matched_counted() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$matched_out/one" && "clang-$1" -O1 $2 own.c other.c -fuse-ld=lld \
    -o own && LLVM_PROFILE_FILE=../own.profraw ./own) &&
    "llvm-profdata-$1" merge "$matched_out/own.profraw" \
      -o "$matched_out/own.profdata" &&
    "llvm-profdata-$1" merge --text "$matched_out/own.profraw" \
      -o "$matched_out/own.text" &&
    awk -v RS= -v FS='\n' '{
      at = 1
      while ($at ~ /^[:#]/) at++
      name = $at
      sub(/^.*[;:]/, "", name)
      sub(/\.__uniq.*/, "", name)
      sum = 0
      seen = 0
      for (i = at + 1; i <= NF; i++) {
        if ($i ~ /^#/) { part = $i; continue }
        if (part ~ /Num Counters/) many = $i
        else if (part ~ /Counter Values/ && seen++ < many) sum += $i
      }
      print name, sum
    }' "$matched_out/own.text" | sort >"$matched_out/counts"
}

# Prints how many counters clang uses: the counters of functions with an entry count.
matched_taken() {
  # shellcheck disable=SC2086 # Several flags.
  for matched_file in $matched_sources; do
    (cd "$matched_out/two" && "clang-$1" -O1 $2 -Wno-everything -S \
      -emit-llvm -o - "$matched_file") || return 1
  done | sed -n '/^define.*!prof/{
    s/^[^@]*@"*\([A-Za-z0-9_]*\).*/\1/; p; }' | sort >"$matched_out/defined"
  join "$matched_out/counts" "$matched_out/defined" |
    awk '{ sum += $2 } END { print sum + 0 }'
}

# Reads the table: `taken`, the other reasons, and whether they add up to the
# total.
matched_table() {
  awk '
    /^[^ ].*%/ && NF == 5 && !done {
      if ($1 == "all") { whole = $4; functions = $5; done = 1; next }
      counts += $4
      number += $5
      if ($1 == "taken") taken = $4
      else reasons = reasons " " $1 "=" $5
    }
    END {
      print taken reasons (counts == whole && number == functions ? "" : " ?")
    }'
}

# matched_edit NAME: writes the sources of the next build, and sets the expected
# reasons.
matched_edit() {
  rm -rf "$matched_out/two"
  mkdir -p "$matched_out/two/src"
  cp "$matched_out"/one/*.c "$matched_out/two"
  matched_sources="own.c other.c"
  case $1 in
    same) ;;
    folder)
      mv "$matched_out"/two/*.c "$matched_out/two/src"
      matched_sources="src/own.c src/other.c"
      ;;
    file)
      mv "$matched_out/two/other.c" "$matched_out/two/more.c"
      matched_sources="own.c more.c"
      ;;
    changed) matched_sed 's/sum += i ^ x/for (int j = i; j--;) &/' own.c ;;
    renamed) matched_sed 's/nested/within/' other.c ;;
    twins) matched_sed 's/twice/double_of/; s/thrice/triple_of/' own.c ;;
    gone)
      matched_sed 's/chosen(i) +/i +/; /^APART int chosen/,/^}/d' own.c
      ;;
    global) matched_sed 's/static int half/int half/' other.c ;;
    static) matched_sed 's/^APART int summed/APART static int summed/' own.c ;;
    several)
      matched_sed 's/sum += i ^ x/for (int j = i; j--;) &/
        s/chosen/selected/' own.c
      mv "$matched_out/two/other.c" "$matched_out/two/src"
      matched_sources="own.c src/other.c"
      ;;
  esac
}
matched_sed() {
  sed "$1" "$matched_out/one/$2" >"$matched_out/two/$2" &&
    ! cmp -s "$matched_out/one/$2" "$matched_out/two/$2"
}

# matched_pair LLVM COUNT USE: prints the reasons, if clang takes as many.
matched_pair() {
  # shellcheck disable=SC2086 # Several flags.
  (cd "$matched_out/two" && "clang-$1" -O1 $2 $matched_sources -fuse-ld=lld \
    -o own 2>&1) || return 1
  matched_said=$("$BAREPROF" match "$matched_out/own.profdata" \
    "$matched_out/two/own" | matched_table)
  matched_clang=$(matched_taken "$1" "$3")
  [ "$matched_clang" = "${matched_said%% *}" ] ||
    echo "clang takes $matched_clang, not ${matched_said%% *}:"
  case $matched_said in *\ *) echo "${matched_said#* }" ;; *) echo none ;; esac
}

# matched_rows LLVM KIND: checks a table of edits, and of what they lose.
matched_rows() {
  case $2 in
    ir) matched_count=-fprofile-generate matched_use=-fprofile-use ;;
    fe) matched_count=-fprofile-instr-generate
      matched_use=-fprofile-instr-use ;;
  esac
  check "profile match $1 $2: a run" matched_counted "$1" "$matched_count"
  while read -r matched_edit matched_ir matched_fe; do
    wanted "profile match $1 $2: $matched_edit" || continue
    [ "$2" = ir ] && matched_is=$matched_ir || matched_is=$matched_fe
    matched_edit "$matched_edit"
    equal "profile match $1 $2: $matched_edit" "$(echo "$matched_is" |
      tr , ' ')" "$(matched_pair "$1" "$matched_count" \
      "$matched_use=../own.profdata")"
  done <<END
same none none
folder path=4 none
file path=2 path=2
changed hash=1 hash=1
renamed renamed=1 renamed=1
twins gone=2 gone=2
gone gone=3 gone=3
global renamed=1 renamed=1
static renamed=1 renamed=1
several hash=1,path=2,renamed=1 hash=1,renamed=1
END
}

# The exit status depends on the used part; the list has the rest.
matched_enough() {
  matched_edit folder
  matched_counted $LLVM_HOST -fprofile-generate &&
    matched_pair $LLVM_HOST -fprofile-generate -fprofile-use=../own.profdata &&
    "$BAREPROF" match "$matched_out/own.profraw" "$matched_out/two/own" \
      --fail-under 10% -o "$matched_out/table" &&
    "$BAREPROF" match - "$matched_out/two/own" <"$matched_out/own.profraw" |
    cmp - "$matched_out/table" || return 1
  # shellcheck disable=SC2002 # A pipe cannot be read twice.
  cat "$matched_out/own.profraw" |
    "$BAREPROF" match /dev/stdin "$matched_out/two/own" |
    cmp - "$matched_out/table" || return 1
  matched_share=$(awk '$1 == "taken" { print $2 }' "$matched_out/table")
  "$BAREPROF" match "$matched_out/own.text" "$matched_out/two/own" --top 1 \
    --raw-version 10 --fail-under 99.9 >"$matched_out/table" \
    2>"$matched_out/said"
  [ $? = 1 ] && grep -q "the build uses $matched_share % of the counts, less" \
    "$matched_out/said" && [ "$(wc -l <"$matched_out/said")" = 1 ] &&
    grep -q '^path .* other.c;nested  now src/other.c;nested$' \
      "$matched_out/table" &&
    grep -q '^... and 3 more; use --top N to show more$' "$matched_out/table" ||
    { cat "$matched_out/said" "$matched_out/table"; return 1; }
}

# With the new names the build uses all.
matched_again() {
  "$BAREPROF" merge "$matched_out/own.profraw" --rename own.c=src/own.c \
    --rename other.c=src/other.c -o "$matched_out/new.profdata" &&
    "$BAREPROF" match "$matched_out/new.profdata" "$matched_out/two/own" \
      --fail-under 100%
}

# The suffix is a hash of the file's name. A file with another name has other
# names of both kinds.
matched_unique() {
  matched_flag=-funique-internal-linkage-names
  matched_counted $LLVM_HOST "-fprofile-generate $matched_flag" || return
  matched_edit file
  matched_pair $LLVM_HOST "-fprofile-generate $matched_flag" \
    "-fprofile-use=../own.profdata $matched_flag"
  matched_edit same
  matched_pair $LLVM_HOST -fprofile-generate -fprofile-use=../own.profdata
}

# Prints the reasons for a profile that clang does not open for this build.
matched_kind() {
  matched_edit same
  matched_counted $LLVM_HOST "$1" &&
    (cd "$matched_out/two" && clang-$LLVM_HOST -O1 "$2" own.c other.c -fuse-ld=lld \
      -o own) &&
    "$BAREPROF" match "$matched_out/own.profdata" "$matched_out/two/own" |
    matched_table
}

# If any allocation fails, one line says so, also for other separators.
matched_memory() {
  awk 'BEGIN {
      print ":ir"
      for (i = 0; i < 30000; i++)
        printf "a_file_of_the_last_build.c:function_%d\n7\n2\n1\n2\n\n", i
    }' >"$matched_out/many.text"
  matched_edit same
  (cd "$matched_out/two" && clang-$LLVM_HOST -O1 -fprofile-generate own.c other.c \
    -fuse-ld=lld -o own) || return
  matched_short=0
  for matched_limit in $(seq 8000 2000 60000); do
    (ulimit -v "$matched_limit" && "$BAREPROF" match "$matched_out/many.text" \
      "$matched_out/two/own" -o "$matched_out/table" 2>"$matched_out/said")
    case $? in
      0) break ;;
      1) matched_short=$((matched_short + 1))
        [ "$(wc -l <"$matched_out/said")" = 1 ] &&
          grep -q ': not enough memory' "$matched_out/said" ||
          { cat "$matched_out/said"; return 1; } ;;
      127) ;; # not even started
      *) echo "with $matched_limit KB: $?"; return 1 ;;
    esac
  done
  [ "$matched_short" -ge 4 ] && [ "$matched_limit" -lt 60000 ]
}

matched_refused() {
  while IFS='|' read -r matched_words matched_why; do
    # shellcheck disable=SC2086 # Several.
    "$BAREPROF" match $matched_words -o "$matched_out/no" 2>"$matched_out/said"
    [ $? != 0 ] && [ ! -e "$matched_out/no" ] &&
      [ "$(wc -l <"$matched_out/said")" = 1 ] &&
      grep -q "$matched_why" "$matched_out/said" ||
      { echo "$matched_words"; cat "$matched_out/said"; return 1; }
  done <<END
$matched_out/own.text $BAREPROF|no counters found
$matched_out/own.text $matched_out/own.text|not an ELF
$matched_out/own.text $matched_out/two/own --fail-under 101%|is a percentage
$matched_out/own.text $matched_out/two/own --fail-under x|is a percentage
$matched_out/zero.text $matched_out/two/own|all counts are zero
END
}

matched() {
  matched_program
  for version in ${LLVM:-14 19 22}; do
    [ -n "${FULL:-}" ] || [ $version = 22 ] || continue
    needs "profile match $version" "llvm:$version" || continue
    matched_rows "$version" ir
    matched_rows "$version" fe
  done
  have_llvm $LLVM_HOST || return
  check "profile match: enough, or not" matched_enough
  check "profile match: with the files' new names" matched_again
  equal "profile match: other suffixes" "__uniq=2
__uniq=4" "$(matched_unique)"
  equal "profile match: IR, and a build of the front end" "0 kind=9" \
    "$(matched_kind -fprofile-generate -fprofile-instr-generate)"
  check "profile match: no memory" matched_memory
  printf ':ir\nf\n1\n1\n0\n' >"$matched_out/zero.text"
  check "profile match: what is refused" matched_refused
}
matched
