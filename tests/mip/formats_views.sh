# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the output of `bareprof mip` for images with llvm-symbolizer,
# llvm-profdata and linkers. formats.sh sources this file.

# ---- images ----

build_image() {
  "clang-$LLVM_HOST" --target="$1" $3 -g -O0 -ffreestanding -c $HERE/places.c \
    -o "$WORK/$2.o" &&
    "ld.lld-$LLVM_HOST" --section-start=__llvm_mipraw=0x20000000 \
      -Ttext=0x210000 "$WORK/$2.o" -o "$WORK/$2.elf"
}

address() {
  "llvm-nm-$LLVM_HOST" "$WORK/$1.elf" | awk -v name="$2" \
    '$3 == name { print "0x" $1 }'
}

# line IMAGE ADDRESS: file:line as llvm-symbolizer has it.
line() {
  "llvm-symbolizer-$LLVM_HOST" --obj="$WORK/$1.elf" --no-inlines "$2" |
    sed -n '2s/:[0-9]*$//p'
}

# Two runs of an image, and the calls of the second.
send() {
  hex "$WORK/$1.1" "$(counts 5 2 7 1 -1 -1 00 FF)"
  hex "$WORK/$1.2" "$(counts 3 4 -1 -1 -1 -1 FF 02)" 00000000 \
    FB4D4950 0800 0400 10000000 $TAIL 04000000 02000000 \
    18000000 "$(le32 $((choose + 20 + $2 - 0x20000000)))" 01000000 \
    18000000 "$(le32 $((choose + 12 + $2 - 0x20000000)))" 02000000 \
    20000000 "$(le32 $((outside + 8 + $2 - 0x20000000)))" 06000000 \
    20000000 "$(le32 $((0x7000 - 0x20000000)))" 01000000
  $MIP create "$WORK/$1.elf" -o "$WORK/$1.empty" &&
    $MIP merge --any-build "$WORK/$1.empty" "$WORK/$1.1" "$WORK/$1.2" \
      -o "$WORK/$1.mip"
}

shown() {
  cat <<EOF
calls runs order blocks address bytes function
8 2 3.0 1/1 $(hex_address "$1" helper) 12 helper $(line_of "$1" helper)
2 from $(printf 0x%08x $((choose + 12))) in choose $(line "$1" $((choose + 11)))
1 from $(printf 0x%08x $((choose + 20))) in choose $(line "$1" $((choose + 19)))
7 1 1.0 3/3 $(hex_address "$1" choose) 40 choose $(line_of "$1" choose)
block +$(printf 0x%x $(($(address "$1" choose_then) - choose))) ran $then
block +$(printf 0x%x $(($(address "$1" choose_else) - choose))) ran $else
1 from 0x00007000
6 from $(printf 0x%08x $((outside + 8))) in outside \
$(line "$1" $((outside + 7)))
0 0 - 0/1 $(hex_address "$1" unused) 8 unused $(line_of "$1" unused)
calls that found no room in the target's table: 2
EOF
}

hex_address() { printf 0x%08x "$(address "$1" "$2")"; }
line_of() { line "$1" "$(address "$1" "$2")"; }

squeeze() { sed 's/^ *//; s/  */ /g'; }

show_image() {
  shown "$1" >"$WORK/$1.expected"
  $MIP show "$WORK/$1.mip" --elf "$WORK/$1.elf" >"$WORK/$1.table" || return 1
  squeeze <"$WORK/$1.table" | diff "$WORK/$1.expected" -
}

show_edges() {
  $MIP edges "$WORK/$1.mip" --elf "$WORK/$1.elf" | squeeze >"$WORK/edges" &&
    diff - "$WORK/edges" <<'EOF' || return 1
6 outside -> choose
3 choose -> helper
1 0x00007000 -> choose
# calls that found no room in the target's table: 2
EOF
  $MIP edges "$WORK/$1.mip" --dot | grep -c -x \
    -e 'digraph calls {' -e '  "choose" -> "helper" \[label="3"\];' -e '}' |
    grep -qx 3
}

