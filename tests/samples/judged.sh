#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Samples of the wrong build, of images with misplaced probes, and after jumps
# without a call. `run` sources this file.

# judged NAME COMPILER SOURCE FLAG...: builds $folder/NAME.elf from one source.
judged() {
  judged_name=$folder/$1 compiler=$2 source=$3
  shift 3
  # shellcheck disable=SC2086 # Several flags.
  "$compiler" -ffreestanding $probed "$@" -c "$source" -o "$judged_name.o" &&
    "ld.lld-${compiler#clang-}" -e main "$judged_name.o" -o "$judged_name.elf"
}

# behind IMAGE CALLER: prints the return addresses of its calls, in order.
behind() {
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$1" |
    awk -v caller="<$2>:" '
    /^[0-9a-f]+ <.*>:$/ { on = $2 == caller; next }
    call && /:/ { sub(/:/, "", $1); print $1; call = 0 }
    on && $2 ~ /^(jalr|blr|blx|bl|jal)$/ { call = 1 }'
}

address() { "llvm-nm-$LLVM_HOST" "$1" | awk -v n="$2" '$3 == n { print $1 }'; }

# In helper, 300 samples return to the call through a pointer, which called
# jumps, 100 to the direct call of jumps, 100 to the call of helper. So a fifth
# of its entries comes from its own call, and none from the pointer's.
jumps_told() {
  elf=$folder/tail.elf
  judged tail "clang-$LLVM_HOST" tests/samples/tail.c "$@" -O2 -g1 || return 1
  pointer=$(behind "$elf" by_pointer)
  own=$(behind "$elf" directly | head -n 1)
  other=$(behind "$elf" directly | tail -n 1)
  [ -n "$pointer" ] && [ "$own" != "$other" ] || return 1
  {
    echo "$(address "$elf" helper) $pointer x300"
    echo "$(address "$elf" helper) $other x100"
    echo "$(address "$elf" helper) $own x100"
    echo "$(address "$elf" jumps) $pointer x30"
    echo "$(address "$elf" plain) $pointer x20"
  } >"$folder/tail.samples"
  "$TOOL" samples "$elf" "$folder/tail.samples" --scale=1 --force \
    --attribution=first-instruction -o "$folder/tail.prof" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  "$TOOL" samples --context "$elf" "$folder/tail.samples" --force \
    -o "$folder/tail.context" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  if grep '^\[by_pointer:.* @ helper\]' "$folder/tail.context"; then
    return 1
  fi
  grep -q '^\[directly:.* @ helper\]' "$folder/tail.context" || return 1
  grep -q 'the samples have no callers' "$folder/said" || return 1
  grep -E ' (helper|jumps|plain):' "$folder/tail.prof" | sed 's/ *[0-9]*: //' |
    sort | xargs
}

# Tests samples of the same source, but another build.
another_build() {
  judged another "clang-$LLVM_HOST" tests/samples/work.c \
    --target=riscv32-none-elf -mno-relax -O1 -g1 || return 1
  "$OUT/lengths" "$OUT/virt-riscv32/work.elf" | awk '{ print $1, "x9" }' \
    >"$folder/all"
  judged right "clang-$LLVM_HOST" tests/samples/work.c \
    --target=riscv32-none-elf -mno-relax -O2 -g1 || return 1
  "$OUT/lengths" "$folder/right.elf" | awk '{ print $1, "x9" }' >"$folder/all"
  "$TOOL" samples "$folder/right.elf" "$folder/all" -o "$folder/right.prof" \
    2>"$folder/said" || { one_line <"$folder/said"; return 1; }
}

# Split off cold code has the caller's name with a suffix, and no descriptor.
split_code() {
  judged split "clang-$LLVM_HOST" tests/samples/split.cpp -O2 -g1 -std=c++17 \
    --target=x86_64-none-elf -mllvm -hot-cold-split -fno-exceptions \
    -fno-rtti -fno-threadsafe-statics || return 1
  "llvm-nm-$LLVM_HOST" "$folder/split.elf" | grep -q 'work\.cold\.1' ||
    { echo "nothing is split off"; return 1; }
  "$OUT/lengths" "$folder/split.elf" | awk '{ print $1, "x9" }' >"$folder/all"
  "$TOOL" samples "$folder/split.elf" "$folder/all" -o "$folder/split.prof" \
    2>"$folder/said" || { one_line <"$folder/said"; return 1; }
  awk '/^[^ ]/ { name = $0 } /^ [0-9]+: .*gaugeC/ && name ~ /^work:/ { n++ }
    END { exit n < 1 }' "$folder/split.prof" ||
    { cat "$folder/split.prof"; return 1; }
  "$TOOL" samples --context "$folder/split.elf" "$folder/all" \
    -o "$folder/split.context" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  grep -q '^\[work:[0-9]* @ .*gaugeC' "$folder/split.context" ||
    { cat "$folder/split.context"; return 1; }
}

jumps() {
  folder=$OUT/judged
  mkdir -p "$folder"
  # RISC-V has more instructions before the block that is helper's first.
  for target in riscv32-none-elf thumbv7m-none-eabi aarch64-none-elf; do
    relax=
    case $target in riscv*) relax=-mno-relax ;; esac
    equal "samples: jumps are no calls, $target" \
      "100 helper:100 50 jumps:30 plain:20" \
      "$(jumps_told --target=$target $relax)"
  done
}

judged_all() {
  group=judged folder=$OUT/judged
  mkdir -p "$folder"
  check "samples judged: of the right build" another_build
  elf=$folder/another.elf
  refused "another build is refused" "are not at the start of an instruction" \
    "$folder/all"
  if have clang-19 && have ld.lld-19; then
    judged relaxed clang-19 tests/samples/work.c --target=riscv32-none-elf \
      -O2 -g1
    elf=$folder/relaxed.elf
    echo "$(address "$elf" sort) x900" >"$folder/one"
    refused "misplaced probes are refused" "some probes are misplaced" \
      "$folder/one"
  else
    skip "samples judged: misplaced probes" "no clang-19"
  fi
  elf=$folder/right.elf
  printf '\372BPS\1\0\6\0%024d' 0 | tr 0 '\0' >"$folder/wide"
  refused "samples of another machine are refused" "the word size" \
    "$folder/wide"
  "llvm-strip-$LLVM_HOST" -g "$elf" -o "$folder/stripped.elf"
  "$TOOL" samples "$folder/stripped.elf" "$folder/all" \
    -o "$folder/stripped.prof" 2>"$folder/said"
  equal "samples judged: without debug information there are counts" "0 1" \
    "$? $(grep -c 'call targets are unknown' "$folder/said")"
  check "samples judged: code that was split off" split_code
}
