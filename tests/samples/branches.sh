#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Branches of a program that runs in single steps on this machine, which
# llvm-profgen reads in perf's format. From its ranges bareprof makes the same
# profiles and contexts, byte for byte; contexts are also compared with the real
# calls. `run` sources this file.

# hosted_image HOW: links the program (static, pie, lines), and lists its
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

# own_instructions PROGRAM [NAMES]: lists instructions for step.c, only of these
# functions.
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

# ranges_of HOW TEXT [OPTION...]: writes llvm-profgen's ranges of branches, in
# its format, to TEXT.ranges.
ranges_of() {
  how=$1 text=$2
  shift 2
  "llvm-profgen-$LLVM_HOST" --binary="$folder/$how" --skip-symbolization \
    --perfscript="$folder/$text" --output="$folder/$text.ranges" "$@" \
    2>"$folder/profgen.said"
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
  theirs "$1" --perfscript="$folder/$1.perf" && ranges_of "$1" "$1.perf" &&
    ours "$1" "$1.perf.ranges" && grep -q '^_ZL4notej' "$folder/ours" && as_theirs &&
    cp "$folder/ours" "$folder/$1.prof"
}

# Switches off llvm-profgen's inliner, keeps cold contexts, and names each
# context.
own_contexts="--csspgo-preinliner=0 --gen-cs-nested-profile=0"
hosted_contexts() {
  # shellcheck disable=SC2086 # Several options.
  theirs "$1" --perfscript="$folder/$1.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=0 &&
    ranges_of "$1" "$1.perf.stacks" --use-offset=0 &&
    ours "$1" "$1.perf.stacks.ranges" --offset=0 --context && as_theirs &&
    cp "$folder/ours" "$folder/$1.contexts" &&
    grep -q ':3 @ _ZL6second.*:4 @ _ZL5first' "$folder/ours" &&
    grep -q '^ [0-9]*: [0-9]* through:' "$folder/ours" &&
    [ "$(grep -c '^\[.* @ .* @ .* @ ' "$folder/ours")" -gt 10 ]
}

# Compares totals of contexts with the totals of all instructions that ran.
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

# hosted_cold DEPTH TRIM CUTOFF
hosted_cold() {
  below=$("llvm-profdata-$LLVM_HOST" show --sample --detailed-summary \
    "$folder/static.contexts" |
    sed -n "s/.*count >= \([0-9]*\) account for $3% .*/\1/p")
  # shellcheck disable=SC2086 # Several options.
  theirs static --perfscript="$folder/static.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=1 --csprof-max-cold-context-depth="$1" \
    ${2:+--trim-cold-profile} --profile-summary-cutoff-hot="${3}0000" &&
    ours static static.perf.stacks.ranges --offset=0 --context --merge-cold \
      --cold-depth="$1" ${2:+--trim-cold} --cold-below="$below" || return 1
  [ -s "$folder/ours" ] && cmp "$folder/ours" "$folder/theirs"
}

hosted_lines() {
  theirs lines --perfscript="$folder/lines.perf" &&
    ranges_of lines lines.perf && ours lines lines.perf.ranges --lines &&
    as_theirs
}

# clang accepts the profiles.
hosted_used() {
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

hosted_all() {
  for how in static ${FULL:+pie}; do
    check "samples branches, $how: branches, as llvm-profgen has them" \
      hosted_plain "$how"
    check "samples branches, $how: contexts, as llvm-profgen has them" \
      hosted_contexts "$how"
    value=$(hosted_truth "$how")
    check "samples branches, $how: contexts overlap by $value with all calls" \
      at_least 0.90 "$value"
  done
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
  check "samples branches: profiles for clang" hosted_used
  for rule in block region; do
    ours static static.perf.stacks.ranges --offset=0 --context \
      --attribution="$rule"
    value=$(overlap "$folder/static.contexts" "$folder/ours")
    check "samples branches: by $rule overlap" at_least 0.99 "$value"
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
