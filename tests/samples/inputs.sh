#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The forms of samples, and what is refused. Sourced by run.

# The same three samples in all forms give the same profile.
inputs() {
  group=inputs
  elf=$OUT/virt-riscv32/work.elf folder=$OUT/inputs
  [ -s "$elf" ] || { skip "samples inputs: inputs" "no firmware"; return; }
  mkdir -p "$folder"
  at=$("llvm-nm-$LLVM_HOST" "$elf" | awk '$3 == "sort" {print $1}')
  printf '# three\n0x%s\n\n%s 0 x2 # twice\n' "$at" "$at" >"$folder/plain"
  printf '%s x3\r\n' "$at" >"$folder/folded"
  printf 'work 7 1.0: 9 cycles: %s sort (work)\n' "$at" "$at" "$at" \
    >"$folder/perf"
  for i in 1 2 3; do
    printf 'work 7 1.0: 9 cycles:\n\t    %s sort+0x0 (work)\n\n' "$at"
  done >"$folder/stacks"
  zero='\0\0\0\0'
  octal=$(echo "$at" | awk '{
    for (i = 7; i > 0; i -= 2)
      printf "\\%03o", 16 * (index("0123456789abcdef", substr($1, i, 1)) - 1) \
        + index("0123456789abcdef", substr($1, i + 1, 1)) - 1
  }')
  printf "\\372BPS\\1\\0\\4\\0${zero}\\1\\0\\0\\0${zero}\\3\\0\\0\\0$zero$zero\
$octal$zero\\3\\0\\0\\0" >"$folder/table"
  printf "\\372BPS\\1\\0\\0\\0${zero}\\3\\0\\0\\0${zero}\\3\\0\\0\\0$zero$zero\
$octal$zero$octal$zero$octal$zero" >"$folder/ring"
  "$TOOL" samples "$elf" "$folder/plain" -o "$folder/plain.prof" 2>/dev/null
  # As perf has them: aligned to the right.
  for i in 1 2 3; do
    printf '        work   7 1.0:  9 cycles:ppp:  %s sort+0x0 (work)\n' "$at"
  done >"$folder/aligned"
  for form in folded perf stacks aligned table ring; do
    "$TOOL" samples "$elf" "$folder/$form" -o "$folder/$form.prof" \
      2>"$folder/$form.said"
    check "samples inputs: $form as plain" cmp "$folder/plain.prof" \
      "$folder/$form.prof"
  done
  printf '    %s sort\n    %s sort\n    %s sort\n' "$at" "$at" "$at" \
    >"$folder/flat"
  "$TOOL" samples "$elf" "$folder/flat" --format=perf -o "$folder/flat.prof" \
    2>/dev/null
  check "samples inputs: flat as plain" \
    cmp "$folder/plain.prof" "$folder/flat.prof"
  check "samples inputs: perf, cut in its last line" cut_short
  equal "samples inputs: few are told" 1 \
    "$(grep -c 'samples are few for' "$folder/ring.said")"
  views
  refusals
}

# perf's text without its last byte, two, ...: each time what the whole lines
# before say, and that it is cut. Wherever the cut is, no sample is made up.
cut_short() {
  printf 'work 7 1.0: 9 cycles:\n\t    %s sort+0x0 (work)\n\t    %s main\n\n' \
    "$at" "$at" >"$folder/fourth"
  for form in perf stacks; do
    more=$(head -n 1 "$folder/perf")
    [ $form = perf ] || more=$(cat "$folder/fourth")
    for bytes in 1 2 3 4 5 6 7 9 14 20 26; do
      { cat "$folder/$form"; printf '%s\n' "$more"; } |
        head -c -$bytes >"$folder/cut"
      "$TOOL" samples "$elf" "$folder/cut" -o "$folder/cut.prof" \
        2>"$folder/cut.said" && cmp "$folder/plain.prof" "$folder/cut.prof" &&
        grep -q 'cut: it ends within a line; that sample is left out' \
          "$folder/cut.said" ||
        { echo "$form less $bytes bytes"; cat "$folder/cut.said"; return 1; }
    done
  done
}

views() {
  equal "samples inputs: --hottest" "3 100.0 % sort" \
    "$("$TOOL" samples --hottest "$elf" "$folder/ring" | tr -s ' ' |
      sed 's/^ //')"
  caller=$("llvm-objdump-$LLVM_HOST" -d "$elf" --no-show-raw-insn | awk '
    /<main>:/ { on = 1 }
    found { sub(/:/, "", $1); print $1; exit }
    on && /<sort>/ { found = 1 }')
  echo "$at $caller x5" >"$folder/called"
  equal "samples inputs: --folded" "main;sort 5" \
    "$("$TOOL" samples --folded "$elf" "$folder/called")"
}

# refused LABEL WORDS FILE: in the group that $group says.
refused() {
  said=$("$TOOL" samples "$elf" "$3" -o "$folder/none" 2>&1)
  status=$?
  case "$status $said" in
  "1 bareprof: "*"$2"*) ok "samples $group: $1" ;;
  *) not_ok "samples $group: $1" "$status $said" ;;
  esac
  [ ! -e "$folder/none" ] || not_ok "samples $group: $1" "wrote a profile"
}

refusals() {
  echo "$at hello" >"$folder/words"
  refused "words are refused" "line 1: here should be PC" "$folder/words"
  head -c 40 "$folder/ring" >"$folder/short"
  refused "a file cut short is refused" "its size is not" "$folder/short"
  : >"$folder/empty"
  refused "no samples are refused" "no sample is in it" "$folder/empty"
  echo "10 x7" >"$folder/elsewhere"
  refused "samples of another program are refused" "none of 7 samples" \
    "$folder/elsewhere"
  # As QEMU without -icount takes them: at the first instructions of blocks.
  "$OUT/lengths" "$elf" | awk '
    leader && n++ < 60 { print $1, "x50" }
    { leader = $2 == 1 }' >"$folder/leaders"
  awk 'NR == FNR { block[$1] = 1; next } $1 in block { print $1 }' \
    "$folder/leaders" "$OUT/virt-riscv32/main" >"$folder/locked"
  refused "samples of first instructions only are refused" \
    "are at the beginning of a block" "$folder/locked"
  check "samples inputs: --force takes them" "$TOOL" samples --force "$elf" \
    "$folder/locked" -o "$folder/forced"
}
