# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of outputs for CI servers. `run` sources this file. Compares SonarQube's
# format with gcovr's for the same lines, Markdown with a parser's table, and
# parts of Cobertura with the complete file.

# outputs_json LCOV: prints the same in gcovr's JSON.
outputs_json() {
  python3 - "$1" <<'EOF'
import json, sys
files, lines = [], {}
def branch(taken):
    return {"count": 0 if taken == "-" else int(taken), "fallthrough": False,
            "throw": False}
for text in open(sys.argv[1]):
    kind, _, rest = text.strip().partition(":")
    if kind == "SF":
        lines = {}
        files.append((rest, lines))
    elif kind == "DA":
        number, count = rest.split(",")
        lines[int(number)] = [int(count), []]
    elif kind == "BRDA":
        number, _, _, taken = rest.split(",")
        lines[int(number)][1].append(branch(taken))
json.dump({"gcovr/format_version": "0.3", "files": [
    {"file": name, "functions": [], "lines": [
        {"line_number": number, "count": count, "branches": branches,
         "gcovr/noncode": False, "gcovr/excluded": False}
        for number, (count, branches) in sorted(lines.items())]}
    for name, lines in files]}, sys.stdout)
EOF
}

# outputs_sonar XML FOLDER: prints its source lines; names are below FOLDER.
outputs_sonar() {
  python3 - "$1" "$2" <<'EOF'
import os, sys, xml.etree.ElementTree as tree
rows = [(os.path.join(sys.argv[2], file.get("path")),
         int(line.get("lineNumber")), line.get("covered"),
         line.get("branchesToCover"), line.get("coveredBranches"))
        for file in tree.parse(sys.argv[1]).getroot() for line in file]
print(*sorted(rows, key=str), sep="\n")
EOF
}

outputs_as_gcovr() {
  outputs_json "$out/22.lcov" >"$out/gcovr.json" &&
    gcovr -r / -f ".*" -a "$out/gcovr.json" --sonarqube "$out/gcovr.xml" &&
    outputs_sonar "$out/gcovr.xml" / >"$out/gcovr.rows" &&
    outputs_sonar "$out/sonar.xml" "$top" | cmp - "$out/gcovr.rows" &&
    [ "$(wc -l <"$out/gcovr.rows")" -gt 100 ]
}

# outputs_cells MARKDOWN: prints the table as a parser reads it, each row in a
# line.
outputs_cells() {
  cmark-gfm -e table "$1" | awk '
    /^<tr>/ { row = "" }
    /<t[hd]/ { gsub(/^<t[hd][^>]*>|<.t[hd]>$/, ""); row = row $0 ";" }
    /^<.tr>/ { print row }'
}

# outputs_regions JSON: prints the total percentage of regions, which no table
# has.
outputs_regions() {
  python3 - "$1" <<'EOF'
import json, sys
with open(sys.argv[1]) as file:
    regions = json.load(file)["data"][0]["totals"]["regions"]
print("%.2f" % (100 * regions["covered"] / regions["count"]))
EOF
}

# outputs_many FILES: makes a program whose XML takes about 2 KB for each file.
outputs_many() {
  awk -v files="$1" -v folder="$m" 'BEGIN {
    for (f = 0; f < files; f++) {
      name = folder "/folder" int(f / 7) "-file" f ".h"
      print "static int f" f "(int a) {" >name
      for (l = 1; l <= 40; l++) print "  a += " l ";" >name
      print "  return a;\n}" >name
      close(name)
      print "#include \"" name "\"" >(folder "/many.c")
    }
    print "int main(void) {\n  int a = 0;" >(folder "/many.c")
    for (f = 0; f < files; f += 3) print "  a += f" f "(a);" >(folder "/many.c")
    print "  return a == 3;\n}" >(folder "/many.c")
  }'
  (cd "$m" && clang-22 -w -g -fprofile-instr-generate -fcoverage-mapping \
    -Wl,--build-id many.c -o many && LLVM_PROFILE_FILE=many.profraw ./many)
}

# outputs_classes XML...: prints each complete class, sorted.
outputs_classes() {
  for xml; do
    valid_xml "$xml" || return
    awk '/^<class/ && !/^<classes/ { text = "" } { text = text $0 }
      /^<\/class>/ { print text }' "$xml"
  done | sort
}

outputs_parts() {
  m=$(source_folder many-of)
  echo earlier | tee "$out/parts-4.xml" >"$out/parts-5.xml"
  outputs_many 1000 &&
    good undivided "$m/many" "$m/many.profraw" \
      --cobertura "$out/undivided.xml" &&
    good parts "$m/many" "$m/many.profraw" --cobertura "$out/parts.xml" \
      --cobertura-limit 1
}

