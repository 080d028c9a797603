# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The folders of tools/ are layers, as in the table of tools/README.md: each
# includes only lower ones. `run` sources this file.

# Prints the folders with their layers: "8 cmd".
layers_of() {
  sed -n 's/^| \([0-9]\) | \(.*\) |.*|$/\1 \2/p' "${1:-tools/README.md}" |
    awk '{ for (i = 2; i <= NF; i++) { gsub(/[`\/,]/, "", $i); print $1, $i } }'
}

# layers_kept FOLDER: prints includes of higher, equal, or unknown layers.
layers_kept() {
  layers_of >"$OUT/layers"
  (cd "$1" && find . -mindepth 2 -name '*.[ch]' \
    -exec grep -H '^#include "\.\./' {} +) |
    awk -F '[:"]' '{
      depth = split($1, at, "/") - 2
      up = split($3, to, "/")
      for (i = 1; to[i] == ".."; i++);
      if (i > depth) print at[2], to[i], $1
    }' |
    awk 'NR == FNR { layer[$2] = $1; next }
      { lines++ }
      !layer[$1] || !layer[$2] || layer[$2] >= layer[$1] {
        print $3 " includes " $2
        wrong = 1
      }
      END { exit wrong || lines < 100 }' "$OUT/layers" -
}

layers() {
  for folder in tools/*/; do
    grep -q " $(basename "$folder")\$" "$OUT/layers" || {
      echo "tools/README.md lacks $folder"
      return 1
    }
  done
  for folder in tools/*/*/; do
    grep -q "\`${folder#tools/}\`" tools/README.md || {
      echo "tools/README.md lacks $folder"
      return 1
    }
  done
}

# A name in a message, a comment or a table of another file means one file.
once() { ! find tools -name '*.[ch]' | sed 's,.*/,,' | sort | uniq -d | grep .; }
check "tools layers: a folder includes lower ones only" layers_kept tools
check "tools layers: all folders are in the table" layers
check "tools layers: the name of a file occurs once" once
# Two exceptions: each command has its arguments, each system its own os_*.
structs() {
  ! grep -rhoE '^struct [a-z_0-9]+ \{' tools --include='*.[ch]' | sort | uniq -d |
    grep -v '^struct arguments \|^struct os_'
}
check "tools layers: the name of a struct means one thing" structs
# Lists the sources that `make tool` rebuilds after a change of this header,
# from the compiler's dependency files. A build folder keeps the files of
# removed sources.
few() {
  folder=$(dirname "$(tool_archive)")
  files=$(find "$folder" -name '*.d' -exec grep -l 'base/buffer\.h' {} + |
    sed "s,^$folder/,,; s,\.d\$,," | xargs -r ls -d 2>/dev/null | wc -l)
  [ "$files" -ge 50 ] && [ "$files" -le 120 ] || { echo "$files"; return 1; }
}
check "tools layers: a change of base/buffer.h compiles at most 120 files" few
