# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Reports of several runs as tests, and of several ELFs.

many=$out/many

# Makes the two ELFs and the list of the first, unless they exist.
chosen() {
  mkdir -p "$many" || return 1
  [ -e "$many/a.elf" ] || {
    $MAKE -s firmware BOARD=mps2-an385 LLVM=22 OUT="$many" NAME=a SCRIPT=none \
      SOURCES=$here/chosen.c FRAGMENT='' PROFILE='' CFLAGS_APP="-O0 -g" &&
      clang-22 --target=thumbv7m-none-eabi -O0 -g -ffreestanding -c \
        $here/other.c -o "$many/other.o" &&
      ld.lld-22 --section-start=.entry=0x20200000 -Ttext=0x20200100 -e other \
        "$many/other.o" -o "$many/b.elf" &&
      "$bareprof" trace "$many/a.elf" --list -o "$many/list" || return 1
  }
}

# chose CHOICE: makes $many/run-CHOICE.trace, of a run of the first ELF.
chose() {
  chosen && targets/run mps2-an385 "$many/a.elf" "$many" -device \
    "loader,addr=0x20300000,data=$1,data-len=4" -plugin \
    "$out/plugin.so,list=$many/list,out=$many/run-$1.trace" </dev/null \
    >"$many/said"
}

line_in() { grep -n "$2" "$here/$1" | cut -d : -f 1; }

# reach FILE TEXT: prints the tests that reach the line with TEXT, as `--which`
# lists them.
reach() {
  awk -v at="$1:$(line_in "$1" "$2"):" '
    /^Tests that reach/ { on = $4 == at }
    on && /^  / { printf "%s%s", of, $1; of = " " }' "$many/which"
}

# expect NAMES FILE TEXT: expects that these tests reach the line with TEXT.
expect() {
  [ "$(reach "$2" "$3")" = "$1" ] || { echo "$3: $(reach "$2" "$3")"; return 1; }
}

tests_of_traces() {
  chose 1 && chose 2 && chose 3 || return 1
  cat >"$many/junit.xml" <<'XML'
<testsuite><testcase name="run-2"><failure/></testcase></testsuite>
XML
  set --
  for at in 'sink += 1' 'sink += 2' 'return 0'; do
    set -- "$@" --which "chosen.c:$(line_in chosen.c "$at")"
  done
  "$bareprof" report "$many/a.elf" "$many/run-1.trace" "$many/run-2.trace" \
    "$many/run-3.trace" --tests "$@" -o "$many/report" --object-code \
    >"$many/which" || { cat "$many/which"; return 1; }
  expect "run-1 run-3" chosen.c 'sink += 1' &&
    expect "run-2 run-3" chosen.c 'sink += 2' &&
    expect "run-1 run-2 run-3" chosen.c 'return 0' || return 1
  summed 'return 0' 3 || return 1
  "$bareprof" report "$many/a.elf" "$many/run-1.trace" "$many/run-2.trace" \
    -o "$many/report" --object-code --junit "$many/junit.xml" \
    >"$many/which" || { cat "$many/which"; return 1; }
  summed 'sink += 2' 0 && summed 'sink += 1' 1
}

# summed TEXT COUNT: the code of the line with TEXT has this count.
summed() {
  awk -F '\t' -v line="$(line_in chosen.c "$1")" -v count="$2" '
    $8 ~ /chosen\.c$/ && $7 == line { found = 1; if ($3 != count) bad = $3 }
    END { if (bad) print "line " line ": " bad; exit !found || bad }' \
    "$many/report/objectcode.tsv"
}
sole "objectcode: each trace is a test" tests_of_traces

