# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# TrustZone: samples of a Secure timer are in the Non-secure code that it
# interrupts, or in the Secure code that a Non-secure handler before the timer's
# has interrupted. `run` sources this file.

# secure NAME SPSEL BEGIN PC LR
secure() {
  label="sampler secure $1" folder=$out/secure-$1
  needs "$label" llvm:22 board:mps2-an505 || return
  mkdir -p "$folder"
  build mps2-an505 secure $here/secure.c -DSPSEL="$2" -DBEGIN="$3" || return
  TIMEOUT=20 start mps2-an505 secure -icount shift=0 >"$folder/printed"
  equal "$label: PC and LR are the interrupted code's" "8 $4 $5" \
    "$(sort "$folder/printed" | uniq -c | awk '{ print $1, $2, $3 }')"
}

secure msp 0 64 70 69
secure psp 1 64 70 69
secure handler 1 72 82 81
# The samples are in Secure code: 0 is its loop, 1 the LR that it has set.
secure tail-chained 0 0 0 1
