# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Functions that all tiers of the tests share. Source this file from the top
# folder:
#   . tests/lib.sh
# A check prints one line, `ok LABEL`, `not ok LABEL: why` or
# `skip LABEL: reason`; tests/run counts them.
#
# From the environment:
#   BUILD   where a tier builds; nothing is written elsewhere
#   LLVM    this release alone
#   FULL    set: the long forms too
#   QUICK   set: one compiler where two would do, and no sanitizers
#   CASE    a part of labels: checks without it may stay out

BUILD=${BUILD:-build}
MAKE=${MAKE:-make}
JOBS=${JOBS:-2}

ok() { echo "ok $1"; }
skip() { echo "skip $1: $2"; }

# Joins several lines into one, for the reason after a label.
one_line() { tr '\n' ' ' | cut -c1-300; }

have() { command -v "$1" >/dev/null 2>&1; }

# lacking PROGRAM...: prints the first of these programs that is not installed.
lacking() {
  for lacking_name; do
    have "$lacking_name" || { echo "$lacking_name"; return; }
  done
}

# Prints the missing programs of the tests that an error message names.
not_found() {
  grep -e 'not found' -e 'No such file' | grep -oE "clang(\+\+)?-[0-9]+|\
ld\.lld-[0-9]+|llvm-[a-z]+-[0-9]+|qemu-system-[a-z0-9]+|gdb-multiarch|\
(arm-none-eabi|riscv64-unknown-elf)-[a-z+]+|valgrind|g?cc|g\+\+"
}

# not_ok LABEL WHY: prints a skip, if the cause is a missing program.
not_ok() {
  # shellcheck disable=SC2046 # Several names, or none.
  set -- "$1" "$2" "$(lacking $(printf '%s\n' "$2" | not_found))"
  if [ -n "$3" ]; then skip "$1" "no $3"; else echo "not ok $1: $2"; fi
}

# install_for_init FOLDER TARGET: copies what `bareprof init` needs, as `make
# install` does: the tool, the linker scripts, the archive of LLVM 22.
install_for_init() {
  mkdir -p "$1/bin" "$1/share/bareprof" "$1/lib/bareprof/llvm-22/$2" &&
    cp "$BUILD/bareprof" "$1/bin" && cp linker-scripts/* "$1/share/bareprof" &&
    cp "$BUILD/llvm-22/$2/libbareprof.a" "$1/lib/bareprof/llvm-22/$2"
}

# check LABEL COMMAND...: ok if the command succeeds. Otherwise the reason is
# the command's output or, without output, its words and status.
check() {
  check_label=$1
  shift
  check_output=$("$@" 2>&1)
  set -- $? "$*"
  if [ "$1" = 0 ]; then
    ok "$check_label"
  elif [ -n "$check_output" ]; then
    not_ok "$check_label" "$(printf '%s' "$check_output" | one_line)"
  else
    not_ok "$check_label" "status $1 from: $(printf '%s' "$2" | one_line)"
  fi
}

# equal LABEL EXPECTED ACTUAL: ok if the two texts are the same.
equal() {
  if [ "$2" = "$3" ]; then
    ok "$1"
  else
    not_ok "$1" "$(printf 'expected "%s", got "%s"' "$2" "$3" | one_line)"
  fi
}

# at_least NUMBER ACTUAL, at_most NUMBER ACTUAL: compare numbers that may have
# fractions.
at_least() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(b != "" && b + 0 >= a + 0) }' ||
    { echo "expected at least $1, got ${2:-nothing}"; return 1; }
}
at_most() {
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(b != "" && b + 0 <= a + 0) }' ||
    { echo "expected at most $1, got ${2:-nothing}"; return 1; }
}

# Defines is_long LABEL: succeeds if a line of tests/long-only begins the label.
eval "is_long() { case \$1 in $(sed "/^#/d; s/.*/'&'*/" tests/long-only |
  paste -s -d '|' -)) return 0 ;; esac; return 1; }"

# wanted LABEL: succeeds if CASE (names with `|` between) may select a check
# whose label begins with LABEL. Without CASE and FULL, the checks of
# tests/long-only are not wanted. Put it before groups of independent checks,
# never before checks that others need.
wanted() {
  [ -n "${CASE:-}" ] || { [ -n "${FULL:-}" ] || ! is_long "$1"; return; }
  wanted_names=$CASE
  while [ -n "$wanted_names" ]; do
    wanted_name=${wanted_names%%|*}
    case $1 in *"$wanted_name"*) return 0 ;; esac
    case $wanted_name in *"$1"*) return 0 ;; esac
    case $wanted_names in
      *"|"*) wanted_names=${wanted_names#*|} ;;
      *) wanted_names= ;;
    esac
  done
  return 1
}

