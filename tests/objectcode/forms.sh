# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Tests other kinds of ELFs: DWARF 2 to 5, RISC-V without mapping symbols, a C
# library without debug information, C++.

# by_dwarf LEVEL: lines and their counts do not depend on DWARF's version.
by_dwarf() {
  for form in 2 3 4 5 '4 -gstrict-dwarf' '5 -gdwarf64' '5 -gas-loc'; do
    gcc_more="-gdwarf-$form"
    case $form in
      *as-loc) gcc_more='-gdwarf-5 -gno-as-loc-support' ;;
    esac
    steps mps2-an385 22 "$1" gcc || return 1
    sed -n '/^SF.*main.c/,/^end/p' "$folder/info" | grep ^DA >"$out/lines"
    [ "$form" = 2 ] || cmp "$out/lines.before" "$out/lines" ||
      { echo "DWARF $form"; diff "$out/lines.before" "$out/lines" | head -n 4
        return 1; }
    mv "$out/lines" "$out/lines.before"
  done
  at_least 30 "$(wc -l <"$out/lines.before")"
}
for level in -Os ${FULL:+-O0}; do
  label="objectcode: DWARF 2 to 5, gcc $level"
  wanted "$label" || continue
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-gcc || continue
  check "$label" by_dwarf $level
  gcc_more=''
done

# unmarked LEVEL: gcc's ELF without mapping symbols.
unmarked() {
  steps virt-riscv32 22 "$1" gcc &&
    llvm-objcopy-22 --wildcard --strip-symbol='$*' "$elf" || return 1
  [ "$(llvm-nm-22 -a "$elf" | grep -c ' \$')" = 0 ] || return 1
  together virt-riscv32 trap_entry
}
for level in -Os ${FULL:+-O0 -O2}; do
  label="objectcode: RISC-V without mapping symbols, gcc $level"
  wanted "$label" || continue
  needs "$label" llvm:22 board:virt-riscv32 riscv64-unknown-elf-gcc || continue
  check "$label" unmarked $level
done

# A library's functions have instructions but no lines: the list and the numbers
# of all code include them, the table and limits do not.
library() {
  steps mps2-an385 22 -O0 || return 1
  objects=$folder folder=$out/$1 elf=$out/$1/main.elf
  mkdir -p "$folder"
  cat >"$folder/uses.c" <<'C'
#include <string.h>
static volatile char text[40] = "one two";
int main(void) {
  return strlen((const char *)text) + (strchr((char *)text, 't') != 0) != 8;
}
C
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -fno-builtin -O0 -g -c \
    "$folder/uses.c" -o "$folder/uses.o" &&
    llvm-objcopy-22 --strip-debug "$2" "$folder/libc.a" &&
    ld.lld-22 -z norelro -L "$objects/main.objects" -L targets \
      -L linker-scripts -T targets/mps2-an385/board.ld --gc-sections \
      $(find "$BUILD/llvm-22/boards/mps2-an385-lld" -name '*.o') \
      "$folder/uses.o" "$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a" \
      "$folder/libc.a" -o "$elf" || return 1
  "$bareprof" run --trace "$elf" -o "$folder/report" --include 'uses\.c' \
    --fail-under lines=100,functions=100 -- targets/run mps2-an385 "$elf" \
    "$folder" >"$folder/table" 2>&1 </dev/null || { cat "$folder/table"; return 1; }
  awk -F '\t' '$6 == "strlen" && $3 { ran++; lines += $8 != "" }
    END { if (!ran || lines) print ran + 0, lines + 0; exit !ran || lines }' \
    "$folder/report/objectcode.tsv" && ! grep -q '^strlen' "$folder/table"
}
for row in \
  "newlib $(arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -print-file-name=libc.a \
    2>/dev/null)" \
  "picolibc /usr/lib/picolibc/arm-none-eabi/lib/thumb/v7-m/nofp/libc.a"; do
  label="objectcode: a C library without debug information, ${row% *}"
  wanted "$label" || continue
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-gcc "${row#* }" || continue
  check "$label" library "${row% *}" "${row#* }"
done

# shaped COMPILER: gcov on the host has the same lines of C++.
shaped() {
  steps mps2-an385 22 -O0 || return 1
  objects=$folder folder=$out/shaped-$1 elf=$out/shaped-$1/main.elf
  mkdir -p "$folder"
  compiler=arm-none-eabi-g++
  [ "$1" = gcc ] || compiler="clang-22 --target=thumbv7m-none-eabi"
  # shellcheck disable=SC2046,SC2086 # Several words.
  $compiler -mcpu=cortex-m3 -mthumb -ffreestanding -fno-exceptions -fno-rtti \
    -O0 -g -c $here/shapes.cpp -o "$folder/shapes.o" &&
    printf '%s\n' 'void __cxa_pure_virtual(void) {}' |
      clang-22 --target=thumbv7m-none-eabi -x c -c - -o "$folder/pure.o" &&
    ld.lld-22 -z norelro -L "$objects/main.objects" -L targets \
      -L linker-scripts -T targets/mps2-an385/board.ld --gc-sections \
      $(find "$BUILD/llvm-22/boards/mps2-an385-lld" -name '*.o') \
      "$folder/shapes.o" "$folder/pure.o" \
      "$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a" -o "$elf" || return 1
  (cd "$folder" && cp "$OLDPWD/$here/shapes.cpp" . &&
    g++ -O0 --coverage -fno-exceptions -fno-rtti shapes.cpp -o host && ./host &&
    gcov -t host-shapes.gcda 2>/dev/null) | awk -F : '
      $3 == "Source" { file = $4 }
      { gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/[*]$/, "", $1) }
      file == "shapes.cpp" && $2 + 0 && $1 != "-" && !($2 in seen) {
        seen[$2]; print $2, $1 + 0 }' >"$folder/reference"
  "$bareprof" run --trace "$elf" -o "$folder/report" --lcov "$folder/info" \
    --uncovered --include 'shapes\.cpp' -- targets/run mps2-an385 "$elf" \
    "$folder" >"$folder/table" </dev/null || return 1
  grep -q 'shapes.cpp:[0-9]* never(unsigned int)$' "$folder/table" ||
    { cat "$folder/table"; return 1; }
  awk -F '[:, ]' '
    NR == FNR { known[$1] = $2; next }
    /^DA/ && ($2 in known) {
      lines++
      if (!known[$2] != !$3) { print "line " $2 ": " $3 ", gcov " known[$2]; bad++ }
    }
    END { if (lines < 30) print lines + 0 " lines"; exit bad || lines < 30 }' \
    "$folder/reference" "$folder/info"
}
for compiler in gcc clang; do
  label="objectcode: lines of C++ are those of gcov, $compiler"
  wanted "$label" || continue
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-g++ gcov || continue
  check "$label" shaped $compiler
