/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the coverage mapping, its contents, the model that it makes with
 * counts, and exclusions from the model. The input is the names of the files
 * and the functions' records, whose headers are made to fit; then it edits the
 * sections.
 */
#include <string.h>

#include "bytes.h"
#include "evaluate.h"
#include "input.h"
#include "coverage/out/out.h"
#include "coverage/model/coverage_model.h"
#include "mapping.h"
#include "coverage/exclude/exclude.h"
#include "digest.h"
#include "coverage/mcdc/mcdc.h"

enum { ROOM = 4096, HEADERS = 64 + 4 * 64 };

static unsigned char file[ROOM];
static size_t size;

static void put(uint64_t value, unsigned bytes) {
  store_number(file + size, value, bytes, false);
  size += bytes;
}

static void put_input(struct input *input, unsigned count) {
  for (; count; count--)
    put(take(input), 1);
}

static void align(void) {
  while (size % 8)
    put(0, 1);
}

static uint64_t put_names(struct input *input) {
  static const char here[] = "\2\7\0\2/d\3a.c";
  static const char windows[] = "\2\11\0\4c:\\d\3a.c";
  unsigned choice = take(input) % 4;
  bool chosen = choice != 0;
  const char *plain = choice == 1 ? windows : here;
  unsigned count = chosen ? (unsigned)strlen(plain + 3) + 3 : take(input) % 64;
  put(0, 4);
  put(count, 4);
  put(0, 4);
  put(take(input) % 8 ? 6 : 5, 4);
  size_t at = size;
  if (chosen)
    for (unsigned i = 0; i < count; i++)
      put((unsigned char)plain[i], 1);
  else
    put_input(input, count);
  uint64_t reference = md5_low64(file + at, count);
  align();
  return reference;
}

/* A region that a compiler could write. */
static size_t make_region(struct input *input, unsigned char *to,
                          unsigned file) {
  unsigned kind = take(input) % REGION_KINDS, column = 1 + take(input) % 20;
  unsigned lines = take(input) % 6;
  size_t at = 0;
  if (kind == REGION_EXPANSION && file)
    kind = REGION_CODE;
  if (kind == REGION_CODE || kind == REGION_GAP)
    to[at++] = (unsigned char)(take(input) % 4 << 2 | COUNTER_PLAIN);
  else
    to[at++] =
        (unsigned char)(kind == REGION_EXPANSION ? 1 << 3 | 4 : kind << 3);
  for (unsigned i = kind == REGION_BRANCH || kind == REGION_MCDC_BRANCH ? 2 : 0;
       i; i--)
    to[at++] = (unsigned char)(take(input) % 4 << 2 | COUNTER_PLAIN);
  for (unsigned i = kind == REGION_DECISION      ? 2
                    : kind == REGION_MCDC_BRANCH ? 3
                                                 : 0;
       i; i--)
    to[at++] = (unsigned char)i;
  to[at++] = (unsigned char)(take(input) % 3);
  to[at++] = (unsigned char)column;
  to[at++] = (unsigned char)lines;
  to[at++] = (unsigned char)(column + take(input) % 20);
  if (kind == REGION_GAP) {
    to[at - 1] |= 0x80;
    memcpy(to + at, "\x80\x80\x80\x08", 4);
    at += 4;
  }
  return at;
}

/* A function whose second file is a macro's. */
static void put_made(struct input *input, uint64_t reference) {
  unsigned char data[512] = {2, 1, 1, 0};
  size_t count = 4;
  for (unsigned file = 0; file < 2; file++) {
    unsigned regions = 1 + take(input) % 10;
    data[count++] = (unsigned char)(regions + !file);
    /* All of the function. */
    if (!file) {
      memcpy(data + count, "\1\1\1\x20\2", 5);
      count += 5;
    }
    for (; regions; regions--)
      count += make_region(input, data + count, file);
  }
  put(take(input), 8);
  put(count, 4);
  put(take(input), 8);
  put(reference, 8);
  for (size_t i = 0; i < count; i++)
    put(data[i], 1);
  align();
}

