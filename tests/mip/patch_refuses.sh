# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof mip patch`: functions that it skips with a message, images that it
# rejects, and what happens to files. A part of patch.sh.
odd=$patch_out/odd

# odd_build NAME COMPILER...: builds NAME.elf from patch_odd.c.
odd_build() {
  odd_name=$1
  shift
  case $1 in clang*) odd_ld="-fuse-ld=lld" ;; *) odd_ld= ;; esac
  "$@" $odd_ld -Os -ffreestanding -nostdlib -fpatchable-function-entry=4 \
    -Wl,-z,norelro -Wl,--build-id=none -T $patch_here/patch_odd.ld \
    $patch_here/patch_odd.c -o "$odd/$odd_name.elf"
}

# Prints the log without addresses.
odd_log() {
  "$BAREPROF" mip patch "$odd/$1.elf" "--$2" -o "$odd/out.elf" \
    --log "$odd/log" || return 1
  sed 's/^0x[0-9a-f]* //' "$odd/log" | grep -v 'start\|^[0-9]'
}

riscv_gcc="riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32 -DROOM=100"
arm_gcc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -DROOM=100"
mkdir -p "$odd"
check "patch odd: RISC-V builds" odd_build riscv $riscv_gcc -DFAR
equal "patch odd: RISC-V, what is left alone" "\
bareprof_made_up: part of bareprof
bareprof_mip_count_index: no nops at its entry
far: no helper of bareprof in reach
handler: interrupt handler, in which no register is free
none: no nops at its entry
one: too few nops: 2 bytes of 8
table: data, by its mapping symbol
unsized: size 0, as of assembly without .size" "$(odd_log riscv counts | sort)"

# Code has no mapping symbols, as from clang 17 and earlier, except one in a
# section that is not loaded, at address 0.
odd_unloaded() {
  "llvm-objcopy-$LLVM_HOST" --wildcard --strip-symbol='$*' "$odd/riscv.elf" \
    "$odd/unmarked.elf" &&
    "llvm-objcopy-$LLVM_HOST" --add-symbol '$d=.comment:0,local' \
      "$odd/unmarked.elf" "$odd/marked.elf" &&
    "$BAREPROF" mip patch "$odd/unmarked.elf" -o "$odd/unmarked.out" \
      >"$odd/said" &&
    "$BAREPROF" mip patch "$odd/marked.elf" -o "$odd/marked.out" |
    cmp - "$odd/said" && grep -q '^[1-9][0-9]* function' "$odd/said"
}
check "patch odd: RISC-V, a mark of what is not loaded" odd_unloaded
check "patch odd: Thumb builds" odd_build thumb $arm_gcc -DFAR
equal "patch odd: Thumb, what is left alone" "\
bareprof_made_up: part of bareprof
bareprof_mip_count_index: no nops at its entry
far: no helper of bareprof in reach
inner.0: may be a nested function, whose static chain is in ip
none: no nops at its entry
one: too few nops: 2 bytes of 8
table: data, by its mapping symbol
unsized: size 0, as of assembly without .size" \
  "$(odd_log thumb counts | sed 's/^inner\.[0-9]*/inner.0/' | sort)"

# patch --coverage prints the same as patch without options.
odd_default() {
  for mode in "" --coverage --counts; do
    # shellcheck disable=SC2086 # One option, or none.
    "$BAREPROF" mip patch --unit one $mode "$odd/thumb.elf" \
      -o "$odd/default$mode.elf" >"$odd/said" || return 1
  done
  cmp "$odd/default.elf" "$odd/default--coverage.elf" &&
    ! cmp -s "$odd/default.elf" "$odd/default--counts.elf"
}
check "patch odd: --coverage is the default" odd_default

# odd_symbol FILE NAME: prints its value.
odd_symbol() {
  echo $((0x$(llvm-nm-"$LLVM_HOST" "$odd/$1.elf" |
    awk -v name="$2" '$3 == name { print $1 }')))
}

# Sleds use a direct store, if one fits, to the byte after the header.
odd_code() {
  "$BAREPROF" mip patch "$odd/$1.elf" --function=good -o "$odd/out.elf" \
    >"$odd/said" && "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn \
    --disassemble-symbols=good "$odd/out.elf" |
    awk '/^ / { sub(/^[^:]*:/, ""); sub(/[@<].*/, ""); $1 = $1; print }' |
    head -2 | one_line
}
raw=$(($(odd_symbol thumb __bareprof_mip_begin) + 24))
equal "patch odd: Thumb, a store" "$(printf \
  'mov.w r12, #0x20000000 strb.w r12, [r12, #0x%x] ' $((raw - 0x20000000)))" \
  "$(odd_code thumb)"
raw=$(($(odd_symbol riscv __bareprof_mip_begin) + 24))
equal "patch odd: RISC-V, a store" "$(printf \
  'lui t1, 0x%x sb zero, 0x%x(t1) ' $((raw >> 12)) $((raw & 2047)))" \
  "$(odd_code riscv)"

# ---- what is refused ----

