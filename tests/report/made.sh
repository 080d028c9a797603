# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of a report's outputs. `run` sources this file. The oracles are the
# profiles that bareprof_write left next to each dump, llvm-profdata and
# llvm-cov.

# as_text LLVM PROFILE...: prints a profile's counts, sorted.
as_text() {
  version=$1
  shift
  "llvm-profdata-$version" merge --text "$@"
}

# lasts: prints the numbers of the dumps that count, see firmware.c.
lasts() { echo 2 3 4 5 6; }

# files FOLDER LLVM: prints the reference profiles of these dumps.
files() { for n in $(lasts "$2"); do echo "$1/$n.profraw"; done; }

# The counts are the sum of the last references of all boots.
same_counts() {
  version=$1 folder=$2 profile=$3
  as_text "$version" $(files "$out/$folder" "$version") \
    >"$out/$folder/expected" &&
    as_text "$version" "$profile" >"$out/$folder/counted" &&
    [ -s "$out/$folder/expected" ] &&
    cmp "$out/$folder/expected" "$out/$folder/counted"
}

# same_export LLVM FILE OPTION REPORT ELF...
same_export() {
  version=$1 file=$2 option=$3 profile=$4
  shift 4
  "llvm-cov-$version" export $option -instr-profile="$profile" "$@" \
    >"$file.expected" && [ -s "$file" ] &&
    without_evidence "$file" | cmp "$file.expected" -
}

# Removes bareprof's own parts of an export: our element is the last one, and
# llvm-cov's lcov has no MC/DC.
without_evidence() {
  sed 's/,"bareprof":{.*}$/}/; /^MC\(DC\|F\|H\):/d' "$1"
}

# mcdc_of_lcov LCOV JSON: each condition has two MCDC records; conditions of a
# line are numbered from 0, and MCF and MCH are the sums.
mcdc_of_lcov() {
  awk -F '[:,]' '
    /^SF/ { file = $0 }
    /^MCDC/ {
      found++
      hit += $5
      if (++senses[file, $2, $4, $6] > 1 || $6 >= $3) bad = 1
      size[file, $2] = $3
      seen[file, $2]++
    }
    /^MCF/ { sum += $2 }
    /^MCH/ { sum_hit += $2 }
    END {
      for (line in size) if (seen[line] != 2 * size[line]) bad = 1
      print bad + 0, found, hit, sum, sum_hit
    }' "$1" >"$1.mcdc"
  jq -r '.data[0].totals.mcdc | [0, 2 * .count, 2 * .covered, 2 * .count,
    2 * .covered] | map(tostring) | join(" ")' "$2" | diff - "$1.mcdc"
}

row_full() {
  label="report full llvm-$1" folder=full-$1
  # Other rows have firmware of these two.
  case $1 in 14 | 22) ;; *) wanted "$label" || return 0 ;; esac
  elf=$out/$folder/fw.elf log=$out/$folder/fw.log made=$out/made-$1
  theirs=$out/theirs-$1
  check "$label: builds" build "$folder" mps2-an385 "$1" full
  check "$label: the firmware sends" capture "$folder" mps2-an385 fw
  check "$label: a report" good "made-$1" "$log" "$elf" \
    --lcov "$out/$1.lcov" --json "$out/$1.json"
  check "$label: with --as-llvm-cov" good "theirs-$1" "$log" "$elf" \
    --as-llvm-cov --lcov "$theirs.lcov" --json "$theirs.json"
  check "$label: starts add up, dumps of one do not" \
    same_counts "$1" "$folder" "$made/fw.profdata"
  equal "$label: it says of what" \
    "$elf: clang $1, $(lasts "$1" | wc -w) boots, 6 dumps" \
    "$(head -n 1 "$made.said")"
  equal "$label: the total is llvm-cov's" \
    "$(llvm_total "$1" "$elf" -instr-profile="$made/fw.profdata")" \
    "$(row_of "$theirs.said" total)"
  check "$label: lcov is llvm-cov's" same_export "$1" "$theirs.lcov" \
    -format=lcov "$made/fw.profdata" "$elf"
  [ "$1" -lt 19 ] || check "$label: lcov's MC/DC is that of JSON" \
    mcdc_of_lcov "$out/$1.lcov" "$out/$1.json"
  check "$label: JSON is llvm-cov's" same_export "$1" "$theirs.json" \
    -skip-expansions "$made/fw.profdata" "$elf"
  check "$label: with expansions" good "wide-$1" "$log" "$elf" \
    --json "$out/wide.json" --json-expansions --as-llvm-cov
  check "$label: JSON with expansions is llvm-cov's" same_export "$1" \
    "$out/wide.json" "" "$made/fw.profdata" "$elf"
  check "$label: pages have llvm-cov's lines and totals" same_pages "$1" \
    "$theirs" fw.profdata "$theirs.lcov" "$elf"
  check "$label: HTML of each source" test -s \
    "$made/html/examples-coverage-monitor.c.html"
  if [ "$1" -lt 18 ]; then
    check "$label: no MC/DC, no columns" free_of MC/DC "$made.said"
  else
    check "$label: MC/DC in the HTML" \
      grep -q 'MC/DC' "$made/html/examples-coverage-monitor.c.html"
  fi
  check "$label: at most 80 columns" narrow "$made.said"
}

