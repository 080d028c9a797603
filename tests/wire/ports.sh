# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Ports without requests: bytes mean the same as in a file, except before the
# first complete frame. said.sh sources this file, and defines dumps 1 to 3.

# from_port LINE...: prints exit status and messages of receive for a port that
# sends these lines and closes; from_file: for a file. Without names.
from_port() {
  printf '%s\n' "$@" >"$said/sent"
  : >"$said/port"
  python3 $here/serve.py "$said/sent" $pause >"$said/port" &
  server=$!
  for _ in $(seq 200); do
    [ -s "$said/port" ] && break
    sleep 0.05
  done
  heard --port "tcp:127.0.0.1:$(head -n 1 "$said/port")" $asking
  # What was sent is in its output by its end.
  wait "$server"
}
from_file() {
  printf '%s\n' "$@" >"$said/sent"
  heard "$said/sent"
}
heard() {
  rm -f "$said"/heard*
  timeout 20 "$BAREPROF" receive "$@" -o "$said/heard.bpdump" >/dev/null \
    2>"$said/messages"
  echo "$?"
  sed 's/^bareprof: [^ ]*: //' "$said/messages"
}

# as_in_file TEXT LINE...: the same, and a message with the text; "": none.
as_in_file() {
  text=$1
  shift
  port=$(from_port "$@")
  file=$(from_file "$@")
  [ "$port" = "$file" ] && echo "$port" | grep -q "${text:-^0}" ||
    { echo "$port, of a file $file" | one_line; return 1; }
}

# joins STATUS LINE...: a receiver connects late; and the same from a file.
joins() {
  status=$1
  shift
  [ "$(from_port "$@" | head -n 1)" = "$status" ] &&
    [ "$(from_file "$@" | head -n 1)" = 1 ] ||
    { one_line <"$said/messages"; return 1; }
}

joins_nothing() {
  from_port boot | grep -q 'port closed before a complete dump arrived' ||
    { one_line <"$said/messages"; return 1; }
}

# The first request of each run has a tag of its own: it is never the request
# of an earlier run, which the target would not obey again.
tags_differ() {
  asking="--request --reset --timeout 5"
  for _ in 1 2 3 4 5 6 7 8; do
    from_port boot >/dev/null
    sed -n '/^~/{p;q;}' "$said/port"
  done >"$said/tags"
  asking=
  # Bits 4 to 27 of the tag's bytes, which are bytes 4 to 7 of the frame.
  equal_to 8 "$(grep -c '^~' "$said/tags")" &&
    equal_to 8 "$(cut -c 9-12 "$said/tags" | sort -u | wc -l)"
}
equal_to() { [ "$1" -eq "$2" ] || { echo "$2 requests, not $1"; return 1; }; }

# The frames after this header are lost. Without --request, the receiver asks
# for them, and goes on without an answer: the next dump comes.
goes_on_listening() {
  asking="--timeout 3" pause=1.5
  from_port '~{ADQSAAMBAoAOAAoACAECAwQFBgcIAiiAgICABLjCxMs}' a b c "$one" |
    head -n 1 | grep -q 1 && grep -q '^~{BA' "$said/port" &&
    [ -s "$said/heard.bpdump" ]
  set -- $?
  asking= pause=
  [ $1 = 0 ] || { one_line <"$said/messages"; return 1; }
}

# The same, and then boot 8 sends a dump: boot 7 cannot answer any more, so the
# receiver stops asking for its frames.
stops_asking() {
  asking="--timeout 3" pause=1.5
  from_port '~{ADQSAAMBAoAOAAoACAECAwQFBgcIAiiAgICABLjCxMs}' \
    '~{DQEQAMMBASABAgMEBQYHCIAQAAUApO0oPCntIw}' a b c >/dev/null
  asking= pause=
  [ "$(grep -c '^~{BA' "$said/port")" -le 2 ] ||
    { one_line <"$said/port"; return 1; }
}

asking= pause=
half=${two%????????????????????}
check "wire said: a port: all is there" as_in_file "" "$one" "$two" "$three"
check "wire said: a port: a dump is missing" \
  as_in_file 'number 2 of .* is missing' "$one" "$three"
check "wire said: a port: it ends within a dump" \
  as_in_file 'only damaged lines' "$one" "$half"
check "wire said: a port: a line of a dump is lost" \
  as_in_file 'only damaged lines' "$one" "$half" "$three"
check "wire said: a port: joined behind two dumps" joins 0 "$three"
check "wire said: a port: joined within a dump" joins 0 "${two#*Mg}" "$three"
check "wire said: a port: joined, then a dump is missing" \
  joins 1 "${one#*MM}" "$one" "$three"
check "wire said: a port that goes away without a dump" joins_nothing
check "wire said: lost frames that are never sent again" goes_on_listening
check "wire said: lost frames of a boot that has ended" stops_asking
check "wire said: no two runs ask with one tag" tags_differ
