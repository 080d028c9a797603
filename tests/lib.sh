# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What every tier of the tests shares. Source it from the top folder:
#   . tests/lib.sh
# A check prints one line, `ok LABEL`, `not ok LABEL: why` or
# `skip LABEL: reason`; tests/run counts them.

BUILD=${BUILD:-build}
MAKE=${MAKE:-make}

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; }
skip() { echo "skip $1: $2"; }

# One line out of several, for a reason.
one_line() { tr '\n' ' ' | cut -c1-300; }

# check LABEL COMMAND...: ok if the command succeeds, else its output is why.
check() {
  check_label=$1
  shift
  if check_output=$("$@" 2>&1); then
    ok "$check_label"
  else
    not_ok "$check_label" "$(printf '%s' "$check_output" | one_line)"
  fi
}

# equal LABEL EXPECTED ACTUAL: two texts are the same.
equal() {
  if [ "$2" = "$3" ]; then
    ok "$1"
  else
    not_ok "$1" "$(printf 'expected %s, got %s' "$2" "$3" | one_line)"
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }
have_llvm() { have "clang-$1" && have "llvm-profdata-$1"; }

# The LLVM releases under test: those that must be there, and of the others
# those that are. `make test LLVM=13` tests that one alone.
LLVM_REQUIRED="14 19 22"
LLVM_OPTIONAL="13 15 16 17 18 20 21"
llvm_versions() {
  if [ -n "${LLVM:-}" ]; then
    echo "$LLVM"
    return
  fi
  for llvm_version in $LLVM_REQUIRED; do
    echo "$llvm_version"
  done
  for llvm_version in $LLVM_OPTIONAL; do
    if have_llvm "$llvm_version"; then echo "$llvm_version"; fi
  done
}
