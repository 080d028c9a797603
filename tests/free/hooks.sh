# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks of tests/free/run on the symbols between members: which names are weak,
# and that each has one definition; that every file compiles by hand; the enum
# size that Arm's members record. `run` sources this file.

# Names that may be weak: the hooks, and at the end of weak_hooks.h the names of
# compilers and linkers.
hooks=$(sed -n 's/^BAREPROF_WEAK(\([a-z0-9_]*\),.*/\1/p' \
  runtime/weak_hooks.h | paste -s -d '|')
linkers="__(start|stop)___llvm_prf_(data|cnts|names|bits|vtab|vns|vnds)
|__bareprof_(build_id_start|build_id_end|guard|mip_begin|mip_end)|__ehdr_start
|__llvm_profile_(counter|bitmap)_bias|__emutls_v.__llvm_profile_sampling"
compilers="__llvm_profile_raw_version|__llvm_profile_filename
|__aeabi_unwind_cpp_pr0|__emutls_get_address
|__atomic_(fetch_add|fetch_or|load)_[148]
|__sync_(fetch_and_add|val_compare_and_swap)_[48]"

# weak LETTERS NAMES FILE...: prints weak symbols that are not among NAMES.
weak() {
  letters=$1 names=$(echo "$2" | tr -d '\n')
  shift 2
  llvm-nm-22 "$@" 2>/dev/null | awk -v letters="$letters" \
    'NF > 1 && $(NF - 1) ~ "^[" letters "]$" {print $NF}' | sort -u |
    grep -Evx "$names"
}

# Prints names that two members define.
defined_twice() {
  llvm-nm-22 --defined-only --extern-only "$1" 2>/dev/null |
    awk 'NF == 3 {print $3}' | sort | uniq -d
}

# hooks_of LABEL ARCHIVE [OBJECT...]: checks the weak names of an archive.
hooks_of() {
  label=$1
  shift
  equal "$label: weak definitions are compilers' names" "" \
    "$(weak VW "$compilers" "$@" | one_line)"
  equal "$label: weak references are hooks, or bounds" "" \
    "$(weak vw "$hooks|$linkers|$compilers" "$@" | one_line)"
  equal "$label: each name has one definition" "" \
    "$(defined_twice "$1" | one_line)"
}

# by_hand TARGET FLAG...: compiles each file that this target uses.
by_hand() {
  target=$1
  shift
  mkdir -p "$out/hand"
  case $target in
    thumbv6m*) more="runtime/atomic/*.c" ;;
    thumb* | riscv*) more="runtime/atomic/*.c runtime/overrides/lock_spin.c" ;;
    *) more= ;;
  esac
  for file in runtime/*.c runtime/fold/*.c runtime/retain/*.c \
    runtime/arch/*.[cS] runtime/overrides/relocate.c $more; do
    clang-22 --target="$target" "$@" -ffreestanding -Werror -Wall -Iinclude \
      -c "$file" -o "$out/hand/one.o" || return 1
  done
}

# Arm's members say that enums of any size fit.
enums_of() {
  llvm-readelf-22 -A "$1" | awk '/Tag: 26$/ {getline; print $2}' | sort -u |
    one_line
}
