# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests link archives, so that sources can move: no test names a source of the
# tool or of the runtime. Exceptions are this tier, which compiles them by hand,
# the two tables of mutations, which find moved lines, and the script that reads
# all messages. The rules that build the archives name no source, either. `run`
# sources this file.

# named FOLDER: prints lines of its scripts that name a source, without
# comments.
named() {
  find "$1" -type f ! -name '*.[chS]' ! -name '*.cpp' ! -name '*.md' \
    ! -path '*/free/*' ! -path '*/mutants/table' ! -path '*/qualification/table' \
    ! -path '*/docs/errors' ! -name rules.mk \
    -exec grep -nE \
    '^[^#]*(tools|runtime|TOOLS|RUNTIME)[}"]*/[^ ]*\.[cS]\b' /dev/null {} +
}

# A script with such a name must be found.
named_at_all() {
  mkdir -p "$out/named" &&
    echo 'cc $(printf " tools/base/%s.c" md5) "$TOOLS"/base/*.c' \
      >"$out/named/run" && named "$out/named" >/dev/null
}

check "free: a test that names a source is found" named_at_all
equal "free: no test names a source of the tool or the runtime" "" \
  "$(named tests)"

# ---- widths ----

# wide FOLDER...: prints C lines of more than 80 columns.
wide() {
  find "$@" -name '*.[ch]' -exec awk \
    'length > 80 { print FILENAME ":" FNR }' {} +
}

printf '%081d\n' 0 >"$out/named/wide.c"
equal "free: a wide line is found" "$out/named/wide.c:1" "$(wide "$out/named")"
equal "free: no line of C is wider than 80 columns" "" \
  "$(wide include runtime targets tools tests examples packages)"