free_of() { ! grep -e "$1" "$2"; }
# Counts characters, independent of the caller's locale.
narrow() { ! grep -v '^Line by line\|^  Not compared' "$1" | LC_ALL=C.UTF-8 grep '.\{81\}'; }

row_lean() {
  label="report two boards, lean"
  # Some rows have its firmware.
  wanted "$label" || wanted "report what is missing" ||
    wanted "report dumps in files" || return 0
  check "$label: build" build lean mps2-an385 22 lean -DLEAN
  check "$label: build the other" build other virt-aarch64 22 lean \
    "-DLEAN -DBOARD_NUMBER=2"
  check "$label: send" capture lean mps2-an385 fw
  check "$label: the other sends" capture other virt-aarch64 fw
  a=$out/lean/fw b=$out/other/fw made=$out/two
  check "$label: a report" good two "$a.elf" "$b.log" "$a.log" "$b.elf" \
    --as-llvm-cov
  check "$label: one HTML" test -s "$made/html/index.html"
  equal "$label: the first is as llvm-cov has it" \
    "$(llvm_total 22 "$a.elf" -instr-profile="$made/fw.profdata")" \
    "$(row_of "$made.said" lean/fw.elf)"
  equal "$label: the other is as llvm-cov has it" \
    "$(llvm_total 22 "$b.elf" -instr-profile="$made/fw-2.profdata")" \
    "$(row_of "$made.said" other/fw.elf)"
  llvm-profdata-22 merge "$made/fw.profraw" "$made/fw-2.profraw" \
    -o "$out/both.profdata"
  together=$(llvm_total 22 "$a.elf" -object="$b.elf" \
    -instr-profile="$out/both.profdata")
  equal "$label: together they are as llvm-cov has them" "$together" \
    "$(row_of "$made.said" total)"
  check "$label: one covers what the other does not" \
    test "$together" != "$(row_of "$made.said" lean/fw.elf)" -a \
    "$together" != "$(row_of "$made.said" other/fw.elf)"
  # The same firmware and work, full and lean.
  check "$label: one alone" good alone "$a.elf" "$a.log" \
    --lcov "$out/lean.lcov"
  check "$label: the same lines as of a full image" \
    cmp "$out/lean.lcov" "$out/22.lcov"
  check "$label: what extract leaves will do" extracted
}

extracted() {
  "$BAREPROF" extract "$out/lean/fw.elf" -o "$out/fw.meta" &&
    good meta "$out/fw.meta" "$out/lean/fw.log" --lcov "$out/meta.lcov" &&
    cmp "$out/meta.lcov" "$out/lean.lcov"
}

# llvm-cov itself would show a function as run if it ran in the other image.
row_images() {
  label="report bootloader and application"
  wanted "$label" || return 0
  check "$label: build" build_image loader loader ""
  check "$label: build the other" build_image program program \
    -DAPPLICATION
  check "$label: send" capture images mps2-an385 loader
  check "$label: the other sends" capture images mps2-an385 program
  cat "$out/images/loader.log" "$out/images/program.log" >"$out/console"
  check "$label: a report" good images-made "$out/images/program.elf" \
    "$out/images/loader.elf" "$out/console" --uncovered \
    --lcov "$out/images.lcov"
  equal "$label: what ran in one is not taken for the other's" \
    "loader.c only_in_application program.c only_in_bootloader " \
    "$(sed -n 's,^  .*/\(.*\):[0-9]* \(.*\),\1 \2,p' \
      "$out/images-made.said" | sort | tr '\n' ' ')"
  equal "$label: the uncovered come first" "Functions that never ran:" \
    "$(head -n 1 "$out/images-made.said")"
  check "$label: one HTML of both" \
    grep -q 'loader.elf, program.elf\|program.elf, loader.elf' \
    "$out/images-made/html/index.html"
}

