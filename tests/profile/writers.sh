# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the writers with llvm-profdata: the same bytes if llvm-profdata's are
# deterministic, else tools of older releases show the same, and compilers make
# the same code. generate.awk, or programs of this machine, make the profiles;
# convert.c is the readers and writers as a command. `run` sources this file;
# written.sh has programs and errors.

. $HERE/written.sh

CONVERT=$OUT/convert

build_convert() {
  error=$(tool_program "$CONVERT" "$SANITIZERS" $HERE/convert.c 2>&1) &&
    [ -z "$error" ] && return
  not_ok "profile writers compile" "$(printf '%s' "$error" | one_line)"
  return 1
}

# Prints the index version that a release writes.
index_of() {
  case $1 in
  13 | 14) echo 7 ;; 15) echo 8 ;; 16) echo 9 ;; 17) echo 10 ;; 18) echo 11 ;;
  19 | 20 | 21) echo 12 ;; 22) echo 13 ;; *) echo 14 ;;
  esac
}

# as_llvm WORDS FILES...: our file and that from $llvm have the same bytes.
as_llvm() {
  words=$1 theirs=
  shift
  case " $words " in *" text "*) theirs="$theirs --text" ;; esac
  case " $words " in *" sparse "*) theirs="$theirs --sparse" ;; esac
  case " $words " in
  *" vtables "*) theirs="$theirs -keep-vtable-symbols" ;;
  esac
  merged "$llvm" $theirs "$@" "$OUT/theirs" &&
    "$CONVERT" "llvm=$llvm" $words "$@" "$OUT/ours" &&
    cmp "$OUT/theirs" "$OUT/ours"
}

# ---- made up ----

# Converts text to indexed and to text; indexed to both; two files to one.
all_ways() {
  made "$kind" "$functions" 1 "$OUT/g.txt"
  made "$kind" $((functions * 2)) 2 "$OUT/h.txt"
  as_llvm "version=$(index_of "$llvm")" "$OUT/g.txt" || return
  cp "$OUT/ours" "$OUT/g.prof"
  as_llvm sparse "$OUT/g.txt" && as_llvm "" "$OUT/g.prof" &&
    merged "$llvm" "$OUT/h.txt" "$OUT/h.prof" || return
  as_llvm "" "$OUT/g.prof" "$OUT/h.prof" "$OUT/g.prof" || return
  # llvm-profdata loses names of vtables, and 19 the number of traces.
  case $kind in *vtables*) return ;; esac
  as_llvm text "$OUT/g.txt" && as_llvm "text sparse" "$OUT/g.txt" &&
    as_llvm text "$OUT/g.prof"
}

# In `make test`, rows with a + use the older release.
made_up() {
  while read -r functions kind; do
    releases=$LLVM_HOST
    case $functions in
      "") continue ;;
      +*) functions=${functions#+} releases="19 $LLVM_HOST" ;;
    esac
    [ -z "${FULL:-}" ] || releases="19 $LLVM_HOST"
    for llvm in $releases; do
      label="profile writers: as llvm-profdata-$llvm, $kind, $functions"
      [ -z "$(unknown_to "$llvm" "$kind")" ] || continue
      have_llvm $llvm || { skip "$label" "no LLVM $llvm"; continue; }
      check "$label" all_ways
    done
  done <<LIST
0 fe
1 fe
3 fe
48 fe
300 fe zeros bitmaps
100 fe bytes
300 ir values
100 ir entry loops
+500 ir locals values
100 ir traces
70 ir bytes traces
+90 ir values vtables
200 cs
+300 cs values zeros traces bitmaps
${FULL:+2 fe
47 fe
300 fe zeros
3000 fe zeros bitmaps
1000 cs values zeros traces bitmaps
3000 cs values zeros traces bitmaps}
LIST
  for llvm in $LLVM_HOST; do
    kind="ir traces stream" functions=50
    [ -z "$(unknown_to "$llvm" "$kind")" ] || continue
    check "profile writers: as llvm-profdata-$LLVM_HOST, $kind" all_ways
  done
}

