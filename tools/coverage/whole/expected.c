/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides the state of each source. The ELFs show what was measured
 * (seen_sources.c); commands (planned_sources.c) and their objects explain the
 * rest. added_functions.c and expected_lines.c add the missing functions and
 * lines to the model.
 */
#include "expected.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/map.h"
#include "../../base/buffer.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "../coverage.h"

/* The plan, and the knowledge about its commands. */
struct source_judging {
  struct expected_sources *whole;
  const struct coverage *coverage;
  struct seen_object *objects; /* of each command of the plan */
  struct map programs;         /* programs that have a linked object */
};

/* ---- maps ----
 *
 * Finds the source of an object in a map: from the symbol that names the
 * source, or from the object's name.
 */

/* Whether a source may be an object's: main.c if the symbol is main.c; without
 * a symbol, main.c for main.c.o and main.o. */
static bool may_be_source_of(const char *source, const char *object,
                             const char *symbol) {
  const char *base = os_base_name(source), *other = os_base_name(object);
  const char *dot = strrchr(base, '.');
  size_t size = strlen(base), stem = dot ? (size_t)(dot - base) : size;
  if (symbol)
    return strcmp(base, os_base_name(symbol)) == 0;
  return planned_source_kind(source) != PLANNED_HEADER &&
         ((!strncmp(other, base, size) && other[size] == '.') ||
          (!strncmp(other, base, stem) && other[stem] == '.'));
}

/* Replaces an object's name with its source's. If several sources fit, the
 * source with most folders in common is taken. */
static void find_object_source(struct seen_sources *seen,
                               struct planned_source *one) {
  const struct seen_object object =
      seen_read_object(seen, one->object, SIZE_MAX);
  const struct seen_file *best = NULL;
  unsigned most = 0;
  size_t count = seen->file_count;
  for (size_t i = 0; i < count; i++) {
    const struct seen_file *file = &seen->files[i];
    unsigned alike = source_name_count_shared(file->key, one->object) + 1;
    if (alike > most && may_be_source_of(file->key, one->object, object.file)) {
      best = file;
      most = alike;
    }
  }
  if (best)
    one->name = best->key;
  one->kind = planned_source_kind(one->name);
  if (!best)
    one->kind = object.file ? PLANNED_CODE : PLANNED_ASSEMBLY;
}

static int compare_planned(const void *left, const void *right) {
  const struct planned_source *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : b->command - a->command;
}

/* Finds the sources of all objects. Members of archives whose source is not
 * found are only counted. */
static void find_object_sources(struct expected_sources *whole) {
  struct planned_sources *planned = &whole->planned;
  struct planned_source *list = planned->list;
  size_t count = planned->count, kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct planned_source one = list[i];
    if (one.name == one.object)
      find_object_source(&whole->seen, &one);
    if (one.member && one.name == one.object)
      planned->members++;
    else
      list[kept++] = one;
  }
  planned->count = kept;
  sort_array(list, kept, sizeof *list, compare_planned);
}

/* ---- objects ---- */

static uint64_t hash_program(const struct planned_source *one) {
  return md5_low64(one->program, strlen(one->program));
}

/* Maps an object's name as a source's is mapped: the commands may be from
 * another machine. */
static void map_object_name(const struct seen_sources *seen,
                            struct arena *texts, struct planned_source *one) {
  if (!seen->paths->count || !one->object)
    return;
  char *name = need_memory(paths_local_name(seen->paths, one->object));
  one->object = need_memory(arena_copy(texts, name, strlen(name)));
  free(name);
}

static void read_objects(struct source_judging *judging) {
  struct planned_sources *planned = &judging->whole->planned;
  struct seen_sources *seen = &judging->whole->seen;
  size_t count = planned->count;
  judging->objects = need_memory(calloc(count + 1, sizeof *judging->objects));
  for (size_t i = 0; i < count; i++) {
    struct planned_source *one = &planned->list[i];
    map_object_name(seen, &planned->texts, one);
    size_t file = seen_file_number(seen, one->name);
    seen->files[file].given = true;
    judging->objects[i] = seen_read_object(seen, one->object, file);
    judging->objects[i].linked |= one->placed;
    if (one->program && judging->objects[i].linked)
      need_memory(map_find_or_add(&judging->programs, hash_program(one), 0, 0));
  }
}

