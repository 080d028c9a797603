# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Raw versions: the sources from which join knows the version of an ELF's
# records, errors if these contradict each other, and profiles for the
# llvm-profdata of other releases. `run` sources this file.

# Prints the counts and values of a profile, in the form that all releases of
# llvm-profdata share.
counts_of() {
  "llvm-profdata-$1" show --all-functions --counts --ic-targets \
    --memop-sizes "$2" |
    sed -n '/^  [^ ].*:$/p; /^    Hash: /p; /^    Counters: /p
      /^    Function count: /p; /^    Block counts: /p; /^	\[/p'
}

# as_version RAW: each field is as before, and all releases with this version
# read it.
as_version() {
  join "$folder/converted" --raw-version $1 "$folder/full.elf" \
    "$folder/full/1.bpdump" &&
    "$out/compare" "$folder/full/1.profraw" "$folder/converted" || return 1
  case $1 in 7) readers=13 ;; 8) readers="14 16" ;; 10) readers="19 22" ;;
  *) readers= ;; # No release of these is in Debian 12.
  esac
  counts_of $llvm "$folder/full/1.profraw" >"$folder/counts.1"
  [ -s "$folder/counts.1" ] || { echo "no counts"; return 1; }
  for reader in $readers; do
    have_llvm $reader || continue
    counts_of $reader "$folder/converted" >"$folder/counts.2" &&
      cmp "$folder/counts.1" "$folder/counts.2" ||
      { echo "llvm-profdata-$reader"; return 1; }
  done
}

# in_versions BOARD LLVM MODE RAW...: other versions are rejected.
in_versions() {
  use $1 $2 lld $3
  is="$label: $1 llvm-$2 $3"
  shift 3
  needs "$is" llvm:$llvm board:$board || return 0
  check "$is: builds" firmware full full
  check "$is: runs" start full
  for raw in 7 8 9 10 11; do
    case " $* " in
    *" $raw "*) check "$is: as raw version $raw" as_version $raw ;;
    *) check "$is: not as raw version $raw" refused "--raw-version" \
      --raw-version $raw "$folder/full.elf" "$folder/full/1.bpdump" ;;
    esac
  done
}

versions() {
  in_versions mps2-an385 22 coverage 7 8 9 10 11
  in_versions virt-aarch64be 22 coverage 7 8 9 10 11
  in_versions virt-riscv64 22 ir 7 8 9 10 11
  in_versions mps2-an385 22 ir-values 7 8 9 10 11
  in_versions virt-riscv64 19 ir-values 7 8 9 10 11
  in_versions mps2-an385 14 ir-values 7 8 9 10 11
  in_versions mps2-an385 22 vtables 10 11
  in_versions mps2-an385 22 entry 8 9 10 11
  in_versions mps2-an385 22 mcdc 10 11
  in_versions virt-riscv32 22 temporal 9 10 11
  in_versions mps2-an385 14 coverage 7 8 9 10 11
  in_versions mps2-an385 13 coverage 7 8 9 10 11
  for raw in 6 12 4294967304 8x ""; do
    "$BAREPROF" join --raw-version "$raw" a b -o c 2>/dev/null
    equal "$label: --raw-version '$raw' is wrong usage" 2 $?
  done
}

# ---- witnesses ----

# decided WHY RAW [ELF]: contradictions are an error; --raw-version decides,
# and the profile is then the right one.
decided() {
  why=$1 raw=$2
  set -- "${3:-$folder/changed.elf}" "${4:-$folder/full/1.bpdump}"
  refused "$why" "$@" && join "$folder/decided" --raw-version $raw "$@" &&
    "$out/compare" "$folder/full/1.profraw" "$folder/decided"
}

# says TEXT OBJCOPY-OPTION...: changes the image's .comment.
says() {
  printf '%s\0' "$1" >"$folder/comment"
  shift
  "$OBJCOPY" --update-section .comment="$folder/comment" "$@" \
    "$folder/full.elf" "$folder/changed.elf"
}

comment_against_debug() {
  says "clang version 14.0.6" && decided contradict 10
}

comment_against_records() {
  says "clang version 14.0.6" --strip-debug && decided contradict 10
}