# A line for each function, and the numbers of lines and of those that ran.
read_lcov() {
  awk -F '[:,]' '
    $1 == "FN" { line[$NF] = $2; order[++n] = $NF }
    $1 == "FNDA" { hits[$NF] = $2 }
    $1 == "DA" && !($2 in seen) { seen[$2]; lines++; ran += $3 > 0 }
    END {
      for (i = 1; i <= n; i++)
        print order[i] ":" line[order[i]], hits[order[i]]
      print "lines", lines + 0, ran + 0
    }' "$1"
}

# Prints lcov's records, and the sums as their reader counts them.
show_lcov() {
  $MIP show --lcov "$WORK/$1.mip" --elf "$WORK/$1.elf" -o "$WORK/lcov" ||
    return 1
  for record in "SF:$PWD/$HERE/places.c" FNF:3 FNH:2 \
    DA:8,7 "DA:${then##*:},1" "DA:${else##*:},1" DA:17,0 end_of_record; do
    grep -qx "$record" "$WORK/lcov" || {
      echo "no $record"
      return 1
    }
  done
  read_lcov "$WORK/lcov" >"$WORK/lcov.read"
  {
    printf 'helper:6 8\nchoose:8 7\nunused:17 0\n'
    sed -n 's/^LF:/lines /p; s/^LH://p' "$WORK/lcov" | paste -sd ' ' -
  } | diff - "$WORK/lcov.read"
}

# The same for a run in which one block did not run.
lcov_block() {
  $MIP merge --any-build "$WORK/$1.empty" "$WORK/$1.1" -o "$WORK/one.mip" &&
    $MIP show --lcov "$WORK/one.mip" --elf "$WORK/$1.elf" >"$WORK/lcov" &&
    grep -qx "DA:${then##*:},1" "$WORK/lcov" &&
    grep -qx "DA:${else##*:},0" "$WORK/lcov"
}

image() {
  check "mip formats: $2: an image" build_image "$1" "$2" "$4"
  choose=$(address "$2" choose)
  outside=$(address "$2" outside)
  then=$(line "$2" "$(address "$2" choose_then)")
  else=$(line "$2" "$(address "$2" choose_else)")
  check "mip formats: $2: create and merge" send "$2" "$3"
  check "mip formats: $2: show, as llvm-symbolizer" show_image "$2"
  check "mip formats: $2: edges" show_edges "$2"
  check "mip formats: $2: lcov" show_lcov "$2"
  check "mip formats: $2: lcov: a block that did not run" lcov_block "$2"
}

# ---- lists ----

# If two functions have one name, the one with more calls counts, in any order,
# and both must fit: a linker places both.
twins() {
  for order in "1 9" "9 1"; do
    {
      printf 'revision: A\nversion: 8\ntype: [times, calls]\nhash: 0x1\n'
      echo 'functions:'
      raw=24
      for calls in $order 5; do
        name=twin
        [ "$calls" != 5 ] || name=other
        printf -- '- name: "%s"\n  raw: %d\n  address: %d\n  size: 16\n' $name \
          $raw $((raw * 16))
        printf '  runs: 1\n  calls: %d\n  order: 1\n' "$calls"
        raw=$((raw + 8))
      done
    } >"$WORK/twins.yaml"
    $TEXT make "$WORK/twins.yaml" "$WORK/twins.mip" || return 1
    [ "$($MIP hot "$WORK/twins.mip" | tr '\n' ' ')" = "twin other " ] ||
      { echo "$order: $($MIP hot "$WORK/twins.mip" | tr '\n' ' ')"; return 1; }
    [ "$($MIP hot --bytes 31 "$WORK/twins.mip")" = other ] || return
  done
}

# A message tells that a list lacks a function, but only if the function belongs
# to this list.
odd_name() {
  sed 's/"other"/"odd name"/' "$WORK/twins.yaml" >"$WORK/odd.yaml" &&
    $TEXT make "$WORK/odd.yaml" "$WORK/odd.mip" &&
    [ "$($MIP hot "$WORK/odd.mip" 2>"$WORK/odd.said")" = twin ] &&
    grep -q 'left out, .*: 1$' "$WORK/odd.said" &&
    [ -z "$($MIP cold "$WORK/odd.mip" 2>&1)" ]
}

