# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof mip prof`: clang reads the calls that gcc's firmware has counted.
# Counts are known from the source, tests/bench/loads/calls.c: one round calls
# each step of the table once. `run` sources this file.
# shellcheck disable=SC2046,SC2086 # Several flags.

. $HERE/compilers.sh

prof_out=$OUT/prof

# prof_count MODE [LOAD ROUNDS]: makes patch-MODE.elf, MODE.mip, MODE.prof.
prof_count() {
  prof_at=$BUILD/bench/mip/virt-riscv32-gcc-${2:-calls}/patch-$1
  LOAD=${2:-calls} ROUNDS=${3:-100} OPTIMISE="-O2 -g1 -fno-inline" \
    tests/bench/mip virt-riscv32 gcc patch-$1 >"$prof_out/cost" &&
    cp "$prof_at.elf" "$prof_at.mipraw" "$prof_out" &&
    "$BAREPROF" mip merge "$prof_out/patch-$1.elf" \
      "$prof_out/patch-$1.mipraw" -o "$prof_out/$1.mip" &&
    "$BAREPROF" mip prof "$prof_out/$1.mip" --elf "$prof_out/patch-$1.elf" \
      -o "$prof_out/$1.prof" 2>"$prof_out/$1.said"
}

prof_same() {
  llvm-profdata-$LLVM_HOST merge --sample --text "$prof_out/edges.prof" \
    -o "$prof_out/text" && cmp "$prof_out/edges.prof" "$prof_out/text"
}

# Compares the functions' head counts in the profile.
prof_heads() {
  sed -n 's/^\([a-z_]*\):[0-9]*:\([0-9]*\)$/\1 \2/p' "$1" |
    grep -E '^(do_.*|push|pop|run_never|run_tree) ' | sort | tr '\n' ' '
}
prof_clang() {
  prof_from=$(grep -n '^  *run_machine();' tests/bench/loads/calls.c)
  prof_from=${prof_from%%:*}
  $(mip_clang virt-riscv32 $LLVM_HOST) -O2 -g1 -fdebug-info-for-profiling \
    -ffreestanding -Iinclude -Itests/bench -DROUNDS=100 \
    -fprofile-sample-use="$prof_out/edges.prof" \
    -Rpass-analysis=sample-profile -c tests/bench/loads/calls.c \
    -o "$prof_out/calls.o" 2>&1 |
    sed -n "s/.*calls.c:$prof_from:.*: Applied \([0-9]*\) samples.*/\1/p" |
    sort -u
}

# Compares the entry counts that gcc reads from the profile.
prof_gcc() {
  "$BAREPROF" mip prof --gcc "$prof_out/edges.mip" \
    --elf "$prof_out/patch-edges.elf" -o "$prof_out/edges.afdo" \
    2>"$prof_out/said" || return
  $(mip_compiler virt-riscv32 gcc) -O2 -g1 -ffreestanding -Iinclude \
    -Itests/bench -DROUNDS=100 -fauto-profile="$prof_out/edges.afdo" \
    -fdump-ipa-cgraph="$prof_out/cgraph" -c tests/bench/loads/calls.c \
    -o "$prof_out/calls.o" || return
  awk '/^[a-z_]+\/[0-9]+ \(/ { name = $1; sub(/\/.*/, "", name) }
    /Function flags:.*auto FDO/ &&
      name ~ /^(do_.*|push|pop|run_never|run_tree)$/ {
      sub(/.*count:/, "")
      count[name] = $1
    }
    END { for (name in count) print name, count[name] }' \
    "$prof_out/cgraph" | sort | tr '\n' ' '
}

# Compares the line of the call through the table, and the functions called
# there.
prof_line() {
  prof_begin=$(grep -n 'void run_machine(void)' tests/bench/loads/calls.c)
  prof_call=$(grep -n 'steps\[program' tests/bench/loads/calls.c)
  sed -n "/^run_machine:/,/^[a-z]/s/^ $((${prof_call%%:*} - \
    ${prof_begin%%:*})): //p" "$prof_out/edges.prof" | tr ' ' '\n' |
    grep '^do_' | sort | tr '\n' ' '
}

# Lines of loads/lines.c, known by hand: a line stays if its calls have one
# count. A line with a loop, or with calls of different counts, is left out, and
# counted.
prof_lines() {
  prof_count edges lines 1 || return
  awk '/^[a-z]/ { from = substr($0, 1, index($0, ":")); next }
    from ~ /^(twice|choose|checked|total|spread):/ { print from $0 }' \
    "$prof_out/edges.prof" | sort | tr '\n' ';' >"$prof_out/lines"
  [ "$(cat "$prof_out/lines")" = \
    "spread: 3: 24 other:24;twice: 0: 16 other:16;" ] &&
    grep -q '^bareprof: call sites left out, .* times: 4 of 16$' \
      "$prof_out/edges.said" ||
    { cat "$prof_out/lines" "$prof_out/edges.said"; return 1; }
}

