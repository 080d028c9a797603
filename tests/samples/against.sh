# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What probes made slower or larger, against QEMU's logs of both builds and
# llvm-symbolizer. Sourced by run.

# against_build NAME PROFILE: NAME.elf, NAME.samples: each instruction that ran,
# and NAME.code: each that there is, with its bytes.
against_build() {
  $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" OUT="$folder" NAME="$1" \
    SOURCES=tests/samples/against.c SCRIPT=none FRAGMENT= \
    PROFILE="$2 $relax" CFLAGS_APP="-O2 -g1 -Wall -Wextra" || return 1
  tests/samples/log.sh "$board" "$folder/$1.elf" "$folder" |
    awk '{ count[$1]++ } END { for (l in count) print l, "x" count[l] }' \
      >"$folder/$1.samples"
  "llvm-objdump-$LLVM_HOST" -d "$folder/$1.elf" |
    awk -F'\t' '/^ *[0-9a-f]+:/ {
      sub(":", " ", $1)
      count = split($1, part, " ")
      bytes = 0
      for (i = 2; i <= count; i++) bytes += length(part[i]) / 2
      print part[1], "x" bytes
    }' >"$folder/$1.code"
  # On RISC-V a label of the assembler would name what follows.
  "llvm-objcopy-$LLVM_HOST" --discard-locals "$folder/$1.elf" "$folder/$1.named"
}

# by_function NAME LIST: FUNCTION SUM of the addresses' innermost functions.
by_function() {
  awk '{ print "0x" $1 }' "$folder/$2" |
    "llvm-symbolizer-$LLVM_HOST" --obj="$folder/$1.named" --functions=linkage \
      --output-style=LLVM | awk '
      NR == FNR { count[NR] = substr($2, 2); next }
      at == 0 { name = $0; sub(/\.__uniq.*/, "", name); sub(/^_ZL[0-9]+/, "", name)
        sub(/tt*h$/, "", name); sum[name] += count[++n] }
      { at = $0 == "" ? 0 : 1 }
      END { for (name in sum) print name, sum[name] }' "$folder/$2" - | sort
}

# Of the functions of the program, as the logs have them.
against_truth() {
  for name in with without; do
    by_function $name $name.samples >"$folder/$name.ran"
    by_function $name $name.code >"$folder/$name.sizes"
  done
  for function in step wide narrow; do
    for list in with.ran without.ran with.sizes without.sizes; do
      awk -v name=$function '$1 == name { n = $2 } END { print n + 0 }' \
        "$folder/$list"
    done | xargs
  done
}

# against BOARD RELAX
against() {
  board=$1 relax=$2 folder=$OUT/$1-against
  mkdir -p "$folder"
  check "samples against $board: two builds" against_build with "$probed" &&
    check "samples against $board: without probes" against_build without "" ||
    return
  "$TOOL" samples "$folder/with.elf" "$folder/with.samples" \
    --compare "$folder/without.elf" --compare-samples "$folder/without.samples" \
    >"$folder/all" 2>"$folder/said"
  equal "samples against $board: as the logs have it" \
    "$(against_truth | sed -n 1,2p)" \
    "$(for name in step wide; do
      awk -v name=$name '$7 == name { print $1, $2, $4, $5 }' "$folder/all"
    done)"
  equal "samples against $board: step is the slowest, other is not named" \
    "step 0" "$(awk 'NR == 2 { print $7 }' "$folder/all") $(
      grep -c ' other$' "$folder/all")"
  "llvm-strip-$LLVM_HOST" -g "$folder/without.elf" -o "$folder/bare.elf"
  "$TOOL" samples "$folder/with.elf" "$folder/with.samples" \
    --compare "$folder/bare.elf" >"$folder/bare" 2>"$folder/said"
  equal "samples against $board: without lines, by symbols" \
    "all narrow wide, 1" \
    "$(awk 'NR > 1 { print $5 }' "$folder/bare" | sort | xargs), $(
      grep -c 'compile both with -g1' "$folder/said")"
}

against_all() {
  for row in "mps2-an385 " ${FULL:+"virt-riscv32 -mno-relax"}; do
    if why=$(lacks "board:${row%% *}") && [ -n "$why" ]; then
      skip "samples against ${row%% *}" "$why"
    else
      against "${row%% *}" "${row#* }"
    fi
  done
}
