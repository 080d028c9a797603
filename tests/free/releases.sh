# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The runtime for every release compiles with the installed compiler: releases
# differ in their row of image_layout.h, and some rows are rarely compiled
# otherwise. `run` sources this file, and compiles the archives of installed
# releases.

# Compiles the files that include the row, as one file.
rows_in_one() {
  grep -lE '"(image_layout|profraw_write)\.h"' \
    runtime/*.c | sed "s|.*|#include \"$PWD/&\"|"
}

# release_compiles VERSION: compiles rows.c for each width and family.
release_compiles() {
  for flags in --target=thumbv6m-none-eabi --target=thumbv7m-none-eabi \
    "--target=riscv32-none-elf -march=rv32imac" --target=aarch64-none-elf; do
    clang-22 $flags "-DBAREPROF_RAW_VERSION=$1" -std=c11 -ffreestanding \
      -Wall -Wextra -Werror -Iinclude -c "$out/rows.c" -o "$out/rows.o" ||
      return 1
  done
}

# release_archive VERSION TARGET: the archive compiles without a message.
release_archive() {
  if said=$($MAKE -s lib LLVM=22 TARGET="$2" BUILD="$out/raw-$1" \
    LIB_DEFINES=-DBAREPROF_RAW_VERSION="$1" 2>&1) && [ -z "$said" ]; then
    return
  fi
  echo "$said"
  return 1
}

releases() {
  rows_in_one >"$out/rows.c"
  check "free releases: rows are in eight files" test \
    "$(grep -c include "$out/rows.c")" -ge 8
  for version in 7 8 9 10 11; do
    check "free releases: the row of raw $version compiles" \
      release_compiles $version
  done
}

# In `make test` the tier target builds these archives, and runs them.
release_archives() {
  for version in 7 8 9 10 11; do
    for target in thumbv6m-none-eabi thumbv7m-none-eabi riscv32-none-elf \
      aarch64-none-elf; do
      check "free archive of raw $version, $target" \
        release_archive $version $target
    done
  done
}

group "free releases" releases
[ -z "${FULL:-}${CASE:-}" ] || group "free archive of raw" release_archives
