# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Messages of `bareprof receive` if no dump comes, or the firmware refuses.
# host.sh sources this file. The frames are made by hand, from
# docs/reference/wire-format.md.

said=$out/said
mkdir -p "$said"

# says TEXT COMMAND...: expects exit status 1, and the text among the messages.
says() {
  text=$1
  shift
  timeout 20 "$@" >"$said/output" 2>"$said/messages"
  set -- $?
  [ $1 = 1 ] && grep -q -- "$text" "$said/messages" ||
    { echo "ends with $1: $(one_line <"$said/messages")"; return 1; }
}

# says_of TEXT FRAME: the same for a log with that frame.
says_of() {
  printf 'boot\n%s\nready\n' "$2" >"$said/log"
  says "$1" "$BAREPROF" receive "$said/log" -o "$said/out.profraw" &&
    printf 'boot\nready\n' | cmp - "$said/output"
}

# REFUSED, of core 0 and image 0: error 8; of core 1 and image 2: error 17.
check "wire said: counters that were never initialised" \
  says_of 'rejected a dump: .*uninitialised or overwritten; call ' \
  '~{BwAAAAg/o9l6}'
check "wire said: no build id" \
  says_of 'rejected a dump: .*link with --build-id' '~{ByEAABGkwzwG}'
check "wire said: format 1 is not read" \
  says_of 'dump has another version' '~{AAECAAECAAAKAAA93ZtM}'
check "wire said: format 2 is not read" \
  says_of 'dump has another version' \
  '~{HdY/AMJfH5YAFAacAAAKAAHslN7R4OkhZaE}'
check "wire said: flags of a later format are not read" \
  says_of 'dump has another version' '~{AAECAAIIAAAKAADG5Ojc}'

# The page shows a log with a dump: readers try it.
shown_dump() {
  grep -A 1 '^    hello$' "$here/../../docs/how-to/transports.md" |
    sed 's/^ *//' >"$said/shown" &&
    "$BAREPROF" receive "$said/shown" -o "$said/shown.bpdump" \
      2>"$said/messages" | cmp - "$said/hello" &&
    grep -q 'lean dump, 10 counters' "$said/messages"
}
echo hello >"$said/hello"
check "wire said: the dump in docs/how-to/transports is read" shown_dump

# Hand-made dumps 1 to 3 of boot 7, with five counters.
one='~{DQEQAMMBASABAgMEBQYHCIAOAAUApO0or84MFA}'
two='~{DQIQAMMCAiABAgMEBQYHCIAOAAUApO0oWaw5Kw}'
three='~{DQMQAMMDAyABAgMEBQYHCIAOAAUApO0oNHD6iA}'

# numbered_as TEXT FRAME...: expects exit status 1 and the text for a log of
# these.
numbered_as() {
  text=$1
  shift
  printf '%s\n' "$@" >"$said/log"
  says "$text" "$BAREPROF" receive "$said/log" -o "$said/out.bpdump"
}
goes_on() {
  printf '%s\n' "$one" "$three" >"$said/log"
  "$BAREPROF" receive --allow-missing "$said/log" -o "$said/out.bpdump" \
    2>"$said/messages" && grep -q 'number 2 of ' "$said/messages"
}
# Dumps are numbered from 1, and one comes twice and late: none is missing.
all_there() {
  printf '%s\n' "$one" "$three" "$two" "$one" >"$said/log"
  "$BAREPROF" receive "$said/log" -o "$said/out.bpdump" 2>"$said/messages" ||
    { one_line <"$said/messages"; return 1; }
  ! grep -q missing "$said/messages"
}
# One read brings all three.
two_of_three() {
  rm -f "$said"/some*.bpdump
  printf '%s\n' "$one" "$two" "$three" >"$said/log"
  "$BAREPROF" receive --count 2 "$said/log" -o "$said/some.bpdump" \
    2>"$said/messages" || { one_line <"$said/messages"; return 1; }
  some=$(cd "$said" && echo some*.bpdump)
  [ "$some" = "some-2.bpdump some.bpdump" ] || { echo "$some"; return 1; }
}
check "wire said: a dump between two others is missing" numbered_as \
  'number 2 of core 0, image 0, boot 7 is missing; .*--allow-missing' \
  "$one" "$three"
check "wire said: --allow-missing goes on" goes_on
check "wire said: --count leaves out the dumps after it" two_of_three
check "wire said: the first dumps of a log are missing" numbered_as \
  'numbers 1 to 2 of core 0, image 0, boot 7 are missing' "$three"
