# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Traces of a run from boards and other tools: a Micro Trace Buffer, OpenCSD's
# list, drcov. QEMU's plugin must count the same in the same run.

# traces PROGRAM: makes $elf, with the plugin's report in $folder/report, and an
# MTB's contents of the same run in $folder/mtb.
traces() {
  [ -e "$out/branches.so" ] ||
    cc -shared -fPIC -O2 -std=c11 tests/tracing/branches.c \
      -o "$out/branches.so" || return 1
  certain=1
  if [ "$1" = interrupted ]; then
    certain=0 folder=$out/interrupted elf=$out/interrupted/main.elf
    $MAKE -s firmware BOARD=mps2-an385 LLVM=22 OUT="$folder" NAME=main \
      SCRIPT=none SOURCES="tests/tracing/interrupted.c tests/atomic/sweep.c \
tests/tracing/decisions.c" FRAGMENT='' PROFILE='' \
      CFLAGS_APP="-Os -w -g -Itests/tracing" || return 1
  else
    steps mps2-an385 22 -Os || return 1
  fi
  "$bareprof" run --trace "$elf" -o "$folder/report" -- \
    targets/run mps2-an385 "$elf" "$folder" -plugin \
    "$out/branches.so,out=$folder/mtb" >"$folder/table" </dev/null
}

# Prints ranges as trc_pkt_lister does, with whether their last branch was
# taken: the plugin cannot distinguish an interrupt at a branch from the branch.
as_ranges() {
  od -An -v -tu4 -w8 "$folder/mtb" | awk -v none=$((0xF0000000)) \
    -v certain=$certain '
    BEGIN { from = none; print "ID:1; OCSD_GEN_TRC_ELEM_TRACE_ON( [x])" }
    { exception = $1 % 2; source = $1 - exception
      end = exception ? source : source + 2
      if (from < none && source < none && end > from)
        printf "ID:1; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x%x:[0x%x] " \
          "num_i(1) last_sz(2) (ISA=T32)%s\n", from, end,
          exception || !certain ? ")" : ") E BR"
      from = $2 - $2 % 2 }
    END { print "ID:1; OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])" }' \
    >"$folder/etm"
}

# Prints the blocks that ran in drcov's form: of two modules, and of generated
# code.
as_drcov() {
  awk -F '\t' 'FNR > 1 && $3 { print $1, $2 }' "$folder/report/objectcode.tsv" |
    python3 -c '
import struct, sys
blocks = []
for line in sys.stdin:
    at, size = line.split()
    at, size = int(at, 16), int(size)
    if blocks and sum(blocks[-1]) == at:
        blocks[-1][1] += size
    else:
        blocks.append([at, size])
out = sys.stdout.buffer
out.write(b"DRCOV VERSION: 3\nDRCOV FLAVOR: drcov\n"
          b"Module Table: version 4, count 2\n"
          b"Columns: id, containing_id, start, end, entry, offset, path\n"
          b"  0,   0, 0x40000000, 0x40001000, 0x0, 0, /other, with a comma\n"
          b"  1,   1, 0x00000010, 0x00100000, 0x0, 0, /fw.elf\n"
          b"BB Table: %d bbs\n" % (len(blocks) + 2))
out.write(struct.pack("<IHHIHH", 8, 4, 0, 0x7f001000, 6, 0xffff))
for at, size in blocks:
    out.write(struct.pack("<IHH", at - 16, size, 1))' >"$folder/drcov"
}

# An MTB does not record code before its first branch, nor after its last one.
buffers() {
  traces "$1" && as_ranges && as_drcov && listed mtb "$folder/mtb" &&
    listed etm "$folder/etm" && listed drcov "$folder/drcov" || return 1
  grep -q 'outside of the ELF.s code where code ran: 2' "$out/said" ||
    { cat "$out/said"; return 1; }
}
for program in branches interrupted; do
  sole "objectcode: an MTB, an ETM, drcov: $program" buffers $program
done

# A loop that turns once, moved: its branch went both ways.
moved_ranges() {
  cat >"$out/turns.s" <<'END'
  .syntax unified
  .thumb
  .globl _start
  .type _start, %function
  .thumb_func
_start:
  movs r0, #2
1:
  subs r0, #1
  bne 1b
  b .
  .size _start, . - _start
END
  clang-22 --target=thumbv6m-none-eabi -c "$out/turns.s" -o "$out/turns.o" &&
    ld.lld-22 --image-base=0 -Ttext=0x1000 -e _start "$out/turns.o" \
      -o "$out/turns.elf" || return 1
  printf '\4\0\0\0\1\20\0\40\4\20\0\40\2\20\0\40\6\20\0\40\6\20\0\40' \
    >"$out/turns.mtb"
  range='ID:1; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x2000100'
  cat >"$out/turns.etm" <<END
ID:1; OCSD_GEN_TRC_ELEM_TRACE_ON( [x])
${range}0:[0x20001006] num_i(3) last_sz(2) (ISA=T32) E BR <cond>)
${range}2:[0x20001006] num_i(2) last_sz(2) (ISA=T32) N BR <cond>)
${range}6:[0x20001008] num_i(1) last_sz(2) (ISA=T32) E BR )
ID:1; OCSD_GEN_TRC_ELEM_EO_TRACE( [end-of-trace])
END
  for form in mtb etm; do
    "$bareprof" report "$out/turns.elf" "$out/turns.$form" --pcs=$form \
      --moved 0x1000=0x20001000 >"$out/said" 2>&1 &&
      grep -q '1 of 1 branch instructions .* went both ways' "$out/said" ||
      { echo "$form"; cat "$out/said"; return 1; }
  done
}
sole "objectcode: an MTB and an ETM of moved code" moved_ranges