static void put_function(struct input *input, uint64_t reference) {
  if (take(input) % 2) {
    put_made(input, reference);
    return;
  }
  unsigned count = take(input) % 200;
  put(take(input), 8);
  put(count, 4);
  put(take(input), 8);
  put(reference, 8);
  put_input(input, count);
  align();
}

static void put_section(unsigned name, unsigned type, size_t from, size_t to) {
  put(name, 4);
  put(type, 4);
  put(0, 8);
  put(0, 8);
  put(from, 8);
  put(to - from, 8);
  put(0, 8);
  put(8, 8);
  put(0, 8);
}

static void make(struct input *input) {
  static const char names[] = "\0__llvm_covmap\0__llvm_covfun\0.s";
  size = HEADERS;
  memcpy(file + size, names, sizeof names);
  size_t at = size;
  size += sizeof names;
  align();
  size_t map = size;
  uint64_t reference = put_names(input);
  size_t functions = size;
  for (unsigned count = 1 + take(input) % 3; count; count--)
    put_function(input, reference);
  size_t end = size;
  for (unsigned count = take(input) % 4; count; count--) {
    size_t where = map + take_number(input, 2) % (end - map);
    file[where] = (unsigned char)take(input);
  }
  static const unsigned char header[] = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  memset(file, 0, HEADERS);
  memcpy(file, header, sizeof header);
  store16(file + 16, 2, false);
  store16(file + 18, 183, false);
  store32(file + 20, 1, false);
  store64(file + 40, 64, false);
  store16(file + 52, 64, false);
  store16(file + 58, 64, false);
  store16(file + 60, 4, false);
  store16(file + 62, 1, false);
  size = 64 + 64;
  put_section(29, 3, at, at + sizeof names);
  put_section(1, 1, map, functions);
  put_section(15, 1, functions, end);
  size = end;
}

/* ---- exclusions ---- */

/* Lines of /d/a.c, and perhaps a decision. */
static void exclude(struct exclusions *set, struct input *input) {
  exclusions_add_source(set, "/d/a.c", "/d/a.c");
  for (unsigned count = 1 + take(input) % 3; count; count--) {
    uint32_t first = 1 + take(input) % 64;
    const struct excluded_range range = {.first = first,
                                         .last = first + take(input) % 8};
    exclusions_add_range(&set->sources[0], range);
  }
  struct excluded_range *last =
      &set->sources[0].ranges[set->sources[0].range_count - 1];
  last->kind = (enum exclusion_kind)(take(input) % 4);
  exclusions_make_spans(set);
}

/* ---- the model ---- */

enum { COUNTERS = 4, BITS = 64 };

/* Counts of all functions that the records may name. */
static void count(struct profile *profile, struct input *input) {
  uint64_t counters[COUNTERS];
  unsigned char bitmap[BITS / 8];
  profile_init(profile, 1 << 20);
  for (unsigned i = 0; i < COUNTERS; i++)
    counters[i] = take(input) % 8 ? take(input) % 3 : take_number(input, 8);
  for (unsigned i = 0; i < sizeof bitmap; i++)
    bitmap[i] = (unsigned char)take(input);
  unsigned hash = take(input) % 2 ? 0 : take(input);
  for (unsigned i = 0; i < 256; i++) {
    char name[8];
    struct record_counts *entry;
    const struct counts_addition addition = {
        .name = name,
        .name_size = (size_t)snprintf(name, sizeof name, "f%u", i),
        .reference = i,
        .hash = hash ? hash : i,
        .counters = counters,
        .counter_count = COUNTERS,
        .bitmap = bitmap,
        .bitmap_size = sizeof bitmap,
        .weight = 1};
    profile_add_counts(profile, &addition, &entry);
  }
}

static void check_scores(const struct model *model) {
  const struct scores_summary *summary = &model->summary;
  for (size_t i = 0; i < summary->count; i++) {
    struct slice slice = model->segments[i];
    const struct segment *list = model_segments(model) + slice.begin;
    for (unsigned k = 0; k < METRICS; k++)
      must(summary->rows[i].scores[k].covered <=
               summary->rows[i].scores[k].count,
           "no more is covered than there is");
    for (uint32_t k = 1; k < slice.count; k++)
      must(place_number(list[k - 1].line, list[k - 1].column) <=
               place_number(list[k].line, list[k].column),
           "segments are in order");
  }
}

