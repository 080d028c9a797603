# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two real programs, zlib and Lua, whose sources apt fetches, leave the same
# files with both runtimes, byte for byte. The corpus's layout gives the
# addresses in a profile the same values. tests/hosted/run sources this file
# with FULL only, and sets llvm and OUT.

REAL=$BUILD/hosted/real

# real_apt COMMAND...: runs apt-get with its own lists, of the source packages
# of the system's archives.
real_apt() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null \
    -o Dir::Etc::SourceParts="$real_folder/sources" \
    -o Dir::State::Lists="$real_folder/lists" \
    -o Dir::Cache="$real_folder/cache" -o APT::Sandbox::User= \
    -o Acquire::http::Timeout=20 -o Acquire::Retries=1 "$@" >&2
}

real_sources() {
  mkdir -p "$REAL/sources" "$REAL/lists/partial" \
    "$REAL/cache/archives/partial"
  real_folder=$(cd "$REAL" && pwd)
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    grep -q '//[^ ]*\(debian\|ubuntu\)' "$list" 2>/dev/null || continue
    sed 's/^Types:.*/Types: deb-src/; /^deb-src /d; s/^deb /deb-src /' "$list" \
      >"$REAL/sources/${list##*/}"
  done
  real_apt update
}

# real_fetch PACKAGE: unpacks its source to REAL/PACKAGE.
real_fetch() {
  [ ! -d "$REAL/$1" ] || return 0
  have apt-get && { [ -d "$REAL/sources" ] || real_sources; } &&
    (cd "$REAL" && real_apt source --download-only "$1") || return
  mkdir "$REAL/unpacked" && tar xf "$REAL/${1}_"*.orig.tar.* \
    -C "$REAL/unpacked" && mv "$REAL/unpacked"/* "$REAL/$1" &&
    rmdir "$REAL/unpacked"
}

# real_program NAME FLAGS LINK SOURCE...: builds OUT/theirs/NAME and
# OUT/ours/NAME.
real_program() {
  real_as=$1 real_flags=$2 real_more=$3
  shift 3
  rm -rf "${OUT:?}/real"
  mkdir -p "$OUT/real"
  for source; do
    # shellcheck disable=SC2086 # Flags are words.
    "clang-$llvm" $real_flags -w -c "$source" \
      -o "$OUT/real/$(basename "$source").o" || return
  done
  real_link "$real_as" 0x400000 -no-pie $real_more "$OUT/real"/*.o
}

# real_link NAME ADDRESS OPTIONS...
real_link() {
  real_as=$1 real_base=$2
  shift 2
  link "$real_as" -fprofile-generate "$@" "--ld-path=ld.lld-$llvm" \
    -Wl,--threads=1,-T,tests/corpus/layout.ld \
    -Wl,--defsym=corpus_base="$real_base"
}

zlib_program() {
  real_program zlib "$1 -DHAVE_UNISTD_H -I$REAL/zlib" "" "$REAL/zlib"/*.c \
    "$REAL/zlib/test/minigzip.c"
}

# zlib packs its own sources.
zlib_run() {
  cp "$real_folder/zlib/ChangeLog" a
  $fixed zlib -9 a && cksum a.gz && $fixed zlib -d a.gz && cksum a &&
    $fixed zlib -1 a && rm a.gz
}

# Lua's hashes must be the same in each process, and independent of malloc's
# addresses: compiler-rt's runtime allocates memory, too.
lua_program() {
  sources=$(find "$REAL/lua5.4/src" -name '*.c' ! -name luac.c | sort)
  # A site with more targets than values keeps different ones: see README.
  case $1 in *-fprofile-generate*) set -- "$1 -mllvm -disable-vp" ;; esac
  real_link reallib.so 0x50000000 -shared "$OUT/library.so.o" || return
  # shellcheck disable=SC2086 # Names are words.
  real_program lua "$1 -DLUA_USE_POSIX -DLUA_USE_DLOPEN \
    -Dluai_makeseed(L)=0 -DSTRCACHE_N=1 -DSTRCACHE_M=1" "-Wl,-E -lm" $sources
}

lua_run() {
  cat >words.lua <<\END
    local words = {}
    for line in io.lines(arg[1]) do
      for word in line:gmatch("%a+") do words[#words + 1] = word:upper() end
    end
    table.sort(words)
    local producer = coroutine.wrap(function()
      for i, word in ipairs(words) do coroutine.yield(i, word) end
    end)
    for i, word in producer do
      if i % 100 == 0 then print(i, word, #words % i, i // 7, i ~ 5) end
    end
    print(select(2, pcall(error, "caught")), load("return 1 +"))
    print(package.loadlib("reallib.so", "*"))
END
  $fixed lua words.lua "$real_folder/lua5.4/Makefile"
}

# real_left SIDE PROGRAM NAME: prints what its runs leave. All processes have
# the same environment, and so the same addresses, from which Lua hashes
# strings.
real_left() {
  rm -rf "${OUT:?}/$1.run" "$OUT/side"
  ln -s "$1" "$OUT/side"
  mkdir "$OUT/$1.run"
  (
    cd "$OUT/$1.run" || exit
    export LLVM_PROFILE_FILE="$3" LD_LIBRARY_PATH="../side"
    PATH="../side:$PATH" fixed="setarch -R"
    "$2_run" >said 2>errors
  )
}

# If compiler-rt leaves the same files twice, our runtime leaves them, too.
real_same() {
  for name in q p%m; do
    real_left theirs "$1" $name
    rm -rf "$OUT/again.run"
    mv "$OUT/theirs.run" "$OUT/again.run"
    real_left theirs "$1" $name
    real_left ours "$1" $name
    [ -s "$OUT/ours.run/said" ] &&
      diff -r "$OUT/again.run" "$OUT/theirs.run" &&
      diff -r "$OUT/theirs.run" "$OUT/ours.run" || return
  done
}

real() {
  if ! have setarch || ! setarch -R true; then
    skip "hosted $llvm real programs" "setarch -R cannot be had"
    return
  fi
  for real_name in zlib lua; do
    real_package=$real_name
    [ $real_name = zlib ] || real_package=lua5.4
    if ! real_fetch $real_package >"$OUT/errors" 2>&1; then
      skip "hosted $llvm $real_name" "apt cannot fetch its source"
      continue
    fi
    real_folder=$(cd "$REAL" && pwd)
    for flags in "-O1 -fprofile-instr-generate -fcoverage-mapping" \
      "-O2 -fprofile-generate"; do
      if ${real_name}_program "$flags" >"$OUT/errors" 2>&1; then
        check "hosted $llvm $real_name, ${flags#* }" real_same $real_name
      else
        not_ok "hosted $llvm $real_name, ${flags#* }" \
          "$(one_line <"$OUT/errors")"
      fi
    done
  done
}
