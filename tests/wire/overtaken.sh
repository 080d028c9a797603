# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A request comes in the middle of another call. host.sh sources this file.

# Compiled without optimisation, so that reads have the order of the source.
build_overtaken() {
  slow=$(runtime_archive NATIVE_CC="${cc%% *}" AS=slow NATIVE_CFLAGS=-O0) &&
    $cc -g $(headers) -Wall -Wextra -Werror -no-pie $here/overtaken.c \
      $(objects foreign "$cc -g -DBAREPROF_FOREIGN" $here/wish.c) \
      $WITH_VALUES "$slow" "$foreign" -o "$out/overtaken"
}

check "wire: the overtaken requests' test compiles" build_overtaken
run_program overtaken
