# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What sleds cost, by tests/bench/mip, against budgets, and against clang's
# entry coverage in the same run. Bytes are whole: sleds apart, calls that reach
# farther may grow. Percents are of instructions, with one decimal. Sourced by
# run.

cost_out=$OUT/sleds.cost
cost_lines() {
  tests/bench/mip virt-riscv32 22 patch-coverage rewrite-coverage entry \
    ${FULL:+patch-counts rewrite-coverage-gp} &&
    tests/bench/mip mps2-an385 22 rewrite-coverage entry || return
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

# cost_less BOARD COMPILER: in code; in time no more, but for what clang
# happens to do otherwise.
cost_less() {
  awk -v board="$1" -v compiler="$2" '
    $1 == board && $2 == compiler { code[$3] = $4; time[$3] = $7 }
    END {
      exit !(code["rewrite-coverage"] < code["entry"] && code["entry"] &&
        time["rewrite-coverage"] < time["entry"] + 0.2)
    }' "$cost_out" || { cat "$cost_out"; return 1; }
}

cost_measure() { cost_lines >"$cost_out"; }

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
mps2-an385 22 rewrite-coverage 12 2.3
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
