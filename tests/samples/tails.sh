# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares frames that tail calls leave out with QEMU's log, which shows each
# jump. `run` sources this file.

# ways_overlap TRUTH SEEN: prints the sum of each line's (WAY COUNT) lesser
# share.
ways_overlap() {
  awk '
    NR == FNR { truth[$1] = $2; all += $2; next }
    { seen[$1] += $2; sum += $2 }
    END {
      for (way in seen) {
        a = truth[way] / all; b = seen[way] / sum
        both += a < b ? a : b
      }
      printf "%.4f\n", both
    }' "$1" "$2"
}

# tail_entries PROFILE: prints WAY ENTRIES for each context.
tail_entries() {
  sed -n 's/^\[\(.*\)\]:[0-9]*:\([0-9]*\)$/\1 \2/p' "$1" |
    sed 's/:[0-9.]* @ /;/g'
}

# One of several chains of tail calls, or a jump through a register, is in no
# context.
not_guessed() {
  if tail_entries "$folder/tails.prof" | grep -E \
    'either;.*leaf|even;.*odd|odd;.*even|pointed;'; then
    return 1
  fi
  ! grep -E 'either;.*leaf|even;odd|pointed;' "$folder/tails.folded"
}

tails_taken() {
  $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" OUT="$folder" NAME=tails \
    SOURCES=tests/samples/tails.c SCRIPT=none FRAGMENT= \
    PROFILE="$probed $relax" CFLAGS_APP="-O2 -g1 -Wall -Wextra" || return 1
  "llvm-nm-$LLVM_HOST" "$folder/tails.elf" |
    awk 'tolower($2) == "t" { print tolower($1), $3 }' >"$folder/names"
  entry=$(awk '$2 == "main" { print $1 }' "$folder/names")
  tests/samples/log.sh "$board" "$folder/tails.elf" "$folder" |
    awk -v main="$entry" '$1 == main { on = 1 } on' >"$folder/steps"
  awk -f tests/samples/frames.awk "$folder/names" "$folder/steps" |
    grep '^main' >"$folder/truth"
  awk '{ print $1, $4 }' "$folder/truth" >"$folder/entered"
  awk '{ print $1 }' "$folder/names" |
    awk -v every=1 -f tests/samples/stacks.awk - "$folder/steps" \
      >"$folder/stacks"
  "$TOOL" samples --folded "$folder/tails.elf" "$folder/stacks" \
    -o "$folder/tails.folded" &&
    "$TOOL" samples --context "$folder/tails.elf" "$folder/stacks" \
      -o "$folder/tails.prof" 2>"$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  tail_entries "$folder/tails.prof" >"$folder/tails.entries"
}

tails_on() {
  board=$1 relax=$2 folder=$OUT/$1-tails
  mkdir -p "$folder"
  check "samples tails $board: firmware and samples" tails_taken || return
  check "samples tails $board: --folded has the frames of the log" \
    at_least 0.95 "$(ways_overlap "$folder/truth" "$folder/tails.folded")"
  check "samples tails $board: contexts have the entries of the log" \
    at_least 0.95 "$(ways_overlap "$folder/entered" "$folder/tails.entries")"
  for way in "main:2 @ workload:3 @ t2:4 @ t1:7 @ leaf" \
    "main:2 @ workload:4 @ t1:7 @ leaf" "main:2 @ workload:5 @ leaf"; do
    check "samples tails $board: $way" grep -qF "[$way]" "$folder/tails.prof"
  done
  check "samples tails $board: nothing is guessed" not_guessed
}

# With samples made by hand: after a veneer in between, and after a veneer of a
# tail call.
veneers() {
  cat >"$folder/far.ld" <<'END'
SECTIONS {
  .text 0x10000 : { *(.text) }
  .data : { *(.data* .bss*) }
  .apart 0x40000000 : { *(.text.apart) }
}
END
  "clang-$LLVM_HOST" --target="$1" -ffreestanding $probed -O2 -g1 \
    -c tests/samples/tails.c -o "$folder/far.o" &&
    "$2" -e main -T "$folder/far.ld" "$folder/far.o" -o "$folder/far.elf" \
      2>"$folder/said" || { one_line <"$folder/said"; return 1; }
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/far.elf" |
    awk '/^[0-9a-f]+ <workload>:/ { on = 1 }
      on && /bl.*<(to_apart|_.*apart.*)>/ { left = 2; to = $NF }
      on && left && !--left { sub(":", "", $1); print $1 }' >"$folder/behind"
  pc=$(address "$folder/far.elf" apart)
  while read -r behind; do echo "$pc $behind x50"; done <"$folder/behind" \
    >"$folder/far"
  "$TOOL" samples --folded "$folder/far.elf" "$folder/far" | sort
  "$TOOL" samples --context "$folder/far.elf" "$folder/far" 2>/dev/null |
    grep -o '^\[.* @ apart\]' | sort
}

