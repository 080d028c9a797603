# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares received dumps with the firmware's counters. `run` sources this file.
# $folder has the references, N.profraw, and the outputs of `bareprof receive`:
# seen*, console and messages.

count_seen() { ls "$folder" | grep -c '^seen'; }

hex() { od -An -v -tx1 "$@" | tr -d ' \n'; }

# same_counts REFERENCE DUMP: a lean dump has all counters and bitmaps of the
# profile, in its order.
same_counts() {
  size=$(sed -n 's/^data //p;/^data /q' "$2")
  elements=$(sed -n 's/^piece 1 .* known 0-//p;/^data /q' "$2")
  counters=$("llvm-profdata-$llvm" show --all-functions "$1" |
    awk '/^ *Counters: / { sum += $2 } END { print sum }')
  [ "$elements" = "$counters" ] ||
    { echo "$2 has $elements of $counters counters"; return 1; }
  head=$(sed '/^data /q' "$2" | wc -c)
  [ "$(wc -c <"$2")" = $((head + size + 4)) ] ||
    { echo "$2 is not of the size it says"; return 1; }
  hex "$1" | grep -q "$(hex -j "$head" -N "$size" "$2")" ||
    { echo "$2 differs"; return 1; }
}

# is_of NUMBER FILE: succeeds if the file is the dump with this number.
is_of() {
  case $2 in
    *.profraw) cmp "$folder/$1.profraw" "$2" ;;
    *) same_counts "$folder/$1.profraw" "$2" ;;
  esac
}

# Prints the names of received files, from the first or another one.
seen_from() {
  for seen in "$folder/seen"*; do
    number=${seen%.*}
    case $number in *-*[0-9]) number=${number##*-} ;; *) number=1 ;; esac
    [ "$number" -ge "$1" ] && echo "$number $seen"
  done 2>/dev/null | sort -n | cut -d ' ' -f 2
}

# in_order FORM...: the first files are the dumps 1, 2, ... and of that form.
in_order() {
  number=0
  for form; do
    number=$((number + 1))
    seen=$folder/seen-$number.$form
    [ $number = 1 ] && seen=$folder/seen.$form
    is_of $number "$seen" || return 1
  done
}

# one_of FROM NUMBER...: the files from FROM belong to these dumps, and each
# dump has a file.
one_of() {
  from=$1
  shift
  missing=" $* "
  for seen in $(seen_from "$from"); do
    for number; do
      is_of "$number" "$seen" >/dev/null 2>&1 && break
      number=
    done
    [ "$number" ] || { echo "$seen is of none of the dumps $*"; return 1; }
    case $missing in *" $number "*)
      missing="${missing%% "$number" *} ${missing#* "$number" }" ;;
    esac
  done
  [ -z "$(echo $missing)" ] || { echo "missing: $missing"; return 1; }
}

# text_of DUMPS LEAST-LOGS: the text is as the firmware printed it: lines that
# are not the log's, and each log line, complete and in its place.
text_of() {
  # A live port is left at a dump's end, maybe within a line of text.
  case $(tail -c 1 "$folder/console") in "") cut= ;; *) cut='$d' ;; esac
  sed "$cut" "$folder/console" | tr -d '\r' |
    awk -v dumps="$1" -v least="$2" '
    BEGIN {
      expected = "boot\n"
      for (i = 1; i <= dumps; i++)
        expected = expected "dump " i "\nsent\n"
    }
    # BINARY with a log: a frame that could not be found is text as well.
    /^dump 7$/ { exit }
    /^log / {
      if ($0 != sprintf("log %04d: all is well", ++logs))
        seen = seen $0 "\n"
      next
    }
    { seen = seen $0 "\n" }
    END {
      if (index(expected, seen) == 1 && index(seen, "dump " dumps "\n") &&
        logs >= least)
        exit 0
      print logs " lines of log, and " seen
      exit 1
    }'
}
