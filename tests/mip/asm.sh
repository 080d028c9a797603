# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof mip instrument` and bareprof-mip-cc: a part of tests/mip/run. A
# firmware is compiled twice, plain and with sleds. Both must compute the same,
# and what the raw section says of each function and block must be what QEMU's
# execution log says, and what is known by hand.
#   tests/mip/run asm
# FULL=1 takes every compiler, board, level and mode: some 15 minutes.
# shellcheck disable=SC2086 # Several flags.

asm_wrapper=$PWD/tools/bareprof-mip-cc
asm_out=$OUT/asm
asm_c="-std=c11 -ffreestanding -ffunction-sections -fdata-sections -Iinclude
  -I$HERE"
asm_cxx="-std=c++17 -ffreestanding -ffunction-sections -fdata-sections
  -fno-exceptions -fno-rtti -fno-use-cxa-atexit -fno-threadsafe-statics
  -Iinclude -I$HERE"
export BAREPROF

. $HERE/compilers.sh

# asm_compile KIND MODES: compiles the three objects, KIND-*.o, without a
# message.
asm_compile() {
  for asm_source in work.c plus.cpp other.cpp; do
    asm_from=$HERE/asm_$asm_source asm_cc=$asm_command asm_define=
    asm_flags=$asm_c
    case $asm_source in *.cpp)
      asm_flags=$asm_cxx asm_cc=$(echo "$asm_command" | sed 's/gcc/g++/') ;;
    esac
    case $asm_source in other.cpp)
      asm_from=$HERE/asm_plus.cpp asm_define=-DOTHER ;;
    esac
    BAREPROF_MIP="$2" "$asm_wrapper" $asm_cc $asm_level -g $asm_flags \
      $asm_define -c "$asm_from" -o "$folder/$1-${asm_source%.*}.o" \
      >"$folder/said" 2>&1 || { cat "$folder/said"; return 1; }
    ! grep . "$folder/said" || return 1
  done
}

# asm_link KIND FRAGMENT FLAGS
asm_link() {
  asm_library=
  case $compiler in gcc)
    # GNU ld has read it when it comes to the objects.
    asm_library="-u __gnu_thumb1_case_uqi -u __gnu_thumb1_case_uhi"
    asm_library="$asm_library $($asm_command -print-libgcc-file-name)"
    case $board in
      microbit) ;;
      *) asm_library=${asm_library##* } ;;
    esac ;;
  esac
  $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" LINKER="$linker" \
    SCRIPT=none FRAGMENT="$2" PLAIN=$HERE/asm_main.c OUT="$folder" NAME="$1" \
    SOURCES="$folder/$1-work.o $folder/$1-plus.o $folder/$1-other.o" \
    CFLAGS_APP="-Os -I$HERE $3" ${far:+BOARD_SCRIPT=$HERE/far.ld} \
    LDFLAGS_APP="$asm_library -z noexecstack"
}

asm_build() {
  asm_compile plain off && asm_compile mip "$modes unit=asm log=$folder/log" &&
    asm_link plain '' -DPLAIN &&
    asm_link mip 'INCLUDE bareprof-mip.ld' "$asm_edges"
}

# Both programs; of the one with sleds, the addresses that it executes.
asm_run() {
  mkdir -p "$folder/plain" "$folder/run"
  targets/run "$board" "$folder/plain.elf" "$folder/plain" ${far:+-m 6G} \
    </dev/null >"$folder/plain/output" || return
  targets/run "$board" "$folder/mip.elf" "$folder/run" ${far:+-m 6G} \
    -singlestep -d exec,nochain -D /dev/stderr </dev/null 2>&1 \
    >"$folder/run/output" |
    awk -F/ '/^Trace/ && !seen[$2]++ { sub(/^0*/, "", $2); print $2 }' \
      >"$folder/executed"
  cmp "$folder/plain/output" "$folder/run/output"
}

asm_read() {
  llvm-objcopy-"$LLVM_HOST" --dump-section=__llvm_mipmap="$folder/map" \
    "$folder/mip.elf" /dev/null || return
  mip_bytes "$folder/map" >"$folder/map.bytes"
  mip_bytes "$folder/run/mip.mipraw" >"$folder/raw.bytes"
  asm_begin=$(llvm-nm-"$LLVM_HOST" "$folder/mip.elf" |
    awk '$3 == "__bareprof_mip_begin" { print $1 }')
  awk -v begin="$asm_begin" -f $HERE/asm.awk "$folder/map.bytes" \
    "$folder/raw.bytes" >"$folder/read"
}

# asm.awk prints only the last line, the number of functions that agree.
asm_judge() {
  asm_read && awk -v begin="$asm_begin" -v pcs="$folder/executed" \
    -f $HERE/asm.awk "$folder/map.bytes" "$folder/raw.bytes" >"$folder/judged"
  [ "$(wc -l <"$folder/judged")" -eq 1 ] &&
    [ "$(sed 's/agree //' "$folder/judged")" -gt 20 ] ||
    { head -3 "$folder/judged"; return 1; }
}

# Which functions run, known from the source.
asm_by_hand() {
  for asm_name in three_ways dense wide sum_odd all twice tail many \
    any_number fibonacci internal weak_one through computed swap assembly \
    work plus other; do
    awk -v name=$asm_name '$1 == "function" && $2 == name && $NF > 0 {
      found = 1 } END { exit !found }' "$folder/read" ||
      { echo "$asm_name did not run"; return 1; }
  done
  ! awk '$1 == "function" && $2 ~ /^never$|unused/ && $NF > 0' \
    "$folder/read" | grep .
}

