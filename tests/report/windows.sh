# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of programs that were compiled on Windows, whose names of sources have a
# drive and `\`: except for these names, the report equals the report of the
# same program compiled here. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# windows_sources: writes a header with a decision without MC/DC, and code of
# each kind.
windows_sources() {
  mkdir -p "$w/inc" "$w/.git"
  printf '%s\n' '#define BOTH(a, b) ((a) && (b))' \
    'static inline int twice(int a, int b) {' \
    '  return BOTH(a, b) ? 2 * a : 0;' '}' >"$w/inc/twice.h"
  printf '%s\n' '#include "inc/twice.h"' 'int other(int a);' \
    'int never(void) { return 1; }' \
    'int main(void) { return twice(1, 1) != 2 || other(2) != 4; }' >"$w/main.c"
  printf '%s\n' '#include "inc/twice.h"' 'int other(int a);' \
    'int other(int a) { return a > 9 ? a : twice(a, a > 0); }' >"$w/other.c"
}

# windows_program NAME LLVM FORM: FORM is `here`, `absolute` or `relative`; the
# two objects have drives of other cases.
windows_program() {
  mcdc=
  [ "$2" -lt 19 ] || mcdc=-fcoverage-mcdc
  for windows_source in main other; do
    drive=C windows_name=$w/$windows_source.c
    [ $windows_source = main ] || drive=c
    case $3 in
      here) flags= ;;
      # In names of Windows' clang each separator is `\`.
      absolute) flags="-ffile-prefix-map=$w/inc/=$drive:\\work\\inc\\
        -ffile-prefix-map=$w/$windows_source=$drive:\\work\\$windows_source" ;;
      relative) windows_name=$windows_source.c
        flags="-ffile-prefix-map=$w=$drive:\\work" ;;
    esac
    (cd "$w" && "clang-$2" -g -fprofile-instr-generate -fcoverage-mapping \
      $mcdc $flags -c "$windows_name" -o "$1-$windows_source.o") || return 1
  done
  (cd "$w" && "clang-$2" -fprofile-instr-generate -Wl,--build-id \
    "$1-main.o" "$1-other.o" -o "$1" && LLVM_PROFILE_FILE=$1.profraw "./$1")
}

# windows_report NAME PROGRAM ARGUMENT...: makes a report with all outputs.
windows_report() {
  windows_name=$1 windows_elf=$2
  shift 2
  (
    cd "$w" || exit
    rm -rf "$windows_name" && mkdir "$windows_name" || exit
    cp "$windows_elf" fw && cp "$windows_elf.profraw" fw.profraw
    "$tool" report fw fw.profraw -o "$windows_name/report" --uncovered \
      --lcov "$windows_name/lcov" --json "$windows_name/json" \
      --sonarqube "$windows_name/sonar" --markdown "$windows_name/markdown" \
      --cobertura "$windows_name/xml" "$@" \
      >"$windows_name/said" 2>"$windows_name/errors"
    echo "status $?" >>"$windows_name/errors"
    sed -i 's/timestamp="[0-9]*"//' "$windows_name/xml"
    # The ELFs differ, and so do the command lines and build ids.
    sed -i 's|\(, build id <code>\)[0-9a-f]\{40\}<|\1<|' \
      "$windows_name/report/html/index.html"
    sed -i 's/"bareprof":{.*//' "$windows_name/json"
    for windows_file in evidence.json fw.elf fw.profdata fw.profraw; do
      rm -f "$windows_name/report/$windows_file"
    done
    grep -rlF C:/work "$windows_name" | xargs -r sed -i "s,C:/work,$w,g"
    sed -i "s,$w/$windows_name/report,$w/report,g" "$windows_name/said"
  )
}

# windows_same NAME WORDS...: compares a row's report with the one compiled
# here.
windows_same() {
  windows_case=$1
  shift
  windows_report "$windows_case.here" here "$@" &&
    windows_report "$windows_case" "$windows_form" \
      --source-map "c:\\work\\=$w" "$@" &&
    diff -r "$w/$windows_case.here" "$w/$windows_case" | head -n 9 |
    one_line | grep . && return 1
  grep -qx 'status 0' "$w/$windows_case/errors" ||
    { cat "$w/$windows_case/errors"; return 1; }
}

# windows_lists: exclusions and a diff, as Windows' programs write them.
windows_lists() {
  printf '%s\r\n' 'path=C:\work\other.c function=other reason=one' \
    'path="c:\\work\\inc\\*" lines=3 text=BOTH reason=two' >"$w/rules.windows"
  printf '%s\n' 'path=*/other.c function=other reason=one' \
    'path=*/inc/* lines=3 text=BOTH reason=two' >"$w/rules.here"
  for windows_file in main.c inc/twice.h; do
    printf '%s\n' "--- a/$windows_file" "+++ b/$windows_file" '@@ -2,2 +2,2 @@' \
      -x -y +x +y
  done >"$w/changes"
}

windows_excluded() {
  cp "$w/rules.here" "$w/rules" &&
    windows_report excluded.here here --exclusions rules &&
    cp "$w/rules.windows" "$w/rules" &&
    windows_report excluded "$windows_form" --source-map "C:\\work=$w" \
      --exclusions rules &&
    diff -r "$w/excluded.here" "$w/excluded" | head -n 9 | one_line |
    grep . && return 1
  grep -q 'exclusions' "$w/excluded/said" &&
    ! grep -q 'status 1\|stale' "$w/excluded/said" "$w/excluded/errors"
}

# Names without --source-map; a pattern, --which, pages.
windows_names() {
  (
    cd "$w" || exit
    "$tool" report "$windows_form" "$windows_form.profraw" -o named \
      --allow-missing --ignore '^C:/work/inc/' --lcov named.lcov \
      --which 'c:\work\main.c:4' --which 'main.c:4' >named.said 2>named.errors
    [ "$(grep -c 'reach .*main.c:4' named.said)" = 2 ] &&
      [ "$(grep -c "^  $windows_form" named.said)" = 2 ] ||
      { cat named.said named.errors; exit 1; }
    printf 'SF:C:/work/%s\n' main.c other.c >named.want
    grep '^SF:' named.lcov | cmp - named.want &&
      "$tool" report "$windows_form" "$windows_form.profraw" -o pages \
        --source-map "C:\\work=$w" >pages.said 2>pages.errors ||
      { cat pages.errors; exit 1; }
    find pages/html -name '*.c.html' | wc -l | grep -qx 2
  )
}

row_windows() {
  case $BAREPROF in /*) tool=$BAREPROF ;; *) tool=$top/$BAREPROF ;; esac
  for version in 14 19 22; do
    label="report windows, llvm-$version"
    have_llvm $version && wanted "$label" || continue
    [ $version = 22 ] || [ -n "${FULL:-}" ] || continue
    w=$(source_folder "windows-$version")
    windows_sources && windows_lists
    check "$label: build" windows_program here $version here
    for windows_form in absolute relative; do
      [ $version = 22 ] || [ $windows_form = absolute ] || continue
      check "$label: build, $windows_form names" windows_program \
        $windows_form $version $windows_form
      check "$label: $windows_form names, every output" windows_same plain
      check "$label: $windows_form names, --diff" windows_same diff --diff changes
      [ $version = 22 ] || continue
      [ $windows_form = absolute ] || [ -n "${FULL:-}" ] || continue
      check "$label: $windows_form names, --root" windows_same root --root inc
      check "$label: $windows_form names, --tests" windows_same tests --tests
      check "$label: $windows_form names, exclusions" windows_excluded
      check "$label: $windows_form names, not here" windows_names
    done
  done
}
