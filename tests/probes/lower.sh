# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares lowered assembly with direct compiles. A part of tests/probes/run.

lowered() {
  lowered_name=$1
  shift
  check "probes lower: $lowered_name" $HERE/lowered "$@"
}

# comments SIGN [STATEMENT]: text after a semicolon in a comment, a string or a
# character stays; real statements are split.
comments() {
  {
    [ "$1" != @ ] || echo ".syntax unified"
    echo "${2:-nop}"
    cat <<END
  nop $1 kept; bkpt
  nop // kept; bkpt
  nop /* kept; bkpt */
  /* kept; bkpt
  kept; bkpt */ nop
# kept; bkpt
  .ascii "a;b\\";c"
  .byte ';', '"', '\;'
  cut; here
END
  } >"$OUT/comments.s"
  sed 's/cut; here/cut\n here/' "$OUT/comments.s" >"$OUT/comments.wanted"
  "$TOOL" probes lower "$OUT/comments.s" -o "$OUT/comments.low.s" &&
    diff "$OUT/comments.wanted" "$OUT/comments.low.s"
}

lower_all() {
  arm="--target=thumbv7m-none-eabi"
  rv="--target=riscv32-none-elf -march=rv32imac"
  gas="arm-none-eabi-as -mcpu=cortex-m3"
  rvas="riscv64-unknown-elf-as -march=rv32imac"
  lowered "Thumb by clang" arm-clang "$CLANG" "$arm" "$CLANG $arm -c" \
    ld.lld-$LLVM_HOST work.cpp other.cpp
  lowered "Thumb by GNU as" arm-gas "$CLANG" "$arm" "$gas" \
    arm-none-eabi-ld work.cpp other.cpp
  lowered "Thumb by GNU as, clang 14's" arm-14 clang-14 "$arm" "$gas" \
    arm-none-eabi-ld work.c
  lowered "x86-64 by GNU as" x86 "$CLANG" "--target=x86_64-none-elf" as ld \
    work.cpp other.cpp
  lowered "AArch64 by clang 19" aarch64 clang-19 "--target=aarch64-none-elf" \
    "clang-19 --target=aarch64-none-elf -c" ld.lld-19 work.cpp other.cpp
  lowered "RISC-V by GNU as" riscv clang-19 "$rv -mno-relax" \
    "$rvas -mno-relax" "riscv64-unknown-elf-ld -m elf32lriscv" work.c
  HOW=--encoding=delta lowered "RISC-V without relaxation, as differences" \
    riscv-delta "$CLANG" "$rv -mno-relax" "$CLANG $rv -mno-relax -c" \
    ld.lld-$LLVM_HOST work.c
  check "probes lower: comments of Arm" comments "@"
  check "probes lower: comments of x86-64" comments "#" "movl %eax, %ebx"
  check "probes lower: comments of others" comments "//"
  check "probes lower: sentinels" sentinels
  check "probes lower: discriminators" discriminators
  check "probes lower: directives without attributes" oldest
}

# oldest_of SED-COMMANDS: directives without attributes, as in the first LLVM
# patches, become the same data.
oldest_of() {
  sed -E "$1" "$OUT/lowered/x86-work.cpp.s" >"$OUT/oldest.s"
  ! cmp -s "$OUT/lowered/x86-work.cpp.s" "$OUT/oldest.s" &&
    "$TOOL" probes lower "$OUT/oldest.s" -o "$OUT/oldest.low.s" &&
    cmp "$OUT/lowered/x86-work.cpp.low.s" "$OUT/oldest.low.s"
}

# Directives end with the function or, as in the first patches, without it; with
# callers and without.
oldest() {
  grep -q 'pseudoprobe.* 0 @' "$OUT/lowered/x86-work.cpp.s" || return 1
  oldest_of 's/(pseudoprobe.[0-9]+ [0-9]+ [0-9]+) 0/\1/' &&
    oldest_of 's/(pseudoprobe.[0-9]+ [0-9]+ [0-9]+) 0/\1/
      /pseudoprobe/s/ [_a-zA-Z][^ ]*$//'
}

# Inlined code without debug information of its caller has sentinels, and so has
# a part of a function.
sentinels() {
  UNCHECKED=yes $HERE/lowered sentinels "$CLANG" \
    "--target=x86_64-none-elf -g0" as ld work.c || return 1
  checked "inlined functions have no call site" "$OUT/lowered/sentinels.elf"
}

# clang prints discriminators, but does not read them.
discriminators() {
  $HERE/lowered fs "$CLANG" \
    "--target=x86_64-none-elf -mllvm -enable-fs-discriminator
    -fdebug-info-for-profiling" as ld work.c || return 1
  grep -q '"discriminator"' "$OUT/lowered/fs.elf.text" || {
    echo "there are none"
    return 1
  }
}

# Lowered probes are right after relaxation; llvm-profgen reads the same.
relaxed() {
  object=$OUT/relaxed
  target="--target=riscv32-none-elf -march=rv32imac"
  clang-$1 $target -O1 -g1 -gdwarf-4 -ffreestanding -ffunction-sections \
    -fpseudo-probe-for-profiling -fno-addrsig -S $HERE/relaxed.c \
    -o "$object.s" && "$TOOL" probes lower "$object.s" -o "$object.low.s" &&
    clang-$1 $target -c "$object.low.s" -o "$object.o" &&
    $2 -e _start "$object.o" -o "$object.elf" &&
    "$TOOL" probes --check "$object.elf" || return 1
  "$PROFGEN" --show-disassembly-only --show-pseudo-probe \
    --perfscript=/dev/null -o /dev/null --binary="$object.elf" \
    >"$OUT/profgen" 2>/dev/null
  "$TOOL" probes "$object.elf" >"$object.text"
  llvm-objdump-$LLVM_HOST -d "$object.elf" | "$TOOL" probes --annotate \
    "$object.elf" >"$object.annotated"
  # Each probe comes after a call: the compiler puts it at the instruction after
  # jal.
  grep '^ \[Probe\]' "$OUT/profgen" >"$OUT/profgen.probes"
  grep '^ \[Probe\]' "$object.annotated" | diff "$OUT/profgen.probes" - &&
    grep -q 'jal.*leaf' "$object.annotated" &&
    [ "$(wc -l <"$OUT/profgen.probes")" -ge 12 ]
}
