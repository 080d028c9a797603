# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the target's part with hand-written sleds: the helpers of each
# architecture, the raw section through semihosting and frames, the linker
# fragments. `run` sources this file.
# shellcheck disable=SC2086 # Variables that hold several flags.

sleds="$HERE/sleds.S $HERE/registers.S"

# firmware NAME [FLAG...]: builds $folder/NAME.elf from NAME.c and the sleds;
# further arguments are variables for make.
firmware() {
  name=$1
  shift
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" NAME="$name" \
    SOURCES="${objects:-$HERE/$name.c $sleds}" \
    LDFLAGS_APP="--build-id ${more:-}" \
    FRAGMENT='INCLUDE bareprof-mip.ld' SCRIPT=none \
    CFLAGS_APP="-O1 -g -Wall -Wextra -Werror ${flags:-}" "$@"
}

# Builds the archive for a core without atomic instructions, which is linked
# before the board's.
library_without_a() {
  $MAKE -s lib BUILD="$OUT/no-a" LLVM=22 TARGET=riscv32-none-elf \
    LIB_FLAGS="-march=rv32imc -mabi=ilp32" >&2 &&
    echo "$OUT/no-a/llvm-22/riscv32-none-elf/libbareprof.a"
}

# Prints the signed distance of a symbol from the start of the raw section, as
# entries of a .mipret have it.
from_raw() {
  "llvm-nm-$LLVM_HOST" "$folder/target.elf" | awk -v name="$1" '
    function value(hex, i, sum) {
      for (i = 1; i <= length(hex); i++)
        sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
      return sum
    }
    $3 == name {at = value($1)}
    $3 == "__bareprof_mip_begin" {raw = value($1)}
    END {printf "%d", at - raw}'
}

# Prints the sorted edges of a file whose raw section has 6440 bytes: callee,
# return address, calls.
edges_of() {
  od -An -v -td4 -w4 ${endian:-} -j $((6440 + 32)) "$1" |
    awk '{printf "%s%s", $1, NR % 3 ? " " : "\n"}' | sort
}

# The four calls of sleds.S are in the table, with their counts; main has the
# other four entries.
edges_right() {
  for edge in "48 $(from_raw site_1) 1" "48 $(from_raw site_2) 5" \
    "56 $(from_raw site_3) 2" "80 $(from_raw site_4) 1"; do
    edges_of "$folder/written.mipraw" | grep -qx -- "$edge" ||
      { echo "no $edge"; edges_of "$folder/written.mipraw"; return 1; }
  done
}

# words FILE SKIP COUNT: prints 32-bit words of a file as decimals, after SKIP
# bytes.
words() {
  od -An -v -tu4 -w4 ${endian:-} -j "$2" -N $((4 * $3)) "$1" |
    awk '{printf "%s ", $1}'
}

# build_of ELF: prints the hash of its build id, computed here: FNV-1a from 0.
build_of() {
  hash=0
  for byte in $("llvm-readelf-$LLVM_HOST" -n "$1" |
    sed -n 's/.*Build ID: *//p' | sed 's/../0x& /g'); do
    hash=$((((hash ^ byte) * 16777619) & 4294967295))
  done
  echo "$hash"
}

# Compares the program's own view of memory with the sink's bytes, and with
# dumps as TEXT and BINARY.
judge() {
  rm -f "$folder"/memory "$folder"/written.mipraw "$folder"/size \
    "$folder"/seen*
  check "$label: runs" sh -c "targets/run $board $folder/target.elf $folder \
    </dev/null >$folder/uart"
  equal "$label: registers, flags, counts, times" "" \
    "$(grep -a '^wrong' "$folder/uart" | one_line)"
  [ -s "$folder/written.mipraw" ] || return
  check "$label: written is what is in memory" \
    cmp -n 6440 "$folder/memory" "$folder/written.mipraw"
  build=$(build_of "$folder/target.elf")
  equal "$label: its header" "1346981371 ${types% *} 1 0 $build 24 " \
    "$(words "$folder/memory" 0 6)"
  equal "$label: its size" "$(wc -c <"$folder/written.mipraw") " \
    "$(words "$folder/size" 0 1)"
  equal "$label: edges: header, used, lost" \
    "1346981371 ${types#* } 1 0 $build 24 8 4 " \
    "$(words "$folder/written.mipraw" 6440 8)"
  check "$label: edges are right" edges_right
  check "$label: received" "$BAREPROF" receive -q "$folder/uart" \
    -o "$folder/seen.profraw"
  check "$label: TEXT is what was written" \
    cmp "$folder/written.mipraw" "$folder/seen.mipraw"
  check "$label: BINARY is what was written" \
    cmp "$folder/written.mipraw" "$folder/seen-2.mipraw"
}

# row BOARD LLVM [HOW]
row() {
  board=$1 llvm=$2 how=${3-}
  label="mip $1 llvm-$2${how:+ $how}" endian=''
  wanted "$label" || return 0
  case $how-$board in
    gcc-virt-riscv*) with=riscv64-unknown-elf-gcc ;;
    gcc-*) with=arm-none-eabi-gcc ;;
    gnu-*) with=gnu:$board ;;
    *) with= ;;
  esac
  needs "$label" "llvm:$llvm" "board:$board" $with || return 0
  folder=$OUT/$1-$2${how:+-$how}
  mkdir -p "$folder"
  objects='' flags='' more='' linker=lld types="65544 262152"
  # Bytes in the target's order: version, then file type.
  case $board in
    *be) endian=--endian=big types="524289 524292" ;;
  esac
  case $how in
    gnu) linker=gnu ;;
    # Callers are in Thumb state, helpers are not.
    thumb) flags=-mthumb ;;
    # The archive's helpers are compiled for cores with atomic instructions.
    no-a) flags=-march=rv32imc more=$(library_without_a) ;;
    gcc) linker=gnu && gcc_objects || return ;;
  esac
  check "$label: builds" firmware target LINKER=$linker
  judge
}