/* Whether an object is of another program: nothing of its program is linked, or
 * an ELF has its functions from another source. */
static bool is_of_other_program(const struct source_judging *judging,
                                const struct planned_source *one,
                                const struct seen_object *object) {
  return object->contrary ||
         (one->program && judging->programs.count &&
          !map_find(&judging->programs, hash_program(one), 0, 0));
}

/* Returns the command that shows most about a source: best is a linked object,
 * then an object whose functions are all in ELFs. */
static uint32_t choose_command(const struct source_judging *judging,
                               const struct expected_source *source) {
  const struct planned_source *list = judging->whole->planned.list;
  uint32_t best = source->planned;
  unsigned most = 0;
  for (uint32_t i = source->planned; i < source->planned + source->count; i++) {
    const struct seen_object *object = &judging->objects[i];
    unsigned worth = object->linked ? 16 : 0;
    worth += object->kind == OBJECT_ELF ? 4 : object->kind == OBJECT_BITCODE;
    worth += is_of_other_program(judging, &list[i], object) ? 0 : 2;
    worth += object->own && !object->lacking ? 8 : 0;
    if (worth > most) {
      best = i;
      most = worth;
    }
  }
  return best;
}

/* ---- states ---- */

static enum expected_state judge_object(const struct source_judging *judging,
                                        const struct planned_source *one,
                                        const struct seen_object *object) {
  if (!object->code && !object->own)
    return EXPECTED_DATA;
  if (object->linked)
    return one->kind == PLANNED_ASSEMBLY ? EXPECTED_ASSEMBLY : EXPECTED_PLAIN;
  return is_of_other_program(judging, one, object) ? EXPECTED_OTHER
                                                   : EXPECTED_UNLINKED;
}

static enum expected_state judge_source(const struct source_judging *judging,
                                        struct expected_source *source) {
  struct seen_sources *seen = &judging->whole->seen;
  const struct seen_file *file = &seen->files[source->file];
  uint32_t at = choose_command(judging, source);
  const struct planned_source *one =
      &judging->whole->planned.list[at];
  const struct seen_object *object = &judging->objects[at];
  if (object->kind != OBJECT_NONE)
    source->object = one->object;
  if (one->kind == PLANNED_HEADER)
    return EXPECTED_HEADER;
  if (file->mapped || object->lost)
    return (object->linked || object->lost) && object->lacking
               ? EXPECTED_PART
               : EXPECTED_MEASURED;
  if (object->shared && !object->own)
    return EXPECTED_MEASURED; /* Files that it includes are measured. */
  if (file->coded && seen->inputs->object_code)
    return EXPECTED_MEASURED;
  if (file->coded)
    return one->kind == PLANNED_ASSEMBLY ? EXPECTED_ASSEMBLY : EXPECTED_PLAIN;
  if (object->kind == OBJECT_ELF)
    return judge_object(judging, one, object);
  if (file->unit)
    return EXPECTED_DATA;
  if (object->kind == OBJECT_BITCODE)
    return EXPECTED_BITCODE;
  if (!os_exists(file->key))
    return EXPECTED_MISSING;
  return one->kind == PLANNED_ASSEMBLY &&
                 expected_has_linked_label(seen, file->key)
             ? EXPECTED_ASSEMBLY
             : EXPECTED_UNCOMPILED;
}

static bool counts_as_missed(enum expected_state state) {
  return state == EXPECTED_PART || state == EXPECTED_PLAIN ||
         state == EXPECTED_ASSEMBLY || state == EXPECTED_UNLINKED ||
         state == EXPECTED_BITCODE || state == EXPECTED_UNCOMPILED ||
         state == EXPECTED_MISSING;
}

/* ---- how it counts ---- */

/* Adds the functions or lines of a source that is not measured to the model. */
static const char *count_missed_source(struct source_judging *judging,
                                       struct expected_source *source) {
  struct expected_sources *whole = judging->whole;
  size_t count = 0;
  const char *error = NULL;
  if (whole->seen.inputs->object_code)
    return NULL; /* Such a model cannot hold it. */
  /* A map's object whose source is not known adds no lines. */
  const struct seen_object *object =
      &judging->objects[choose_command(judging, source)];
  if ((!counts_as_missed(source->state) && !object->lost) ||
      (source->object && !strcmp(source->name, source->object)))
    return NULL;
  if (source->object && object->own)
    error = added_add_object(whole, source->object, source->file, &count);
  source->way = count ? COUNTED_BY_MAPPING : COUNTED_NOT;
  if (!error && !count && source->state > EXPECTED_PART)
    error = expected_add_lines(whole, source);
  /* A source without code needs no command. */
  if (!error && source->state == EXPECTED_UNCOMPILED && !source->way)
    source->state = EXPECTED_DATA;
  return error;
}

