# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Images with -profile-correlate=debug-info make profiles without records:
# bareprof merges these as llvm-profdata does with --debug-info. `run` sources
# this file.

CORRELATED=$OUT/merge

build_merge() {
  error=$(tool_program "$CORRELATED" "$SANITIZERS" $HERE/merge.c 2>&1) &&
    [ -z "$error" ] && return
  not_ok "dwarf merge compiles" "$(printf '%s' "$error" | one_line)"
  return 1
}

# Defines symbols that clang 14 to 17 needs in images without an operating
# system, and symbols of the runtime.
runtime_symbols() {
  for symbol in runtime register_function register_names_function; do
    echo "--defsym=__llvm_profile_$symbol=0"
  done
  echo "--defsym=__aeabi_unwind_cpp_pr0=0"
}

# counters ELF: prints the size of its counters; 0 if there are none.
counters() {
  size=$("$READELF" -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' |
    awk '$1 == "__llvm_prf_cnts" { print $5 }')
  echo $((0x${size:-0}))
}

# correlated_row LLVM TARGET POINTER BIG WORD FLAGS: tests one image.
correlated_row() {
  llvm=$1 target=$2 pointer=$3 big=$4 word=$5
  elf=$OUT/correlated.elf raw=$OUT/correlated.profraw
  correlate=-profile-correlate=debug-info
  [ "$llvm" -ge 18 ] || correlate=-debug-info-correlate
  image "clang-$llvm" "--target=$target -O1 $6 -mllvm $correlate" \
    "$(runtime_symbols) -u __llvm_profile_raw_version" correlated || return 1
  size=$(counters "$elf")
  [ "$size" -gt 2 ] || { echo "no counters"; return 1; }
  "$CORRELATED" raw "$word" "$pointer" "$big" "$size" "$raw" || return 1
  "llvm-profdata-$llvm" merge --text --debug-info="$elf" "$raw" \
    -o "$OUT/correlated.expected" 2>&1 || return 1
  "$CORRELATED" --text --for-llvm "$llvm" --elf "$elf" "$raw" "$raw" \
    -o "$OUT/correlated.twice" 2>&1 &&
    "$CORRELATED" --text --for-llvm "$llvm" --elf "$elf" "$raw" \
      -o "$OUT/correlated.seen" 2>&1 || return 1
  grep -q '^_ZN5outer5inner3sumEPKii' "$OUT/correlated.seen" ||
    { echo "no function: $(one_line <"$OUT/correlated.seen")"; return 1; }
  # The linker drops not_called, unless constructors of older clangs keep it.
  [ "$llvm" -lt 18 ] || ! grep -q not_called "$OUT/correlated.seen" ||
    { echo not_called; return 1; }
  same_records && twice
}

# Other releases write records in another order.
same_records() {
  for side in expected seen; do
    awk 'BEGIN { RS = "" } { gsub(/\n/, " "); gsub(/#[^0-9]*/, ""); print }' \
      "$OUT/correlated.$side" | sort >"$OUT/records.$side"
  done
  same "$OUT/records.expected" "$OUT/records.seen" records
}

# The second profile uses the correlation that was kept from the first.
twice() {
  "llvm-profdata-$llvm" merge --text --debug-info="$elf" "$raw" "$raw" \
    -o "$OUT/correlated.expected" 2>&1 &&
    mv "$OUT/correlated.twice" "$OUT/correlated.seen" && same_records
}

FE=-fprofile-instr-generate
IR="-fprofile-generate -mllvm -disable-vp"
BYTES="$IR -mllvm -pgo-function-entry-coverage"

# llvm | target | pointer | big | version word | flags
correlated_rows() {
  cat <<EOF
14|thumbv7m-none-eabi|4|0|0900000000000008|-g $IR
14|riscv32|4|0|0900000000000008|-mno-relax -gdwarf-4 $IR
14|x86_64-none-elf|8|0|0900000000000008|-g $IR
14|thumbv7m-none-eabi|4|0|0800000000000008|-g $FE
16|thumbv7m-none-eabi|4|0|0900000000000008|-g $IR
16|riscv32|4|0|0800000000000008|-g $FE
19|x86_64-none-elf|8|0|390000000000000a|-g $BYTES
19|thumbv7m-none-eabi|4|0|000000000000000a|-g $FE
19|riscv32|4|0|090000000000000a|-gdwarf-4 $IR
19|x86_64-none-elf|8|0|000000000000000a|-gdwarf-2 $FE
22|thumbv7m-none-eabi|4|0|090000000000000a|-g $IR
22|thumbv7m-none-eabi|4|0|390000000000000a|-g $BYTES
22|riscv32|4|0|000000000000000a|-g $FE
22|riscv32|4|0|000000000000000a|-gdwarf-4 -O0 $FE
22|x86_64-none-elf|8|0|090000000000000a|-g -gdwarf64 $IR
22|aarch64_be-none-elf|8|1|090000000000000a|-g $IR
22|armebv7r-none-eabi|4|1|000000000000000a|-g $FE
EOF
}

correlated() {
  build_merge || return
  correlated_rows | while IFS='|' read -r llvm target pointer big word flags; do
    label="dwarf correlation: llvm-$llvm, $target, $flags"
    if have_llvm "$llvm"; then
      check "$label" correlated_row "$llvm" "$target" "$pointer" "$big" \
        "$word" "$flags" </dev/null
    else
      skip "$label" "no clang-$llvm"
    fi
  done
}
