# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds a program of the corpus in a mode: compiles objects once, then links
# them with each of two runtimes. `run` sources this file, and sets $llvm,
# $program, $work, the mode, and the settings from the program's first comment.

# resources SIDE ARCHIVE: makes a resource folder for the driver of $llvm, with
# that archive as its profile runtime.
resources() {
  resource_dir=$out/$llvm/$1
  rm -rf "$resource_dir"
  mkdir -p "$resource_dir/lib/linux"
  ln -s "$("clang-$llvm" -print-resource-dir)/include" "$resource_dir/include"
  ln -s "$2" "$resource_dir/lib/linux/libclang_rt.profile-x86_64.a"
}

# link_line SIDE KIND FLAGS: sets $line to the driver's linker command, for
# `eval` with $objects and $output. The same KIND has the same FLAGS. A call of
# the driver for each link would double the time.
link_line() {
  link_file=$out/$llvm/lines/$1-$compiler-$2
  if [ ! -s "$link_file" ]; then
    mkdir -p "$out/$llvm/lines"
    : >"$out/$llvm/INPUT.o"
    # shellcheck disable=SC2086 # Flags are words.
    "$compiler-$llvm" -### -resource-dir "$out/$llvm/$1" \
      -fprofile-generate $3 "$out/$llvm/INPUT.o" -o OUTPUT 2>&1 |
      tail -n 1 | sed 's|"[^"]*INPUT.o"|$objects|; s|"OUTPUT"|"$output"|' \
      >"$link_file.$$"
    mv "$link_file.$$" "$link_file"
  fi
  read -r line <"$link_file"
}

# link SIDE KIND BASE FLAGS: links $objects to $output. Except for the driver's
# own kind of link, the layout does not depend on a runtime's size.
link() {
  case $mode_link in
    own) link_line "$1" "$2-own${extra:+-$program}" "$4 $extra" ;;
    *)
      link_line "$1" "$2-$3${extra:+-$program}${mode_link:+-$mode}" "$4 \
        $mode_link -fuse-ld=lld --ld-path=$lld \
        -Wl,--threads=1 -Wl,-T,$here/layout.ld \
        -Wl,--defsym=corpus_base=$3 -Wl,--build-id=0xfeedc0de $extra" ;;
  esac
  eval "$line"
}

# compile SOURCE FLAGS: compiles to $work/SOURCE.o, with $launcher, if it is
# set.
compile() {
  case $1 in *.cpp) standard=-std=c++17 ;; *) standard= ;; esac
  # shellcheck disable=SC2086 # Flags are words.
  ${launcher:-} "$compiler-$llvm" $standard $2 $flags -c "$1" \
    -o "$work/${1##*/}.o"
}

# Compiles the objects of the program, in $program_objects, and of its
# libraries.
compile_all() {
  program_objects=
  for unit in "$source" $units; do
    compile "$unit" "$mode_flags" || return 1
    program_objects="$program_objects $work/${unit##*/}.o"
  done
  for unit in $plain; do
    compile "$unit" -O1 || return 1
    program_objects="$program_objects $work/${unit##*/}.o"
  done
  for unit in $libraries; do
    compile "$unit" "$mode_flags -fPIC" || return 1
  done
}

# link_all SIDE: links lib1.so, lib2.so and program, in $work/SIDE. The
# libraries get fixed addresses, which ld.so heeds in programs that are not
# position-independent: above the heap, which may begin anywhere in the first
# GiB.
link_all() {
  mkdir -p "$work/$1/run"
  linked= number=0
  for unit in $libraries; do
    number=$((number + 1))
    objects=$work/${unit##*/}.o output=$work/$1/lib$number.so
    link "$1" lib$number 0x$((number + 4))0000000 \
      "-shared -Wl,-soname,lib$number.so" || return 1
    [ -n "$dlopened" ] || linked="$linked $output"
  done
  objects="$program_objects $linked" output=$work/$1/program
  pie=-no-pie
  [ "$mode_link" != own ] || pie=
  link "$1" program 0x400000 "-Wl,-rpath,\$ORIGIN $pie"
}
