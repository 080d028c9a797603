#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Branches of a program on this machine, run an instruction at a time: the same
# profiles and contexts as llvm-profgen has of the same file, byte for byte, and
# contexts next to the calls that were made. Sourced by run.

# hosted_image HOW: the program, as it is linked (static, pie, lines), and its
# instructions.
hosted_image() {
  name=$folder/$1
  code=-fno-pie link=-static probes=$probed unprobed=
  case $1 in
  pie) code=-fpie link="-pie --no-dynamic-linker" ;;
  lines)
    unprobed="-fdebug-info-for-profiling -funique-internal-linkage-names"
    probes=$unprobed
    ;;
  esac
  common="--target=x86_64-linux-gnu -O2 -g1 -ffreestanding $code"
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" $common $probes -c tests/samples/host.c -o "$name.o" &&
    "clang-$LLVM_HOST" $common $unprobed -DUNPROBED -c tests/samples/host.c \
      -o "$name.unprobed.o" &&
    "ld.lld-$LLVM_HOST" $link -e _start "$name.o" "$name.unprobed.o" \
      -o "$name" || return 1
  own_instructions "$name" >"$name.listing"
}

# own_instructions PROGRAM [NAMES]: as step.c reads them; of these functions
# alone.
own_instructions() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$1" |
    awk -v names="${2:-}" '
    BEGIN { while (names && (getline name < names) > 0) own[name] }
    /^[0-9a-f]+ </ {
      functions++
      on = !names || substr($2, 2, length($2) - 3) in own
    }
    on && /^ *[0-9a-f]+:/ {
      sub(/:/, "", $1)
      kind = $2 ~ /^call/ ? "c" : $2 ~ /^ret/ ? "r" : $2 ~ /^jmp/ ? "j" : "-"
      print $1, kind, functions
    }'
}

# Writes HOW.perf, HOW.perf.stacks and HOW.truth.
hosted_run() {
  "$folder/step" "$folder/$1.listing" 97 32 "$folder/$1.perf" \
    "$folder/$1.truth" "$folder/$1"
}

build_step() {
  $(host_cc) -std=c11 -O1 -Wall -Wextra -D_GNU_SOURCE \
    -o "$folder/step" tests/samples/step.c
}

# ours HOW INPUT OPTION...
ours() {
  how=$1 input=$2
  shift 2
  "$TOOL" samples "$folder/$how" "$folder/$input" "$@" -o "$folder/ours" \
    2>"$folder/said"
}

# theirs HOW OPTION...
theirs() {
  how=$1
  shift
  "llvm-profgen-$LLVM_HOST" --binary="$folder/$how" --format=text "$@" \
    --output="$folder/theirs" 2>"$folder/profgen.said"
}

as_theirs() {
  [ "$(wc -l <"$folder/ours")" -gt 20 ] && cmp "$folder/ours" "$folder/theirs"
}

hosted_plain() {
  theirs "$1" --perfscript="$folder/$1.perf" && ours "$1" "$1.perf" &&
    grep -q '^_ZL4notej' "$folder/ours" && as_theirs &&
    cp "$folder/ours" "$folder/$1.prof"
}

# Its inliner off, its cold contexts as they are, each context by its name.
own_contexts="--csspgo-preinliner=0 --gen-cs-nested-profile=0"
hosted_contexts() {
  # shellcheck disable=SC2086 # Several options.
  theirs "$1" --perfscript="$folder/$1.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=0 &&
    ours "$1" "$1.perf.stacks" --context && as_theirs &&
    cp "$folder/ours" "$folder/$1.contexts" &&
    grep -q ':3 @ _ZL6second.*:4 @ _ZL5first' "$folder/ours" &&
    grep -q '^ [0-9]*: [0-9]* through:' "$folder/ours" &&
    [ "$(grep -c '^\[.* @ .* @ .* @ ' "$folder/ours")" -gt 10 ]
}

# Totals of contexts, next to those of all that ran.
hosted_truth() {
  "llvm-profgen-$LLVM_HOST" --binary="$folder/$1" --show-disassembly-only \
    --show-pseudo-probe --output=/dev/null 2>/dev/null >"$folder/disassembly"
  awk -f tests/samples/truth.awk "$folder/disassembly" "$folder/$1.truth" \
    >"$folder/totals"
  sed -n 's/^\[\(.*\)\]:\([0-9]*\):[0-9]*$/\2 \1/p' "$folder/$1.contexts" |
    awk '
    {
      count = $1
      sub(/^[0-9]+ /, "")
      side = FILENAME == "-"
      total[side, $0] = count
      sum[side] += count
      names[$0]
    }
    END {
      for (name in names) {
        a = total[0, name] / sum[0]
        b = total[1, name] / sum[1]
        overlap += a < b ? a : b
      }
      printf "%.4f\n", overlap
    }' "$folder/totals" -
}