asm_counts() {
  equal "$label: calls" "dense 7 fibonacci 41 tail 2 three_ways 3 wide 9 " \
    "$(awk '$1 == "function" &&
      $2 ~ /^(dense|fibonacci|tail|three_ways|wide)$/ { print $2, $NF }' \
      "$folder/read" | sort | tr '\n' ' ')"
}

# The tool reads the same calls and addresses of all functions, also from a
# 64-bit map.
asm_tool_reads() {
  $BAREPROF mip create "$folder/mip.elf" -o "$folder/empty.mip" &&
    $BAREPROF mip merge --any-build "$folder/empty.mip" \
      "$folder/run/mip.mipraw" -o "$folder/run.mip" &&
    $BAREPROF mip show "$folder/run.mip" --elf "$folder/mip.elf" |
    awk '{ for (i = 1; i < NF && $2 != "from"; i++) if ($i ~ /^0x/)
      print $(i + 2), substr($i, 3), $1 }' |
      LC_ALL=C sort >"$folder/told" || return
  awk '$1 == "function" { print $2, $3, $NF }' "$folder/read" | LC_ALL=C sort |
    diff - "$folder/told" | head -3 | grep . && return 1
  [ "$(wc -l <"$folder/told")" -gt 20 ]
}

# Only functions that must be skipped are skipped: gcc's nested one on Arm.
asm_skips() {
  touch "$folder/log"
  ! grep skipped: "$folder/log" | grep -v 'inner.*static chain is in ip'
}

# Map records are not in a segment.
asm_unloaded() {
  ! llvm-readelf-"$LLVM_HOST" -lW "$folder/mip.elf" |
    sed -n '/Segment Sections/,$p' | grep '^ *0[0-9].*__llvm_mipmap'
}

# asm_row BOARD COMPILER LEVEL MODES LINKER [far]: far is above 4 GB.
asm_row() {
  board=$1 compiler=$2 asm_level=$3 modes=$(echo "$4" | tr + ' ') linker=$5
  far=${6-} label="mip asm $*"
  wanted "$label" || return 0
  folder=$asm_out/$1-$2$3-$4-$5$far asm_edges=
  asm_command=$(mip_compiler "$board" "$compiler")
  if ! have ${asm_command%% *}; then
    skip "$label" "no ${asm_command%% *}"
    return
  fi
  case $5 in gnu) needs "$label" gnu:$board || return 0 ;; esac
  case $4 in *edges*) asm_edges=-DEDGES ;; esac
  rm -rf "$folder"
  mkdir -p "$folder"
  check "$label: builds" asm_build
  check "$label: the same result" asm_run
  check "$label: the log agrees" asm_judge
  check "$label: known by hand" asm_by_hand
  case $3$4 in -O0*counts* | -O0*edges*) asm_counts ;; esac
  case $board$far in *be | *far)
    check "$label: the tool reads it" asm_tool_reads ;;
  esac
  check "$label: skips" asm_skips
  check "$label: not loaded" asm_unloaded
}

asm_rows() {
  if [ -n "${FULL:-}" ]; then
    for asm_board in microbit mps2-an385 virt-cortex-a15 virt-aarch64 \
      virt-riscv32 virt-riscv64 virt-cortex-a15be virt-aarch64be; do
      for asm_version in $(llvm_versions) gcc; do
        case $asm_board-$asm_version in
          virt-aarch64-gcc | *be-gcc | *be-1[3-8]) continue ;;
        esac
        for asm_how in "-O0 counts+blocks" "-O2 blocks" "-Os coverage" \
          "-Os blocks" "-O2 edges" "-O1 blocks"; do
          # Releases that are not required have two forms.
          case " $LLVM_OPTIONAL " in *" $asm_version "*)
            case $asm_how in "-Os blocks" | "-O2 edges") ;; *) continue ;; esac
            ;;
          esac
          echo $asm_board $asm_version $asm_how lld
          ! [ $asm_board = virt-aarch64 ] || {
            echo $asm_board $asm_version $asm_how lld far
            echo $asm_board $asm_version $asm_how gnu far
          }
        done
      done
    done
    return
  fi
  cat <<'EOF'
microbit 22 -O2 blocks lld
microbit gcc -Os blocks gnu
virt-cortex-a15 gcc -O0 edges lld
virt-aarch64 14 -O0 counts lld far
virt-aarch64be 22 -O2 blocks lld
virt-riscv32 22 -Os coverage lld
virt-riscv64 gcc -O0 edges gnu
EOF
}

rm -rf "$asm_out"
mkdir -p "$asm_out"
asm_rows >"$asm_out/rows"

# asm_half [-v]: side by side, as no board is in both.
asm_half() {
  grep ${1:-} '^virt-[ar]' "$asm_out/rows" |
    while read -r asm_row; do
      asm_row $asm_row </dev/null
    done
}
asm_half >"$asm_out/half" 2>&1 &
asm_half -v
wait
cat "$asm_out/half"
for asm_part in follow dead wrapper skip; do
  [ ! -f "$HERE/asm_$asm_part.sh" ] || . "$HERE/asm_$asm_part.sh"
done