# ---- for older releases ----

# Prints each record in one line, as their order is random up to 16, and the
# summary.
said() {
  "llvm-profdata-$1" show --all-functions --counts --ic-targets \
    --memop-sizes --text "$2" |
    awk 'BEGIN { RS = "" }
      { sub(/^(:[a-z_]*\n)+/, ""); gsub(/\n/, "|"); print }' | sort
  "llvm-profdata-$1" show --detailed-summary "$2"
}

# Compares what $by shows of our file for $for and of its own file.
said_alike() {
  merged "$by" "$OUT/old.txt" "$OUT/theirs" && said "$by" "$OUT/theirs" \
    >"$OUT/theirs.said" && said "$by" "$OUT/old.prof" >"$OUT/ours.said" &&
    cmp "$OUT/theirs.said" "$OUT/ours.said"
}

# The release reads the text for it.
text_for() {
  "$CONVERT" text "llvm=$for" "$OUT/g.txt" "$OUT/made.txt" &&
    merged "$for" --text "$OUT/old.txt" "$OUT/theirs" &&
    merged "$for" --text "$OUT/made.txt" "$OUT/ours" &&
    cmp "$OUT/theirs" "$OUT/ours"
}

read_by_all() {
  made "$kind" 200 1 "$OUT/g.txt"
  "$CONVERT" "llvm=$for" "$OUT/g.txt" "$OUT/old.prof" || return
  [ "$(od -An -tu1 -j8 -N1 "$OUT/old.prof")" -eq "$(index_of "$for")" ] ||
    { echo "another version"; return 1; }
  separator=';'
  [ "$for" -ge 18 ] || separator=:
  sed "s/^\(file.\.c\);\(f[0-9]*\)/\1$separator\2/" "$OUT/g.txt" >"$OUT/old.txt"
  for by in 13 14 15 16 19 22 23; do
    [ "$by" -ge "$for" ] && have "llvm-profdata-$by" || continue
    said_alike || { echo "by llvm-profdata-$by"; return 1; }
  done
}

# The kinds alternate; with FULL each release gets each kind.
for_older() {
  turn=0
  for for in 13 14 15 16 17 18 19 22 23; do
    for kind in "ir locals values" "cs values entry" "fe"; do
      at=$turn turn=$((turn + 1))
      [ -n "${FULL:-}" ] || [ $((at % 3)) = $((at / 3 % 3)) ] || continue
      label="profile writers: for LLVM $for, $kind"
      wanted "$label" || continue
      check "$label" read_by_all
      if have "llvm-profdata-$for"; then
        check "$label, text" text_for
      else
        skip "$label, text" "no llvm-profdata-$for"
      fi
    done
  done
}

# ---- local names ----

# Old and new names of one function merge.
locals_meet() {
  made "ir locals values" 100 1 "$OUT/new.txt"
  sed 's/^\(file.\.c\);\(f[0-9]*\)/\1:\2/' "$OUT/new.txt" >"$OUT/old.txt"
  merged $LLVM_HOST --text "$OUT/new.txt" "$OUT/new.txt" "$OUT/theirs" &&
    "$CONVERT" text llvm=$LLVM_HOST "$OUT/old.txt" "$OUT/new.txt" "$OUT/ours" &&
    cmp "$OUT/theirs" "$OUT/ours" &&
    merged $LLVM_HOST --text "$OUT/old.txt" "$OUT/old.txt" "$OUT/theirs" &&
    "$CONVERT" text llvm=16 "$OUT/old.txt" "$OUT/new.txt" "$OUT/ours" &&
    cmp "$OUT/theirs" "$OUT/ours"
}

