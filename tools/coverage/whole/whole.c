/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decides the state of each source. The ELFs show what was measured (seen.c);
 * commands (planned.c) and their objects explain the rest. added.c and
 * whole_lines.c add the missing functions and lines to the model.
 */
#include "whole.h"

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
struct whole_judging {
  struct whole *whole;
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
static bool may_be_of(const char *source, const char *object,
                      const char *symbol) {
  const char *base = os_base(source), *other = os_base(object);
  const char *dot = strrchr(base, '.');
  size_t size = strlen(base), stem = dot ? (size_t)(dot - base) : size;
  if (symbol)
    return strcmp(base, os_base(symbol)) == 0;
  return planned_kind_of(source) != PLANNED_HEADER &&
         ((!strncmp(other, base, size) && other[size] == '.') ||
          (!strncmp(other, base, stem) && other[stem] == '.'));
}

/* Replaces an object's name with its source's. If several sources fit, the
 * source with most folders in common is taken. */
static void find_source(struct seen *seen, struct planned_source *one) {
  const struct seen_object object = object_look(seen, one->object, SIZE_MAX);
  const struct seen_file *best = NULL;
  unsigned most = 0;
  size_t count = seen->file_count;
  for (size_t i = 0; i < count; i++) {
    const struct seen_file *file = &seen->files[i];
    unsigned alike = source_likeness(file->key, one->object) + 1;
    if (alike > most && may_be_of(file->key, one->object, object.file)) {
      best = file;
      most = alike;
    }
  }
  if (best)
    one->name = best->key;
  one->kind = planned_kind_of(one->name);
  if (!best)
    one->kind = object.file ? PLANNED_CODE : PLANNED_ASSEMBLY;
}

static int by_planned(const void *left, const void *right) {
  const struct planned_source *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : b->command - a->command;
}

/* Finds the sources of all objects. Members of archives whose source is not
 * found are only counted. */
static void name_objects(struct whole *whole) {
  struct planned *planned = &whole->planned;
  struct planned_source *list = planned->list;
  size_t count = planned->count, kept = 0;
  for (size_t i = 0; i < count; i++) {
    struct planned_source one = list[i];
    if (one.name == one.object)
      find_source(&whole->seen, &one);
    if (one.member && one.name == one.object)
      planned->members++;
    else
      list[kept++] = one;
  }
  planned->count = kept;
  sort(list, kept, sizeof *list, by_planned);
}

/* ---- objects ---- */

static uint64_t program_key(const struct planned_source *one) {
  return md5_low64(one->program, strlen(one->program));
}

/* Maps an object's name as a source's is mapped: the commands may be from
 * another machine. */
static void map_object(const struct seen *seen, struct arena *texts,
                       struct planned_source *one) {
  if (!seen->paths->count || !one->object)
    return;
  char *name = need(paths_name(seen->paths, one->object));
  one->object = need(arena_copy(texts, name, strlen(name)));
  free(name);
}

static void look_at_objects(struct whole_judging *judging) {
  struct planned *planned = &judging->whole->planned;
  struct seen *seen = &judging->whole->seen;
  size_t count = planned->count;
  judging->objects = need(calloc(count + 1, sizeof *judging->objects));
  for (size_t i = 0; i < count; i++) {
    struct planned_source *one = &planned->list[i];
    map_object(seen, &planned->texts, one);
    size_t file = seen_number(seen, one->name);
    seen->files[file].given = true;
    judging->objects[i] = object_look(seen, one->object, file);
    judging->objects[i].linked |= one->placed;
    if (one->program && judging->objects[i].linked)
      need(map_at(&judging->programs, program_key(one), 0, 0));
  }
}

/* Whether an object is of another program: nothing of its program is linked, or
 * an ELF has its functions from another source. */
static bool is_other(const struct whole_judging *judging,
                     const struct planned_source *one,
                     const struct seen_object *object) {
  return object->contrary ||
         (one->program && judging->programs.count &&
          !map_find(&judging->programs, program_key(one), 0, 0));
}

/* Returns the command that shows most about a source: best is a linked object,
 * then an object whose functions are all in ELFs. */
static uint32_t choose(const struct whole_judging *judging,
                       const struct whole_source *source) {
  const struct planned_source *list = judging->whole->planned.list;
  uint32_t best = source->planned;
  unsigned most = 0;
  for (uint32_t i = source->planned; i < source->planned + source->count; i++) {
    const struct seen_object *object = &judging->objects[i];
    unsigned worth = object->linked ? 16 : 0;
    worth += object->kind == OBJECT_ELF ? 4 : object->kind == OBJECT_BITCODE;
    worth += is_other(judging, &list[i], object) ? 0 : 2;
    worth += object->own && !object->lacking ? 8 : 0;
    if (worth > most) {
      best = i;
      most = worth;
    }
  }
  return best;
}

/* ---- states ---- */

static enum whole_state of_object(const struct whole_judging *judging,
                                  const struct planned_source *one,
                                  const struct seen_object *object) {
  if (!object->code && !object->own)
    return WHOLE_DATA;
  if (object->linked)
    return one->kind == PLANNED_ASSEMBLY ? WHOLE_ASSEMBLY : WHOLE_PLAIN;
  return is_other(judging, one, object) ? WHOLE_OTHER : WHOLE_UNLINKED;
}

static enum whole_state state_of(const struct whole_judging *judging,
                                 struct whole_source *source) {
  struct seen *seen = &judging->whole->seen;
  const struct seen_file *file = &seen->files[source->file];
  uint32_t at = choose(judging, source);
  const struct planned_source *one =
      &judging->whole->planned.list[at];
  const struct seen_object *object = &judging->objects[at];
  if (object->kind != OBJECT_NONE)
    source->object = one->object;
  if (one->kind == PLANNED_HEADER)
    return WHOLE_HEADER;
  if (file->mapped || object->lost)
    return (object->linked || object->lost) && object->lacking
               ? WHOLE_PART
               : WHOLE_MEASURED;
  if (object->shared && !object->own)
    return WHOLE_MEASURED; /* Files that it includes are measured. */
  if (file->coded && seen->inputs->object_code)
    return WHOLE_MEASURED;
  if (file->coded)
    return one->kind == PLANNED_ASSEMBLY ? WHOLE_ASSEMBLY : WHOLE_PLAIN;
  if (object->kind == OBJECT_ELF)
    return of_object(judging, one, object);
  if (file->unit)
    return WHOLE_DATA;
  if (object->kind == OBJECT_BITCODE)
    return WHOLE_BITCODE;
  if (!os_exists(file->key))
    return WHOLE_MISSING;
  return one->kind == PLANNED_ASSEMBLY && lines_are_linked(seen, file->key)
             ? WHOLE_ASSEMBLY
             : WHOLE_UNCOMPILED;
}

static bool is_missed(enum whole_state state) {
  return state == WHOLE_PART || state == WHOLE_PLAIN ||
         state == WHOLE_ASSEMBLY || state == WHOLE_UNLINKED ||
         state == WHOLE_BITCODE || state == WHOLE_UNCOMPILED ||
         state == WHOLE_MISSING;
}

/* ---- how it counts ---- */

/* Adds the functions or lines of a source that is not measured to the model. */
static const char *count_source(struct whole_judging *judging,
                                struct whole_source *source) {
  struct whole *whole = judging->whole;
  size_t count = 0;
  const char *error = NULL;
  if (whole->seen.inputs->object_code)
    return NULL; /* Such a model cannot hold it. */
  /* A map's object whose source is not known adds no lines. */
  const struct seen_object *object =
      &judging->objects[choose(judging, source)];
  if ((!is_missed(source->state) && !object->lost) ||
      (source->object && !strcmp(source->name, source->object)))
    return NULL;
  if (source->object && object->own)
    error = added_object(whole, source->object, source->file, &count);
  source->way = count ? WHOLE_MAPPING : WHOLE_NOT;
  if (!error && !count && source->state > WHOLE_PART)
    error = lines_add(whole, source);
  /* A source without code needs no command. */
  if (!error && source->state == WHOLE_UNCOMPILED && !source->way)
    source->state = WHOLE_DATA;
  return error;
}

static const char *judge_planned(struct whole_judging *judging) {
  struct whole *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  const struct planned_source *list = whole->planned.list;
  size_t count = whole->planned.count;
  const char *error = NULL;
  for (size_t i = 0, end; i < count && !error; i = end) {
    struct whole_source source = {.planned = (uint32_t)i,
                                  .file = seen_number(&whole->seen,
                                                      list[i].name)};
    for (end = i + 1; end < count && !strcmp(list[end].name, list[i].name);)
      end++;
    source.count = (uint32_t)(end - i);
    source.name = whole->seen.files[source.file].name;
    if (!filter_keeps(&settings->filter, &settings->paths, source.name))
      continue;
    source.state = state_of(judging, &source);
    error = count_source(judging, &source);
    LIST_ADD(whole->list, whole->count, source);
  }
  return error;
}

/* Adds the sources that an ELF has and nobody has planned. */
static void judge_others(struct whole_judging *judging) {
  struct whole *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  size_t count = whole->seen.file_count;
  for (size_t i = 0; i < count; i++) {
    const struct seen_file *file = &whole->seen.files[i];
    const struct whole_source source = {
        .name = file->name, .state = WHOLE_UNPLANNED, .file = i};
    if (!file->given && (file->mapped || file->coded) &&
        planned_kind_of(file->name) != PLANNED_HEADER &&
        filter_keeps(&settings->filter, &settings->paths, file->name))
      LIST_ADD(whole->list, whole->count, source);
  }
}

/* ---- all ---- */

static int by_source(const void *left, const void *right) {
  const struct whole_source *a = left, *b = right;
  return strcmp(a->name, b->name);
}

int whole_begin(struct whole *whole, const struct coverage *coverage) {
  for (size_t i = 0; i < whole->what_count; i++)
    if (planned_read(&whole->planned, whole->what[i]))
      return 1;
  const char *error = seen_read(&whole->seen, coverage->inputs,
                                &coverage->settings->paths);
  return error ? report(whole->what[0], "%s", error) : 0;
}

int whole_find(struct whole *whole, const struct coverage *coverage) {
  struct whole_judging judging = {
      .whole = whole, .coverage = coverage, .programs.limit = 1 << 20};
  name_objects(whole);
  look_at_objects(&judging);
  const char *error = judge_planned(&judging);
  judge_others(&judging);
  if (!error)
    error = variants_settle(whole);
  sort(whole->list, whole->count, sizeof *whole->list, by_source);
  map_free(&judging.programs);
  free(judging.objects);
  return error ? report(whole->what[0], "%s", error) : 0;
}

void whole_free(struct whole *whole) {
  planned_free(&whole->planned);
  seen_free(&whole->seen);
  added_free(&whole->added);
  free(whole->list);
  buffer_free(&whole->variants);
}

int whole_exclude(const struct coverage *coverage) {
  const struct whole *whole = coverage->whole;
  for (size_t i = 0; whole && i < whole->count; i++) {
    const struct whole_source *one = &whole->list[i];
    char *name = paths_tidied(one->name);
    int status = one->way && exclusions_add_source(
                                 coverage->exclusions, name,
                                 whole->seen.files[one->file].key);
    free(name);
    if (status)
      return 1;
  }
  return 0;
}

void whole_mark(const struct coverage *coverage) {
  const struct scores_summary *summary = &coverage->exported.summary;
  for (size_t i = 0; i < coverage->whole->count; i++) {
    struct whole_source *one = &coverage->whole->list[i];
    size_t at = search_text(summary->rows, summary->count, name, one->name);
    bool found = one->way && at < summary->count &&
                 !strcmp(summary->rows[at].name, one->name);
    one->hidden = found && row_empty(&summary->rows[at]);
    if (found && one->state > WHOLE_PART)
      summary->rows[at].added = true;
  }
}
