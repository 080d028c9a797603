# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrong command lines: one line says what is wrong, and what to type instead.
# `run` sources this file.

# typed_says STATUS TEXT WORDS [TOOL]: runs bareprof WORDS in a folder with the
# files of these words; it must make no file.
typed_says() {
  (cd "$out/typed" && eval "\"\${4:-\$typed_tool}\" $3" >../stdout 2>../stderr \
    </dev/null)
  status=$?
  [ $status = "$1" ] || { echo "status $status"; cat "$out/stderr"; return 1; }
  says "$out/stderr" "$2" || return 1
  [ "$(wc -l <"$out/stderr")" = 1 ] && [ ! -s "$out/stdout" ] ||
    { cat "$out/stdout" "$out/stderr"; return 1; }
  [ "$(cd "$out/typed" && find . | sort)" = "$typed_files" ] ||
    { echo "it made a file"; return 1; }
}

# wrong TEXT COMMAND...: wrong usage.
wrong() {
  text=$1
  shift
  "$@" >"$out/stdout" 2>"$out/stderr"
  [ $? = 2 ] && says "$out/stderr" "$text"
}

typed() {
  mkdir -p "$out/typed/folder"
  typed_tool=$(realpath "$TOOL")
  cp "$out/good.elf" "$out/good.log" "$out/typed"
  cp "$out/report/good.profraw" "$out/typed/a.profraw"
  echo 'bareprof dump 1' >"$out/typed/a.bpdump"
  "$typed_tool" extract "$out/good.elf" -o "$out/typed/a.meta" 2>/dev/null
  printf 'oncg*22B\0\0\0\0' >"$out/typed/a.gcno"
  printf 'adcg*22B\0\0\0\0' >"$out/typed/a.gcda"
  echo 'int f(void) { return 1; }' >"$out/typed/a.c"
  cp $start/mps2-an385.ld "$out/typed/x.ld"
  typed_files=$(cd "$out/typed" && find . | sort)
  while IFS='|' read -r status words text; do
    check "mistakes typed: $words" typed_says "$status" "$text" "$words"
  done <<'END'
2|reprot x|did you mean report?
2|report --lcof x|did you mean --lcov?
2|samples good.elf good.log --offset=10000000000000000|--offset must be a hexadecimal number
2|samples good.elf good.log --offset=--10|--offset must be a hexadecimal number
2|join good.elf -m a.c@99999999999999999999|--memory must be FILE@ADDRESS
1|cc --color never nosuch-clang -c a.c|nosuch-clang: cannot be run
2|good.elf good.log|write a command before the files, such as report
2|version|use --version
2|-v|use --version
2|completion bash|use help --completion SHELL
2|html good.elf good.log|use report
2|help repotr|unknown command repotr (did you mean report?)
2|help run fw.elf|run: unknown command fw.elf; see bareprof run
2|report --elf good.elf good.log|unknown option --elf; pass the ELF as a file
2|report good.elf good.log --exclude test|--exclude; use --ignore
2|report good.elf good.log --filter src|--filter; use --include
2|report good.elf good.log --html out|--html; -o FOLDER is the folder of the HTML
2|report good.elf good.log --xml out|--xml; use --cobertura FILE
2|report -instr-profile=a.profdata good.elf|-instr-profile; pass the profile as a file
2|report good.elf good.log -lcov a.info|unknown option -lcov (did you mean --lcov?)
2|report good.elf good.log --open -x|unknown option -x; see
2|report good.elf --port /dev/ttyUSB0|unknown option --port; use bareprof run
2|report good.elf good.log --include '*.c'|not a shell pattern; write, for example, 'src/.*\.c'
2|report good.elf good.log --ignore 'lib/*.c'|not a shell pattern; write, for example, 'src/.*\.c'
2|report good.elf good.log --fail-under=|--fail-under must be a list such as lines=80
2|report good.elf good.log --fail-under 80%|--fail-under must be a list such as lines=80
1|report good.elf folder|folder: this is a folder; pass a file
1|report folder a.profraw|folder: this is a folder; pass the linked ELF, and logs
2|report good.elf good.log -o -|-o - is not a folder; pass the name of a folder
2|report good.elf good.log --lines code --as-llvm-cov|--as-llvm-cov counts llvm-cov's lines; remove --lines code
1|report a.gcno a.gcda|a.gcno: this is a gcov file (.gcno); pass the linked ELF
1|report good.log good.log|no ELF given
2|run good.elf good.log|a command or a port is missing; write the command after --, or use --port; for a log use bareprof report
2|run good.elf -kernel good.elf|unknown option -kernel; in bareprof run, put -- before the command
2|run good.elf --gdb localhost:3333|for a GDB server that runs already, use --port gdb:HOST:PORT
1|run good.elf -- ./good.elf|the program is for another machine; pass the program that runs it
1|run good.elf -- 'qemu-system-arm -M none'|the command is quoted as one word; remove the quotes
2|run good.elf --gdb -- qemu-system-arm -daemonize|remove -daemonize from the command
2|run good.elf --trace -- qemu-system-arm -daemonize|remove -daemonize from the command
1|report good.elf good.log --sources x.ld|x.ld: no source files found; pass a
1|report good.elf good.log --sources a.c|a.c: no source files found; pass a
1|run good.elf --port tcp:localhost:uart|not tcp:HOST:PORT; use HOST:PORT
1|run good.elf --port ttyUSB0|use the full name, which begins with /dev/
1|run good.elf --port a.c --request|a.c: bareprof cannot send to this input; pass a
1|receive --port a.c --request -o b.profraw|a.c: bareprof cannot send to this input; pass a
2|receive --port gdb:localhost:1 good.elf -o b.profraw --every 5 -n 1 --increments|--increments needs a second read; use a larger --count
1|run good.elf --port gdb:3333|expected HOST:PORT; pass the address of the GDB server, such as gdb:localhost:3333
1|receive a.profraw -o b.profraw|this is a raw profile; pass it to bareprof report or bareprof merge
2|receive good.log --increments --partial -o b.profraw|--increments does not work with --partial: a dump with gaps has no exact increment; remove one of the two options
1|receive a.bpdump -o b.profraw|this is a .bpdump; pass it to bareprof report or bareprof join
1|receive good.elf -o b.profraw|good.elf: this is an ELF; pass a console log
1|doctor a.meta|the ELF has no segments, like an extract (.meta); pass the ELF that ran
1|doctor a.profraw|this is a raw profile (.profraw); pass the linked ELF
1|join good.elf good.log -o b.profraw|this is a console log; pass it to bareprof report
2|explain D999|unknown code D999; use a finding such as D023
2|cc --coverage -O2 -c a.c|-O2: this option is for the compiler; write the option after the compiler
2|cc --coverage a.c -o a.o|a.c: the first word after the options is not a compiler; write the compiler before its files
END
  # A wrong kind of file for -o is an error before a port opens or a command
  # runs.
  for words in "receive good.log -o" "receive --port tcp:localhost:1 -o" \
    "merge a.profraw -o" "show a.profraw -o" "join good.elf good.log -o" \
    "extract good.elf -o" "overlap a.profraw a.profraw -o" \
    "match a.profraw good.elf -o" "order a.profraw -o" \
    "samples good.elf good.log -o" "probes good.elf -o" \
    "probes lower a.c -o" "mip show a.mip -o" "mip edges a.mip -o" \
    "mip covered a.mip -o" "mip hot a.mip -o" "mip prof a.mip -o" \
    "mip merge a.mip -o" "mip extract good.elf -o" \
    "mip instrument a.c -o" "mip patch good.elf -o" \
    "trace --plugin -o" "tests-for a --diff a -o"; do
    check "mistakes typed: $words a folder" typed_says 2 \
      "-o folder: this is a folder; pass a file" "$words folder"
    check "mistakes typed: $words in no folder" typed_says 2 \
      "-o no/where: the folder of this file does not exist; create the folder first" "$words no/where"
  done
  for words in "report good.elf good.log" "run good.elf" "live good.elf"; do
    command=${words%% *}
    [ "$command" = report ] && rest= || rest='-- false'
    check "mistakes typed: $command -o a file" typed_says 1 \
      "a.c: this is a file; pass a folder to -o" \
      "$words -o a.c $rest"
    for option in lcov cobertura sonarqube markdown json; do
      check "mistakes typed: $command --$option a folder" typed_says 1 \
        "folder: this is a folder; pass a file" "$words --$option folder $rest"
      [ "$command" = report ] || break
    done
  done
  check "mistakes typed: help --man -o a file" typed_says 1 \
    "a.c/bareprof.1: cannot be written: Not a directory; pass an existing folder that you can write to" \
    "help --man -o a.c"
  check "mistakes typed: init -o a file" typed_says 1 \
    "a.c/regions.ld: cannot be created: Not a directory" \
    "init x.ld --llvm 22 --target thumbv7m-none-eabi -o a.c" \
    ../at/bin/bareprof
  check "mistakes typed: explain in small letters, and by its digits" \
    eval '"$TOOL" explain not_init 023 | grep -q "^-8 NOT_INIT, an error" &&
      "$TOOL" explain 023 | grep -q "^D023 " &&
      "$TOOL" explain 012 | grep -q "^D012 "'
}