# prof_gain LOAD: with the profile clang's program is at most 1 % slower.
prof_gain() {
  for prof_level in -O2 -O3; do
    ONLY_CALLS=1 OPTIMISE=$prof_level ALSO=-DCALLED= tests/bench/rebuilt "$1" \
      . 1 1 >"$prof_out/rebuilt" || return
    awk '/calls and callers/ { seen++; if ($(NF - 2) > 1) worse = 1 }
      END { exit worse || seen != 2 }' "$prof_out/rebuilt" ||
      { cat "$prof_out/rebuilt"; return 1; }
  done
}

# clang numbers static functions by their file's name. For a file of another
# name, the numbers become those that clang makes there, and the next build has
# counts.
prof_renamed() {
  prof_flags="-O2 -g1 -fdebug-info-for-profiling \
    -funique-internal-linkage-names"
  prof_at=$BUILD/bench/mip/virt-riscv32-$LLVM_HOST-calls/patch-edges
  LOAD=calls ROUNDS=10 OPTIMISE="$prof_flags -fno-inline" \
    tests/bench/mip virt-riscv32 "$LLVM_HOST" patch-edges >"$prof_out/cost" &&
    "$BAREPROF" mip merge "$prof_at.elf" "$prof_at.mipraw" \
      -o "$prof_out/own.mip" &&
    "$BAREPROF" mip prof "$prof_out/own.mip" --elf "$prof_at.elf" \
      -o "$prof_out/own.prof" 2>"$prof_out/said" &&
    "$BAREPROF" mip prof "$prof_out/own.mip" --elf "$prof_at.elf" \
      --rename tests/bench/loads/= -o "$prof_out/new.prof" \
      2>"$prof_out/said" || return
  prof_clang=$(mip_clang virt-riscv32 $LLVM_HOST)
  prof_folder=$(realpath "$prof_out")
  for prof_name in own new; do
    (cd tests/bench/loads && $prof_clang $prof_flags -ffreestanding \
      -I../../../include -I.. -DROUNDS=10 -S -emit-llvm calls.c \
      -fprofile-sample-use="$prof_folder/$prof_name.prof" \
      -o "$prof_folder/$prof_name.ll") || return
  done
  prof_number=$(grep -o '__uniq\.[0-9]*' "$prof_out/new.ll" | sort -u)
  sed "s/__uniq\.[0-9]*/$prof_number/g" "$prof_out/own.prof" |
    cmp - "$prof_out/new.prof" &&
    grep -q 'entry_count", i64 30}' "$prof_out/new.ll" &&
    ! grep -q 'entry_count", i64 30}' "$prof_out/own.ll"
}

prof_refuses() {
  "$BAREPROF" mip prof "$prof_out/patch-edges.elf" \
    --elf "$prof_out/patch-edges.elf" -o "$prof_out/none" 2>"$prof_out/said"
  [ $? = 1 ] && [ ! -e "$prof_out/none" ] && grep -q "$1" "$prof_out/said" ||
    { cat "$prof_out/said"; return 1; }
}

mkdir -p "$prof_out"
if needs "mip prof" llvm:$LLVM_HOST board:virt-riscv32 \
  riscv64-unknown-elf-gcc; then
  prof_wanted="do_add 200 do_constant 400 do_exclusive 300 do_note 100 \
do_receive 100 do_send 200 do_twice 300 pop 1600 push 1600 run_never 0 \
run_tree 100 "
  check "mip prof: edges of gcc" prof_count edges
  check "mip prof: llvm-profdata writes the same" prof_same
  equal "mip prof: calls" "$prof_wanted" "$(prof_heads "$prof_out/edges.prof")"
  equal "mip prof: targets of an indirect call, by its line" "do_add:200 \
do_constant:400 do_exclusive:300 do_note:100 do_receive:100 do_send:200 \
do_twice:300 " "$(prof_line)"
  equal "mip prof: what clang applies to the call of run_machine" 100 \
    "$(prof_clang)"
  equal "mip prof --gcc: what gcc takes" "$prof_wanted" "$(prof_gcc)"
  check "mip prof --rename: statics of another folder" prof_renamed
  check "mip prof: nothing was called" prof_refuses 'no callers'
  check "mip prof: lines of which calls tell no count" prof_lines
  if [ -n "${FULL:-}" ] && needs "mip prof: gain" board:mps2-an385 \
    arm-none-eabi-gcc; then
    check "mip prof: gain, calls" prof_gain calls
    check "mip prof: gain, lines" prof_gain lines
  fi
  check "mip prof: samples of gcc" prof_count sampled
  equal "mip prof: calls, of samples" "$prof_wanted" \
    "$(prof_heads "$prof_out/sampled.prof")"
fi