# Tests names that only look like local names, and traces.
locals_named() {
  printf '%s\n' :ir :temporal_prof_traces 1 1 1 'd:a.c:g,f,' \
    '-[A b:c:]' 1 1 1 'm.m:+[A b:c:]' 1 1 2 'd:a.c:g' 1 1 3 f 1 1 4 ':x' 1 1 5 |
    sed 's/^:x$/a:/' >"$OUT/g.txt"
  "$CONVERT" text 'locals=;' "$OUT/g.txt" "$OUT/ours" &&
    equal_text "$(grep -v '^#\|^[0-9]*$\|^:' "$OUT/ours" | tr '\n' ' ')" \
      'd:a.c;g,f, -[A b:c:] a: d:a.c;g f m.m;+[A b:c:] '
}

# ---- what is carried along ----

# A memory profile moves to another place after more functions.
memory_moves() {
  made "ir values" 100 1 "$OUT/g.txt"
  made "ir values" 200 2 "$OUT/h.txt"
  llvm-profdata-$LLVM_HOST merge --memprof-version="$version" $HERE/memory.yaml \
    "$OUT/g.txt" -o "$OUT/g.prof" 2>/dev/null &&
    llvm-profdata-$LLVM_HOST merge -num-threads=1 --memprof-version="$version" \
      $HERE/memory.yaml "$OUT/g.txt" "$OUT/h.txt" -o "$OUT/theirs" \
      2>/dev/null &&
    "$CONVERT" "version=$(index_of "$LLVM_HOST")" "$OUT/g.prof" "$OUT/ours" &&
    cmp "$OUT/g.prof" "$OUT/ours" &&
    "$CONVERT" "version=$(index_of "$LLVM_HOST")" "$OUT/g.prof" "$OUT/h.txt" \
      "$OUT/ours" &&
    cmp "$OUT/theirs" "$OUT/ours"
}

# Any grouping of three files gives the same.
grouped() {
  for i in 1 2 3; do
    made "$kind" $((i * 40)) $i "$OUT/$i.txt"
    "$CONVERT" version=13 "$OUT/$i.txt" "$OUT/$i.prof" || return
  done
  "$CONVERT" version=13 "$OUT/1.prof" "$OUT/2.prof" "$OUT/12.prof" &&
    "$CONVERT" version=13 "$OUT/2.prof" "$OUT/3.prof" "$OUT/23.prof" &&
    "$CONVERT" text "$OUT/1.txt" "$OUT/2.txt" "$OUT/3.txt" \
      "$OUT/whole.txt" &&
    "$CONVERT" text "$OUT/12.prof" "$OUT/3.prof" "$OUT/ours" &&
    cmp "$OUT/whole.txt" "$OUT/ours" &&
    "$CONVERT" text "$OUT/1.prof" "$OUT/23.prof" "$OUT/ours" &&
    cmp "$OUT/whole.txt" "$OUT/ours"
}

# A merge keeps 100 traces of 210 runs; it keeps all 70 if they come twice.
thinned() {
  kind="ir traces many"
  grouped && equal_text "$(grep -c '# Weight' "$OUT/whole.txt") $(grep -c \
    '^210$' "$OUT/whole.txt")" '100 1' || return
  "$CONVERT" text "$OUT/1.txt" "$OUT/1.txt" "$OUT/ours" &&
    equal_text "$(awk '/# Weight/ { getline; all += $0; n++ }
      END { print (n <= 70), all }' "$OUT/ours")" '1 9940'
}

carried() {
  for version in 2 3 4; do
    check "profile writers: a memory profile moves, version $version" \
      memory_moves
  done
  for kind in "ir values strangers" "cs values" "ir traces stream"; do
    check "profile writers: parts or the whole, $kind" grouped
  done
  check "profile writers: parts or the whole, ir traces many" thinned
}

if build_convert; then
  made_up
  for_older
  check "profile writers: old and new local names meet" locals_meet
  check "profile writers: what is a local name" locals_named
  carried
  programs
  losses
  check "profile writers: hashes of clang 22 are for it only" front_end 13 \
    llvm=21 'are from clang 22'
  texts
fi