# gcc compiles the program, clang the archive.
gcc_objects() {
  case $board in
    mps2-an385) cc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb" ;;
    virt-riscv32) cc="riscv64-unknown-elf-gcc -march=rv32imac_zicsr
      -mabi=ilp32 -mcmodel=medany" ;;
  esac
  for file in $HERE/target.c $sleds; do
    object=$folder/$(basename "$file").o
    $cc -Os -ffreestanding -Iinclude -Itargets -c "$file" -o "$object" || {
      not_ok "$label: compiles" "$cc"
      return 1
    }
    objects="$objects $object"
  done
}

# timer BOARD [HOW]: an interrupt calls what main calls.
timer() {
  board=$1 llvm=22 how=${2-}
  label="mip timer $1${how:+ $how}"
  folder=$OUT/timer-$1${how:+-$how}
  mkdir -p "$folder"
  needs "$label" "llvm:$llvm" "board:$board" || return 0
  objects='' flags='' more='' cpu=''
  [ "$how" != no-a ] || {
    flags=-march=rv32imc cpu="-cpu rv32,a=false" more=$(library_without_a)
  }
  check "$label: builds" firmware target_timer
  printed=$(targets/run "$board" "$folder/target_timer.elf" "$folder" \
    -icount shift=6 $cpu </dev/null)
  check "$label: there are interrupts" \
    test "$(echo "$printed" | sed -n 's/interrupts //p')" -gt 1000
  equal "$label: no call is lost" "address 0 index 0 edge 0 edges 0 " \
    "$(echo "$printed" | sed 1d | one_line)"
}

# cost: prints how many instructions helpers take on RV32.
cost() {
  board=virt-riscv32 llvm=22 label="mip cost"
  needs "$label" "llvm:$llvm" "board:$board" || return 0
  folder=$OUT/cost
  mkdir -p "$folder"
  objects='' flags='' more=''
  check "$label: builds" firmware target_cost
  targets/run "$board" "$folder/target_cost.elf" "$folder" -icount shift=0 \
    </dev/null >"$folder/cost"
  sed 's/^/# RV32 instructions, first call and later: /' "$folder/cost"
  check "$label: a counted call takes at most 40 instructions" \
    awk '$1 ~ /^count/ {n++; if ($3 > 40) exit 1} END {exit n != 2}' \
    "$folder/cost"
}

# served: dumps on request over a link that loses and damages frames.
served() {
  board=$1 llvm=22 label="mip request $1"
  needs "$label" "llvm:$llvm" "board:$board" || return 0
  folder=$OUT/request-$1 out=$OUT
  mkdir -p "$folder"
  objects='' flags='' more=''
  check "$label: builds" firmware target_server
  rm -f "$folder/reference"
  connect target_server tcp 50 frames -icount shift=6 &&
    await test -s "$folder/reference" ||
    { not_ok "$label" "it does not start"; return; }
  check "$label: received over a bad line" timeout 60 "$BAREPROF" receive -q \
    --port "$device" --request -o "$folder/seen.mipraw"
  check "$label: reset" timeout 30 "$BAREPROF" receive -q --port "$device" \
    --reset --request -o "$folder/reset.mipraw"
  disconnect
  check "$label: frames were lost" test "$(grep -c . "$folder/faults")" -gt 0
  check "$label: it is what was written" \
    cmp "$folder/reference" "$folder/seen.mipraw"
  equal "$label: after a reset only the header stands" \
    "1346981371 65544 1 0 $(build_of "$folder/target_server.elf") 24 " \
    "$(words "$folder/reset.mipraw" 0 6)"
  equal "$label: nothing else" "377 " \
    "$(od -An -v -to1 -w1 -j 24 -N 6416 "$folder/reset.mipraw" | sort -u |
      tr -d ' ' | one_line)"
}

# lines: runs each line of its input as a command.
lines() {
  while read -r line; do
    [ -z "$line" ] || $line </dev/null
  done
}

# Builds the libraries first, then runs two lists in parallel, and prints their
# results one after the other.
for row in "microbit 22" "mps2-an385 22" "virt-aarch64 22" \
  "virt-cortex-a15 22" "virt-cortex-a15be 22" "virt-aarch64be 22" \
  "virt-riscv32 22" "virt-riscv64 22" "mps2-an385 14" \
  "mps2-an385 19" "virt-riscv32 14"; do
  $MAKE -s firmware-library BOARD="${row% *}" LLVM="${row#* }" >/dev/null
done
. tests/wire/live.sh
$(host_cc) -O2 -D_POSIX_C_SOURCE=200809L \
  tests/wire/proxy.c -o "$OUT/proxy"
lines >"$OUT/first" 2>&1 <<'LINES' &
row microbit 22
row mps2-an385 22
row virt-aarch64 22
row virt-cortex-a15 22
row virt-cortex-a15be 22
row virt-aarch64be 22
row virt-riscv32 22
row virt-riscv64 22
row mps2-an385 14
row mps2-an385 19
row virt-riscv32 14
row virt-cortex-a15 22 thumb
row virt-cortex-a15be 22 thumb
row virt-riscv32 22 no-a
row mps2-an385 22 gcc
row virt-riscv32 22 gcc
timer virt-riscv32 no-a
served mps2-an385
LINES
lines <<LINES
timer microbit
${FULL:+timer mps2-an385}
${FULL:+timer virt-riscv32}
timer virt-riscv64
cost
. tests/mip/target_link.sh
. tests/mip/target_entries.sh
LINES
wait
cat "$OUT/first"