all_veneers() {
  folder=$OUT/veneers
  mkdir -p "$folder"
  for row in thumbv7m-none-eabi/arm-none-eabi-ld armv7a-none-eabi/ld.lld-22 \
    ${FULL:+thumbv7m-none-eabi/ld.lld-22 \
      armv7a-none-eabi/arm-none-eabi-ld \
      aarch64-none-elf/ld.lld-22 aarch64-none-elf/aarch64-linux-gnu-ld \
      thumbv7m-none-eabi/ld.lld-14}; do
    have "${row#*/}" || { skip "samples tails $row" "no ${row#*/}"; continue; }
    equal "samples tails $row: veneers are no functions" \
      "workload;apart 50 workload;to_apart;apart 50 [workload:6 @ to_apart:2 @ apart] [workload:7 @ apart]" \
      "$(veneers "${row%/*}" "${row#*/}" | xargs)"
  done
}

# gcc splits off code before a cold call, and this part ends in a jump.
cold_tails() {
  cat >"$folder/cold.c" <<'END'
__attribute__((cold, noinline)) int report(int a) { return a * 3; }
__attribute__((noinline)) int check(int a) {
  if (__builtin_expect(a > 1000, 0)) {
    for (int i = 0; i < a; i++)
      __asm__ volatile("");
    return report(a + 5);
  }
  return a + 1;
}
int main(int count, char **words) { return check(count) + (words != 0); }
END
  gcc -O2 -g1 -nostdlib -static -e main "$folder/cold.c" \
    -o "$folder/cold.elf" >"$folder/said" 2>&1 ||
    { one_line <"$folder/said"; return 1; }
  behind=$("llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/cold.elf" |
    awk 'call { sub(":", "", $1); print $1; exit } /call.*<check>/ { call = 1 }')
  for name in report check.cold check; do
    echo "$(address "$folder/cold.elf" $name) 0 $behind x9"
  done >"$folder/cold"
  "$TOOL" samples --folded "$folder/cold.elf" "$folder/cold" | sort | xargs
}

# The high bits of saved return addresses are signatures.
signed_callers() {
  printf '%s\n' '.macro caller name, callee' '.globl \name' '\name:' \
    'stp x29, x30, [sp, #-16]!' 'bl \callee' '\name\()_after:' \
    'ldp x29, x30, [sp], #16' 'ret' '.type \name, %function' \
    '.size \name, . - \name' '.endm' 'caller inner, inner' \
    'caller middle, inner' 'caller outer, middle' >"$folder/signed.S"
  "clang-$LLVM_HOST" --target=aarch64-none-elf -c "$folder/signed.S" \
    -o "$folder/signed.o" &&
    "ld.lld-$LLVM_HOST" -e outer "$folder/signed.o" -o "$folder/signed.elf" \
      2>"$folder/said" || { one_line <"$folder/said"; return 1; }
  pc=$(address "$folder/signed.elf" inner)
  at=$(address "$folder/signed.elf" middle_after)
  from=$(address "$folder/signed.elf" outer_after)
  printf '%s 3a7f0000%08x x2\n%s 0 3a7f0000%08x 2bcd0012%08x x3\n' \
    "$pc" "0x$at" "$pc" "0x$at" "0x$from" >"$folder/signed"
  "$TOOL" samples --folded "$folder/signed.elf" "$folder/signed" | sort | xargs
}

boards_tails() {
  for board in "virt-riscv32 -mno-relax" "mps2-an385 "; do
    if why=$(lacks "board:${board% *}") && [ -n "$why" ]; then
      skip "samples tails $board" "$why"
    else
      tails_on "${board%% *}" "${board#* }"
    fi
  done
}

tails() {
  boards_tails
  all_veneers
  equal "samples tails: return addresses with signatures" \
    "middle;inner 2 outer;middle;inner 3" "$(signed_callers)"
  if have gcc; then
    equal "samples tails: split off code is of its function" \
      "main;check 9 main;check.cold 9 main;check;report 9" "$(cold_tails)"
  else
    skip "samples tails: split off code" "no gcc"
  fi
}
