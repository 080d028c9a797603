# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of sources that changed since the build: programs of this machine, with a
# header in a subfolder. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# source_folder NAME: makes it, and prints its absolute name.
source_folder() { mkdir -p "$out/$1" && (cd "$out/$1" && pwd); }

# source_text FOLDER: writes the sources again.
source_text() {
  mkdir -p "$1/inc"
  echo 'static inline int twice(int a) { return a ? 2 * a : 0; }' \
    >"$1/inc/twice.h"
  printf '%s\n' '#include "inc/twice.h"' 'int other(int a);' \
    'int main(void) { return twice(1) != 2 || other(2) != 4; }' >"$1/main.c"
  printf '%s\n' '#include "inc/twice.h"' 'int other(int a);' \
    'int other(int a) { return twice(a); }' >"$1/other.c"
}

# source_object FOLDER NAME LLVM FLAGS...: compiles one of them.
source_object() {
  source_in=$1 source_name=$2 source_llvm=$3
  shift 3
  (cd "$source_in" && "clang-$source_llvm" -g -fprofile-instr-generate \
    -fcoverage-mapping "$@" -c "$source_name.c" -o "$source_name.o")
}

# source_program FOLDER NAME: compiles and runs NAME.c, all by itself.
source_program() {
  (cd "$1" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -Wl,--build-id "$2.c" -o "$2" && LLVM_PROFILE_FILE=$2.profraw "./$2")
}

# source_link FOLDER LLVM: links main from main.o and other.o, and makes
# main.profraw.
source_link() {
  (cd "$1" && "clang-$2" -fprofile-instr-generate -Wl,--build-id main.o \
    other.o -o main && LLVM_PROFILE_FILE=main.profraw ./main)
}

# source_built FOLDER LLVM FLAGS...: makes sources, objects, program, profile.
source_built() {
  built_in=$1 built_llvm=$2
  shift 2
  source_text "$built_in"
  for built_name in main other; do
    source_object "$built_in" $built_name "$built_llvm" "$@" || return 1
  done
  source_link "$built_in" "$built_llvm"
}

# source_touch FILE: adds a line before all others.
source_touch() { echo '/* later */' | cat - "$1" >"$1.new" && mv "$1.new" "$1"; }

# Expects one line of error, with this text.
only_error() {
  [ "$(wc -l <"$out/$1.errors")" = 1 ] && grep -q -e "$2" "$out/$1.errors" ||
    { one_line <"$out/$1.errors"; return 1; }
}

row_changed() {
  label="report sources, llvm-$1"
  s=$(source_folder "sources-$1")
  check "$label: build" source_built "$s" "$1"
  set -- "$s/main" "$s/main.profraw"
  check "$label: as they were" good same "$@"
  check "$label: nothing is said" free_of 'the build' "$out/same.said"
  source_touch "$s/inc/twice.h"
  check "$label: a header that has changed" bad changed 1 \
    "inc/twice.h: the source has changed since $s/main was built; .*--allow-changed" \
    "$@"
  check "$label: it is one line" only_error changed twice.h
  source_touch "$s/main.c"
  check "$label: several" bad changed 1 ', as have 1 more source' "$@"
  source_text "$s" && source_touch "$s/inc/twice.h"
  report allowed "$@" --allow-changed
  equal "$label: --allow-changed" 0 "$status"
  equal "$label: which one is said" "$s/inc/twice.h" \
    "$(sed -n 's/^  Changed since the build.*: //p' "$out/allowed.said")"
  equal "$label: its page alone is marked, and it in the index" \
    "inc-twice.h.html index.html " \
    "$(grep -rl 'changed since the build' "$out/allowed/html" |
      sed 's,.*/html/,,' | sort | tr '\n' ' ')"
  check "$label: run --allow-changed" started run-allowed "$s/main" \
    "$s/run.profraw" --allow-changed -- cp "$s/main.profraw" "$s/run.profraw"
  check "$label: a file that is left out may change" good left-out "$@" \
    --ignore twice
  source_text "$s"
  for no_file in mkfifo mkdir; do
    rm -rf "$s/inc/twice.h" && $no_file "$s/inc/twice.h"
    report "$no_file" "$@" || true
    check "$label: $no_file is no source" only_error $no_file \
      'twice.h: this source is not a file (missing sources: 1 of 3)'
  done
  rm -rf "$s/inc/twice.h"
}

# The changed text of a source does not tell which part of a decision is negated.
row_changed_decision() {
  label="report sources: a decision of a changed source"
  wanted "$label" || return 0
  s=$(source_folder changed-decision)
  printf '%s\n' 'int f(int a, int b, int c) {' '  return a && b && c;' '}' \
    'int main(void) {' \
    '  return f(1, 1, 1) + f(0, 1, 1) + f(1, 0, 1) + f(1, 1, 0) != 1;' '}' \
    >"$s/main.c"
  check "$label: build" source_object "$s" main 22 -fcoverage-mcdc
  printf '' >"$s/other.c"
  check "$label: link" sh -c "cd '$s' && clang-22 -c other.c"
  check "$label: run" source_link "$s" 22
  source_touch "$s/main.c"
  report changed-said "$s/main" "$s/main.profraw" --allow-changed
  equal "$label: its conditions" "0 100.00 0" \
    "$status $(row_of "$out/changed-said.said" total |
      awk '{ print $7, $8 }')"
  check "$label: all are known" free_of 'Not known' "$out/changed-said.said"
}

# short_report FOLDER SAID: makes a report in the current folder FOLDER, because
# the table cuts long names.
short_report() {
  (cd "$1" && "$program" report -o report main main.profraw >"$2")
}

