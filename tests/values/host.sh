# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks on this machine: the model, profiles, the header; kept values and
# instructions of a call, compared with compiler-rt. tests/values/run sources
# this file.

sanitize="-fsanitize=$SANITIZERS -fno-sanitize-recover=all"
flags="-g -O1 -std=c11 -Wall -Wextra -Iinclude -Iruntime"

# library LLVM: sets $library to the runtime with sanitizers.
library() {
  mkdir -p "$out/host/$1"
  library=$(runtime_archive NATIVE_CC="clang-$1" SANITIZE=$SANITIZERS)
}

# host NAME COMPILER...: builds $out/host/NAME, and prints its output.
host() {
  program=$out/host/$1
  shift
  if ! why=$("$@" -o "$program" 2>&1); then
    not_ok "values $(basename "$program") compiles" "$(echo "$why" | one_line)"
    return
  fi
  "$program" $arguments 2>"$program.errors" ||
    not_ok "values $(basename "$program") runs to its end" \
      "$(grep -m 1 -e ERROR -e error "$program.errors" | one_line)"
}

models() {
  arguments=
  for storage in "8 8" "64 1" "128 32" ${FULL:+"1 1" "64 8" "300 255"}; do
    host "model-${storage% *}-${storage#* }" clang-22 $sanitize $flags \
      -DSLOTS=${storage% *} -DWAYS=${storage#* } $here/model.c $here/table.c \
      tests/unit/check.c "$library" -lm
  done | named
}

# The values of work(), in llvm-profdata's format.
seen='two,5 one,3 three,2 16,7 65,2 513,1 one,1 three,1'
read_values() {
  "llvm-profdata-$1" show --all-functions --ic-targets --memop-sizes \
    "$out/host/$1.profraw" | awk '/^\t\[/ {
      gsub(/[],[]/, " "); sub(/[^ ]*[;:]/, "")
      printf "%s%s,%s", found++ ? " " : "", $2, $3 }'
}

profiles() {
  for llvm in $(llvm_versions); do
    case $llvm in 14 | 19 | 22) ;; *) continue ;; esac
    # A runtime for each release takes its time.
    [ -n "${FULL:-}${LLVM:-}" ] || [ "$llvm" = 22 ] || continue
    have_llvm "$llvm" || continue
    library "$llvm"
    "clang-$llvm" -O1 -fprofile-generate -c $here/work.c \
      -o "$out/host/$llvm/work.out"
    arguments=$out/host/$llvm.profraw
    host "dump-$llvm" "clang-$llvm" $sanitize $flags $here/dump.c \
      "$out/host/$llvm/work.out" tests/unit/check.c \
      "$library" | named "llvm-$llvm "
    equal "values llvm-$llvm llvm-profdata reads what was seen" "$seen" \
      "$(read_values "$llvm")"
  done
}

# macro COMPILER FLAG...: compiles the header in that language, without a
# warning.
macro() {
  "$@" -Werror -Wall -Wextra -Wpedantic -g -Iinclude -c $here/macro.c \
    -o "$out/host/macro.o" &&
    clang-22 $sanitize "$out/host/macro.o" "$out/host/22/work.out" \
      "$library" -o "$out/host/macro" && "$out/host/macro"
}

refused() {
  echo '#include "bareprof_values.h"' >"$out/host/refused.c"
  echo "BAREPROF_VALUES($1);" >>"$out/host/refused.c"
  clang-22 -Iinclude -fsyntax-only "$out/host/refused.c" 2>&1 |
    grep -q 'negative size'
}

macros() {
  library 22
  check "values BAREPROF_VALUES in C, clang" macro clang-22 -std=c11
  check "values BAREPROF_VALUES in C++, clang" macro clang-22 -x c++ -std=c++17
  if have g++; then
    check "values BAREPROF_VALUES in C++, g++" macro g++ -x c++ -std=c++17
  else
    skip "values BAREPROF_VALUES in C++, g++" "no g++"
  fi
  check "values without storage" macro clang-22 -std=c11 -DNONE
  for wrong in "4, 5" "4, 0" "300, 256"; do
    check "values BAREPROF_VALUES($wrong) does not compile" refused "$wrong"
  done
}

# ---- Next to compiler-rt ----

# theirs NAME SITES-FLAG...: $out/theirs/NAME, which holds both runtimes.
theirs() {
  name=$1
  folder=$out/theirs/$name.objects
  shift
  mkdir -p "$folder"
  ours=$(runtime_archive AS=renamed-fast NATIVE_CC=clang-22 "$COUNTS_ONLY" \
    NATIVE_CFLAGS="-O2 -ffunction-sections -fdata-sections" \
    DEFINES="$RENAMED") || return
  clang-22 -O2 -std=c11 -Wall -Wextra -Iinclude -c "$here/$name.c" \
    -o "$folder/$name.o" &&
    clang-22 -O2 -fprofile-generate "$@" -c $here/sites.c \
      -o "$folder/sites.o" &&
    clang-22 -fprofile-generate -Wl,--gc-sections -Wl,-z,nostart-stop-gc \
      "$folder"/*.o "$(profile_archive 22)" "$ours" -lm \
      -o "$out/theirs/$name"
}

# Both have eight places.
start_theirs() {
  LLVM_VP_MAX_NUM_VALS_PER_SITE=8 LLVM_PROFILE_FILE=/dev/null "$@"
}

# EXPONENT LENGTH, then theirs and ours twice: reported, in the top four.
streams() {
  theirs zipf -mllvm -vp-static-alloc=false &&
    start_theirs "$out/theirs/zipf"
}

streams_right() {
  streams >"$out/streams" || return
  awk '{ rows++ }
    $4 < $3 || $6 < $5 { print "of", $2, "at", $1 ":", $0; bad = 1; exit }
    $3 < 100 && $4 > $3 { better++ }
    END { exit bad || rows < 32 || better < 8 }' "$out/streams"
}

# Prints KIND THEIRS OURS: instructions of a call.
costs() {
  theirs cost -mllvm -vp-counters-per-site=40 &&
    start_theirs valgrind --tool=callgrind --collect-atstart=no \
      --callgrind-out-file="$out/theirs/counts" "$out/theirs/cost" \
      >"$out/theirs/valgrind" 2>&1 || return
  awk '/^desc: Trigger: Client Request: / {
      sub(/.*: /, ""); runtime = $1; kind = $2; calls = $3 }
    /^totals:/ { cost[runtime, kind] = $2 / calls }
    /^totals:/ && runtime == "ours" { order[++n] = kind }
    END { for (i = 1; i <= n; i++) { kind = order[i]
      print kind, cost["theirs", kind] - cost["nothing", kind],
        cost["ours", kind] - cost["nothing", kind] } }' "$out/theirs"/counts.*
}
