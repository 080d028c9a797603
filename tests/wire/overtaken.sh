# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A request that comes in the middle of another call. Sourced by host.sh, which
# has compiled the runtime for requests.c.

build_overtaken() {
  $NATIVE -Wall -Wextra -Werror -no-pie $here/overtaken.c \
    "$out"/objects-requests/*.o "$out"/objects-requests-foreign/*.o \
    -o "$out/overtaken"
}

check "wire: the overtaken requests' test compiles" build_overtaken
run_program overtaken