# Prints FILE:LINE of each line with code, and whether it ran in any of the
# files.
lines_of_lcov() {
  awk -F '[:,]' '/^SF:/ { file = $2 }
    /^DA:/ { ran[file ":" $2] += $3 > 0 }
    END { for (line in ran) print line, (ran[line] > 0) }' "$@" | sort
}
same_lines_of_lcov() {
  lines_of_lcov "$out/14.lcov" "$out/22.lcov" >"$out/both.lines"
  lines_of_lcov "$out/mixed.lcov" | diff "$out/both.lines" -
}

row_mixed() {
  label="report two compilers"
  wanted "$label" || return 0
  a=$out/full-14/fw b=$out/full-22/fw
  have_llvm 14 || { skip "$label" "clang-14 is not installed"; return; }
  check "$label: a report" good mixed "$a.elf" "$a.log" "$b.elf" "$b.log" \
    --lcov "$out/mixed.lcov" --json "$out/mixed.json" \
    --cobertura "$out/mixed.xml"
  for version in 14 22; do
    equal "$label: of $version as by itself" \
      "$(row_of "$out/made-$version.said" total)" \
      "$(row_of "$out/mixed.said" "full-$version/fw.elf" |
        sed 's/- - $//')"
  done
  # The same sources, which ran alike.
  equal "$label: in total each function once" \
    "$(row_of "$out/made-22.said" total | cut -d ' ' -f 1-2)" \
    "$(row_of "$out/mixed.said" total | cut -d ' ' -f 1-2)"
  check "$label: a line ran if it ran in one" same_lines_of_lcov
  equal "$label: JSON has one element" 1 \
    "$(grep -o '"totals":' "$out/mixed.json" | wc -l)"
  check "$label: Cobertura's hits are the sums" same_hits mixed
}

# Dumps that receive extracted from a log are inputs, too, and add up.
row_files() {
  label="report dumps in files"
  wanted "$label" || return 0
  "$BAREPROF" receive "$out/lean/fw.log" -q -o "$out/dump.bpdump" 2>/dev/null
  check "$label: lean dumps" good files "$out"/dump-[2-6].bpdump \
    "$out/lean/fw.elf" --lcov "$out/files.lcov"
  check "$label: as from the log" cmp "$out/files.lcov" "$out/lean.lcov"
  for version in 14 19 22; do
    # row_full makes no report of rows that were not selected.
    [ -s "$out/$version.lcov" ] || continue
    check "$label: raw profiles of $version" good "raw-$version" \
      $(files "$out/full-$version" "$version") "$out/full-$version/fw.elf" \
      --lcov "$out/raw.lcov"
    check "$label: of $version as from the log" \
      cmp "$out/raw.lcov" "$out/$version.lcov"
  done
}

# ---- Cobertura ----

# Prints file, line, hits for each line of lcov files, and sums if there are
# several.
hits_of_lcov() {
  awk -F '[:,]' '/^SF:/ { file = substr($0, 4) }
    /^DA:/ { hits[file " " $2] += $3 }
    END { for (line in hits) print line, hits[line] }' "$1" | sort
}