done

# shared_encodings ARCH FEATURES LEAST: each encoding that c.fsdsp, Zcmp and Zcmt share is what
# llvm-objdump makes of the same ELF, by its attributes.
shared_encodings() {
  awk -v arch="$1" 'BEGIN {
    if (arch != "") printf "\t.attribute arch, \"%s\"\n", arch
    for (i = 0; i < 2048; i++) printf "\t.insn 2, %d\n", 40962 + 4 * i }' \
    >"$out/halves.s"
  "llvm-mc-$LLVM_HOST" --triple=riscv32 --mattr="$2" --filetype=obj \
    "$out/halves.s" -o "$out/halves.o" &&
    "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$out/halves.o" | awk '
      BEGIN {
        what["cm.push"] = "plain stores saves"
        what["cm.pop"] = "plain loads restores"
        what["cm.popret"] = "branch returns loads restores"
        what["cm.popretz"] = what["cm.popret"]
        what["cm.mvsa01"] = what["cm.mva01s"] = "plain"
        what["cm.jt"] = "branch"
        what["cm.jalt"] = "call"
        what["fsd"] = what["c.fsdsp"] = "plain stores"
      }
      /^ *[0-9a-f]+:/ {
        sub(/:/, "", $1)
        print $1, $2 in what ? what[$2] : "unknown"
      }' >"$out/halves.theirs"
  tool_program "$out/halves" address,undefined $here/halves.c &&
    "$out/halves" "$out/halves.o" >"$out/halves.ours" || return 1
  cmp "$out/halves.theirs" "$out/halves.ours" || {
    diff "$out/halves.theirs" "$out/halves.ours" | head -n 4
    return 1
  }
  at_least "$3" "$(grep -vc unknown "$out/halves.ours")"
}
# The loads and stores of Zcb.
bytes_and_halfwords() {
  printf '\t%s\n' '.attribute arch, "rv32i2p1_zca1p0_zcb1p0"' \
    'c.lbu a0, 3(a1)' 'c.lhu a2, 2(a3)' 'c.lh a4, 0(a5)' 'c.sb s0, 1(s1)' \
    'c.sh a0, 2(a1)' >"$out/zcb.s"
  "llvm-mc-$LLVM_HOST" --triple=riscv32 --mattr=+zca,+zcb --filetype=obj \
    "$out/zcb.s" -o "$out/zcb.o" &&
    tool_program "$out/halves" address,undefined $here/halves.c || return 1
  said=$("$out/halves" "$out/zcb.o" | cut -d ' ' -f 2- | uniq -c | xargs)
  [ "$said" = "3 plain loads 2 plain stores" ] || { echo "$said"; return 1; }
}
# Instructions of A32 that look like a load or a sum to the register pc, then
# some that branch.
looks_like_pc() {
  printf '\t%s\n' nop wfi 'msr cpsr_c, r0' 'msr cpsr_c, #16' \
    'sdiv r0, r1, r2' 'udivne r0, r1, r2' 'smmul r0, r1, r2' 'mov pc, lr' \
    'ldr pc, [r0, r1, lsl #2]' 'rfeia sp!' >"$out/a32.s"
  "llvm-mc-$LLVM_HOST" --triple=armv7a-none-eabi --mattr=+hwdiv-arm \
    --filetype=obj "$out/a32.s" -o "$out/a32.o" &&
    tool_program "$out/halves" address,undefined $here/halves.c || return 1
  said=$("$out/halves" "$out/a32.o" | cut -d ' ' -f 2- | uniq -c | xargs)
  [ "$said" = "7 plain 1 branch returns 1 branch loads 1 branch" ] ||
    { echo "$said"; return 1; }
}
label="objectcode: branches of A32"
wanted "$label" && check "$label" looks_like_pc

label="objectcode: Zcb's loads and stores"
wanted "$label" && check "$label" bytes_and_halfwords

label="objectcode: what c.fsdsp shares its encodings with"
if wanted "$label"; then
  for row in rv32i2p1_zca1p0_zcmp1p0,+zcmp,320 rv32i2p1_zca1p0_zcmt1p0,+zcmt,256 \
    rv32i2p1_zca1p0_zcmp1p0_zcmt1p0,+zcmp,576 rv32i2p1_f2p2_d2p2_c2p0,+c,2048 \
    rv32gc,+c,2048 rv32i2p1_f2p2_c2p0,+c,0 ,+c,0; do
    check "$label, ${row%,*}" shared_encodings "${row%%,*}" \
      "$(echo "$row" | cut -d , -f 2)" "${row##*,}"
  done
fi
