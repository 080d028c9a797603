# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two objects define a weak function: two records, counters of one. The profile
# must be compiler-rt's. `run` sources this file.
# shellcheck disable=SC2086 # Several flags.

# weak_build FLAG...: builds both programs with clang $weak.
weak_build() {
  "clang-$weak" -O1 "$@" -c tests/hosted/weak.c -o "$weak_out/first.o" &&
    "clang-$weak" -O1 "$@" -DOTHER $weak_other -c tests/hosted/weak.c \
      -o "$weak_out/second.o" &&
    "clang-$weak" "$@" "$weak_out/first.o" "$weak_out/second.o" \
      -o "$weak_out/theirs" &&
    "clang-$weak" "$weak_out/first.o" "$weak_out/second.o" \
      "$BUILD/llvm-$weak/x86_64-pc-linux-gnu/libclang_rt.profile-x86_64.a" \
      -u __llvm_profile_runtime -o "$weak_out/ours"
}

# weak_run PROGRAM: writes PROGRAM.profraw from one run, PROGRAM.pool from two.
weak_run() {
  rm -rf "$weak_out/pool" "$weak_out/$1".*
  LLVM_PROFILE_FILE=$weak_out/$1.profraw "$weak_out/$1" 2>&1 &&
    LLVM_PROFILE_FILE=$weak_out/pool/%1m "$weak_out/$1" 2>&1 &&
    LLVM_PROFILE_FILE=$weak_out/pool/%1m "$weak_out/$1" 2>&1 &&
    cat "$weak_out"/pool/* >"$weak_out/$1.pool"
}

# Addresses in the headers differ. compiler-rt's pool adds the counters of both
# records, which are the same counters: these grow too fast. Our pool equals the
# sum of two separate runs.
weak_text() {
  "llvm-profdata-$weak" merge --text "$@" | grep -v '^:'
}

weak_same() {
  weak_run theirs && weak_run ours || return
  equal "" "$(weak_text "$weak_out/theirs.profraw")" \
    "$(weak_text "$weak_out/ours.profraw")" | grep '^not ok' && return 1
  # Counters of one byte do not grow.
  case $1 in entry-coverage) return 0 ;; esac
  equal "" "$(weak_text "$weak_out/ours.profraw" "$weak_out/ours.profraw")" \
    "$(weak_text "$weak_out/ours.pool")" | grep '^not ok' && return 1
  weak_text "$weak_out/ours.pool" | grep -q '^shared$'
}

# A temporal pool keeps the first run, as with compiler-rt.
weak_once() {
  weak_run theirs >/dev/null && weak_run ours >/dev/null || return
  equal "" "$(weak_text "$weak_out/theirs.pool")" \
    "$(weak_text "$weak_out/ours.pool")" | grep '^not ok' && return 1
  weak_text "$weak_out/ours.pool" | grep -q '^shared$'
}

weak_refused() {
  weak_run ours | grep -q 'into the counters of another function'
}

weak_functions() {
  weak_out=$BUILD/tests/hosted/weak weak_other=
  mkdir -p "$weak_out"
  for weak in ${FULL:+19} 14 22; do
    have_llvm $weak || continue
    $MAKE -s hosted LLVM=$weak >&2
    for flags in "-fprofile-instr-generate -fcoverage-mapping" \
      -fprofile-generate \
      "-fprofile-generate -mllvm -pgo-function-entry-coverage"
    do
      label="hosted llvm-$weak two weak definitions, $flags"
      check "$label: builds" weak_build $flags
      check "$label: as compiler-rt" weak_same \
        "${flags##*function-}"
    done
  done
  check "hosted llvm-22 two weak definitions, temporal: builds" weak_build \
    -fprofile-generate -mllvm -pgo-temporal-instrumentation
  check "hosted llvm-22 two weak definitions, temporal: a pool is as it began" \
    weak_once
  weak_other=-DDIFFERENT
  check "hosted llvm-22 two different weak definitions: builds" \
    weak_build -fprofile-instr-generate
  check "hosted llvm-22 two different weak definitions: refused" weak_refused
}