# Two ELFs run in one QEMU. A line of a common header ran if it ran in one of
# them; in each ELF, one line of the header never ran.
two_elfs() {
  chosen || return 1
  "$bareprof" run --trace "$many/a.elf" "$many/b.elf" -o "$many/both" \
    --lcov "$many/info" -- targets/run mps2-an385 "$many/a.elf" "$many" -device \
    loader,addr=0x20300000,data=4,data-len=4 -device "loader,file=$many/b.elf" \
    </dev/null >"$many/table" 2>&1 || { cat "$many/table"; return 1; }
  awk -F '[:,]' -v a="$(line_in shared.h 'return 50')" \
    -v b="$(line_in shared.h 'return n')" '
    /^SF/ { ours = /shared.h/; sources += ours }
    ours && /^DA/ && ($2 == a || $2 == b) { good += $3 == 1 }
    ours && /^FNF/ { functions = $2 }
    END { if (good < 2 || sources != 1 || functions != 1)
            print good + 0, sources, functions
          exit good < 2 || sources != 1 || functions != 1 }' "$many/info" ||
    return 1
  "$bareprof" report "$many/a.elf" "$many/b.elf" --object-code \
    "$many/both/objectcode.trace" -o "$many/again" >"$many/said" &&
    cmp "$many/both/objectcode-2.tsv" "$many/again/objectcode-2.tsv" || return 1
  # A trace of only the first ELF contains no code of the second one.
  chose 1
  if "$bareprof" report "$many/a.elf" "$many/b.elf" "$many/run-1.trace" \
    --object-code -o "$many/again" >"$many/said" 2>&1; then
    return 1
  fi
  grep -q 'b.elf: no trace counts the object code of this ELF' "$many/said" ||
    { cat "$many/said"; return 1; }
}
sole "objectcode: two ELFs that run together" two_elfs

# The second ELF is linked for another address than it runs at.
elsewhere() {
  two_elfs || return 1
  ld.lld-22 --section-start=.entry=0x20280000 -Ttext=0x20280100 -e other \
    "$many/other.o" -o "$many/linked.elf" &&
    "$bareprof" run --trace "$many/a.elf" "$many/linked.elf" \
      --moved 0x20280000=0x20200000 -o "$many/moved" -- targets/run mps2-an385 \
      "$many/a.elf" "$many" -device loader,addr=0x20300000,data=4,data-len=4 \
      -device "loader,file=$many/b.elf" </dev/null >"$many/table" 2>&1 ||
    { tail -n 3 "$many/table"; return 1; }
  for report in both moved; do
    cut -f 2- "$many/$report/objectcode-2.tsv" >"$many/$report.ran"
  done
  cmp "$many/both.ran" "$many/moved.ran" &&
    cmp "$many/both/objectcode.tsv" "$many/moved/objectcode.tsv"
}
sole "objectcode: an ELF that runs elsewhere than it is linked for" elsewhere

# changed_trace HOW: a trace whose second ELF ran twice, at two addresses; or one
# in which other code ran.
changed_trace() {
  python3 - "$many/pie/objectcode.trace" "$1" >"$many/$1" <<'END'
import sys, zlib
lines = open(sys.argv[1]).read().splitlines()[:-1]
for at, line in enumerate(list(lines)):
    word = line.split()
    if word[0] != 'o':
        continue
    if sys.argv[2] == 'twice':
        word[1] = '%x' % (int(word[1], 16) + 0x1000000)
        lines.append(' '.join(word))
    else:
        word[3] = '%x' % (int(word[3], 16) ^ 0x40)
        lines[at] = ' '.join(word)
text = '\n'.join(lines) + '\n'
print(text + 'end %x' % zlib.crc32(text.encode()))
END
}

