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

const char *const expected_state_texts[EXPECTED_STATES] = {
    [EXPECTED_MEASURED] = "measured",
    [EXPECTED_PART] = "measured in part",
    [EXPECTED_PLAIN] = "compiled without coverage",
    [EXPECTED_ASSEMBLY] = "assembly",
    [EXPECTED_UNLINKED] = "compiled but not linked",
    [EXPECTED_OTHER] = "of another program",
    [EXPECTED_DATA] = "data only",
    [EXPECTED_HEADER] = "header",
    [EXPECTED_BITCODE] = "LTO bitcode",
    [EXPECTED_UNCOMPILED] = "not compiled",
    [EXPECTED_MISSING] = "missing on disk",
    [EXPECTED_UNPLANNED] = "in an ELF but not planned"};

const char *const expected_way_texts[] = {
    [COUNTED_NOT] = "not",
    [COUNTED_BY_MAPPING] = "by its object",
    [COUNTED_BY_LINES] = "by the line table",
    [COUNTED_BY_TEXT] = "by text"};

static void print_sources_of_state(const struct coverage *coverage,
                                   const struct source_maps *paths,
                                   enum expected_state state) {
  size_t shown = 0, all = 0;
  char name[1000];
  for (size_t i = 0; i < coverage->expected->count; i++)
    all += coverage->expected->list[i]->state == state &&
           !coverage->expected->list[i]->hidden;
  if (state == EXPECTED_MEASURED)
    printf(": %zu measured\n", all);
  else if (all)
    printf("  %s: %zu\n", expected_state_texts[state], all);
  for (size_t i = 0; i < coverage->expected->count && state; i++) {
    const struct expected_source *one = coverage->expected->list[i];
    if (one->state != state || one->hidden)
      continue;
    if (shown++ == EXPECTED_SHOWN) {
      printf("    and %zu more, in evidence.json\n", all - EXPECTED_SHOWN);
      return;
    }
    printf("    %s", make_printable(name, sizeof name,
                                    paths_shown_name(paths, one->name)));
    printf(one->counting ? ", counted %s\n" : "\n",
           expected_way_texts[one->counting]);
  }
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
  const struct variant_line *list = (const void *)expected->variants.data;
  size_t count = expected->variants.size / sizeof *list;
  char shown[1000];
  for (size_t i = 0; i < count && i < VARIANTS_SHOWN; i++) {
    const char *name = expected->sources[list[i].source].name;
    printf("%s    %s:%u-%u: %s", i ? "" : "  code that #if skips:\n",
           make_printable(shown, sizeof shown, paths_shown_name(paths, name)),
           list[i].line, list[i].last,
           list[i].coded ? "only in " : "no build compiles these lines");
    print_elf_names(stdout, coverage->inputs, list[i].coded, false);
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
  printf("\nSources of ");
  for (size_t i = 0; i < expected->what_count; i++)
    printf("%s%s", i ? ", " : "",
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
  const char *next = "\n{";
  if (!expected)
    return;
  fputs("\"sources\":{\"of\":[", stream);
  for (size_t i = 0; i < expected->what_count; i++)
    json_printf(stream, i ? ",%s" : "%s", expected->what[i]);
  fputs("],\"list\":[", stream);
  for (size_t i = 0; i < expected->count; i++) {
    const struct expected_source *one = expected->list[i];
    if (one->hidden)
      continue;
    fputs(next, stream);
    json_printf(stream,
                "\"file\":%s,\"compiled_as\":%s,\"state\":%s,\"counted\":%s}",
                one->key, one->name, expected_state_texts[one->state],
                expected_way_texts[one->counting]);
    next = ",\n{";
  }
  fputs("],\"variants\":[", stream);
  const struct variant_line *list = (const void *)expected->variants.data;
  for (size_t i = 0; i < expected->variants.size / sizeof *list; i++) {
    fputs(i ? ",\n{" : "\n{", stream);
    json_printf(stream, "\"compiled_as\":%s,\"first\":%u,\"last\":%u,\"in\":[",
                expected->sources[list[i].source].name, list[i].line,
                list[i].last);
    print_elf_names(stream, coverage->inputs, list[i].coded, true);
    fputs("],\"skipped_in\":[", stream);
    print_elf_names(stream, coverage->inputs, list[i].skipped & ~list[i].coded,
                    true);
    fputs("]}", stream);
  }
  fputs("]},\n", stream);
}
