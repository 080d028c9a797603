# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of the gaps that pages show: they add up to the table, and to llvm-cov's
# numbers, in each report of this tier. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# add_up FOLDER...: reads pages and tables of these reports.
add_up() { python3 $here/html/sums.py "$@"; }

# sums_llvm LLVM REPORT ELF: writes llvm-cov's numbers for sums.py.
sums_llvm() {
  profile=$2/${3##*/}.profdata
  "llvm-cov-$1" export -instr-profile="$profile" "$3" >"$2.llvm.json" \
    2>/dev/null && "llvm-cov-$1" export -format=lcov \
    -instr-profile="$profile" "$3" >"$2.llvm.info" 2>/dev/null || return 1
  [ "$1" -ge 19 ] || : >"$2.llvm.constants"
}

# sums_report NAME LLVM SOURCE [FLAG...]: makes a report in $out/sums-NAME-LLVM.
sums_report() {
  s=$(source_folder "sums-$1-$2-built") sums_name=sums-$1-$2 sums_release=$2
  sums_source=$3
  shift 3
  cp $here/sums/* "$s" &&
    host_built "$s" "$sums_release" "$sums_source" "$@" && host_ran "$s" &&
    good "$sums_name" "$s/main" "$s/main.profraw" \
      --lcov "$out/$sums_name.lcov" &&
    sums_llvm "$sums_release" "$out/$sums_name" "$s/main" &&
    add_up "$out/$sums_name"
}

# Tests code that is no longer in the sources, exclusions, and two ELFs.
sums_others() {
  s=$out/sums-forms-22-built t=$out/sums-macros-22-built
  set -- "$s/main" "$s/main.profraw"
  printf '%s\n' 'path=forms.cpp text=EITHER reason=x' \
    'path=forms.cpp text="if (a && b)" only=branches reason=x' \
    'path=macros.c function=body reason=x' \
    'path=macros.c function=never reason=x' >"$s/rules"
  good sums-excluded "$@" "$t/main" "$t/main.profraw" --exclusions "$s/rules" &&
    good sums-united "$@" "$out/sums-large-22-built/main" \
      "$out/sums-large-22-built/main.profraw" || return 1
  rm "$t/body.inc" && { echo; cat "$t/macros.c"; } >"$t/later.c" &&
    mv "$t/later.c" "$t/macros.c" &&
    report sums-changed "$t/main" "$t/main.profraw" --allow-changed &&
    grep -q 'body.inc: this source is missing' "$out/sums-changed.errors" &&
    add_up "$out/sums-excluded" "$out/sums-united" "$out/sums-changed"
}

# loses_nothing NAME LLVM: a report compared with its own export loses nothing.
loses_nothing() {
  s=$out/sums-$1-$2-built
  good "sums-$1-$2-export" "$s/main" "$s/main.profraw" \
    --json "$s/export.json" &&
    good "sums-$1-$2-again" "$s/main" "$s/main.profraw" \
      --against "$s/export.json" --fail-on lost &&
    grep '^Covered then, but not now: nothing' "$out/sums-$1-$2-again.said" ||
    { grep -A 4 '^Covered then' "$out/sums-$1-$2-again.said"; return 1; }
}

# llvm-profdata also rejects impossible counts.
impossible() {
  s=$(source_folder sums-impossible-22-built)
  cp $here/sums/* "$s" && host_built "$s" 22 forms.cpp -std=c++17 \
    -DHUGE=-9ul && host_ran "$s" || return 1
  ! report sums-impossible "$s/main" "$s/main.profraw" &&
    [ ! -d "$out/sums-impossible/html" ] &&
    grep -q 'a count is above 2^56, so its memory was overwritten or never cleared' "$out/sums-impossible.errors" ||
    { one_line <"$out/sums-impossible.errors"; return 1; }
  ! llvm-profdata-22 merge "$s/main.profraw" -o "$s/never" 2>"$s/said" &&
    grep -q 'excessively large counter value' "$s/said"
}

row_sums() {
  label="report sums"
  wanted "$label" || return 0
  for version in $(llvm_versions); do
    have_llvm "$version" || continue
    check "$label: macros, llvm-$version" sums_report macros "$version" macros.c
    check "$label: templates, llvm-$version" sums_report forms "$version" \
      forms.cpp -std=c++17
    check "$label: next to itself, llvm-$version" loses_nothing macros \
      "$version"
    check "$label: templates next to themselves, llvm-$version" \
      loses_nothing forms "$version"
  done
  # By hand, for checked(1, 0): x, y, and the possible side of `while (0)`.
  equal "$label: conditions in an argument are branches in lcov" "1 0 0 1 -" \
    "$(branches_of "$out/sums-macros-22.lcov" \
      "$(grep -n '^  CHECK(x && y)' $here/sums/macros.c | cut -d : -f 1)")"
  # By hand: x, y, y > MAX, and two decisions; TEST is a macro's.
  # By hand: in some<3> a is 1, and b is 0 in some<2>, 1 in some<3>. Each form of
  # folded has one side of the condition, which ran.
  equal "$label: branches of a macro in a line, by its place" "1 0 1 1" \
    "$(branches_of "$out/sums-forms-22.lcov" \
      "$(grep -n '^  SOME(a, b)' $here/sums/forms.cpp | cut -d : -f 1)")"
  equal "$label: sides that different forms have" "1 1" \
    "$(branches_of "$out/sums-forms-22.lcov" \
      "$(grep -n 'sizeof(T) > 4' $here/sums/forms.cpp | cut -d : -f 1)")"
  equal "$label: a body's page says where its branches are" "5 macros.c" \
    "$(sed -n 's/.*elsewhere">\([0-9]*\) branches.*first at <a href="[^"]*">\([^:]*\):.*/\1 \2/p' \
      "$out/sums-macros-22/html/body.inc.html")"
  check "$label: counts of 2^55" sums_report large 22 forms.cpp \
    '-DHUGE=(1ul<<55)'
  check "$label: counts above are none" impossible
  check "$label: excluded, changed, not there, two ELFs" sums_others
  # Names of reports have no blank. FULL adds up all, else one of six.
  check "$label: reports of this run" add_up \
    $(find "$out" -maxdepth 2 -name html | sed 's,/html$,,' | sort |
      awk -v all="${FULL:-}" 'all || NR % 6 == 1')
}
