# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two objects of a firmware define a weak function, linked without
# --gc-sections: the profile is complete, and its counts equal the host
# programs' (tests/hosted/weak.c). `run` sources this file.

# weak LINKER
weak() {
  folder=$out/weak-$1
  mkdir -p "$folder"
  rm -f "$folder/weak.profraw"
  { echo '#define main work'; cat tests/hosted/weak.c; } >"$folder/first.c"
  { echo '#define OTHER'; cat tests/hosted/weak.c; } >"$folder/second.c"
  $MAKE -s firmware BOARD=mps2-an385 LLVM=22 LINKER="$1" OUT="$folder" \
    NAME=weak SOURCES="$folder/first.c $folder/second.c" \
    PLAIN=$here/weak_main.c CFLAGS_APP=-O1 \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    LDFLAGS_APP="-u bareprof_preinit --no-gc-sections" &&
    targets/run mps2-an385 "$folder/weak.elf" "$folder" </dev/null &&
    [ "$(counts_of 22 "$folder/weak.profraw" | LC_ALL=C sort -u |
      one_line)" = "first.c:choose_another: 1 [1] level: Front-end \
other: 1 [5] second.c:choose: 1 [0] shared: 15 [7] work: 1 [10] " ]
}

for linker in lld gnu; do
  check "target mps2-an385 llvm-22 $linker two weak definitions" weak $linker
done

# An inline function that two C++ files have: LTO of clang 13 to 15 leaves two
# records and one counter. It runs twice, which we say; llvm-profdata adds the
# counter once for each record.
# inline_twice LLVM WAY: WAY: lto of lld; gold, gold-thin of GNU ld's plugin, all
# code kept; lld-r, gnu-r of both objects as one.
inline_twice() {
  folder=$out/inline-$1-$2 linker=lld lto= more=
  mkdir -p "$folder"
  rm -f "$folder/weak.profraw"
  echo 'inline int sum(int a, int b) { return a + b; }
    __attribute__((weak)) int other(int n) { return n; }
    int second(int n);' >"$folder/sum.h"
  echo '#include "sum.h"
    extern "C" int work() { return sum(4, 5) + other(second(1)); }' \
    >"$folder/first.cpp"
  echo '#include "sum.h"
    int second(int n) { return other(sum(n, 3)); }' >"$folder/second.cpp"
  case $2 in gold* | gnu*) linker=gnu ;; esac
  case $2 in
    *thin) lto=-flto=thin ;;
    *-r) ;;
    *) lto=-flto ;;
  esac
  case $2 in gold*)
    plugin=/usr/lib/llvm-$1/lib/LLVMgold.so
    plugin="$plugin -plugin-opt=mcpu=cortex-m3"
    set -- "$1" "$2" "GNU_LD_arm=arm-none-eabi-ld -plugin $plugin"
    more=--no-gc-sections ;;
  esac
  set -- "$@" BOARD=mps2-an385 "LLVM=$1" LINKER=$linker OUT="$folder" \
    NAME=inline PLAIN=$here/weak_main.c CFLAGS_APP=-O2 \
    PROFILE="$lto -fprofile-instr-generate -fcoverage-mapping" \
    LDFLAGS_APP="-u bareprof_preinit $more"
  inline_llvm=$1 way=$2
  shift 2
  parts="$folder/first.cpp $folder/second.cpp"
  case $way in
    *-r)
      objects=$folder/inline.objects
      $MAKE -s "$@" SOURCES="$parts" "$objects/first.cpp.o" \
        "$objects/second.cpp.o" || return 1
      # Removes constructors of old releases, as the docs say.
      [ "$inline_llvm" -ge 18 ] || for object in "$objects"/*.cpp.o; do
        llvm-objcopy-22 --wildcard -R '*.init_array.0' \
          -R '*.text.__llvm_profile_init' "$object" || return 1
      done
      joiner=arm-none-eabi-ld
      [ $linker = gnu ] || joiner=ld.lld-$inline_llvm
      $joiner -r "$objects"/*.cpp.o -o "$folder/joined.o" || return 1
      parts=$folder/joined.o ;;
  esac
  $MAKE -s firmware "$@" SOURCES="$parts" || return 1
  "$BUILD/bareprof" doctor "$folder/inline.elf" >"$folder/doctor" &&
    targets/run mps2-an385 "$folder/inline.elf" "$folder" </dev/null &&
    "$BUILD/bareprof" merge --for-llvm "$inline_llvm" "$folder/weak.profraw" \
      -o "$folder/inline.profdata" &&
    equal_counts "$(counts_of "$inline_llvm" "$folder/inline.profdata")"
}
equal_counts() {
  [ "$(echo "$1" | grep -c '^_Z3sumii: 2 \[\]\|^_Z5otheri: 2 \[\]')" = 2 ] ||
    { echo "$1"; return 1; }
}
for llvm in 14 ${FULL:+13 15 16 19 22}; do
  for way in lto gnu-r ${FULL:+lld-r} gold ${FULL:+gold-thin}; do
    # LTO of clang 16 drops a record that a constructor still refers to: no
    # linker links that.
    case $llvm-$way in 16-lto | 16-gold*) continue ;; esac
    label="target mps2-an385 llvm-$llvm one inline function, two records, $way"
    set -- "llvm:$llvm"
    case $way in gold*)
      set -- "$@" gnu:mps2-an385 "/usr/lib/llvm-$llvm/lib/LLVMgold.so" ;;
    gnu*) set -- "$@" gnu:mps2-an385 ;; esac
    needs "$label" "$@" && check "$label" inline_twice "$llvm" "$way"
  done
done
