/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the states of the sources in words, and writes them as JSON. The table
 * (out/table.c) has the scores of added sources.
 */
#include <stdio.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/text.h"
#include "../coverage.h"
#include "expected.h"

enum { EXPECTED_SHOWN = 20 };

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

static size_t count_sources_in_state(const struct coverage *coverage,
                                     enum expected_state state) {
  size_t count = 0;
  for (size_t i = 0; i < coverage->whole->count; i++) {
    const struct expected_source *one = &coverage->whole->list[i];
    count += one->state == state && !one->hidden;
  }
  return count;
}

static void print_state(const struct coverage *coverage,
                        const struct source_maps *paths,
                        enum expected_state state) {
  size_t all = count_sources_in_state(coverage, state), shown = 0;
  char name[1000];
  if (!all)
    return;
  printf("  %s: %zu\n", expected_state_texts[state], all);
  for (size_t i = 0; i < coverage->whole->count; i++) {
    const struct expected_source *one = &coverage->whole->list[i];
    if (one->state != state || one->hidden)
      continue;
    if (shown++ == EXPECTED_SHOWN) {
      printf("    and %zu more, in evidence.json\n", all - EXPECTED_SHOWN);
      return;
    }
    printf("    %s", make_printable(name, sizeof name,
                                    paths_shown_name(paths, one->name)));
    printf(one->way ? ", counted %s\n" : "\n", expected_way_texts[one->way]);
  }
}

void expected_print(const struct coverage *coverage,
                    const struct source_maps *paths) {
  const struct expected_sources *whole = coverage->whole;
  char name[1000];
  if (!whole)
    return;
  printf("\nSources of ");
  for (size_t i = 0; i < whole->what_count; i++)
    printf("%s%s", i ? ", " : "",
           make_printable(name, sizeof name, whole->what[i]));
  printf(": %zu measured\n",
         count_sources_in_state(coverage, EXPECTED_MEASURED));
  for (unsigned i = EXPECTED_PART; i < EXPECTED_STATES; i++)
    print_state(coverage, paths, (enum expected_state)i);
  if (whole->planned.members)
    printf("  members of archives, whose sources a map does not name: %zu\n",
           whole->planned.members);
  variants_print(coverage, paths);
}

void expected_write_json(const struct coverage *coverage, FILE *stream) {
  const struct expected_sources *whole = coverage->whole;
  size_t count = 0;
  if (!whole)
    return;
  fputs("\"sources\":{\"of\":[", stream);
  for (size_t i = 0; i < whole->what_count; i++)
    json_printf(stream, i ? ",%s" : "%s", whole->what[i]);
  fputs("],\"list\":[", stream);
  for (size_t i = 0; i < whole->count; i++) {
    const struct expected_source *one = &whole->list[i];
    if (one->hidden)
      continue;
    fputs(count++ ? ",\n{" : "\n{", stream);
    json_printf(stream, "\"file\":%s,\"compiled_as\":%s,\"state\":%s,",
                whole->seen.files[one->file].key, one->name,
                expected_state_texts[one->state]);
    json_printf(stream, "\"counted\":%s}", expected_way_texts[one->way]);
  }
  fputs("],\"variants\":[", stream);
  variants_write_json(coverage, stream);
  fputs("]},\n", stream);
}
