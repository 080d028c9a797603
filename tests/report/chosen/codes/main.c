/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "codes.h"

#include <string.h>

static const struct {
  const char *name;
  int (*run)(const char *text);
} commands[] = {
    {"hex", hex_encode},
    {"unhex", hex_decode},
    {"base64", base64_encode},
    {"unbase64", base64_decode},
    {"morse", morse_encode},
    {"soundex", soundex},
    {"runs", runs_encode},
    {"unruns", runs_decode},
    {"sums", checksums},
    {"luhn", luhn},
    {"country", country_of},
};

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands && argc == 3; i++)
    if (strcmp(argv[1], commands[i].name) == 0)
      return commands[i].run(argv[2]);
  return ERROR("give a code and a text");
}
