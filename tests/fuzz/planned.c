/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: inputs of --sources: compile_commands.json, maps, lists. The
 * input is a text of phrases. Names in accepted files are absolute.
 */
#include <string.h>

#include "coverage/whole/expected.h"
#include "input.h"
#include "phrases.h"

enum { MOST = 4096 };

#define COMMAND                         \
  "[{\"file\":\"a.c\",\"directory\":" \
  "\"/b\",\"command\":\"cc -c a.c -o a.o\"}]"

static const char *const phrases[] = {
    (COMMAND),
    "\"file\":",
    "\"directory\":",
    "\"command\":",
    "\"arguments\":[",
    "\"output\":",
    "\"a.c\"",
    "\"-o\"",
    "\"/x/a.o\"",
    "\"../b\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\\\"",
    "\\\\",
    "'",
    "@none ",
    "-x c-header ",
    "-xc++-header",
    " ",
    "\n",
    "VMA ",
    "Linker script and memory map\n",
    "LOAD a.o\n",
    " .text  0x0000000000001000  0x10 a.o\n",
    " .text 0x1000 0x10 l.a(b.o)\n",
    "1000 1000 10 4 CMakeFiles/p.dir/a.c.o:(.text)\n",
    "l.a(b.o)",
    "a.obj",
    "0xFFFFFFFFFFFFFFFF ",
    "CMakeFiles/",
    ".dir/",
    "a.c\n",
    "/../..",
    "# ",
    "\r\n",
    "C:\\a"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  size_t size = 0;
  const struct report_settings settings = {.paths.count = 0};
  const struct coverage coverage = {.settings = &settings};
  struct expected_sources expected = {.coverage = &coverage,
                                      .texts.limit = 1 << 24,
                                      .known.limit = 1 << 16};
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            count < MOST ? count : MOST, &size);
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(size + !size);
  if (size)
    memcpy(bytes, text, size);
  const char *error =
      plan_parse(&expected, (struct bytes){bytes, size}, "/folder/file");
  must(!error || strchr(error, ';'), "an error says what to do");
  for (size_t i = 0; i < expected.plan_count; i++) {
    const struct planned_source *one = &expected.plan[i];
    must(one->unnamed == (one->source == SIZE_MAX),
         "an entry without a source is an object");
    must(!one->unnamed || one->object, "an entry has a source or an object");
    must(!one->member || one->unnamed, "a member is an object");
  }
  for (size_t i = 0; i < expected.source_count; i++) {
    const char *name = expected.sources[i].name;
    must(*name == '/' || name[1] == ':', "names are absolute");
  }
  expected_free(&expected);
  free(text);
  free(bytes);
  return 0;
}
