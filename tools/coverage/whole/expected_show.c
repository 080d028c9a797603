/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file prints the states of the sources in words, and writes the states as
 * JSON. The table (out/table.c) has the scores of added sources.
 */
#include <stdio.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/text.h"
#include "expected.h"

enum { EXPECTED_SHOWN = 20, VARIANTS_SHOWN = 20 };

#define EXPECTED_TEXT(name, text, counts) text,
const char *const expected_state_texts[] = {EXPECTED_STATE_LIST(EXPECTED_TEXT)};

const char *const expected_way_texts[] = {
    [COUNTED_NOT] = "not",
    [COUNTED_BY_MAPPING] = "by its object",
    [COUNTED_BY_LINES] = "by the line table",
    [COUNTED_BY_TEXT] = "by text"};

static void print_sources_of_state(const struct coverage *coverage,
                                   const struct source_maps *paths,
                                   enum expected_state state) {
  const struct expected_sources *expected = coverage->expected;
  size_t shown = 0, all = 0;
  char name[1000];
  for (size_t i = 0; i < expected->count; i++)
    all += expected->list[i]->state == state;
  if (state == EXPECTED_MEASURED)
    printf(": %zu measured\n", all);
  else if (all)
    printf("  %s: %zu\n", expected_state_texts[state], all);
  for (size_t i = 0; i < expected->count && state != EXPECTED_MEASURED; i++) {
    const struct expected_source *one = expected->list[i];
    if (one->state != state || shown++ >= EXPECTED_SHOWN)
      continue;
    printf(
        "    %s%s%s\n",
        make_printable(name, sizeof name, paths_shown_name(paths, one->name)),
        one->counting ? ", counted " : "",
        one->counting ? expected_way_texts[one->counting] : "");
  }
  if (shown > EXPECTED_SHOWN)
    printf("    and %zu more, in evidence.json\n", shown - EXPECTED_SHOWN);
}

static void print_elf_names(FILE *stream, const struct inputs *inputs,
                            uint64_t set, bool json) {
  char shown[1000];
  size_t put = 0;
  for (size_t i = 0; i < inputs->count && i < 64; i++)
    if (set >> i & 1 && json)
      json_printf(stream, put++ ? ",%s" : "%s", inputs->subjects[i].name);
    else if (set >> i & 1)
      fprintf(stream, "%s%s", put++ ? ", " : "",
              make_printable(shown, sizeof shown, inputs->subjects[i].name));
}

static void print_variant_lines(const struct coverage *coverage,
                                const struct source_maps *paths) {
  const struct expected_sources *expected = coverage->expected;
  size_t count = expected->variant_count;
  char shown[1000];
  for (size_t i = 0; i < count && i < VARIANTS_SHOWN; i++) {
    const struct variant_lines *one = &expected->variants[i];
    const char *name = expected->sources[one->source].name;
    printf("%s    %s:%ju-%ju: %s", i ? "" : "  code that #if skips:\n",
           make_printable(shown, sizeof shown, paths_shown_name(paths, name)),
           (uintmax_t)one->first, (uintmax_t)one->last,
           one->coded ? "only in " : "no build compiles these lines");
    print_elf_names(stdout, coverage->inputs, one->coded, false);
    putchar('\n');
  }
  if (count > VARIANTS_SHOWN)
    printf("    and %zu more, in evidence.json\n", count - VARIANTS_SHOWN);
}

void expected_print(const struct coverage *coverage,
                    const struct source_maps *paths) {
  const struct expected_sources *expected = coverage->expected;
  char name[1000];
  if (!expected)
    return;
  for (size_t i = 0; i < expected->what_count; i++)
    printf("%s%s", i ? ", " : "\nSources of ",
           make_printable(name, sizeof name, expected->what[i]));
  for (unsigned i = 0; i < EXPECTED_STATES; i++)
    print_sources_of_state(coverage, paths, (enum expected_state)i);
  if (expected->members)
    printf("  members of archives, whose sources a map does not name: %zu\n",
           expected->members);
  print_variant_lines(coverage, paths);
}

void expected_print_json(const struct coverage *coverage, FILE *stream) {
  const struct expected_sources *expected = coverage->expected;
  if (!expected)
    return;
  fputs("\"sources\":{\"of\":[", stream);
  for (size_t i = 0; i < expected->what_count; i++)
    json_printf(stream, i ? ",%s" : "%s", expected->what[i]);
  fputs("],\"list\":[", stream);
  for (size_t i = 0; i < expected->count; i++) {
    const struct expected_source *one = expected->list[i];
    fputs(i ? ",\n{" : "\n{", stream);
    json_printf(stream,
                "\"file\":%s,\"compiled_as\":%s,\"state\":%s,\"counted\":%s}",
                one->key, one->name, expected_state_texts[one->state],
                expected_way_texts[one->counting]);
  }
  fputs("],\"variants\":[", stream);
  for (size_t i = 0; i < expected->variant_count; i++) {
    const struct variant_lines *one = &expected->variants[i];
    fputs(i ? ",\n{" : "\n{", stream);
    json_printf(stream,
                "\"compiled_as\":%s,\"first\":%ju,\"last\":%ju,\"in\":[",
                expected->sources[one->source].name, (uintmax_t)one->first,
                (uintmax_t)one->last);
    print_elf_names(stream, coverage->inputs, one->coded, true);
    fputs("],\"skipped_in\":[", stream);
    print_elf_names(stream, coverage->inputs, one->skipped & ~one->coded, true);
    fputs("]}", stream);
  }
  fputs("]},\n", stream);
}
