# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Follows packages/Containerfile line by line, without a container program: each
# FROM is a Debian from debootstrap, each RUN uses chroot. The image then builds
# the example to copy, and makes a report. Needs root. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

image=$out/image

# image_lines: prints each instruction of the Containerfile in one line.
image_lines() {
  sed -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' packages/Containerfile |
    grep -v '^ *\(#\|$\)'
}

# Makes a Debian that uses this machine's archives. Each stage begins with a
# copy.
image_base() {
  [ -d "$image/base" ] && return
  debootstrap --variant=minbase bookworm "$image/base.part" "$(apt_mirror)" \
    >"$image/base.log" 2>&1 || {
    tail -n 2 "$image/base.log"
    return 1
  }
  cp -r /etc/apt/sources.list.d/debian.sources \
    "$image/base.part/etc/apt/sources.list.d/" 2>/dev/null &&
    : >"$image/base.part/etc/apt/sources.list" ||
    cp /etc/apt/sources.list "$image/base.part/etc/apt/sources.list"
  mv "$image/base.part" "$image/base"
}

# image_in STAGE COMMAND: runs it in the image's shell, with only the image's
# variables.
image_in() {
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root DEBIAN_FRONTEND=noninteractive CLANG=22 \
    chroot "$image/$1" /bin/sh -c "$2" </dev/null
}

# image_copy STAGE FROM TO: copies to the stage, like COPY. FROM is `.`, the
# project's tracked files, or STAGE:FOLDER.
image_copy() {
  mkdir -p "$image/$1$3"
  case $2 in
    .) git ls-files -z | tar -c --null -T - | tar -x -C "$image/$1$3" ;;
    *) cp -a "$image/${2%%:*}${2#*:}/." "$image/$1$3" ;;
  esac
}

image_made() {
  rm -rf "$image"
  mkdir -p "$image"
  stage=
  image_lines | while read -r word rest; do
    case $word in
      FROM)
        [ "${rest%% *}" = debian:12-slim ] && image_base || return 1
        stage=${rest##* }
        [ "$stage" != "$rest" ] || stage=last
        cp -a "$image/base" "$image/$stage" ;;
      ARG) [ "$rest" = CLANG=22 ] ;;
      RUN) image_in "$stage" "$rest" ;;
      COPY)
        # shellcheck disable=SC2086 # Words.
        set -- $rest
        case $1 in --from=*) set -- "${1#--from=}:$2" "$3" ;; esac
        image_copy "$stage" "$1" "$2" ;;
      *) echo "$word is not known here"; return 1 ;;
    esac >>"$image/log" 2>&1 || { tail -n 3 "$image/log"; return 1; }
  done
}

# As docs/how-to/ci promises, the image builds, runs, and reports the firmware.
image_works() {
  cp -a examples/start "$image/last/start" &&
    rm -rf "$image/last/start/build" &&
    image_in last "make -s -C /start report PREFIX=/usr/local" \
      >"$image/report.log" 2>&1 || { tail -n 3 "$image/report.log"; return 1; }
  grep -q '^thermostat.c ' "$image/report.log"
}

if needs "release: an image for CI" debootstrap git; then
  if [ "$(id -u)" = 0 ]; then
    check "release: an image for CI is made by its Containerfile" image_made
    check "release: an image for CI reports" image_works
    echo "    the image: $(du -sm "$image/last" | cut -f 1) MB"
    rm -rf "$image"
  else
    skip "release: an image for CI" "debootstrap needs root"
  fi
fi