# A ring has wrapped: the report has the lines that ran, without counts and
# outcomes.
wrapped() {
  traces branches || return 1
  size=$(wc -c <"$folder/mtb")
  before=0
  for room in 128 2048; do
    at=$((size % room))
    tail -c $room "$folder/mtb" >"$out/last"
    { tail -c $at "$out/last"; head -c $((room - at)) "$out/last"; } >"$out/ring"
    position=$(printf '0x%x' $((0x20000000 + at + 4)))
    if "$bareprof" report "$elf" "$out/ring" --pcs=mtb --position "$position" \
      -o "$out/never" >"$out/said" 2>&1; then
      return 1
    fi
    grep -q 'the buffer wrapped' "$out/said" &&
      "$bareprof" report "$elf" "$out/ring" --pcs=mtb --position "$position" \
        --least -o "$folder/listed" >"$out/said" &&
      grep -q 'only says what ran, and may be incomplete' "$out/said" ||
      { cat "$out/said"; return 1; }
    awk -F '\t' -v before="$before" '
      NR == FNR { count[$1] = $3; next }
      FNR > 1 && $3 > (count[$1] > 0) { print $1 " ran: " $3; bad = 1 }
      FNR > 1 && $4 ~ /[0-9]/ { print $1 " is known"; bad = 1 }
      FNR > 1 { ran += $3 }
      END { if (ran <= before) print ran + 0 " instructions"
        exit bad || ran <= before }' "$folder/report/objectcode.tsv" \
      "$folder/listed/objectcode.tsv" || return 1
    before=$(awk -F '\t' 'FNR > 1 { n += $3 } END { print n }' \
      "$folder/listed/objectcode.tsv")
  done
}
sole "objectcode: an MTB that wrapped: at least this ran" wrapped

# lists_no MESSAGE FORM FILE OPTIONS...: the list is rejected with this message.
lists_no() {
  message=$1 form=$2 list=$3
  shift 3
  if "$bareprof" report "$elf" "$list" --pcs="$form" -o "$out/never" "$@" \
    >"$out/said" 2>&1; then
    echo "not refused: $form, $message"
    return 1
  fi
  grep -q -e "$message" "$out/said" && [ ! -e "$out/never" ] ||
    { cat "$out/said"; return 1; }
}

refused_lists() {
  traces branches && as_ranges && as_drcov || return 1
  head -c -4 "$folder/drcov" >"$out/short"
  head -c -4 "$folder/mtb" >"$out/half"
  sed 's/^  1, /  x, /' "$folder/drcov" >"$out/modules"
  sed 's/0x00000010/0x00000012/' "$folder/drcov" >"$out/foreign"
  sed '$d' "$folder/etm" >"$out/cut"
  lists_no 'fewer blocks' drcov "$out/short" &&
    lists_no 'belongs to no module' drcov "$out/modules" &&
    lists_no 'not in the code of this ELF' drcov "$out/foreign" &&
    lists_no 'lacks the BB Table of drcov' drcov "$folder/etm" &&
    lists_no 'EO_TRACE is missing' etm "$out/cut" &&
    lists_no 'ends within a branch' mtb "$out/half" &&
    lists_no '--position needs' order "$folder/etm" --position 8 &&
    lists_no '--least needs' order "$folder/etm" --least
}
sole "objectcode: an MTB, an ETM, drcov that are none" refused_lists

# Damages lists in all forms, in total as often as traces.
damaged_lists() {
  traces branches && as_ranges && as_drcov &&
    tool_program "$out/damage" address,undefined $here/damage.c || return 1
  sed -n 's/^Trace[^/]*\/\([0-9a-f]*\).*/0x\1/p' "$folder/log" |
    head -n 2000 >"$folder/order"
  cp "$folder/order" "$folder/set"
  awk -F '\t' 'FNR > 1 && $3 { print $1 " " $3 }' \
    "$folder/report/objectcode.tsv" >"$folder/count"
  for form in order count set drcov mtb etm; do
    "$out/damage" "$elf" "$folder/$form" "$(runs_of 30 17000)" $form \
      >"$out/said" || { echo "$form"; cat "$out/said"; return 1; }
  done
}
sole "objectcode: damaged lists are refused, or consistent" damaged_lists
