# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes runs of a program with features, as a text profile: awk -v functions=N
# -v features=N -v runs=N -v noise=PART -v seed=N. All runs start with the same
# calls, then use some features, and skip some calls.

function random(n) { return int(rand() * n) }

function name_of(i) { return "f" names[i] }

function call(i) {
  if (i in called || rand() < noise)
    return
  called[i] = 1
  line = line name_of(i) ","
}

function run(i, j, from) {
  delete called
  line = ""
  for (i = 0; i < functions / 8; i++)
    call(i)
  for (i = 0; i < features; i++) {
    from = random(features)
    if (rand() < likely[from])
      for (j = 0; j < size[from]; j++)
        call(member[from, j])
  }
  print 1 + random(3) "\n" line
}

BEGIN {
  srand(seed)
  for (i = 0; i < functions; i++) {
    j = random(i + 1)
    names[i] = names[j]
    names[j] = i
  }
  for (i = 0; i < features; i++) {
    likely[i] = rand() * rand()
    size[i] = 5 + random(functions / 12)
    for (j = 0; j < size[i]; j++)
      member[i, j] = random(functions)
  }
  print ":ir\n:temporal_prof_traces\n" runs "\n" runs
  for (i = 0; i < runs; i++)
    run()
  for (i = 0; i < functions; i++)
    print name_of(i) "\n1\n1\n1\n"
}
