# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes an image for the tests of the doctor, and compares the findings with the
# expected ones. `run` sources this file.

# The parts of an image; a case changes some of them, in a subshell.
llvm=22 linker=lld target=thumbv7m # the compiler, the linker, the machine
code=$COVERAGE                     # the flags of code.c
launcher=                          # before its compiler
start="-DSEND_FULL"                # and of start.c
older=                             # and of code.c once more, by clang 14
more=                              # further objects
library=22                         # the runtime's compiler; none: no runtime
options="-u bareprof_preinit"
id=--build-id=sha1
# The parts of image.ld.
PROFILE='INCLUDE bareprof.ld' FIRST='' DATA='' LAST='' RAM=RAM ROM=FLASH
WALK='__preinit_array_start = .; KEEP(*(.preinit_array))
  __preinit_array_end = .;'
ARRAY=.preinit_array

target_of() {
  case $1 in
    thumbv7m)
      triple=thumbv7m-none-eabi
      flags=--target=$triple
      gnu=arm-none-eabi-ld ;;
    rv32)
      triple=riscv32-none-elf
      flags="--target=$triple -march=rv32imac -mabi=ilp32 -mno-relax"
      gnu="riscv64-unknown-elf-ld -m elf32lriscv" ;;
    aarch64be)
      triple=aarch64_be-none-elf
      flags="--target=$triple -mgeneral-regs-only"
      gnu=none ;;
  esac
}

# compile LLVM SOURCE FLAGS...: compiles once, and leaves the name in $object.
# The constructors of clang 17 and older go, unless the flags have -DKEPT.
compile() {
  case $2 in start.c) before= ;; *) before=$launcher ;; esac
  object=$OUT/$(echo "$target $* ${before##* }" | tr -c 'A-Za-z0-9\n' _).o
  [ -e "$object" ] && return
  compiler=clang-$1 source_name=$2
  shift 2
  target_of $target
  $before $compiler $flags -Os -g0 -std=c11 -ffreestanding -ffunction-sections \
    -fdata-sections -fno-asynchronous-unwind-tables -Iinclude "$@" \
    -c "$HERE/$source_name" -o "$object" || return
  case $* in *-DKEPT*) return ;; esac
  $OBJCOPY --remove-section=.init_array.0 \
    --remove-section=.rel.init_array.0 \
    --remove-section=.rela.init_array.0 "$object"
}

archive() {
  target_of $target
  archive=$BUILD/llvm-$library/$triple/libbareprof.a
  made=$OUT/$triple-$library.made
  [ -e "$made" ] && return
  MAKEFLAGS= $MAKE -s lib LLVM=$library TARGET=$triple BUILD="$BUILD" &&
    touch "$made"
}

# Makes $image from these variables.
image=$OUT/image.elf
make_image() {
  rm -f "$image"
  compile $llvm code.c $code && objects=$object || return
  if [ -n "$older" ]; then
    compile 14 code.c $older && more=$object || return
  fi
  # start.c is not instrumented, but has the same compiler, since .comment names
  # it.
  [ $library = none ] && start="$start -DRUNTIME"
  compile $llvm start.c $start && objects="$objects $object $more" || return
  if [ $library != none ]; then
    archive || return
    objects="$objects $archive"
  fi
  awk -v ram="$RAM" -v rom="$ROM" -v first="$FIRST" -v data="$DATA" \
    -v last="$LAST" -v profile="$PROFILE" -v walk="$WALK" \
    -v array="$ARRAY" -v dataseg="${DATASEG:-}" '
    { sub(/@RAM@/, ram); sub(/@ROM@/, rom)
      sub(/@FIRST@/, first); sub(/@DATA@/, data)
      sub(/@LAST@/, last); sub(/@PROFILE@/, profile); sub(/@WALK@/, walk); sub(/@ARRAY@/, array); sub(/@DATASEG@/, dataseg)
      print }' $HERE/image.ld >"$OUT/image.ld"
  target_of $target
  command=ld.lld-$llvm
  [ $linker = gnu ] && command="$gnu --no-warn-rwx-segments"
  $command -L linker-scripts -T "$OUT/image.ld" --gc-sections $id $options \
    $objects -o "$image" && [ -e "$image" ]
}

# examine ARGUMENTS: runs the doctor; leaves its output in the files text and
# errors, its exit status in $status, and the findings in $seen.
examine() {
  "$DOCTOR" "$@" >"$OUT/text" 2>"$OUT/errors"
  status=$?
  seen=$(awk '/^(error|warning|note) *D[0-9]+ / {
      printf "%s%s%d", separator, substr($1, 1, 1), substr($2, 2)
      separator = " "
    }' "$OUT/text")
}

# found LABEL CODES: checks the findings on $image, the exit status, and the
# form.
found() {
  examine "$image"
  echo "$2" >>"$OUT/expected"
  case " $2" in *" e"*) wanted=1 ;; *) wanted=0 ;; esac
  if [ "$seen" != "$2" ]; then
    not_ok "doctor $1" "expected '$2', got '$seen'"
  elif [ $status != $wanted ] || [ -s "$OUT/errors" ]; then
    not_ok "doctor $1" "status $status, $(one_line <"$OUT/errors")"
  elif ! form=$(awk -f $HERE/form.awk "$OUT/text"); then
    not_ok "doctor $1" "$form"
  else
    ok "doctor $1"
  fi
}

# expect LABEL CODES: makes the image, and examines it. Codes of cases without
# their compiler or linker go to left-out.
expect() {
  wanted "doctor $1" || return 0
  if made=$(make_image 2>&1); then
    found "$1" "$2"
  else
    not_ok "doctor $1" "$(echo "$made" | one_line)" | tee -a "$OUT/left-out"
  fi
}