# A position-independent ELF ran where its bytes are in the trace. The outcomes
# that do not follow from the counts are not known; a second run, with the
# --moved that the first one names, has them. Both ELFs are linked for the same
# addresses, as position-independent ones mostly begin near 0.
independent() {
  two_elfs || return 1
  ld.lld-22 -pie --section-start=.entry=0x80 -Ttext=0x180 -e other \
    "$many/other.o" -o "$many/pie.elf" &&
    "$bareprof" run --trace "$many/a.elf" "$many/pie.elf" -o "$many/pie" -- \
      targets/run mps2-an385 "$many/a.elf" "$many" -device \
      loader,addr=0x20300000,data=4,data-len=4 -device \
      "loader,file=$many/b.elf" </dev/null >"$many/table" 2>&1 &&
    grep -q 'The code of 0x80 ran at 0x20200000' "$many/table" &&
    "$bareprof" report "$many/pie.elf" "$many/pie/objectcode.trace" \
      --object-code -o "$many/alone" >"$many/said" ||
    { tail -n 3 "$many/table"; return 1; }
  cut -f 2,3,6- "$many/both/objectcode-2.tsv" >"$many/expected"
  for list in pie/objectcode-2.tsv alone/objectcode.tsv; do
    cut -f 2,3,6- "$many/$list" | cmp "$many/expected" - &&
      awk -F '\t' 'NR == FNR { ways[FNR] = $4 " " $5; next }
        $4 == "?" { unknown++; next }
        ways[FNR] != $4 " " $5 { print $0 ", not " ways[FNR]; bad = 1 }
        END { if (unknown != 1) print unknown + 0 " outcomes are not known"
          exit bad || unknown != 1 }' "$many/both/objectcode-2.tsv" \
        "$many/$list" || return 1
  done
  cmp "$many/both/objectcode.tsv" "$many/pie/objectcode.tsv" || return 1
  # shellcheck disable=SC2046 # Two words.
  "$bareprof" run --trace "$many/a.elf" "$many/pie.elf" -o "$many/second" \
    $(sed -n 's/.* \(--moved\) \(0x[0-9a-f=x]*\) to count .*/\1 \2/p' "$many/table") \
    -- targets/run mps2-an385 "$many/a.elf" "$many" -device \
    loader,addr=0x20300000,data=4,data-len=4 -device \
    "loader,file=$many/b.elf" </dev/null >"$many/said" 2>&1 &&
    cut -f 2- "$many/second/objectcode-2.tsv" >"$many/moved.ran" &&
    cut -f 2- "$many/both/objectcode-2.tsv" | cmp - "$many/moved.ran" ||
    { tail -n 3 "$many/said"; return 1; }
  for how in 'twice several addresses' 'other no address'; do
    changed_trace "${how%% *}" || return 1
    if "$bareprof" report "$many/pie.elf" "$many/${how%% *}" --object-code \
      -o "$many/never" >"$many/said" 2>&1; then
      return 1
    fi
    grep "${how#* }" "$many/said" | grep -q 'with --moved FROM=TO' ||
      { cat "$many/said"; return 1; }
  done
  "$bareprof" report "$many/a.elf" "$many/pie.elf" "$many/twice" \
    --object-code --moved 0x80=0x20200000 -o "$many/alone" \
    >"$many/said" &&
    cut -f 2,3,6- "$many/alone/objectcode-2.tsv" | cmp "$many/expected" -
}
sole "objectcode: a position-independent ELF is where its bytes ran" independent

# Damaged traces of it are refused, or consistent.
damaged_moves() {
  independent &&
    tool_program "$out/damage" address,undefined $here/damage.c &&
    "$out/damage" "$many/pie.elf" "$many/pie/objectcode.trace" \
      "$(runs_of 60 20000)" >"$out/said" || { cat "$out/said"; return 1; }
}
sole "objectcode: damaged traces of a position-independent ELF" damaged_moves

# The table of the code outside is full after four addresses: QEMU goes on, and
# the trace has only the addresses. An ELF that ran there is refused.
full_table() {
  two_elfs || return 1
  sed 's/OUTSIDE_ROOM = 1 << 18/OUTSIDE_ROOM = 1 << 3/' "$out/plugin.c" \
    >"$many/full.c" && cc -shared -fPIC -O2 -D_POSIX_C_SOURCE=200809L \
    "$many/full.c" -o "$many/full.so" &&
    "$bareprof" trace "$many/a.elf" --list -o "$many/list" &&
    targets/run mps2-an385 "$many/a.elf" "$many" -device \
      loader,addr=0x20300000,data=4,data-len=4 -device \
      "loader,file=$many/b.elf" -plugin \
      "$many/full.so,list=$many/list,out=$many/full" </dev/null >"$many/said" &&
    "$bareprof" report "$many/a.elf" "$many/full" --object-code \
      -o "$many/alone" >"$many/said" &&
    grep -q "outside of the ELF's code where code ran: 4\.$" "$many/said" &&
    cmp "$many/both/objectcode.tsv" "$many/alone/objectcode.tsv" ||
    { tail -n 3 "$many/said"; return 1; }
  if "$bareprof" report "$many/a.elf" "$many/b.elf" "$many/full" \
    --object-code -o "$many/never" >"$many/said" 2>&1; then
    return 1
  fi
  grep -q 'lacks counts of code in this ELF; pass all ELFs' "$many/said" ||
    { cat "$many/said"; return 1; }
}
sole "objectcode: too much code ran outside" full_table
