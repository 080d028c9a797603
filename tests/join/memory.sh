# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Counts that were read from memory: RAM as a debugger saves it, ELF cores, bare
# counters; their sums; two images in one flash. `run` sources this file.

# await FILE TEXT: waits up to ten seconds for the text.
await() {
  for _ in $(seq 200); do
    grep -q "$2" "$1" 2>/dev/null && return
    sleep 0.05
  done
}

# Prints the address of a symbol in the monitor's form.
address() { "llvm-nm-$llvm" "$1" | awk -v n="$2" '$3 == n {print "0x" $1}'; }

# bounds IMAGE: prints the bounds of the memory that a debugger saves, up to the
# guard word.
bounds() {
  from=$(address "$1" __start___llvm_prf_cnts)
  size=$(($(address "$1" __bareprof_guard) + 8 - from))
  used=$(($(address "$1" __stop___llvm_prf_bits) - from))
}

# debug NAME: runs an image that stays, and saves its memory in three ways.
# QEMU 7.2 cannot do all of them everywhere: see memory.
debug() {
  rm -rf "${folder:?}/$1" && mkdir "$folder/$1" || return 1
  {
    await "$folder/$1/uart" done
    echo "pmemsave $from $size memory"
    echo "dump-guest-memory core $((from / 65536 * 65536)) 131072"
    (cd "$folder/$1" && timeout 20 gdb-multiarch -batch -nx ../$1.elf \
      -ex 'target remote gdb' -ex 'generate-core-file gdb.core' \
      -ex detach >gdb.log 2>&1)
    echo quit
  } | SERIAL=file:uart TIMEOUT=40 targets/run $board "$folder/$1.elf" \
    "$folder/$1" -gdb unix:gdb,server=on,wait=off -chardev stdio,id=monitor \
    -mon monitor >"$folder/$1/monitor" 2>&1
  receive "$1" && join "$folder/expected" "$folder/$1.elf" \
    "$folder/$1/2.bpdump"
}

# as_expected ELF INPUT...: joins, and compares with $folder/expected.
as_expected() {
  join "$folder/joined" "$@" && cmp "$folder/expected" "$folder/joined"
}

bare() {
  head -c $used "$folder/lean/memory" >"$folder/bare"
  as_expected "$folder/lean.elf" "$folder/bare"
}

# Without the guard word behind them, the counts must be possible.
never_cleared() {
  head -c $used /dev/zero | tr '\0' '\245' >"$folder/poison"
  refused "above 2^48" "$folder/lean.elf" "$folder/poison"
}

# The guard word follows, as the GDB script saves it.
with_guard() { as_expected "$folder/lean.elf" "$folder/lean/memory"; }

no_guard() {
  head -c $((size - 8)) "$folder/lean/memory" >"$folder/unset" &&
    printf '\0\0\0\0\0\0\0\0' >>"$folder/unset" || return 1
  for input in "$folder/unset" "--memory=$folder/unset@$from"; do
    refused "lacks this ELF's guard" "$folder/lean.elf" "$input" || return 1
  done
}

too_short() {
  head -c $((used - 1)) "$folder/lean/memory" >"$folder/short"
  refused "lacks some" "$folder/lean.elf" "$folder/short" &&
    refused "lacks some" "$folder/lean.elf" \
      -m "$folder/lean/memory@$((from + 8))" &&
    refused "lacks some" "$folder/lean.elf" \
      -m "$folder/lean/memory@$((from - 1000))" &&
    refused "lacks some" "$folder/lean.elf" -m /dev/null@$from
}

# The code is the same, but the core shows another build id.
core_of_other() {
  extra="$extra --build-id=0x123456"
  firmware other lean "$profile" -DSTAY &&
    refused "build id does not match" "$folder/other.elf" "$folder/lean/gdb.core"
}

memory() {
  check "$label: builds" firmware lean lean "$profile" -DSTAY
  bounds "$folder/lean.elf"
  check "$label: is debugged" debug lean
  # QEMU shows another memory of a micro:bit than its CPU sees.
  if [ $board != microbit ]; then
    check "$label: --memory of pmemsave" as_expected "$folder/lean.elf" \
      -m "$folder/lean/memory@$from"
    check "$label: bare counters" bare
    check "$label: bare counters that were never cleared" never_cleared
    check "$label: the guard behind them" with_guard
    check "$label: a guard that nobody has set" no_guard
    check "$label: what is not all of it" too_short
  fi
  if [ $board != microbit ]; then
    check "$label: a core of QEMU" as_expected "$folder/lean.elf" \
      "$folder/lean/core"
  fi
  if have gdb-multiarch; then
    check "$label: a core of gdb" as_expected "$folder/lean.elf" \
      "$folder/lean/gdb.core"
    check "$label: a core of another build" core_of_other
  else
    skip "$label: a core of gdb" "no gdb-multiarch"
  fi
}

# ---- values ----

# Values are in .bss: a core has .bss, bare counters do not.
no_values() {
  said=$(join "$folder/joined" "$folder/lean.elf" "$folder/lean/memory" 2>&1) ||
    { echo "$said"; return 1; }
  case $said in
  *"lacks value slots"*) ;;
  *) echo "it says: $said"; return 1 ;;
  esac
  text_of "$folder/joined" >"$folder/text" &&
    grep -q 'Block counts: \[60\]' "$folder/text" &&
    ! grep '^	\[' "$folder/text"
}