# Each different sample once, behind how often it was taken; and where it is
# loaded as kernels before 3.16 have told it.
hosted_counted() {
  { grep MMAP "$folder/$1.perf" |
      sed 's/MMAP2/MMAP/; s/ [0-9:]* [0-9]* [0-9]*\]: r-xp/]: x/'
    grep -v MMAP "$folder/$1.perf" | sed 's/^ *[0-9a-f]* //' | sort | uniq -c |
      awk '{ print $1; sub(/^ *[0-9]+ /, ""); print " " $0 }'
  } >"$folder/counted"
  ours "$1" counted && cmp "$folder/ours" "$folder/$1.prof"
}

# The same numbers in other words, from line to line: more digits, up to 16,
# capitals, and other flags.
hosted_written() {
  awk '/^ 0x/ && NR % 5 == 1 { gsub(/0x/, "0x000000") }
    /^ 0x/ && NR % 5 == 2 { gsub(/0x/, "0x0000000000") }
    /^ 0x/ && NR % 5 == 3 { $0 = toupper($0); gsub(/0X/, "0x") }
    /^ 0x/ && NR % 5 == 4 { gsub(/-[/]0 /, "-/" NR " ") }
    1' "$folder/static.perf" >"$folder/written" &&
    ours static written && cmp "$folder/ours" "$folder/static.prof"
}

# More than one piece of text, and lines that no piece ends with.
hosted_piped() {
  { cat "$folder/static.perf" "$folder/static.perf" && sleep 0.1 &&
      grep -v MMAP "$folder/static.perf"
  } | "$TOOL" samples "$folder/static" - -o "$folder/piped" 2>/dev/null &&
    "$TOOL" samples "$folder/static" "$folder/static.perf" --scale=3 \
      -o "$folder/thrice" 2>/dev/null && cmp "$folder/piped" "$folder/thrice"
}

# Seven times a range with a jump in it that always jumps, and twice one that
# ends before it begins.
hosted_impossible() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/static" | awk '
    $2 ~ /^jmp/ && /[*]/ && !jump { sub(/:/, "", $1); jump = $1; next }
    jump && /^ *[0-9a-f]+:/ { sub(/:/, "", $1); behind = $1; exit }
    END {
      branch = "/P/-/-/0"
      print "7\n 0x" behind "/0x" jump branch " 0x" jump "/0x" jump branch
      print "2\n 0x" jump "/0x" jump branch " 0x" jump "/0x" behind branch
    }' >"$folder/impossible" &&
    cat "$folder/static.perf" >>"$folder/impossible" &&
    theirs static --perfscript="$folder/impossible" &&
    ours static impossible && as_theirs &&
    grep -q ': 9 times what is between two of .* and is left out;' \
      "$folder/said" || { cat "$folder/said"; return 1; }
}

# The same of records with holes, and with parts of other programs.
hosted_damaged() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/static" |
    awk '$2 ~ /^jmp/ && /\*/ { sub(/:/, "", $1); print $1 }' >"$folder/jumps"
  for form in perf perf.stacks; do
    awk -f tests/samples/damage.awk "$folder/jumps" "$folder/static.$form" \
      >"$folder/damaged.$form"
  done
  [ -s "$folder/jumps" ] &&
    theirs static --perfscript="$folder/damaged.perf" &&
    ours static damaged.perf && as_theirs &&
    grep -q 'cannot have run' "$folder/said" || return 1
  # shellcheck disable=SC2086 # Several options.
  theirs static --perfscript="$folder/damaged.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=0 &&
    ours static damaged.perf.stacks --context && as_theirs
}

# hosted_ranges HOW: what llvm-profgen makes of branches, in its own words.
hosted_ranges() {
  "llvm-profgen-$LLVM_HOST" --binary="$folder/$1" --skip-symbolization \
    --perfscript="$folder/$1.perf" --output="$folder/ranges" 2>/dev/null &&
    ours "$1" ranges && cmp "$folder/ours" "$folder/$1.prof" || return 1
  "llvm-profgen-$LLVM_HOST" --binary="$folder/$1" --skip-symbolization \
    --perfscript="$folder/$1.perf.stacks" --output="$folder/ranges" \
    --use-offset=0 2>/dev/null &&
    ours "$1" ranges --context --offset=0 &&
    cmp "$folder/ours" "$folder/$1.contexts"
}

# hosted_cold DEPTH TRIM CUTOFF
hosted_cold() {
  below=$("llvm-profdata-$LLVM_HOST" show --sample --detailed-summary \
    "$folder/static.contexts" |
    sed -n "s/.*count >= \([0-9]*\) account for $3% .*/\1/p")
  # shellcheck disable=SC2086 # Several options.
  theirs static --perfscript="$folder/static.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=1 --csprof-max-cold-context-depth="$1" \
    ${2:+--trim-cold-profile} --profile-summary-cutoff-hot="${3}0000" &&
    ours static static.perf.stacks --context --merge-cold --cold-depth="$1" \
      ${2:+--trim-cold} --cold-below="$below" || return 1
  [ -s "$folder/ours" ] && cmp "$folder/ours" "$folder/theirs"
}

hosted_lines() {
  theirs lines --perfscript="$folder/lines.perf" &&
    ours lines lines.perf --lines && as_theirs
}

