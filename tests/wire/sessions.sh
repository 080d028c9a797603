# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Requests over TCP to a firmware that restarts. host.sh sources this file.

build_sessions() {
  $cc -D_GNU_SOURCE -g $(headers) $here/sessions.c "$native" \
    -o "$out/sessions"
}

# No file is wrong, and nearly all sessions end with the requested dumps.
sessions() {
  count=60
  [ -z "${FULL:-}" ] || count=10000
  mkdir -p "$out/sessions.files"
  "$out/sessions" "$BAREPROF" "$out/sessions.files" $count 1 32 \
    >"$out/sessions.log" || return 1
  ! grep -m 3 '^false' "$out/sessions.log" || return 1
  at_least $((count * 9 / 10)) "$(grep -c ': 3 files, status 0' \
    "$out/sessions.log")" &&
    at_least $((count / 5)) "$(grep -c 'of [2-9] starts' "$out/sessions.log")"
}

if wanted "wire sessions"; then
  check "wire sessions: the test compiles" build_sessions
  check "wire sessions: starts over TCP are not mixed" sessions
fi
