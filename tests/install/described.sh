# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares make, CMake, pkg-config and Rust with packages/description. `run`
# sources this file, and tests Meson as a consumer.

described_names() { sed -n 's/^target \([^ ]*\) .*/\1/p' packages/description; }

# make_says VARIABLE WORDS: compares a make variable with words of the
# description.
make_says() {
  name=$1
  shift
  # shellcheck disable=SC2016 # make's, not the shell's.
  printf 'include Makefile\nsay-it:\n\t@echo $(%s)\n' "$name" \
    >"$out/say.mk"
  env -u MAKEFLAGS -u TARGET make -s -f "$out/say.mk" "$@" say-it
}
check_make() {
  equal "install described: make installs these" \
    "$(described_names | one_line)" \
    "$(make_says INSTALL_TARGETS | tr ' ' '\n' | one_line)"
  equal "install described: make install TARGET= is that one" \
    riscv64-none-elf "$(make_says INSTALL_TARGETS TARGET=riscv64-none-elf)"
  for name in $(described_names); do
    mask=-
    case $(make_says LIB_SOURCES TARGET="$name") in
      */atomic.c*) mask=mask ;;
    esac
    echo "$name $mask"
  done >"$out/masks"
  equal "install described: make has the atomics of those with mask" \
    "$(awk '$1 == "target" { print $2, $3 }' packages/description)" \
    "$(cat "$out/masks")"
}

# The archive that fits a compiler with these flags: TARGET FLAGS... -> ARCHIVE.
cat >"$out/cores" <<'E2'
thumbv7m-none-eabi thumbv7m-none-eabi
thumbv7m-none-eabi thumbv7m-unknown-none-eabi
thumbv7m-none-eabi armv7m-none-eabi
thumbv7m-none-eabi arm-none-eabi -mcpu=cortex-m3 -mthumb
thumbv7m-none-eabi - -mcpu=cortex-m3
thumbv7m-none-eabi - --target=arm-none-eabi -march=armv7-m
thumbv6m-none-eabi arm-none-eabi -mcpu=cortex-m0plus
thumbv7em-none-eabi arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=softfp
thumbv7em-none-eabihf arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard
thumbv7em-none-eabihf arm-none-eabihf -mcpu=cortex-m7
thumbv8m.main-none-eabi - -mcpu=cortex-m33+nodsp -mfloat-abi=soft
thumbv8.1m.main-none-eabihf - -mcpu=cortex-m55 -mfloat-abi=hard
thumbv8m.base-none-eabi arm-none-eabi -march=armv8-m.base
armv7a-none-eabi arm-none-eabi -mcpu=cortex-a9 -marm
aarch64-none-elf aarch64-none-elf -mcpu=cortex-a53
riscv32-none-elf riscv32-unknown-elf -march=rv32imc_zicsr -mabi=ilp32
riscv32-none-elf - -march=rv32imac -mabi=ilp32
riscv64-none-elf riscv64
none arm-none-eabi
none x86_64-linux-gnu
E2
found_by_cmake() {
  cat >"$out/cores.cmake" <<-'END'
	include("${TOP}/packages/cmake/bareprofTarget.cmake")
	function(get_directory_property)
	endfunction()
	bareprof_target(name mask)
	if(NOT name)
	  set(name none)
	endif()
	message("${name}")
	END
  while read -r _ triple flags; do
    [ "$triple" = - ] && triple=
    cmake -DTOP="$top" -DCMAKE_C_COMPILER_TARGET="$triple" \
      -DCMAKE_C_FLAGS="$flags" -P "$out/cores.cmake" 2>&1
  done <"$out/cores"
}
check_cmake() {
  equal "install described: CMake finds the archive of a core" \
    "$(cut -d ' ' -f 1 "$out/cores")" "$(found_by_cmake)"
  equal "install described: CMake's flags of one release" \
    "20: 21:$(words_of measured-21) 22: " "$(released_by_cmake)"
}
# The additional flags that measured files get for some releases.
released_by_cmake() {
  cat >"$out/released.cmake" <<'END'
	include("${TOP}/packages/cmake/bareprofTarget.cmake")
	include("${TOP}/packages/cmake/bareprofFunctions.cmake")
	bareprof_flags(flags)
	bareprof_described(all measured)
	list(REMOVE_ITEM flags ${all})
	message("${flags}")
END
  for release in 20 21 22; do
    echo "$release:$(cmake -DTOP="$top" -DCMAKE_C_COMPILER_VERSION=$release.1.8 \
      -P "$out/released.cmake" 2>&1)"
  done | tr '\n' ' '
}

# Prints all words of a kind.
words_of() { sed -n "s/^$1 //p" packages/description | tr ' ' '\n'; }
make_installs() {
  env -u MAKEFLAGS make -n install-archive TARGET=thumbv7m-none-eabi \
    LLVM="$1" 2>&1
}
check_pkgconf() {
  equal "install described: pkgconf --libs has what each link needs" \
    "$(words_of link)" \
    "$(pkgconf --libs-only-other "$package" | tr ' ' '\n' | grep .)"
  equal "install described: pkgconf's measured" "$(words_of measured)" \
    "$(pkgconf --variable=measured "$package" | tr ' ' '\n')"
  equal "install described: pkgconf's, of one release" "20:0 21:1 22:0 " \
    "$(for release in 20 21 22; do
      echo "$release:$(make_installs $release | grep -c -e \
        " $(words_of measured-21)|'")"
    done | tr '\n' ' ')"
}
# Only the description has the flags of a core: no second list.
check_once() {
  equal "install described: nobody else lists sources or flags" "" \
    "$(grep -rnE 'runtime/(arch|fold|retain|atomic)/|-fno-unwind-tables|-mgeneral-regs-only|-mno-unaligned-access|-fcoverage-mapping' \
      Makefile packages/install.mk packages/cmake packages/meson \
      packages/pkgconfig packages/rust/build.rs packages/zephyr |
      grep -v ':[0-9]*: *#\|-fno-' | one_line)"
}

check_make
check_once
if have cmake; then check_cmake; else skip "install described: CMake" "no cmake"; fi
! have pkgconf || check_pkgconf