# group LABELS COMMAND...: runs the command if one of its labels is selected.
# LABELS are the first words of its labels, with `|` between several.
group() {
  group_labels=$1
  shift
  while :; do
    if wanted "${group_labels%%|*}"; then
      "$@"
      return
    fi
    case $group_labels in *"|"*) group_labels=${group_labels#*|} ;;
      *) return 0 ;;
    esac
  done
}

# sole LABEL COMMAND...: a check that no other check needs: CASE may leave it
# out.
sole() { ! wanted "$1" || check "$@"; }

# tiers_proving FILE: prints the tiers that prove a file, from `touched`, the
# best first. A tier proves its own files. Fails if no line has the file.
tiers_proving() {
  tiers_folder=${1#tests/}
  tiers_folder=${tiers_folder%%/*}
  if [ "$1" != "${1#tests/}" ] && [ -x "tests/$tiers_folder/run" ]; then
    echo "$tiers_folder"
    return
  fi
  awk -v file="$1" '
    /^[^#]/ && index(file, $1) == 1 && length($1) > length(best) {
      best = $1
      tiers = $0
    }
    END {
      count = split(tiers, tier, " ")
      for (i = 2; i <= count; i++) print tier[i]
      exit best == ""
    }' tests/touched
}

have_llvm() { have "clang-$1" && have "llvm-profdata-$1"; }

# lacks [llvm:N] [board:NAME] [gnu:NAME] [PROGRAM]...: prints the first of these
# that is missing: a release with its linker, QEMU for a board, GNU ld for a
# board, a program, or the path of a file. Prints nothing if all are there.
lacks() {
  for lacks_what; do
    lacks_name=${lacks_what#*:}
    case $lacks_what in
      llvm:*) set -- "clang-$lacks_name" "ld.lld-$lacks_name" \
        "llvm-profdata-$lacks_name" ;;
      board:*) set -- "$(sed -n 's/^BOARD_QEMU := \([^ ]*\).*/\1/p' \
        "targets/$lacks_name/board.mk")" ;;
      gnu:virt-riscv*) set -- riscv64-unknown-elf-ld ;;
      gnu:virt-aarch64*) set -- aarch64-linux-gnu-ld ;;
      gnu:*) set -- arm-none-eabi-ld ;;
      /*)
        [ -e "$lacks_what" ] || { echo "no $lacks_what"; return; }
        continue ;;
      *) set -- "$lacks_what" ;;
    esac
    lacks_name=$(lacking "$@")
    [ -z "$lacks_name" ] || { echo "no $lacks_name"; return; }
  done
}

# needs LABEL WHAT...: succeeds if all arguments, as for `lacks`, are there;
# otherwise prints a skip.
needs() {
  needs_label=$1
  shift
  needs_why=$(lacks "$@")
  [ -z "$needs_why" ] || { skip "$needs_label" "$needs_why"; return 1; }
}

# The LLVM releases under test: the required ones and, with FULL, all other
# installed ones. `make test LLVM=13` tests only that release.
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
  [ -n "${FULL:-}" ] || return 0
  for llvm_version in $LLVM_OPTIONAL; do
    if have_llvm "$llvm_version"; then echo "$llvm_version"; fi
  done
}

# Prints the releases with different file formats: 19 has the raw version of 22,
# so only long forms and chosen checks use 19.
llvm_formats() {
  llvm_versions | if [ -n "${FULL:-}${LLVM:-}${CASE:-}" ]; then
    cat
  else
    grep -vx 19
  fi
}

# wanted_rows LABEL: passes on the lines that are wanted. LABEL is their label,
# with %1 and so on for the words of a line: "target %1 llvm-%2 %3 %4".
wanted_rows() {
  [ -n "${CASE:-}" ] || { [ -n "${FULL:-}" ] && cat && return; }
  while read -r wanted_row; do
    wanted_label=$(echo "$wanted_row" | awk -v label="$1" '{
      for (i = 1; i <= 9; i++) gsub("%" i, $i, label)
      sub(/ *$/, "", label); print label }')
    if wanted "$wanted_label"; then echo "$wanted_row"; fi
  done
}

# Runs a command for each row of a table, two at a time; not at all for a table
# without rows.
each_row() {
  xargs -r -P "$JOBS" -L 1 env PREPARED=1 "$@"
}

# Prints the rows of a long table for `make test`: the rows with the mark `+` in
# front, without the mark. With FULL, CASE or LLVM: all rows.
rows_of() {
  if [ -n "${FULL:-}${CASE:-}${LLVM:-}" ]; then
    sed '/^#/d; /^ *$/d; s/^+ *//'
  else
    sed -n '/^#/d; s/^+ *//p'
  fi
}

