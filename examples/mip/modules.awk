# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints the drivers of the example's firmware. They have as many functions as
# real drivers, so that the order of functions matters. Each of 60 devices has
# seven: three that bring it up, two for its work, one for when it fails, one
# for a person who asks. Bodies differ, but are the same in every run.
#   awk -f modules.awk >modules.c
function random(most) {
  seed = (seed * 1103 + 12345) % 65536
  return int(seed / 16) % most
}
# Prints some steps of arithmetic on the device's registers.
function body(device, steps,   i, kind) {
  for (i = 0; i < steps; i++) {
    kind = random(4)
    at = random(16)
    if (kind == 0)
      printf "  r[%d] += value ^ r[%d] >> %d;\n", at, random(16), 1 + random(9)
    else if (kind == 1)
      printf "  if (r[%d] & %du) value += r[%d];\n", at, 1 + random(4000), \
        random(16)
    else if (kind == 2)
      printf "  value = value * %du + r[%d];\n", 3 + 2 * random(50), at
    else
      printf "  r[%d] = value - (r[%d] | %du);\n", at, random(16), random(999)
  }
}
# Prints the start and the body of a function, which the caller completes.
function driver(device, what, steps) {
  printf "APART uint32_t device%d_%s(uint32_t value) {\n", device, what
  printf "  volatile uint32_t *r = registers[%d];\n", device
  body(device, steps)
}
BEGIN {
  devices = 60
  seed = 7
  print "#include \"modules.h\"\n"
  print "static volatile uint32_t registers[DEVICES][16];\n"
  for (d = 0; d < devices; d++) {
    driver(d, "fail", 8 + random(16))
    print "  return value;\n}\n"
    driver(d, "work", 8 + random(16))
    print "  return value;\n}\n"
    driver(d, "reset", 1 + random(3))
    print "  return value;\n}\n"
    driver(d, "describe", 10 + random(20))
    print "  return value;\n}\n"
    driver(d, "tune", 1 + random(3))
    print "  return value;\n}\n"
    driver(d, "start", 1 + random(2))
    printf "  return device%d_tune(device%d_reset(value));\n}\n\n", d, d
    driver(d, "poll", 1 + random(3))
    printf "  if (value == 0x%x) return device%d_fail(value);\n", \
      1 + random(4000), d
    printf "  return device%d_work(value);\n}\n\n", d
  }
  print "const struct device devices[DEVICES] = {"
  for (d = 0; d < devices; d++)
    printf "  {device%d_start, device%d_poll, device%d_describe},\n", d, d, d
  print "};"
}