# genhtml's sums of lines, functions and branches equal the sums of the records.
outputs_by_genhtml() {
  genhtml --quiet --branch-coverage "$out/by-genhtml.lcov" \
    -o "$out/by-genhtml.html" 2>"$out/by-genhtml.log" ||
    { one_line <"$out/by-genhtml.log"; return 1; }
  sed -n 's/.*headerCovTableEntry">\([0-9]*\)<.*/\1/p' \
    "$out/by-genhtml.html/index.html" >"$out/by-genhtml.sums"
  awk -F '[:,]' '
    /^DA:/ { lines++; ran += $3 > 0 }
    /^FNDA:/ { functions++; called += $2 > 0 }
    /^BRDA:/ { branches++; taken += $5 > 0 }
    END { print ran "\n" lines "\n" called "\n" functions "\n" taken "\n" \
      branches }' "$out/by-genhtml.lcov" | diff - "$out/by-genhtml.sums"
}

# lcov 1.16 and its genhtml print the same with and without MC/DC records.
outputs_without_mcdc() {
  grep -q '^MCDC:' "$out/by-genhtml.lcov" || { echo "no MC/DC"; return 1; }
  grep -v '^MC' "$out/by-genhtml.lcov" >"$out/without.lcov"
  for form in by-genhtml without; do
    lcov --rc lcov_branch_coverage=1 --summary "$out/$form.lcov" 2>&1 |
      sed 1d >"$out/$form.summary"
  done
  grep -q 'branches' "$out/without.summary" &&
    diff "$out/by-genhtml.summary" "$out/without.summary" &&
    ! grep . "$out/by-genhtml.log"
}

row_outputs() {
  label="report outputs"
  wanted "$label" || return 0
  elf=$out/full-22/fw.elf log=$out/full-22/fw.log
  check "$label: SonarQube's, Markdown" good outputs "$elf" "$log" \
    --sonarqube "$out/sonar.xml" --markdown "$out/table.md" \
    --lcov "$out/by-genhtml.lcov" --json "$out/outputs.json"
  equal "$label: Markdown has the total, and regions as the JSON" \
    "$(row_of "$out/outputs.said" total | awk -v \
      regions="$(outputs_regions "$out/outputs.json")" '
      { print $1, $3, regions, $5, $7 }')" \
    "$(sed -n 's/^| total | //p' "$out/table.md" | tr '|' '\n' |
      awk 'NF > 1 { print $1 }' | tr '\n' ' ' | sed 's/ $//')"
  [ -z "${FULL:-}" ] || row_outputs_read
  check "$label: Cobertura in parts" outputs_parts
  equal "$label: none is larger" "" \
    "$(find "$out" -name 'parts*.xml' -size +1000000c)"
  check "$label: there are some" test -e "$out/parts-2.xml"
  equal "$label: none is of an earlier run" "" \
    "$(grep -lx earlier "$out"/parts-*.xml)"
  outputs_classes "$out/undivided.xml" >"$out/undivided.classes"
  outputs_classes "$out/parts.xml" "$out"/parts-*.xml >"$out/parts.classes"
  check "$label: together they are the whole" \
    cmp "$out/undivided.classes" "$out/parts.classes"
}

# Parsers that only FULL runs.
row_outputs_read() {
  if have genhtml; then
    check "$label: genhtml reads lcov's lines" outputs_by_genhtml
  else
    skip "$label: genhtml reads lcov's lines" "no genhtml"
  fi
  case $(lcov --version 2>/dev/null) in
    *" 1."*) check "$label: lcov 1 leaves out MC/DC" outputs_without_mcdc ;;
    *) skip "$label: lcov 1 leaves out MC/DC" "no lcov 1" ;;
  esac
  if have xmllint; then
    check "$label: SonarQube's by its schema" xmllint --nonet --noout \
      --schema $here/sonar.xsd "$out/sonar.xml"
  else
    skip "$label: SonarQube's by its schema" "no xmllint"
  fi
  if have gcovr; then
    check "$label: SonarQube's is gcovr's" outputs_as_gcovr
  else
    skip "$label: SonarQube's is gcovr's" "no gcovr"
  fi
  if have cmark-gfm; then
    equal "$label: Markdown is a table of 6 columns" 6 \
      "$(outputs_cells "$out/table.md" | awk -F ';' '{ print NF - 1 }' |
        sort -u)"
  else
    skip "$label: Markdown is a table" "no cmark-gfm"
  fi
}