# bareprof extract keeps the parts of the ELF that join needs for memory.
extracted() {
  "$BAREPROF" extract "$folder/lean.elf" -o "$folder/slim.elf" >/dev/null &&
    join "$folder/joined" "$folder/slim.elf" "$folder/lean/core" &&
    "$out/compare" "$folder/expected" "$folder/joined"
}

values() {
  for machine in mps2-an385 virt-riscv64; do
    use $machine 22 lld ir-values
    is="$label: $machine"
    needs "$is" board:$machine || continue
    check "$is: builds" firmware lean lean "$profile" -DSTAY
    bounds "$folder/lean.elf"
    check "$is: is debugged" debug lean
    check "$is: a core of QEMU" as_expected "$folder/lean.elf" \
      "$folder/lean/core"
    check "$is: bare counters have no values" no_values
    check "$is: an ELF by bareprof extract" extracted
  done
}

# ---- sums ----

# repeat OCTAL BYTES: prints a byte, given in octal, this many times.
repeat() { head -c "$2" /dev/zero | tr '\0' "\\$1"; }

saturated() {
  bounds "$folder/lean.elf"
  counters=$(($(address "$folder/lean.elf" __stop___llvm_prf_cnts) - from))
  # The guard word says that the counters are right.
  guard=$((~(from + counters)))
  { repeat 000 $((size - 8 - used)) && for shift in 0 8 16 24; do
      repeat "$(printf '%03o' $((guard >> shift & 255)))" 1
    done && repeat 000 4; } >"$folder/guard"
  { repeat 377 $used && cat "$folder/guard"; } >"$folder/most"
  { repeat 200 $counters && repeat 377 $((used - counters)) &&
    cat "$folder/guard"; } >"$folder/half"
  join "$folder/expected" "$folder/lean.elf" "$folder/most" &&
    as_expected "$folder/lean.elf" "$folder/half" "$folder/half" &&
    as_expected "$folder/lean.elf" "$folder/1.bpdump" "$folder/most" \
      "$folder/half"
}

# Code is covered if one of two dumps covers it: 0 is covered, 0xFF is not.
united() {
  bounds "$folder/lean.elf"
  awk -v n=$used 'BEGIN { while (n--) printf "\\000\\377" }' >"$folder/format"
  printf "$(cat "$folder/format")" | head -c $used >"$folder/even"
  printf "$(cat "$folder/format")" | tail -c +2 |
    head -c $used >"$folder/odd"
  repeat 000 $used >"$folder/all"
  join "$folder/expected" "$folder/lean.elf" "$folder/all" &&
    as_expected "$folder/lean.elf" "$folder/even" "$folder/odd" &&
    ! as_expected "$folder/lean.elf" "$folder/even" "$folder/even" >/dev/null
}

sums() {
  check "$label: builds" firmware lean lean
  check "$label: runs" start lean
  mv "$folder/lean/1.bpdump" "$folder/lean/2.bpdump" "$folder"
  check "$label: saturated counters stay so" saturated
  use mps2-an385 22 lld single-byte
  check "$label: bytes: builds" firmware lean lean
  check "$label: bytes: what one of two covers is covered" united
}

# ---- a boot loader and its application ----

# Two images are in one flash, each with its own ELF and counters. The
# application is linked for the second MB of flash and of RAM.
loader() {
  sed 's/0x00000000, LENGTH = 4M/0x00100000, LENGTH = 1M/
    s/0x20000000, LENGTH = 4M/0x20100000, LENGTH = 1M/' \
    targets/$board/board.ld >"$folder/application.ld"
  check "$label: builds" firmware boot lean "$profile" -DNEXT=0x00100000
  check "$label: builds the application" firmware application lean \
    "$profile" "-DIMAGE=1 -DFIRST=3" BOARD_SCRIPT="$folder/application.ld"
  check "$label: runs" loader_runs
  for image in boot application; do
    check "$label: $image" loader_image $image
  done
  check "$label: their dumps are not mixed up" refused "build id does not match" \
    "$folder/application.elf" "$folder/boot/1.bpdump"
}

loader_runs() {
  rm -rf "$folder/boot" && mkdir "$folder/boot" || return 1
  said=$(targets/run $board "$folder/boot.elf" "$folder/boot" \
    -device loader,file=../application.elf </dev/null 2>&1)
  [ "$said" = "$(printf 'done\ndone')" ] || { echo "$said"; return 1; }
  receive boot
}

# The first dump of each image counts its functions once.
loader_image() {
  dump=1
  [ $1 = application ] && dump=3
  join "$folder/$1.profraw" "$folder/$1.elf" "$folder/boot/$dump.bpdump" &&
    text_of "$folder/$1.profraw" >"$folder/text" &&
    grep -q 'Total functions: 8$' "$folder/text" &&
    grep -q 'Maximum function count: 7$' "$folder/text" ||
    { one_line <"$folder/text"; return 1; }
}
