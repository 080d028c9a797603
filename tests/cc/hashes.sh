# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares counts of a program that hashes its addresses. bareprof cc changes
# these counts, but so does clang if its code is linked to another address: a
# difference proves nothing. Without addresses all counts are the same. `run`
# sources this file.

hashed() {
  name=$1
  shift
  "$@" -O1 $COUNTED -no-pie "$HERE/hashes.c" -o "$OUT/hashes/$name" &&
    LLVM_PROFILE_FILE="$OUT/hashes/$name.profraw" "$OUT/hashes/$name" &&
    "llvm-profdata-$LLVM_HOST" merge --text "$OUT/hashes/$name.profraw" \
      -o "$OUT/hashes/$name.text"
}

alike() { cmp "$OUT/hashes/$1.text" "$OUT/hashes/$2.text"; }

hashes() {
  rm -rf "$OUT/hashes" && mkdir "$OUT/hashes" || return 1
  clang="clang-$LLVM_HOST"
  elsewhere="-Wl,--section-start=.text=0x912340"
  hashed clang $clang && hashed again $clang &&
    hashed moved $clang $elsewhere || return 1
  alike clang again || { echo "not even twice the same"; return 1; }
  ! alike clang moved >/dev/null ||
    { echo "control: no other counts"; return 1; }
  hashed plain $clang -DPLAIN && hashed plain-moved $clang -DPLAIN $elsewhere &&
    hashed plain-32 "$BAREPROF" cc --counters=32 $clang -DPLAIN &&
    alike plain plain-moved && alike plain plain-32
}

if needs "cc hashes" "llvm:$LLVM_HOST"; then
  sole "cc hashes: counts that depend on addresses, and none that do" hashes
fi