# ---- programs with parts of the tool, or of the runtime ----

# The release that compiles tests for this machine, and its tools.
LLVM_HOST=${LLVM_HOST:-22}
SANITIZERS=address,undefined
# In short runs, the optimiser costs more time than it saves, and code without
# it makes each access that its source has. Long runs are faster at -O1.
if [ -z "${SANITIZED_LEVEL:-}" ]; then
  SANITIZED_LEVEL=-O0
  [ -z "${FULL:-}" ] || SANITIZED_LEVEL=-O1
fi
export SANITIZED_LEVEL
SANITIZED="clang-$LLVM_HOST $SANITIZED_LEVEL -fsanitize=$SANITIZERS
  -fno-sanitize-recover=all"
TOOL_FLAGS="-std=c11 -D_POSIX_C_SOURCE=200809L -DBAREPROF_FOREIGN -g1
  -Wall -Wextra -Wpedantic -Wshadow"
# The writer and merging refer to values weakly: these flags make the linker
# take them. The tool's archive has only the writing part.
WITH_VALUES=-Wl,-u,bareprof_values_count_value
TOOL_VALUES=-Wl,-u,bareprof_values_write

# tool_archive, runtime_archive [VARIABLE=VALUE...]: makes the archive of the
# whole tool except main, or of the runtime for this machine, with the
# Makefile's variables, and prints its name. Make both archives before any
# parallel step. An archive for only one tier may be $COUNTS_ONLY: without MIP,
# the sampler and frames.
COUNTS_ONLY="WITHOUT=mip% arch/mip% sampler% wire% values_wire%"
tool_archive() { $MAKE -s -j "$JOBS" tool-archive BUILD="$BUILD" "$@"; }
runtime_archive() { $MAKE -s -j "$JOBS" runtime-archive BUILD="$BUILD" "$@"; }

# profile_archive LLVM: prints the name of compiler-rt's archive. A program that
# also links our archive names ours first, so that our symbols win, and renames
# our hooks.
RENAMED="-D__llvm_profile_instrument_target=our_target \
  -D__llvm_profile_instrument_memop=our_memop"
profile_archive() {
  find "$("clang-$1" -print-resource-dir)/lib" \
    -name 'libclang_rt.profile*x86_64*.a' -o \
    -path '*x86_64*/libclang_rt.profile.a' 2>/dev/null | head -n 1
}

# headers [FOLDER...]: prints flags for the headers in these folders of tests,
# of the tool and of the runtime. Sources include a header as NAME, or as
# FOLDER/NAME if two headers have the name.
headers() {
  for headers_in in "$@" $(find tools -type d | LC_ALL=C sort) \
    $(find runtime -type d | LC_ALL=C sort); do
    printf ' -iquote %s' "$headers_in"
  done
  echo ' -Iinclude'
}

# The compiler of the tool, as the Makefile has it.
host_cc() {
  for host_cc in "clang-$LLVM_HOST" gcc cc ${HOST_CC:+"$HOST_CC"}; do
    ! have "$host_cc" || host_cc_found=$host_cc
  done
  echo "$host_cc_found"
}

# tool_program PROGRAM SANITIZERS FLAG-OR-SOURCE...: links a test's program with
# the parts of the tool that it needs. Without SANITIZERS it is compiled like
# the tool.
tool_program() {
  tool_program=$1 tool_with=
  [ -n "${QUICK:-}" ] || tool_with=$2
  shift 2
  tool_library=$(tool_archive "SANITIZE=$tool_with") || return 1
  if [ -n "$tool_with" ]; then
    tool_compiler="clang-$LLVM_HOST $SANITIZED_LEVEL -fsanitize=$tool_with
      -fno-sanitize-recover=all -fuse-ld=lld"
  else
    tool_compiler="$(host_cc) -O2"
  fi
  $tool_compiler $TOOL_FLAGS "$@" $(headers) $TOOL_VALUES "$tool_library" \
    -pthread -o "$tool_program"
}

# Prints the address of the archive that this machine's apt uses.
apt_mirror() {
  apt_mirror_of=$(awk '$1 == "URIs:" { print $2; exit }
    $1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /debian\/?$/) {
      print $i; exit } }' /etc/apt/sources.list.d/debian.sources \
    /etc/apt/sources.list 2>/dev/null)
  echo "${apt_mirror_of:-http://deb.debian.org/debian}"
}

# commands PAGE: prints the commands that a reader of the page types.
commands() {
  awk '
    { line = $0; sub(/^ +/, "", line) }
    line == "```" { inside = 0 }
    inside { print line }
    line == "```sh" { inside = 1 }' "$1"
}