# A header of another tree leaves no common folder: names are relative to the
# current one.
row_short_names() {
  program=$(cd "$(dirname "$BAREPROF")" && pwd)/$(basename "$BAREPROF")
  label="report short names"
  s=$(source_folder short-names)
  far=$(mktemp -d)
  source_text "$s" && mv "$s/inc/twice.h" "$far/" &&
    sed -i "s,inc/twice.h,$far/twice.h," "$s/main.c" "$s/other.c" &&
    for name in main other; do
      source_object "$s" "$s/$name" 22 || return 1
    done
  check "$label: build" source_link "$s" 22
  check "$label: a report" short_report "$s" "$far/said"
  equal "$label: of each file" "main.c other.c " \
    "$(grep -o "[^ ]*\(main\|other\)\.c" "$far/said" | one_line)"
  rm -rf "$far"
}

# ---- evidence ----

# sums_of KEY: prints FILE SHA-256 for each file of a list, in its order.
sums_of() {
  sed -n "/^\"$1\":/,/^\"/p" "$out/evidence/evidence.json" |
    sed -n 's/.*"file":"\([^"]*\)".*"sha256":"\([0-9a-f]*\)".*/\2  \1/p'
}

# Compares the sums of each file of the report with another program's.
same_sums() {
  { sums_of elfs; sums_of logs; } | sort -u >"$out/evidence.seen"
  sha256sum "$@" | sort -u | cmp - "$out/evidence.seen"
}

row_evidence() {
  label="report evidence"
  s=$(source_folder evidence-of)
  check "$label: build" source_built "$s" 22
  echo 'no dump' >"$s/other.log"
  set -- "$s/main" "$s/main.profraw" "$s/other.log"
  check "$label: a report" report evidence "$@" --json "$out/evidence.json" \
    --allow-missing --fail-under lines=10
  check "$label: SHA-256 of each ELF, log and source" same_sums "$@" \
    "$s/main.c" "$s/other.c" "$s/inc/twice.h"
  equal "$label: build id" \
    "$(llvm-readelf-22 -n "$s/main" | sed -n 's/.*Build ID: //p')" \
    "$(sed -n 's/.*"build_id":"\([^"]*\)".*/\1/p' \
      "$out/evidence/evidence.json")"
  equal "$label: command line" \
    "bareprof report -o $out/evidence $* --json $out/evidence.json \
--allow-missing --fail-under lines=10" \
    "$(sed -n 's/^"command":\[\(.*\)\],$/\1/p' \
      "$out/evidence/evidence.json" | sed 's/^"//; s/","/ /g; s/"$//')"
  equal "$label: version" "$($BAREPROF --version | sed 's/.* //')" \
    "$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' \
      "$out/evidence/evidence.json" | uniq | one_line | sed 's/ $//')"
  tr '\n' ' ' <"$out/evidence/evidence.json" | sed 's/ $//' \
    >"$out/evidence.line"
  check "$label: --json has the same" sh -c "
    sed 's/.*,\"bareprof\"://; s/}\$//' '$out/evidence.json' |
      cmp - '$out/evidence.line'"
  if have jq; then
    check "$label: JSON" jq -e '.bareprof.elfs[0].sources | length == 3' \
      "$out/evidence.json"
  else
    skip "$label: JSON" "no jq"
  fi
  report again "$s/main.profraw" -o "$out/again" "$s/main"
  equal "$label: options in the order they came" \
    "$s/main.profraw -o $out/again $s/main" \
    "$(sed -n 's/^"command":\[.*again","\(.*again","[^]]*\)\],$/\1/p' \
      "$out/again/evidence.json" | sed 's/","/ /g; s/"$//')"
}

row_sources() {
  for version in 19 22; do
    have_llvm $version && group "report sources, llvm-$version" \
      row_changed $version
  done
  group "report short names" row_short_names
  group "report evidence" row_evidence
  label="report sources"
  wanted "$label" || return 0
  s=$(source_folder sources)
  check "$label: build" source_built "$s" 22
  source_touch "$s/inc/twice.h"
  source_object "$s" other 22 && source_link "$s" 22
  check "$label: a header of two states is not one of them" bad two-states 1 \
    'inc/twice.h: the source has changed' "$s/main" "$s/main.profraw"
  check "$label: build without MD5" source_built "$s" 22 -gdwarf-4
  source_touch "$s/main.c"
  check "$label: no MD5 is no error" good unknown "$s/main" "$s/main.profraw"
  equal "$label: but said, once" \
    "  Not compared with the build: 3 of 3 sources" \
    "$(grep 'the build' "$out/unknown.said" | cut -d ';' -f 1)"
  check "$label: build, names of the mapping elsewhere" source_built "$s" 22 \
    "-fcoverage-prefix-map=$s=/elsewhere"
  set -- "$s/main" "$s/main.profraw" --source-map "/elsewhere=$s"
  check "$label: as they were, by other names" good mapped "$@"
  check "$label: and that is known" free_of 'the build' "$out/mapped.said"
  source_touch "$s/inc/twice.h"
  check "$label: one that has changed, by another name" bad changed 1 \
    'inc/twice.h: the source has changed' "$@"
  check "$label: build, all names elsewhere" source_built "$s" 22 \
    "-ffile-prefix-map=$s=/elsewhere"
  mkdir -p "$s/copy" && source_text "$s/copy" && source_touch "$s/copy/main.c"
  check "$label: the copy that --source-map names is what counts" bad changed \
    1 'copy/main.c: the source has changed' "$s/main" "$s/main.profraw" \
    --source-map "/elsewhere=$s/copy"
}