# Without bitmaps, LLVM 18's records look like 19's: the dump has the version.
comment_against_runtime() {
  says "Debian clang version 18.1.8 (1)" --strip-debug &&
    decided "another raw version" 10
}

# Another release of the same version, and a compiler of a library besides.
comment_agrees() {
  says "GCC: (GNU) 12; clang version 14.0.6; clang version 19.1.7" &&
    join "$folder/joined" "$folder/changed.elf" "$folder/full/1.bpdump" &&
    cmp "$folder/full/1.profraw" "$folder/joined"
}

nobody_says() {
  "$OBJCOPY" -R .comment -R __llvm_covmap --strip-debug \
    "$folder/full.elf" "$folder/changed.elf" &&
    join "$folder/joined" "$folder/changed.elf" "$folder/full/1.bpdump" &&
    cmp "$folder/full/1.profraw" "$folder/joined"
}

# Memory has neither the dump's version word nor the runtime's.
nobody_knows() {
  "$OBJCOPY" -R __llvm_covmap --strip-symbol=__llvm_profile_raw_version \
    "$folder/full.elf" "$folder/changed.elf" || return 1
  head=$(sed '/^data /q' "$folder/full/1.bpdump" | wc -c)
  tail -c +$((head + 1)) "$folder/full/1.bpdump" |
    head -c "$(sed -n 's/^data //p; /^data /q' "$folder/full/1.bpdump")" \
      >"$folder/bare"
  decided "raw version is unknown" 10 "$folder/changed.elf" "$folder/bare"
}

# other_runtime TARGET VERSION: builds an image whose runtime has another
# version.
other_runtime() {
  $MAKE -s lib LLVM=$llvm TARGET=$1 BUILD="$folder/build" \
    LIB_DEFINES=-DBAREPROF_RAW_VERSION=$2 &&
    firmware other lean "$profile" "" \
      LIBRARY="$folder/build/llvm-$llvm/$1/libbareprof.a" && start other &&
    decided "raw version" $3 "$folder/other.elf" "$folder/other/1.bpdump"
}

# Objects of two compilers: there is nothing to decide.
mixed_objects() {
  $MAKE -s firmware BOARD=$board LLVM=14 OUT="$folder" NAME=old \
    SOURCES=tests/target/other.c PROFILE=-fprofile-instr-generate GC=0 \
    SCRIPT=none LDFLAGS_APP=-r &&
    sources="$sources $folder/old.objects/other.c.o" &&
    firmware mixed lean && start mixed &&
    refused "two compilers" "$folder/mixed.elf" "$folder/mixed/1.bpdump" &&
    refused "two compilers" --raw-version 10 "$folder/mixed.elf" \
      "$folder/mixed/1.bpdump"
}

# A part is correlated, another is not.
mixed_ways() {
  $MAKE -s firmware BOARD=$board LLVM=$llvm OUT="$folder" NAME=way \
    SOURCES=tests/target/other.c GC=0 SCRIPT=none LDFLAGS_APP=-r \
    PROFILE="$profile -mllvm -profile-correlate=binary" &&
    sources="$sources $folder/way.objects/other.c.o" &&
    firmware ways lean && start ways &&
    refused "-profile-correlate" "$folder/ways.elf" "$folder/ways/1.bpdump"
}

witnesses() {
  use mps2-an385 22 lld coverage
  check "$label: builds" firmware full full
  check "$label: runs" start full
  check "$label: .comment against debug information" comment_against_debug
  check "$label: .comment against records" comment_against_records
  check "$label: .comment against the runtime" comment_against_runtime
  check "$label: .comment with others" comment_agrees
  check "$label: the runtime alone" nobody_says
  check "$label: nobody at all" nobody_knows
  check "$label: a runtime of version 8, records of 10" \
    other_runtime thumbv7m-none-eabi 8 10
  check "$label: objects of two compilers" mixed_objects
  check "$label: objects of two ways" mixed_ways
  [ -n "${FULL:-}" ] || return 0
  use mps2-an385 14 lld coverage
  check "$label: llvm-14 builds" firmware full full
  check "$label: llvm-14 runs" start full
  check "$label: a runtime of version 10, records of 8" \
    other_runtime thumbv7m-none-eabi 10 8
}