lists() {
  check "mip formats: hot, two functions of a name" twins
  check "mip formats: hot and cold, a name with a blank" odd_name
  equal "mip formats: covered" "choose helper" \
    "$($MIP covered "$WORK/arm.mip" | tr '\n' ' ' | sed 's/ $//')"
  equal "mip formats: uncovered" unused \
    "$($MIP covered --uncovered "$WORK/arm.mip")"
  equal "mip formats: covered --paths" "$PWD/$HERE/places.c" \
    "$($MIP covered --paths "$WORK/arm.mip" --elf "$WORK/arm.elf")"
  equal "mip formats: covered --lines" "6 8 ${then##*:} ${else##*:}" \
    "$($MIP covered --lines "$WORK/arm.mip" --elf "$WORK/arm.elf" |
      sed 's/.*://' | tr '\n' ' ' | sed 's/ $//')"
  equal "mip formats: covered --lines without line numbers" \
    "bareprof: $WORK/arm.mip: the ELF has no line numbers for its functions; \
compile with -g" "$(llvm-objcopy-$LLVM_HOST -R .debug_line "$WORK/arm.elf" \
      "$WORK/bare.elf"; $MIP covered --lines "$WORK/arm.mip" \
      --elf "$WORK/bare.elf" 2>&1)"
  equal "mip formats: hot" "helper choose" \
    "$($MIP hot "$WORK/arm.mip" | tr '\n' ' ' | sed 's/ $//')"
  equal "mip formats: hot --bytes" helper "$($MIP hot --bytes=39 \
    "$WORK/arm.mip")"
  equal "mip formats: hot --at-least" helper "$($MIP hot --at-least=8 \
    "$WORK/arm.mip")"
  equal "mip formats: cold" unused "$($MIP cold "$WORK/arm.mip")"
}

# Each linker follows the list: choose is the first function.
placed() {
  "clang-$LLVM_HOST" --target=thumbv7m-none-eabi -ffunction-sections -g -O0 \
    -ffreestanding -c $HERE/places.c -o "$WORK/apart.o" || return 1
  $MIP hot --at-least=7 --format="$1" "$WORK/one.mip" -o "$WORK/hot" || return 1
  if [ "$1" = lld ]; then
    "ld.lld-$LLVM_HOST" --symbol-ordering-file="$WORK/hot" "$WORK/apart.o" \
      -o "$WORK/apart.elf" || return 1
  else
    echo "SECTIONS { .text 0x8000 : { INCLUDE $WORK/hot *(.text .text.*) } }" \
      >"$WORK/apart.ld"
    arm-none-eabi-ld -T "$WORK/apart.ld" "$WORK/apart.o" -o "$WORK/apart.elf" \
      2>"$WORK/apart.errors" || return 1
  fi
  "llvm-nm-$LLVM_HOST" -n "$WORK/apart.elf" | grep -i ' t ' | head -n 1 |
    grep -q ' choose$'
}

ordered() {
  $MIP show --proftext "$WORK/arm.mip" -o "$WORK/proftext" &&
    llvm-profdata-22 merge "$WORK/proftext" -o "$WORK/order.profdata" &&
    llvm-profdata-22 order "$WORK/order.profdata" -o "$WORK/order" &&
    grep -v '^#' "$WORK/order" | tr '\n' ' ' | grep -qx 'choose helper '
}

order_of() {
  $BAREPROF order "$@" | grep -v '^#' | tr '\n' ' '
}

# A target's file contains two files.
info_parts() {
  $MIP info "$WORK/arm.2" | squeeze | grep -e '^raw section' -e '^edges' |
    tr '\n' ' '
}

views() {
  image riscv64-none-elf riscv64 0 "-march=rv64imac -mno-relax"
  image thumbv7m-none-eabi arm 1 ""
  lists
  check "mip formats: hot for lld" placed lld
  if have arm-none-eabi-ld; then
    check "mip formats: hot for GNU ld" placed gnu-ld
  else
    skip "mip formats: hot for GNU ld" "no arm-none-eabi-ld"
  fi
  check "mip formats: the order of first calls, by llvm-profdata" ordered
  equal "mip formats: bareprof order" "choose helper " \
    "$(order_of "$WORK/arm.mip")"
  equal "mip formats: info of what was sent" "raw section, revision A, \
version 8 edges, revision A, version 8 edges: 4; calls that found no room: \
2 " "$(info_parts)"
}
