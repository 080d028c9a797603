# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks names: include guards fit their files, and comments name files and
# functions that exist. `run` sources this file.

sources() {
  git ls-files -co --exclude-standard runtime include tools targets |
    grep -E '\.[chS]$'
}

# Each guard ends in the name of its file. Included assembly files have no
# guard.
guards() {
  sources | grep '\.h$' | while read -r file; do
    name=$(basename "$file" .h | tr 'a-z.-' 'A-Z__')
    ! grep -qE '^#ifndef [A-Z0-9_]+_H$' "$file" ||
      grep -qE "^#ifndef ([A-Z0-9_]+_)?${name}_H\$" "$file" || echo "$file"
  done
}

# comments FILE...: prints the text of comments.
comments() {
  awk '/\/\*/ { inside = 1 } inside { print } /\*\// { inside = 0 }' "$@"
}

# Files of other projects.
others='^(getopt|Hashing)\.h$'
files_named() {
  git ls-files -co --exclude-standard | sed 's|.*/||' | sort -u \
    >"$out/files"
  # shellcheck disable=SC2046 # No name has a space.
  comments $(sources) | grep -oE '\b[A-Za-z][A-Za-z_0-9-]+\.[chS]\b' |
    sort -u | grep -vE "$others" | comm -23 - "$out/files"
}

functions_named() {
  pattern='\b_*bareprof_[a-z0-9_]+'
  # shellcheck disable=SC2046
  set -- $(sources)
  awk '/^ *\/\*/ { inside = 1 } !inside { print } /\*\// { inside = 0 }' "$@" \
    linker-scripts/*.ld | grep -oE "$pattern" | sort -u >"$out/coded"
  comments "$@" | grep -oE "$pattern" | sort -u | comm -23 - "$out/coded"
}

if git rev-parse --git-dir >/dev/null 2>&1; then
  equal "free names: include guards are those of their files" "" \
    "$(guards | one_line)"
  equal "free names: comments name files that exist" "" \
    "$(files_named | one_line)"
  equal "free names: comments name functions that exist" "" \
    "$(functions_named | one_line)"
else
  skip "free names" "no git repository"
fi