# The same from Cobertura, with names relative to the current folder.
hits_of_cobertura() {
  awk -v here="$top/" '
    /^<class / {
      sub(/.* filename="/, "")
      sub(/".*/, "")
      file = /^\// ? $0 : here $0
    }
    /^<lines>/ { inside = 1 }
    /^<\/lines>/ { inside = 0 }
    /^<line / && inside {
      split($0, part, "\"")
      print file, part[2], part[4]
    }' "$1" | sort
}

same_hits() {
  hits_of_lcov "$out/$1.lcov" >"$out/$1.hits"
  hits_of_cobertura "$out/$1.xml" >"$out/$1.hits2"
  [ -s "$out/$1.hits" ] && cmp "$out/$1.hits" "$out/$1.hits2"
}

# Compares with lcov how many branches there are, and how many were taken.
same_branches() {
  lcov=$(awk -F '[:,]' '/^BRDA:/ { n++; taken += $5 > 0 }
    END { print taken, n }' "$out/$1.lcov")
  sums=$(grep -o '([0-9]*/[0-9]*)' "$out/$1.xml" | tr '(/)' '   ' |
    awk '{ taken += $1; n += $2 } END { print taken, n }')
  totals=$(sed -n "s/.*branches-covered=\"//p" "$out/$1.xml" |
    awk -F '"' '{ print $1, $3 }')
  [ "$lcov" = "$sums" ] && [ "$lcov" = "$totals" ] ||
    { echo "$lcov, $sums, $totals"; return 1; }
}

# Validates with the local DTD, not with the one on the net that the file names.
# Without xmllint, checks only that tags open and close.
valid_xml() {
  if have xmllint; then
    sed '/^<!DOCTYPE/d' "$1" |
      xmllint --nonet --noout --dtdvalid $here/coverage-04.dtd -
  else
    tr '\n' ' ' <"$1" | sed 's/>/>\n/g' | awk '
      { sub(/^[^<]*/, "") }
      /^<[a-z]/ && !/\/>$/ { split($0, word, /[ >]/); open[++depth] = word[1] }
      /^<\// { if (open[depth--] != "<" substr($0, 3, length($0) - 3)) exit 1 }
      END { if (depth) exit 1 }'
  fi
}

# A host program has a condition in 100 macros, and constant conditions: the
# macros of each, and the conditions left out, are the same as in llvm-cov.
row_deep() {
  label="report exports llvm-$1: deep macros and constants"
  wanted "$label" || return 0
  needs "$label" "llvm:$1" || return 0
  d=$out/deep-$1
  mkdir -p "$d"
  { echo '#define M0(x) ((x) > 1 ? 1 : 2)'
    seq 100 | awk '{ print "#define M" $1 "(x) M" $1 - 1 "(x)" }'
    echo 'int main(int argc, char **argv) {
      if (sizeof argc == 4 && argv)
        argc++;
      while (1)
        if (argc++ > 4)
          return M100(argc) - 1;
    }'
  } >"$d/main.c"
  check "$label: builds" "clang-$1" -w -g "$d/main.c" -fuse-ld=lld \
    -fprofile-instr-generate -fcoverage-mapping -Wl,--build-id -o "$d/main"
  check "$label: runs" env LLVM_PROFILE_FILE="$d/main.profraw" "$d/main"
  check "$label: a report" good "deep-made-$1" "$d/main" "$d/main.profraw" \
    --lcov "$d/lcov" --json "$d/json" --as-llvm-cov
  check "$label: lcov" same_export "$1" "$d/lcov" -format=lcov \
    "$out/deep-made-$1/main.profdata" "$d/main"
  check "$label: JSON" same_export "$1" "$d/json" -skip-expansions \
    "$out/deep-made-$1/main.profdata" "$d/main"
  check "$label: with expansions" good "deep-made-$1" "$d/main" \
    "$d/main.profraw" --json "$d/wide" --json-expansions --as-llvm-cov
  check "$label: JSON with expansions" same_export "$1" "$d/wide" "" \
    "$out/deep-made-$1/main.profdata" "$d/main"
}

row_exports() {
  label="report Cobertura"
  wanted "$label" || return 0
  check "$label: a report" good exports "$out/full-22/fw.elf" \
    "$out/full-22/fw.log" --cobertura "$out/exports.xml" --as-llvm-cov \
    --lcov "$out/exports.lcov" --ignore 'nmea\.h$'
  check "$label: valid" valid_xml "$out/exports.xml"
  check "$label: hits of lines are lcov's" same_hits exports
  check "$label: branches are lcov's" same_branches exports
  check "$label: --ignore is passed on" \
    same_export 22 "$out/exports.lcov" '-format=lcov
      -ignore-filename-regex=nmea\.h$' "$out/exports/fw.profdata" \
    "$out/full-22/fw.elf"
  check "$label: and matters" free_of 'nmea\.h' "$out/exports.lcov"
}

row_paths() {
  label="report --source-map"
  wanted "$label" || return 0
  check "$label: build" build paths mps2-an385 22 lean -DLEAN \
    "-fcoverage-prefix-map=$top=/elsewhere"
  check "$label: sends" capture paths mps2-an385 fw
  a=$out/paths/fw
  check "$label: sources that are missing are named" bad lost 1 \
    '/elsewhere/.*this source is missing (missing sources: 6 of 6).*--source-map' "$a.elf" "$a.log"
  check "$label: where they are" good found "$a.elf" "$a.log" --uncovered \
    --source-map "/elsewhere=$top" --cobertura "$out/found.xml"
  check "$label: HTML of them" grep -q GOOD_SATELLITES \
    "$out/found/html/examples-coverage-monitor.c.html"
  check "$label: the uncovered as they are here" \
    grep -q '^  tests/wire/work.c:[0-9]* tick' "$out/found.said"
  check "$label: so has Cobertura" \
    grep -q "filename=\"$coverage/monitor.c\"" "$out/found.xml"
}
