# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks of files, pipes, devices and error lines, with `dump copy` and `dump
# report`. tests/tools/run sources this file.

# refused REASON COMMAND...: expects status 1 and one line with the reason.
refused() {
  reason=$1
  shift
  said=$("$@" 2>&1) && { echo "accepted: $*"; return 1; }
  case $said in
  "bareprof: "*"$reason"*) [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] ;;
  *) false ;;
  esac || { echo "expected $reason, got $said"; return 1; }
}

files_in() {
  folder=$OUT/files
  rm -rf "$folder" && mkdir "$folder" || return 1
  head -c 70000 "$OUT/dump" >"$folder/in"
  copy="$OUT/dump copy"
  $copy "$folder/in" "$folder/out" 70000 commit &&
    cmp "$folder/in" "$folder/out" || return 1
  tail -c +5 "$folder/in" | $copy - - 69996 commit |
    tail -c +2 >"$folder/out"
  tail -c +6 "$folder/in" | cmp - "$folder/out" || return 1
  : | $copy - "$folder/out" 0 commit && [ ! -s "$folder/out" ] || return 1
  refused "in: larger than 69999 bytes" \
    $copy "$folder/in" "$folder/out" 69999 commit &&
    refused "No such file" $copy "$folder/none" "$folder/out" 9 commit &&
    refused "this is a folder" $copy "$folder" "$folder/out" 9 commit &&
    refused "standard input: larger than 3" $copy - - 3 commit <"$folder/in"
}

# A file is complete or missing, and the folder has no other file.
files_out() {
  folder=$OUT/files
  rm -rf "$folder" && mkdir "$folder" || return 1
  echo new >"$folder/in" && echo old >"$folder/out" &&
    chmod 600 "$folder/out" && ln -s out "$folder/link" || return 1
  copy="$OUT/dump copy $folder/in"
  $copy "$folder/out" 9 abandon && grep -q old "$folder/out" &&
    $copy "$folder/link" 9 commit && grep -q new "$folder/out" || {
    echo "not as a whole"
    return 1
  }
  (umask 027 && $copy "$folder/made" 9 commit)
  modes=$(cd "$folder" && stat -c '%n %a %F,' in link made out | tr '\n' ' ')
  case $modes in
  *"link 777 symbolic link, made 640 regular file, out 600 regular file, ") ;;
  *) echo "modes: $modes"; return 1 ;;
  esac
  [ "$(ls -A "$folder" | tr '\n' ' ')" = "in link made out " ] ||
    { echo "left: $(ls -A "$folder")"; return 1; }
  refused "No such file" $copy "$folder/none/out" 9 commit &&
    refused "No space left" $copy /dev/full 9 commit &&
    refused "standard output: cannot be written: No space" \
      sh -c "$copy - 9 commit >/dev/full" &&
    $copy /dev/null 9 commit && [ -c /dev/null ] || return 1
  $copy /dev/stdout 9 commit >"$folder/out"
  (echo begin && $copy /dev/fd/1 9 commit) >>"$folder/made"
  [ "$(cat "$folder/out")" = new ] &&
    [ "$(tr '\n' ' ' <"$folder/made")" = "new begin new " ] || {
    echo "through descriptors: $(cat "$folder/out" "$folder/made")"
    return 1
  }
  mkfifo "$folder/fifo" || return 1
  cat "$folder/fifo" >"$folder/out" &
  $copy "$folder/fifo" 9 commit && wait $! && [ -p "$folder/fifo" ] &&
    grep -q new "$folder/out"
}

report_lines() {
  escape=$(printf '\033')
  said=$("$OUT/dump" report "a${escape}b" "it is; do" 2>&1)
  [ $? = 1 ] && [ "$said" = 'bareprof: a\x1Bb: it is; do' ] ||
    { echo "$said"; return 1; }
  long=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "x" }')
  said=$("$OUT/dump" report "$long" "it is; do" 2>&1)
  [ ${#said} -lt 600 ] && [ "${said#*xx: it is; do}" = "" ] ||
    { echo "long: $said"; return 1; }
}
