# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the cost of sleds, from tests/bench/mip, with budgets, and with
# clang's entry coverage in the same run. Bytes include calls that grow because
# they reach farther. Percents are of instructions, with one decimal. Sourced by
# run.

cost_out=$OUT/sleds.cost
cost_lines() {
  tests/bench/mip virt-riscv32 22 patch-coverage rewrite-coverage \
    rewrite-blocks entry ${FULL:+patch-counts rewrite-coverage-gp} &&
    tests/bench/mip mps2-an385 22 rewrite-coverage rewrite-blocks entry &&
    LOAD=calls OPTIMISE=-O2 tests/bench/mip virt-riscv32 gcc rewrite-blocks ||
    return
  [ -z "${FULL:-}" ] || tests/bench/mip mps2-an385 gcc patch-coverage-first \
    patch-counts rewrite-coverage
}

# cost_most FIELD MOST BOARD COMPILER WAY: 4 is code, 7 percent.
cost_most() {
  awk -v at="$1" -v most="$2" -v what="$3 $4 $5" '
    $1 " " $2 " " $3 == what {
      found = 1
      value = at == 4 ? int($at + 0.5) : int($at * 10 + 0.5) / 10
      if (value > most) { print $at, "instead of", most; exit 1 }
    }
    END { if (!found) { print "not measured"; exit 1 } }' "$cost_out"
}

# cost_less BOARD COMPILER: the rewriter adds less code than calls at entries,
# and no more time, except for what clang happens to do otherwise.
cost_less() {
  awk -v board="$1" -v compiler="$2" '
    $1 == board && $2 == compiler { code[$3] = $4; time[$3] = $7 }
    END {
      exit !(code["rewrite-coverage"] < code["entry"] && code["entry"] &&
        time["rewrite-coverage"] < time["entry"] + 0.2)
    }' "$cost_out" || { cat "$cost_out"; return 1; }
}

cost_measure() { cost_lines >"$cost_out"; }

sleds() {
  check "mip sleds: measured" cost_measure
  sed 's/^/# code, RAM a function, instructions, percent: /' "$cost_out"
  while read -r board compiler way code percent; do
    [ -n "$board" ] || continue
    check "mip sleds: $board $compiler $way: at most $code bytes a function" \
      cost_most 4 "$code" "$board" "$compiler" "$way"
    [ -z "$percent" ] ||
      check "mip sleds: $board $compiler $way: at most +$percent % executed" \
        cost_most 7 "$percent" "$board" "$compiler" "$way"
  done <<EOF
virt-riscv32 22 patch-coverage 8 1.5
virt-riscv32 22 rewrite-coverage 8 1.5
virt-riscv32 22 rewrite-blocks 40 9.8
mps2-an385 22 rewrite-coverage 12 2.3
mps2-an385 22 rewrite-blocks 32 11.3
virt-riscv32 gcc rewrite-blocks 15 25.3
${FULL:+virt-riscv32 22 patch-counts 8
virt-riscv32 22 rewrite-coverage-gp 4 1.5
mps2-an385 gcc patch-coverage-first 8 1.5
mps2-an385 gcc patch-counts 8
mps2-an385 gcc rewrite-coverage 12 2.3}
EOF
  check "mip sleds: RISC-V: less than clang's entry coverage" \
    cost_less virt-riscv32 22
  check "mip sleds: Thumb-2: less than clang's entry coverage" \
    cost_less mps2-an385 22
}
group "mip sleds" sleds

# ---- a program of one call in 12 instructions, and its edges ----

# Prints the edges of a build, CALLER CALLEE PLACE CALLS. PLACE is the call's
# number in its function, since addresses differ.
calls_edges() {
  calls_elf=$calls_at/$1.elf
  "$BAREPROF" mip merge "$calls_elf" "$calls_at/$1.mipraw" \
    -o "$calls_at/$1.mip" &&
    "$BAREPROF" mip edges --sites "$calls_at/$1.mip" --elf "$calls_elf" |
    awk '$3 == "->"' | LC_ALL=C sort -k5 |
      awk '{ k = $2 " " $4; print k, ++n[k], $1 }'
}

# calls_share EXACT SAMPLED: how much of all calls is of edges within 5 %; and
# functions that were called.
calls_share() {
  calls_edges $1 >"$calls_at/exact" && calls_edges $2 >"$calls_at/sampled" &&
    awk 'NR == FNR { exact[$1 $2 $3] = $4; all += $4; next }
      { sampled[$1 $2 $3] = $4 }
      END {
        for (edge in exact) {
          off = sampled[edge] / exact[edge] - 1
          if (off <= 0.05 && off >= -0.05) sum += exact[edge]
        }
        print sum / all
      }' "$calls_at/exact" "$calls_at/sampled"
}

# Calls of each function, exactly, and which never ran.
calls_functions() {
  for calls_way in rewrite-edges $1; do
    "$BAREPROF" mip show "$calls_at/$calls_way.mip" |
      awk '$2 ~ /^[01]$/ { print $1, $2, $3, $NF }' | LC_ALL=C sort -k4 \
      >"$calls_at/$calls_way.calls"
  done
  grep -q '^0 0 - run_never$' "$calls_at/$1.calls" &&
    cmp "$calls_at/rewrite-edges.calls" "$calls_at/$1.calls"
}

# calls_row BOARD COMPILER WAY PERCENT: budgets of tests/bench/mip's seventh.
calls_row() {
  equal "mip cost: $1 $2 $3: at most +$4 % at a call in 12 instructions" "" \
    "$(awk -v what="$1 $2 $3" -v most="$4" '$1 " " $2 " " $3 == what {
      found = 1; if ($7 > most) print $7 }
      END { if (!found) print "not measured" }' "$cost_out.calls")"
}

calls_measure() {
  LOAD=calls OPTIMISE=-O2 ROUNDS=${FULL:+23350} tests/bench/mip "$@"
}

# calls_part BOARD COMPILER WAY...: exact edges of the same program are the
# oracle.
calls_part() {
  calls_at=$BUILD/bench/mip/$1-$2-calls
  check "mip cost: $1 $2: measured" calls_keep "$@"
  for calls_way in rewrite-sampled patch-sampled; do
    [ -f "$calls_at/$calls_way.mipraw" ] || continue
    calls_found=$(calls_share rewrite-edges $calls_way)
    echo "# $1 $2 $calls_way: of edges within 5 %: $calls_found of all calls"
    check "mip cost: $1 $2 $calls_way: 95 % of calls within 5 %" \
      at_least 0.95 "$calls_found"
    check "mip cost: $1 $2 $calls_way: calls of functions are exact" \
      calls_functions $calls_way
  done
}
calls_keep() { calls_measure "$@" >"$cost_out.calls"; }

calls_part virt-riscv32 22 rewrite-edges rewrite-counts rewrite-sampled \
  ${FULL:+patch-sampled rewrite-coverage-gp rewrite-blocks-gp}
sed 's/^/# code, RAM a function, instructions, percent: /' "$cost_out.calls"
calls_row virt-riscv32 22 rewrite-counts 60
calls_row virt-riscv32 22 rewrite-sampled 50
if [ -n "${FULL:-}" ]; then
  calls_row virt-riscv32 22 rewrite-coverage-gp 8.5
  calls_row virt-riscv32 22 rewrite-blocks-gp 13
  calls_part virt-riscv32 gcc rewrite-edges rewrite-sampled patch-sampled
  calls_row virt-riscv32 gcc rewrite-sampled 55
  calls_part mps2-an385 22 rewrite-edges rewrite-sampled
  calls_row mps2-an385 22 rewrite-sampled 85
fi