check "wire said: a dump that comes late, or twice, is not missing" all_there

# Dumps 60 and 1 of a boot without a number, each with 8 bits.
check "wire said: a restart without a boot number is mentioned" numbered_as \
  'numbers 61 to 256 of .* boot 0 are missing, unless the target restarted' \
  '~{DRERAEM8CAABAgMEBQYHCAeVTH6E}' '~{DSIiAEMBCAABAgMEBQYHCAHz5JHi}'

. $here/ports.sh

# No firmware answers on the port: the proxy's other side is silent.
unanswered() {
  : >"$said/ports"
  "$out/proxy" 0 1 frames >"$said/ports" 2>"$said/faults" &
  proxy=$!
  for _ in $(seq 200); do
    [ -s "$said/ports" ] && break
    sleep 0.05
  done
  read -r _ for_host <"$said/ports"
  says 'call bareprof_sampler_serve' "$BAREPROF" receive \
    --port "tcp:127.0.0.1:$for_host" --request --samples --timeout 3 \
    -o "$said/out.profraw"
  set -- $?
  kill "$proxy" 2>/dev/null
  [ "$1" = 0 ] && grep -q 'waiting for an answer' "$said/messages" ||
    { one_line <"$said/messages"; return 1; }
}
check "wire said: a request that is not answered ends" unanswered

# The same log in UTF-16 has the same dump and text.
like_utf8() {
  iconv -f UTF-8 -t "$1" "$said/plain" >"$said/wide" || return 1
  { printf "$2"; cat "$said/wide"; } >"$said/wide.log"
  for log in plain wide.log; do
    "$BAREPROF" receive "$said/$log" -o "$said/$log.bpdump" \
      >"$said/$log.text" 2>"$said/messages" ||
      { one_line <"$said/messages"; return 1; }
  done
  cmp "$said/plain.bpdump" "$said/wide.log.bpdump" &&
    cmp "$said/plain.text" "$said/wide.log.text"
}
# A LEAN frame with ten counters, 1 3 3 0 0 12 12 1 0 7.
printf 'caf\303\251 \360\237\230\200\n%s\nend\n' \
  '~{DdY/AMMBASDCXx+WABQGnAAACgAB7JTe0eCwjpK/}' >"$said/plain"
if have iconv; then
  check "wire said: a log in UTF-16, little-endian" \
    like_utf8 UTF-16LE '\377\376'
  check "wire said: a log in UTF-16, big-endian" \
    like_utf8 UTF-16BE '\376\377'
else
  skip "wire said: logs in UTF-16" "iconv is not installed"
fi

# An answer of a later format, to a request of another host: tag 7, format 9.
elsewhere() {
  { echo '~{CwAAAAcBAAAJCt7YGAo}' && cat "$said/plain"; } >"$said/other" &&
    "$BAREPROF" receive --quiet "$said/other" -o "$said/other.bpdump" \
      2>"$said/messages" && [ -s "$said/other.bpdump" ] ||
    { one_line <"$said/messages"; return 1; }
}
check "wire said: an answer to another host is nothing" elsewhere

# By hand: the counters of the frame above, in the dump's bytes.
ten_counters() {
  "$BAREPROF" receive "$said/plain" -o "$said/ten.bpdump" >/dev/null 2>&1 &&
    grep -aq '^piece 1 address 0x0 size 80 known 0-10$' "$said/ten.bpdump" &&
    equal_bytes=$(head -c -4 "$said/ten.bpdump" | tail -c 80 | od -An -v -tu8 |
      tr -s ' \n' ' ') &&
    [ "$equal_bytes" = " 1 3 3 0 0 12 12 1 0 7 " ] ||
    { echo "it has $equal_bytes"; return 1; }
}
check "wire said: ten counters in one frame" ten_counters

# The function returns the name of each enumerator of the header.
errors_named() {
  {
    echo '#include <string.h>'
    echo '#include "bareprof.h"'
    echo 'int main(void) { return'
    sed -n 's/^  \(BAREPROF_E_[A-Z_]*\) = -[0-9]*.*/\1/p' include/bareprof.h |
      sed 's/.*/strcmp(bareprof_error_name(&), "&") ||/'
    echo 'strcmp(bareprof_error_name(0), "success"); }'
  } >"$said/names.c"
  [ "$(grep -c BAREPROF_E "$said/names.c")" -gt 15 ] &&
    $cc $(headers) "$said/names.c" "$native" -o "$said/names" && "$said/names"
}
check "wire said: errors by name" errors_named