static const char *judge_planned_sources(struct source_judging *judging) {
  struct expected_sources *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  const struct planned_source *list = whole->planned.list;
  size_t count = whole->planned.count;
  const char *error = NULL;
  for (size_t i = 0, end; i < count && !error; i = end) {
    struct expected_source source = {
        .planned = (uint32_t)i,
        .file = seen_file_number(&whole->seen, list[i].name)};
    for (end = i + 1; end < count && !strcmp(list[end].name, list[i].name);)
      end++;
    source.count = (uint32_t)(end - i);
    source.name = whole->seen.files[source.file].name;
    if (!filter_keeps(&settings->filter, &settings->paths, source.name))
      continue;
    source.state = judge_source(judging, &source);
    error = count_missed_source(judging, &source);
    LIST_ADD(whole->list, whole->count, source);
  }
  return error;
}

/* Adds the sources that an ELF has and nobody has planned. */
static void add_unplanned_sources(struct source_judging *judging) {
  struct expected_sources *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  size_t count = whole->seen.file_count;
  for (size_t i = 0; i < count; i++) {
    const struct seen_file *file = &whole->seen.files[i];
    const struct expected_source source = {
        .name = file->name, .state = EXPECTED_UNPLANNED, .file = i};
    if (!file->given && (file->mapped || file->coded) &&
        planned_source_kind(file->name) != PLANNED_HEADER &&
        filter_keeps(&settings->filter, &settings->paths, file->name))
      LIST_ADD(whole->list, whole->count, source);
  }
}

/* ---- all ---- */

static int compare_sources(const void *left, const void *right) {
  const struct expected_source *a = left, *b = right;
  return strcmp(a->name, b->name);
}

int expected_begin(struct expected_sources *whole,
                   const struct coverage *coverage) {
  for (size_t i = 0; i < whole->what_count; i++)
    if (planned_read(&whole->planned, whole->what[i]))
      return 1;
  const char *error = seen_read(&whole->seen, coverage->inputs,
                                &coverage->settings->paths);
  return error ? report(whole->what[0], "%s", error) : 0;
}

int expected_find(struct expected_sources *whole,
                  const struct coverage *coverage) {
  struct source_judging judging = {
      .whole = whole, .coverage = coverage, .programs.limit = 1 << 20};
  find_object_sources(whole);
  read_objects(&judging);
  const char *error = judge_planned_sources(&judging);
  add_unplanned_sources(&judging);
  if (!error)
    error = variants_finish(whole);
  sort_array(whole->list, whole->count, sizeof *whole->list, compare_sources);
  map_free(&judging.programs);
  free(judging.objects);
  return error ? report(whole->what[0], "%s", error) : 0;
}

void expected_free(struct expected_sources *whole) {
  planned_free(&whole->planned);
  seen_free(&whole->seen);
  added_free(&whole->added);
  free(whole->list);
  buffer_free(&whole->variants);
}

int expected_exclude(const struct coverage *coverage) {
  const struct expected_sources *whole = coverage->whole;
  for (size_t i = 0; whole && i < whole->count; i++) {
    const struct expected_source *one = &whole->list[i];
    char *name = paths_copy_tidied(one->name);
    int status = one->way && exclusions_add_source(
                                 coverage->exclusions, name,
                                 whole->seen.files[one->file].key);
    free(name);
    if (status)
      return 1;
  }
  return 0;
}

void expected_mark_rows(const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  for (size_t i = 0; i < coverage->whole->count; i++) {
    struct expected_source *one = &coverage->whole->list[i];
    size_t at = search_text(summary->rows, summary->count, name, one->name);
    bool found = one->way && at < summary->count &&
                 !strcmp(summary->rows[at].name, one->name);
    one->hidden = found && row_is_empty(&summary->rows[at]);
    if (found && one->state > EXPECTED_PART)
      summary->rows[at].added = true;
  }
}