# The same profile in LLVM's binary form, and one that clang takes.
hosted_used() {
  "$TOOL" samples --binary "$folder/static" "$folder/static.perf" \
    -o "$folder/binary" 2>/dev/null &&
    "llvm-profdata-$LLVM_HOST" merge --sample --text "$folder/binary" |
    cmp - "$folder/static.prof" || return 1
  hosted_clang static.prof -mllvm -report-profile-staleness || return 1
  grep -q '^(0/[1-9]' "$folder/clang" || return 1
  if grep '^(' "$folder/clang" | grep -v '^(0/'; then return 1; fi
  hosted_clang static.contexts -Rpass=sample-profile-inline &&
    grep -q 'to match profiling context' "$folder/clang"
}

hosted_clang() {
  profile=$folder/$1
  shift
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" --target=x86_64-linux-gnu -O2 -g1 -ffreestanding $probed \
    -Werror -fprofile-sample-use="$profile" "$@" -c tests/samples/host.c \
    -o "$folder/again.o" >"$folder/clang" 2>&1
}

# hosted_views HOW: all samples are in a view, each once.
hosted_views() {
  samples=$(grep -vc MMAP "$folder/$1.perf")
  "$TOOL" samples --hottest "$folder/$1" "$folder/$1.perf.stacks" |
    awk -v all="$samples" '{ sum += $1 } END { exit sum != all }' || return 1
  "$TOOL" samples --folded "$folder/$1" "$folder/$1.perf.stacks" |
    awk -v all="$samples" '
    /^_start;main;/ { deep += $NF }
    { sum += $NF }
    END { exit sum != all || deep < all / 2 }'
}

# Stacks alone, as they were without branches, from where it was loaded.
hosted_stacks() {
  grep -v '^ 0x' "$folder/$1.perf.stacks" >"$folder/stacks"
  ours "$1" stacks --context --force &&
    grep -q '^\[_start:2 @ main:[0-9]* @ _ZL4kindj' "$folder/ours" &&
    [ "$(grep -c '^\[' "$folder/ours")" -gt 20 ]
}

hosted_all() {
  for how in static ${FULL:+pie}; do
    check "samples branches, $how: branches, as llvm-profgen has them" \
      hosted_plain "$how"
    check "samples branches, $how: contexts, as llvm-profgen has them" \
      hosted_contexts "$how"
    value=$(hosted_truth "$how")
    check "samples branches, $how: contexts overlap by $value with all calls" \
      at_least 0.90 "$value"
    check "samples branches, $how: branches with counts" hosted_counted "$how"
    check "samples branches, $how: ranges as the branches they are from" \
      hosted_ranges "$how"
  done
  check "samples branches: numbers in other words" hosted_written
  check "samples branches: through a pipe, piece by piece" hosted_piped
  check "samples branches: damaged, and stacks, as llvm-profgen has them" \
    hosted_damaged
  check "samples branches: what cannot have run is counted" hosted_impossible
  for depth in 1 2 3; do
    for cutoff in 99 70; do
      for trim in "" trim; do
        check "samples branches: cold contexts, $depth frames, below \
$cutoff % $trim" hosted_cold "$depth" "$trim" "$cutoff"
      done
    done
  done
  [ -z "${FULL:-}" ] ||
    check "samples branches, lines: as llvm-profgen has them" hosted_lines
  check "samples branches: profiles, binary, and for clang" hosted_used
  for rule in block region; do
    ours static static.perf.stacks --context --attribution="$rule"
    value=$(overlap "$folder/static.contexts" "$folder/ours")
    check "samples branches: by $rule overlap" at_least 0.99 "$value"
  done
  for how in static ${FULL:+pie}; do
    check "samples branches, $how: views have all samples" \
      hosted_views "$how"
    check "samples branches, $how: stacks without them" hosted_stacks "$how"
  done
  branches_refusals
}

branches() {
  group=branches folder=$OUT/branches
  mkdir -p "$folder"
  have "llvm-profgen-$LLVM_HOST" || {
    skip "samples branches" "no llvm-profgen-$LLVM_HOST"
    return
  }
  for target in x86_64-linux-gnu aarch64-linux-gnu; do
    check "samples branches, $target: ranges, as llvm-profgen has them" \
      other_ranges "$target"
  done
  check "samples branches, aarch64: calls, by their lines" other_calls
  [ "$(uname -sm)" = "Linux x86_64" ] || {
    skip "samples branches" "this is $(uname -sm), not Linux x86_64"
    return
  }
  check "samples branches: what runs programs by steps compiles" build_step
  for how in static ${FULL:+pie lines}; do
    check "samples branches: a program of this machine, $how" \
      hosted_image "$how"
    hosted_run "$how"
    case $? in
    0) ;;
    77) skip "samples branches" "nobody may trace here"; return ;;
    *) not_ok "samples branches" "$how does not run by steps"; return ;;
    esac
  done
  hosted_all
  [ -z "${FULL:-}" ] || real_programs
}