static void check_negated(const struct model *model) {
  struct buffer list = {.limit = SIZE_MAX};
  negated_append_decisions(&list, model);
  unmeasured_merge(&list);
  unmeasured_free(&list);
}

static void check_outputs(const struct model *model, unsigned release) {
  char *text = NULL;
  size_t length = 0;
  struct places places;
  struct model again;
  const struct json_export_options as = {.release = release,
                                         .expansions = true};
  static const char head[] = "{\"data\":[";
  places_make(&places, model, release);
  places_free(&places);
  FILE *stream = open_memstream(&text, &length);
  json_export(model, &as, stream);
  fclose(stream);
  must(!model_parse(&again,
                    (struct bytes){(unsigned char *)text + sizeof head - 1,
                                   length - sizeof head + 1}),
       "the JSON is read");
  must(model_function_count(&again) == model_function_count(model),
       "it has all functions");
  model_free(&again);
  free(text);
}

/* No code begins, and no line counts, where lines are excluded. */
static void check_masked(const struct exclusions *set,
                         const struct model *model) {
  for (size_t i = 0; i < model->summary.count; i++) {
    struct source_lines lines = lines_make(model, i);
    bool is = strcmp(model->names[i], "/d/a.c") == 0;
    for (uint32_t line = 1; is && line < lines.count; line++)
      must(!lines.list[line].counted ||
               !exclusions_find_span(&set->sources[0], false, line),
           "excluded lines do not count");
    lines_free(&lines);
  }
}

static void check_model(const struct elf *elf, struct input *input) {
  struct exclusions set = {.name = NULL};
  const struct source_maps paths = {0};
  struct exclusion one = {.kind = EXCLUDED_LINES, .reason = "", .by = ""};
  struct profile profiles[2];
  struct model model;
  bool excludes = take(input) % 2;
  const struct evaluation_options masked = {.paths = &paths,
                                            .excluded = excludes ? &set : NULL};
  size_t elfs = 1 + take(input) % 2;
  exclusions_read_file(&set);
  set.list = malloc(sizeof one);
  set.list[0] = one;
  set.count = 1;
  exclude(&set, input);
  count(&profiles[0], input);
  count(&profiles[1], input);
  unsigned kind = take(input);
  if (kind % 2)
    profiles[0].bitmaps = BITMAPS_18;
  const struct evaluation_input list[] = {
      {.elf = elf, .profile = &profiles[0], .least = kind / 2 % 2},
      {.elf = elf, .profile = &profiles[1]}};
  const char *error = evaluate_elfs(&model, list, elfs, &masked);
  must(!error || *error, "an error says something");
  if (!error) {
    check_scores(&model);
    check_outputs(&model, take(input) % 2 ? 22 : 14);
    check_negated(&model);
    if (excludes)
      check_masked(&set, &model);
  }
  model_free(&model);
  profile_free(&profiles[0]);
  profile_free(&profiles[1]);
  exclusions_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  struct input input = {data, data + count};
  struct buffer list = {.limit = 0};
  struct elf elf;
  make(&input);
  unsigned char *block = malloc(size);
  memcpy(block, file, size);
  must(!elf_open(&elf, (struct bytes){block, size}), "the ELF is opened");
  const char *error = unmeasured_append_elf(&list, &elf, NULL);
  must(!error || *error, "an error says something");
  unmeasured_merge(&list);
  const struct unmeasured_decision *all = unmeasured_list(&list);
  for (size_t i = 1; i < unmeasured_count(&list); i++)
    must(strcmp(all[i - 1].file, all[i].file) < 0 ||
             all[i - 1].begin.line <= all[i].begin.line,
         "decisions are in order");
  unmeasured_free(&list);
  check_model(&elf, &input);
  free(block);
  return 0;
}
