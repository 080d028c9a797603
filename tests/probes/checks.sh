# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the findings of --check. A part of tests/probes/run.

# checked PATTERN ELF: expects status 1, and a line with this pattern.
checked() {
  "$TOOL" probes --check "$2" >"$OUT/checked" 2>"$OUT/errors"
  [ $? = 1 ] || { echo "status is not 1"; return 1; }
  cat "$OUT/checked" "$OUT/errors" | grep -q "$1" || {
    cat "$OUT/checked" "$OUT/errors"
    return 1
  }
}

trap_of() {
  "clang-19" --target=riscv32-none-elf -march=rv32imac -O1 -g1 -gdwarf-4 \
    -ffreestanding -ffunction-sections -fpseudo-probe-for-profiling \
    -c $HERE/relaxed.c -o "$OUT/trap.o" &&
    $1 -e _start "$OUT/trap.o" -o "$OUT/trap.elf" &&
    checked "relaxation made the code shorter.*; compile\
 with -mno-relax" "$OUT/trap.elf"
}

no_inline() {
  clang-$1 --target=thumbv7m-none-eabi -O2 -g0 -ffreestanding \
    -fpseudo-probe-for-profiling -c $HERE/work.c -o "$OUT/g0.o" &&
    ld.lld-$LLVM_HOST -e _start "$OUT/g0.o" -o "$OUT/g0.elf" &&
    checked "inlined functions have no call site.*compile with -g1" "$OUT/g0.elf"
}

# The optimiser has merged several pieces of code: the result has no source
# place, and -g1 cannot name one. It still has its own record.
merged() {
  clang-$LLVM_HOST --target=thumbv7m-none-eabi -O2 -g1 -ffreestanding \
    -fpseudo-probe-for-profiling -c $HERE/merged.c -o "$OUT/merged.o" &&
    ld.lld-$LLVM_HOST -e _start "$OUT/merged.o" -o "$OUT/merged.elf" &&
    "$TOOL" probes "$OUT/merged.elf" >"$OUT/merged" &&
    grep -q ' 2  Block  *_ZL4musti[^ ]*$' "$OUT/merged" &&
    "$TOOL" probes --check "$OUT/merged.elf"
}

# Two files have one name, and one of them has no probes.
same_name() {
  echo 'static __attribute__((noinline)) int same(int a) {
    return a > FIRST ? a * 3 : a; } int NAME(int a) { return same(a) + 1; }' \
    >"$OUT/same.c"
  for number in 1 2 3; do
    flags=-fpseudo-probe-for-profiling
    [ $number != $1 ] || flags=
    "$CLANG" --target=thumbv7m-none-eabi -O1 -g1 $flags -DFIRST=$number \
      -DNAME=name$number -fno-unique-internal-linkage-names \
      -c "$OUT/same.c" -o "$OUT/same$number.o" || return 1
  done
  ld.lld-$LLVM_HOST -e name1 "$OUT"/same[123].o -o "$OUT/same.elf"
}

# There are as many symbols as records, in the order of the code, which
# llvm-profgen does not use.
twins() {
  same_name 0 && "$TOOL" probes --check "$OUT/same.elf" &&
    "$TOOL" probes "$OUT/same.elf" >"$OUT/same.text" || return 1
  [ "$(grep -c '^same: .*GUID' "$OUT/same.text")" = 3 ]
}

# promoted LLVM: ThinLTO gives an internal function another symbol. The GUID is
# the descriptor's, as llvm-profgen shows, and the function has code.
promoted() {
  for other in "" -DOTHER; do
    "clang-$1" --target=x86_64-none-elf -O2 -g1 -ffreestanding -flto=thin \
      -fpseudo-probe-for-profiling $other -c $HERE/internal.c \
      -o "$OUT/internal$other.o" || return 1
  done
  "ld.lld-$1" -e _start "$OUT/internal.o" "$OUT/internal-DOTHER.o" \
    -o "$OUT/internal.elf" &&
    "$PROFGEN" --show-disassembly-only --show-pseudo-probe \
      --perfscript=/dev/null -o /dev/null --binary="$OUT/internal.elf" \
      >"$OUT/expected" 2>&1 && "$TOOL" probes "$OUT/internal.elf" \
    >"$OUT/internal" && "$TOOL" probes --json "$OUT/internal.elf" \
    >"$OUT/internal.json" || { cat "$OUT/expected"; return 1; }
  guid=$(sed -n 's/^GUID: \([0-9]*\) Name: _ZL4work.*/\1/p' "$OUT/expected")
  [ "$guid" ] && grep -q "^_ZL4work[^ ]*\.llvm\.[0-9]*:.* GUID $guid, hash" \
    "$OUT/internal" && ! grep -q 'without code' "$OUT/internal" &&
    grep -q "\"guid\":\"$guid\".*\"code\":true" "$OUT/internal.json" ||
    { grep -v '^  0x' "$OUT/internal"; return 1; }
}

symbols_gone() {
  arm-none-eabi-objcopy --strip-all "$OUT/22-thumbv7m/work.c-O2.elf" \
    "$OUT/stripped.elf" &&
    checked "symbol table, which locates the probes, is missing.*before .strip" "$OUT/stripped.elf"
}

one_symbol_gone() {
  llvm-objcopy-$LLVM_HOST --strip-symbol=decide \
    "$OUT/22-thumbv7m/work.c-O2.elf" "$OUT/stripped.elf" &&
    checked "no symbol that locates.*: 1 (decide)" "$OUT/stripped.elf"
}

descriptors_gone() {
  llvm-objcopy-$LLVM_HOST --remove-section=.pseudo_probe_desc \
    "$OUT/22-thumbv7m/work.c-O2.elf" "$OUT/stripped.elf" &&
    checked "no descriptor.*keep the section" "$OUT/stripped.elf"
}

checks() {
  check "probes check: RISC-V relaxed by lld" trap_of ld.lld-$LLVM_HOST
  check "probes check: RISC-V relaxed by GNU ld" trap_of \
    "riscv64-unknown-elf-ld -m elf32lriscv"
  check "probes check: -g0" no_inline $LLVM_HOST
  check "probes check: -g0, clang 14" no_inline 14
  check "probes check: -g1, several pieces made one" merged
  for llvm in 14 ${FULL:+19} 22; do
    check "probes check: internal functions of ThinLTO, clang $llvm" \
      promoted $llvm
  done
  check "probes check: no symbol table" symbols_gone
  check "probes check: a symbol that is gone" one_symbol_gone
  check "probes check: no descriptors" descriptors_gone
  check "probes: functions of one name, in their order" twins
  check "probes check: functions of one name, not as many" eval \
    'same_name 2 && checked "share a name.*unique" $OUT/same.elf'
}
