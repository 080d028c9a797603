/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof trace --least: prints the lines that an incomplete trace proves to
 * have run. See trace.h.
 */
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/os.h"
#include "../coverage/inputs/inputs.h"
#include "../coverage/inputs/paths.h"
#include "../coverage/model/evaluate.h"
#include "../coverage/out/out.h"

/* Prints the lines of one file that ran: FILE: FIRST-LAST,... Returns the index
 * of the next file's first entry. */
static size_t print_file_lines(const struct lcov_list *lcov, size_t from,
                               const struct source_maps *paths) {
  const char *file = lcov->entries[from].file;
  char shown[1000], *here = paths_local_name(paths, file);
  uint32_t first = 0, last = 0;
  bool any = false;
  size_t at = from;
  for (; at <= lcov->count; at++) {
    const struct lcov_entry *one = at < lcov->count ? &lcov->entries[at] : NULL;
    bool same = one && strcmp(one->file, file) == 0;
    if (same && (one->kind != LCOV_LINE || !one->hits))
      continue;
    if (same && last && one->line == last + 1) {
      last++;
      continue;
    }
    if (last) {
      if (any)
        printf(",%" PRIu32, first);
      else
        printf("  %s: %" PRIu32,
               make_printable(shown, sizeof shown, here ? here : file), first);
      any = true;
      if (last != first)
        printf("-%" PRIu32, last);
    }
    if (!same)
      break;
    first = last = one->line;
  }
  if (any)
    putchar('\n');
  free(here);
  return at;
}

static void print_lines(const struct model *exported,
                        const struct lcov_list *lcov) {
  char here[4096];
  const struct source_maps paths = {.here =
                                        os_current_folder(here, sizeof here)};
  uint64_t counts[METRICS];
  for (unsigned i = 0; i < METRICS; i++)
    counts[i] = exported->summary.total.scores[i].covered;
  fputs("At least this ran: ", stdout);
  puts(metrics_print(stdout, counts) ? "." : "nothing.");
  for (size_t i = 0; i < lcov->count;)
    i = print_file_lines(lcov, i, &paths);
  puts("Parts of the trace are missing. Other code may have run, too, so this "
       "is not coverage.");
}

int trace_print_least(struct image_join *join) {
  struct input_elf subject = {
      .name = join->elf_name, .elf = *join->elf, .join = *join};
  struct profile profile;
  struct model exported = {.name_count = 0};
  struct lcov_list lcov = {.entries = NULL};
  const struct source_maps paths = {.maps = NULL};
  struct token_store tokens = {.paths = &paths};
  const struct evaluate_options mask = {.tokens = &tokens};
  int status = input_counts_read(&subject, &profile);
  const char *error =
      status ? NULL : evaluation_read_names(&subject.elf, &subject.names);
  const struct evaluate_input one = {&subject.elf, &subject.names, &profile,
                                     .least = true};
  if (!status && !error)
    error = evaluate_elfs(&exported, &one, 1, &mask);
  if (!status && !error) {
    lcov_make(&lcov, &exported, 0);
    print_lines(&exported, &lcov);
  }
  token_store_free(&tokens);
  lcov_free(&lcov);
  model_free(&exported);
  names_free(&subject.names);
  profile_free(&profile);
  return error ? report(join->elf_name, "%s", error) : status;
}
