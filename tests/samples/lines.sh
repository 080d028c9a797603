#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Line-based profiles: compares with llvm-profgen for the same counts of
# instructions and calls, and with clang. `run` sources this file.

lined="-g1 -fdebug-info-for-profiling"

# lines_image TARGET
lines_image() {
  # shellcheck disable=SC2086 # Several flags.
  "clang-$LLVM_HOST" --target="$1" -O2 $lined -ffreestanding \
    -funique-internal-linkage-names -c tests/samples/work.c \
    -o "$name.o" &&
    "ld.lld-$LLVM_HOST" -e main "$name.o" -o "$name.elf"
}

# Prints CALL RETURNS-TO CALLEE for one call of each function. Functions without
# a direct call are called through pointers, from sort; main has no caller.
lines_calls() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$name.elf" | awk '
    /^[0-9a-f]+ <.*>:$/ {
      function_name = $2
      gsub(/[<>:]/, "", function_name)
      begin[function_name] = $1
      sub(/^0+/, "", begin[function_name])
      next
    }
    $1 !~ /^[0-9a-f]+:$/ { next }
    { sub(/:/, "", $1) }
    call { if (!(callee in from)) from[callee] = call " " $1; call = "" }
    $2 ~ /^(callq?|bl|blr)$/ {
      call = $1
      callee = $NF
      gsub(/[<>]/, "", callee)
      if ($NF !~ /^</) callee = "*"
    }
    END {
      for (one in begin)
        print (one in from ? from[one] : one == "main" ? "0 0" : from["*"]), \
          begin[one]
    }'
}

# Each instruction some time, and each call as often as its callee's first
# instruction.
lines_inputs() {
  lines_calls >"$name.calls"
  "$OUT/lengths" "$name.elf" | awk -v calls="$name.calls" '
    BEGIN {
      while ((getline line < calls) > 0) {
        split(line, part, " ")
        returns[part[3]] = part[2]
      }
    }
    $1 in returns { to = returns[$1] }
    { print $1, "0", to, "x" (NR * 7919 % 1000 + 1) }' >"$name.samples"
  {
    wc -l <"$name.samples"
    awk '{ print $1 "-" $1 ":" substr($NF, 2) }' "$name.samples"
    wc -l <"$name.calls"
    awk 'NR == FNR { count[$1] = substr($NF, 2); next }
      { print $1 "->" $3 ":" count[$3] }' "$name.samples" "$name.calls"
  } >"$name.ranges"
}

# lines_profgen TARGET
lines_profgen() {
  name=$OUT/lines-$1
  lines_image "$1" && lines_inputs || return 1
  "$TOOL" samples --lines "$name.elf" "$name.samples" --scale=1 \
    --attribution=first-instruction -o "$name.ours" 2>/dev/null ||
    return 1
  "llvm-profgen-$LLVM_HOST" --binary="$name.elf" --format=text \
    --unsymbolized-profile="$name.ranges" --use-offset=0 \
    --output="$name.theirs" 2>/dev/null || return 1
  targets=$(grep -c ' _ZL.*:[0-9]* _ZL.*:[0-9]* _ZL' "$name.ours")
  [ "$targets" = 1 ] && cmp "$name.ours" "$name.theirs"
}

# ---- clang ----

# With the profile, clang calls the most frequent callback of sort directly.
lines_followed() {
  flags="-fdebug-info-for-profiling -Werror -Rpass=pgo-icall-prom"
  flags="$flags -fprofile-sample-use=$(realpath "$1")"
  firmware "$board" lined-again "-funique-internal-linkage-names" \
    >"$folder/clang" 2>&1 || { cat "$folder/clang"; return 1; }
  flags=
  grep -q "Promote indirect call to _ZL2upjj" "$folder/clang"
}

# Compares 8,000 samples with all instructions.
lines_close() {
  entry=$("llvm-nm-$LLVM_HOST" "$elf" | awk '$3 == "main" {print $1}')
  tests/samples/log.sh "$board" "$elf" "$folder" |
    awk -v main="$entry" '$1 == main { on = 1 } on' >"$folder/main"
  awk '{ count[$0]++ } END { for (l in count) print l, "x" count[l] }' \
    "$folder/main" >"$folder/exact"
  take 8000 >"$folder/8000"
  "$TOOL" samples --lines "$elf" "$folder/exact" --no-targets \
    --attribution=first-instruction -o "$folder/exact.prof" 2>/dev/null &&
    "$TOOL" samples --lines "$elf" "$folder/8000" -o "$folder/lines.prof" \
      2>/dev/null || return 1
  lines_value=$(overlap "$folder/exact.prof" "$folder/lines.prof")
  echo "overlap $lines_value"
  at_least 0.95 "$lines_value"
}

# refused_lines LABEL WORDS ELF
refused_lines() {
  said=$("$TOOL" samples --lines "$3" "$folder/8000" -o "$folder/none" 2>&1)
  status=$?
  case "$status $said" in
  "1 bareprof: "*"$2"*) ok "samples --lines: $1" ;;
  *) not_ok "samples --lines: $1" "$status $said" ;;
  esac
}

lines() {
  if have "llvm-profgen-$LLVM_HOST"; then
    for target in x86_64-linux-gnu aarch64-linux-gnu; do
      check "samples --lines $target: as llvm-profgen has it" \
        lines_profgen "$target"
    done
  else
    skip "samples --lines: llvm-profgen" "no llvm-profgen-$LLVM_HOST"
  fi
  # QEMU's log is twice as long for RISC-V.
  board=mps2-an385
  [ -z "${FULL:-}" ] || board=virt-riscv32
  if why=$(lacks "board:$board") && [ -n "$why" ]; then
    skip "samples --lines: clang" "$why"
    return
  fi
  folder=$OUT/lines elf=$OUT/$board/lined.elf
  mkdir -p "$folder"
  flags=-fdebug-info-for-profiling
  check "samples --lines: firmware" firmware "$board" lined \
    "-funique-internal-linkage-names"
  flags=
  check "samples --lines: 8,000 samples next to all" lines_close
  check "samples --lines: llvm-profdata writes the same text" fixed_point \
    "$folder/lines.prof"
  check "samples --lines: clang follows it, without a warning" \
    lines_followed "$folder/lines.prof"
  check "samples --lines: clang 14 to 22 use it" used \
    "$folder/lines.prof" -fdebug-info-for-profiling \
    -funique-internal-linkage-names
  "clang-$LLVM_HOST" --target=x86_64-linux-gnu -c tests/samples/work.c \
    -o "$folder/work.o"
  refused_lines "an object is refused" "this is an object" "$folder/work.o"
  "llvm-strip-$LLVM_HOST" -g "$elf" -o "$folder/stripped.elf"
  refused_lines "a stripped image is refused" "no debug information" \
    "$folder/stripped.elf"
  "$TOOL" samples --lines --context "$elf" "$folder/8000" >/dev/null 2>&1
  equal "samples --lines: --context with it is wrong usage" 2 $?
}
