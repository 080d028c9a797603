# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Removes a frame from a captured dump, and tests `bareprof receive` on the
# rest. `run` sources this file; $folder has the capture and the references.

# Prints the first dump, which is full and in TEXT, without the frames of a
# type: these begin with the same base64 digit. Counters B, names G.
without_frames() {
  awk -v mark="~{$1" '
    /^dump 1/ { on = 1 }
    !on { next }
    { sub(/\r$/, "") }
    /^~\{/ { out = index($0, mark) == 1; removed += out }
    !out || !/^~/ { print }
    /^sent/ { exit !removed }' "$folder/capture" >"$folder/gaps.log"
}

# receive_gaps OPTION...
receive_gaps() {
  rm -f "$folder"/gaps.p* "$folder"/gaps.bpdump
  timeout 30 "$BAREPROF" receive "$folder/gaps.log" -q \
    -o "$folder/gaps.profraw" "$@" 2>"$folder/gaps.messages"
}

# receive --partial: without the counters' frame, the counters are 0 in the
# output, and all else is as it was sent.
partial() {
  without_frames B || { echo "no frame of counters"; return 1; }
  receive_gaps && { echo "a dump with gaps is taken"; return 1; }
  ls "$folder" | grep '^gaps\.p' && return 1
  receive_gaps --partial && { echo "status 0"; return 1; }
  [ ! -e "$folder/gaps.profraw" ] || { echo "it is taken for whole"; return 1; }
  for profile in 1.profraw gaps.partial.profraw; do
    "llvm-profdata-$llvm" show --all-functions --counts "$folder/$profile" |
      sed '/^Instrumentation level/,$d' >"$folder/$profile.shown" || return 1
  done
  grep -q '[1-9]' "$folder/1.profraw.shown" &&
    sed 's/Function count: [0-9]*/Function count: 0/
      /Block counts: /s/[0-9][0-9]*/0/g' "$folder/1.profraw.shown" |
    diff - "$folder/gaps.partial.profraw.shown"
}

# receive --elf: names are in the ELF, too.
from_elf() {
  without_frames G || { echo "no frame of names"; return 1; }
  receive_gaps && { echo "a dump with gaps is taken"; return 1; }
  receive_gaps --elf "$folder/firmware.elf" || return 1
  cmp "$folder/1.profraw" "$folder/gaps.profraw"
}
