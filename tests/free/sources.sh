# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests link archives, so that a file can move: none names a source of the tool
# or of the runtime, except this tier, which compiles them by hand, the two tables
# of mutations, whose places are found where they have moved, and the script that
# reads all messages; nor do the rules that build the archives. Sourced by run.

# named FOLDER: the lines of its scripts that do, remarks left out.
named() {
  find "$1" -type f ! -name '*.[chS]' ! -name '*.cpp' ! -name '*.md' \
    ! -path '*/free/*' ! -path '*/mutants/table' ! -path '*/qualification/table' \
    ! -path '*/docs/errors' ! -name rules.mk \
    -exec grep -nE \
    '^[^#]*(tools|runtime|TOOLS|RUNTIME)[}"]*/[^ ]*\.[cS]\b' /dev/null {} +
}

# One as there were, which must be found.
named_at_all() {
  mkdir -p "$out/named" &&
    echo 'cc $(printf " tools/base/%s.c" md5) "$TOOLS"/base/*.c' \
      >"$out/named/run" && named "$out/named" >/dev/null
}

check "free: a test that names a source is found" named_at_all
equal "free: no test names a source of the tool or the runtime" "" \
  "$(named tests)"

# ---- widths ----

# wide FOLDER...: lines of C of more than 80 columns.
wide() {
  find "$@" -name '*.[ch]' -exec awk \
    'length > 80 { print FILENAME ":" FNR }' {} +
}

printf '%081d\n' 0 >"$out/named/wide.c"
equal "free: a wide line is found" "$out/named/wide.c:1" "$(wide "$out/named")"
equal "free: no line of C is wider than 80 columns" "" \
  "$(wide include runtime targets tools tests examples packages)"