# refused LABEL TEXT ARGUMENTS...: expects one line with TEXT, and no output.
refused() {
  refused_label=$1 refused_text=$2
  shift 2
  rm -f "$odd/out.elf"
  refused_said=$("$BAREPROF" mip patch "$@" -o "$odd/out.elf" 2>&1)
  refused_status=$?
  case $refused_status-$(printf '%s\n' "$refused_said" | wc -l)-$refused_said in
    "1-1-bareprof: "*"$refused_text"*)
      if [ -e "$odd/out.elf" ]; then
        not_ok "patch refuses $refused_label" "there is an output"
      else
        ok "patch refuses $refused_label"
      fi
      ;;
    *) not_ok "patch refuses $refused_label" "$refused_status $refused_said" ;;
  esac
}

odd_small() { odd_build small ${arm_gcc%-D*} -DROOM=1; }
check "patch odd: little room builds" odd_small
refused "too little room, with what is needed" "BAREPROF_MIP_ROOM(32)" \
  "$odd/small.elf" --counts
refused "edges without a table" "write BAREPROF_MIP_EDGES" "$odd/thumb.elf" \
  --edges
refused "samples without a table" "write BAREPROF_MIP_SAMPLED" \
  "$odd/thumb.elf" --sampled
refused "what has no such function" "no function with this name" \
  "$odd/thumb.elf" --function=nobody
refused "only what has no nops" "no nops at its entry" "$odd/thumb.elf" \
  --function=none
arm-none-eabi-strip -o "$odd/stripped.elf" "$odd/thumb.elf"
refused "a stripped one" "no symbols" "$odd/stripped.elf"
$arm_gcc -c -Os $patch_here/patch_odd.c -o "$odd/odd.o"
refused "an object" "this is an object" "$odd/odd.o"
"$BAREPROF" mip patch "$odd/thumb.elf" -o "$odd/patched.elf" >"$odd/said"
arm-none-eabi-strip -g -o "$odd/changed.elf" "$odd/patched.elf"
refused "what strip has changed since" "the ELF was changed after" \
  "$odd/changed.elf" --plain
cp "$odd/patched.elf" "$odd/byte.elf"
printf X | dd of="$odd/byte.elf" bs=1 seek=64 conv=notrunc 2>"$odd/said"
refused "what has another byte since" "the ELF was changed after" \
  "$odd/byte.elf" --plain
head -c 900 "$odd/thumb.elf" >"$odd/cut.elf"
refused "a file cut short" "is truncated" "$odd/cut.elf"
: >"$odd/empty"
refused "an empty list" "the list names no function" "$odd/thumb.elf" \
  --list "$odd/empty"

# ---- choices and files ----

odd_patched() {
  "$BAREPROF" mip patch "$odd/thumb.elf" "$@" -o "$odd/out.elf" \
    --log "$odd/log" && tail -1 "$odd/log" | sed 's/ patched.*//'
}
printf 'one\r\ngood\nnobody\n' >"$odd/list"
equal "patch: functions of a list" "1 function" \
  "$(odd_patched --list "$odd/list")"
equal "patch: by a list and a text" "2 functions" \
  "$(odd_patched --list "$odd/list" --function=oute)"

odd_again() {
  for odd_mode in counts coverage counts; do
    "$BAREPROF" mip patch "$odd/again.elf" --$odd_mode --unit a.out \
      -o "$odd/next.elf" >"$odd/said" && mv "$odd/next.elf" "$odd/again.elf" ||
      return 1
  done
  "$BAREPROF" mip patch "$odd/thumb.elf" --counts --unit a.out \
    -o "$odd/out.elf" --map "$odd/map" >"$odd/said" &&
    cmp "$odd/out.elf" "$odd/again.elf"
}
cp "$odd/thumb.elf" "$odd/again.elf"
check "patch: again and again is patched once" odd_again
equal "patch: the hash of a.out, in map, unit and the section" \
  "5dea70ff 5dea70ff same" "$(
    od -An -tx1 -j12 -N4 "$odd/map" | tr -d ' \n'
    printf ' '
    "llvm-objcopy-$LLVM_HOST" -O binary -j .text "$odd/out.elf" "$odd/text"
    unit=$(odd_symbol out bareprof_mip_unit)
    od -An -tx1 -j$((unit - 0x10000 + 4)) -N4 "$odd/text" | tr -d ' \n'
    "llvm-objcopy-$LLVM_HOST" --dump-section=__llvm_mipmap="$odd/section" \
      "$odd/out.elf" "$odd/copied"
    cmp "$odd/section" "$odd/map" && echo " same")"
odd_mode_of() {
  chmod 750 "$odd/thumb.elf"
  rm -f "$odd/out.elf"
  "$BAREPROF" mip patch "$odd/thumb.elf" -o "$odd/out.elf" >"$odd/said"
  stat -c %a "$odd/out.elf"
}
equal "patch: rights as those of the input" 750 "$(odd_mode_of)"
equal "patch: nothing of it is loaded" \
  "$(llvm-readelf-"$LLVM_HOST" -l "$odd/thumb.elf" | grep LOAD)" \
  "$(llvm-readelf-"$LLVM_HOST" -l "$odd/out.elf" | grep LOAD)"
