#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Input formats of samples, and errors. `run` sources this file.

# The same three samples give the same profile in all formats.
inputs() {
  group=inputs
  elf=$OUT/virt-riscv32/work.elf folder=$OUT/inputs
  [ -s "$elf" ] || { skip "samples inputs: inputs" "no firmware"; return; }
  mkdir -p "$folder"
  at=$("llvm-nm-$LLVM_HOST" "$elf" | awk '$3 == "sort" {print $1}')
  printf '# three\n0x%s\n\n%s 0 x2 # twice\n' "$at" "$at" >"$folder/plain"
  printf '%s x3\r\n' "$at" >"$folder/folded"
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
  for form in folded table ring; do
    "$TOOL" samples "$elf" "$folder/$form" -o "$folder/$form.prof" \
      2>"$folder/$form.said"
    check "samples inputs: $form as plain" cmp "$folder/plain.prof" \
      "$folder/$form.prof"
  done
  equal "samples inputs: few are told" 1 \
    "$(grep -c 'too few samples: ' "$folder/ring.said")"
  views
  refusals
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

# refused LABEL WORDS FILE: checks in group $group that the file gives this
# error.
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
  refused "words are refused" "line 1: expected PC" "$folder/words"
  head -c 40 "$folder/ring" >"$folder/short"
  refused "a file cut short is refused" "the size of the samples does not" "$folder/short"
  : >"$folder/empty"
  refused "no samples are refused" "no samples found" "$folder/empty"
  echo "10 x7" >"$folder/elsewhere"
  refused "samples of another program are refused" "none of 7 samples" \
    "$folder/elsewhere"
  # Samples as in QEMU without -icount: at the first instructions of blocks.
  "$OUT/lengths" "$elf" | awk '
    leader && n++ < 60 { print $1, "x50" }
    { leader = $2 == 1 }' >"$folder/leaders"
  awk 'NR == FNR { block[$1] = 1; next } $1 in block { print $1 }' \
    "$folder/leaders" "$OUT/virt-riscv32/main" >"$folder/locked"
  refused "samples of first instructions only are refused" \
    "are at the start of a block" "$folder/locked"
  check "samples inputs: --force takes them" "$TOOL" samples --force "$elf" \
    "$folder/locked" -o "$folder/forced"
}
