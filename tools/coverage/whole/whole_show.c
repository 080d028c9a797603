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
#include "whole.h"

enum { WHOLE_SHOWN = 20 };

const char *const whole_texts[WHOLE_STATES] = {
    [WHOLE_MEASURED] = "measured",
    [WHOLE_PART] = "measured in part",
    [WHOLE_PLAIN] = "compiled without coverage",
    [WHOLE_ASSEMBLY] = "assembly",
    [WHOLE_UNLINKED] = "compiled but not linked",
    [WHOLE_OTHER] = "of another program",
    [WHOLE_DATA] = "data only",
    [WHOLE_HEADER] = "header",
    [WHOLE_BITCODE] = "LTO bitcode",
    [WHOLE_UNCOMPILED] = "not compiled",
    [WHOLE_MISSING] = "missing on disk",
    [WHOLE_UNPLANNED] = "in an ELF but not planned"};

const char *const whole_ways[] = {[WHOLE_NOT] = "not",
                                  [WHOLE_MAPPING] = "by its object",
                                  [WHOLE_LINES] = "by the line table",
                                  [WHOLE_TEXT] = "by text"};

static size_t count_state(const struct coverage *coverage,
                          enum whole_state state) {
  size_t count = 0;
  for (size_t i = 0; i < coverage->whole->count; i++) {
    const struct whole_source *one = &coverage->whole->list[i];
    count += one->state == state && !one->hidden;
  }
  return count;
}

static void print_state(const struct coverage *coverage,
                        const struct paths *paths, enum whole_state state) {
  size_t all = count_state(coverage, state), shown = 0;
  char name[1000];
  if (!all)
    return;
  printf("  %s: %zu\n", whole_texts[state], all);
  for (size_t i = 0; i < coverage->whole->count; i++) {
    const struct whole_source *one = &coverage->whole->list[i];
    if (one->state != state || one->hidden)
      continue;
    if (shown++ == WHOLE_SHOWN) {
      printf("    and %zu more, in evidence.json\n", all - WHOLE_SHOWN);
      return;
    }
    printf("    %s",
           printable(name, sizeof name, paths_shown(paths, one->name)));
    printf(one->way ? ", counted %s\n" : "\n", whole_ways[one->way]);
  }
}

void whole_print(const struct coverage *coverage, const struct paths *paths) {
  const struct whole *whole = coverage->whole;
  char name[1000];
  if (!whole)
    return;
  printf("\nSources of ");
  for (size_t i = 0; i < whole->what_count; i++)
    printf("%s%s", i ? ", " : "",
           printable(name, sizeof name, whole->what[i]));
  printf(": %zu measured\n", count_state(coverage, WHOLE_MEASURED));
  for (unsigned i = WHOLE_PART; i < WHOLE_STATES; i++)
    print_state(coverage, paths, (enum whole_state)i);
  if (whole->planned.members)
    printf("  members of archives, whose sources a map does not name: %zu\n",
           whole->planned.members);
  variants_print(coverage, paths);
}

void whole_json(const struct coverage *coverage, FILE *stream) {
  const struct whole *whole = coverage->whole;
  size_t count = 0;
  if (!whole)
    return;
  fputs("\"sources\":{\"of\":[", stream);
  for (size_t i = 0; i < whole->what_count; i++)
    json_print(stream, i ? ",%s" : "%s", whole->what[i]);
  fputs("],\"list\":[", stream);
  for (size_t i = 0; i < whole->count; i++) {
    const struct whole_source *one = &whole->list[i];
    if (one->hidden)
      continue;
    fputs(count++ ? ",\n{" : "\n{", stream);
    json_print(stream, "\"file\":%s,\"compiled_as\":%s,\"state\":%s,",
               whole->seen.files[one->file].key, one->name,
               whole_texts[one->state]);
    json_print(stream, "\"counted\":%s}", whole_ways[one->way]);
  }
  fputs("],\"variants\":[", stream);
  variants_json(coverage, stream);
  fputs("]},\n", stream);
}
