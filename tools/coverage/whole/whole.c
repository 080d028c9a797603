/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The state of each source. The ELFs decide what was measured; commands and
 * objects explain the rest.
 */
#include "whole.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/arena.h"
#include "../../base/buffer.h"
#include "../../base/compare.h"
#include "../../base/error.h"
#include "../../base/map.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "../coverage.h"

/* What is known of a command: its object, next to the plan. */
struct whole_judging {
  struct whole *whole;
  const struct coverage *coverage;
  struct seen_object *objects; /* of each planned source */
  struct map programs;         /* programs of which something is linked */
};

/* ---- maps ----
 *
 * An object's source, by the symbol that names it, or by the object's name.
 */

/* Whether a source may be the object's source: main.c of main.c, of main.c.o,
 * and of main.o. */
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

/* A source's name for its object's; of several that with most folders. */
static const char *find_source(struct whole_judging *judging,
                               struct planned_source *one) {
  struct seen *seen = &judging->whole->seen;
  struct seen_object object;
  const struct seen_file *best = NULL;
  const char *error = object_look(seen, one->object, SIZE_MAX, &object);
  unsigned most = 0;
  size_t count = seen->files.size / sizeof *best;
  for (size_t i = 0; i < count && !error; i++) {
    const struct seen_file *file = seen_file(seen, i);
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
  return error;
}

static int by_planned(const void *left, const void *right) {
  const struct planned_source *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : b->command - a->command;
}

/* Members of archives without a source are counted only. */
static const char *name_objects(struct whole_judging *judging) {
  struct planned *planned = &judging->whole->planned;
  struct planned_source *list = planned_list(planned);
  size_t count = planned_count(planned), kept = 0;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    struct planned_source one = list[i];
    if (one.name == one.object)
      error = find_source(judging, &one);
    if (one.member && one.name == one.object)
      planned->members++;
    else
      list[kept++] = one;
  }
  planned->list.size = kept * sizeof *list;
  sort(list, kept, sizeof *list, by_planned);
  return error;
}

/* ---- objects ---- */

/* A database of another machine names its objects as its sources. */
static const char *map_object(const struct seen *seen, struct arena *texts,
                              struct planned_source *one) {
  if (!seen->paths->count || !one->object)
    return NULL;
  char *name = paths_name(seen->paths, one->object);
  one->object = name ? arena_copy(texts, name, strlen(name)) : NULL;
  free(name);
  return one->object ? NULL : out_of_memory;
}

static const char *look_at_objects(struct whole_judging *judging) {
  struct planned *planned = &judging->whole->planned;
  struct seen *seen = &judging->whole->seen;
  size_t count = planned_count(planned);
  const char *error = NULL;
  judging->objects = calloc(count + 1, sizeof *judging->objects);
  if (!judging->objects)
    return out_of_memory;
  for (size_t i = 0; i < count && !error; i++) {
    struct planned_source *one = &planned_list(planned)[i];
    size_t file = seen_number(seen, one->name);
    error = map_object(seen, &planned->texts, one);
    if (file == SIZE_MAX || error)
      return out_of_memory;
    seen_file(seen, file)->given = true;
    error = object_look(seen, one->object, file, &judging->objects[i]);
    judging->objects[i].linked |= one->placed;
    if (!error && one->program && judging->objects[i].linked &&
        !map_at(&judging->programs,
                md5_low64(one->program, strlen(one->program)), 0, 0))
      error = out_of_memory;
  }
  return error;
}

/* Whether an object is one of a program of which nothing is linked. */
static bool is_other(const struct whole_judging *judging,
                     const struct planned_source *one,
                     const struct seen_object *object) {
  return object->contrary ||
         (one->program && judging->programs.count &&
          !map_find(&judging->programs,
                    md5_low64(one->program, strlen(one->program)), 0, 0));
}

/* The command that says most of a source: an object that is linked, then one of
 * this program, then any. */
static uint32_t choose(const struct whole_judging *judging,
                       const struct whole_source *source) {
  const struct planned_source *list = planned_list(&judging->whole->planned);
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
  const struct seen_file *file = seen_file(seen, source->file);
  uint32_t at = choose(judging, source);
  const struct planned_source *one =
      &planned_list(&judging->whole->planned)[at];
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
    return WHOLE_MEASURED; /* by what it includes */
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

/* Adds what is known of a source that is not measured. */
static const char *count_source(struct whole_judging *judging,
                                struct whole_source *source) {
  struct whole *whole = judging->whole;
  size_t count = 0;
  const char *error = NULL;
  if (whole->seen.inputs->object_code)
    return NULL; /* The model has no place for it. */
  /* A map's object, whose source is not known, has nothing to count. */
  const struct seen_object *object =
      &judging->objects[choose(judging, source)];
  if ((!is_missed(source->state) && !object->lost) ||
      (source->object && !strcmp(source->name, source->object)))
    return NULL;
  if (source->object && object->own)
    error = added_object(&whole->added, &whole->seen, source->object,
                         source->file, &count);
  source->way = count ? WHOLE_MAPPING : WHOLE_NOT;
  if (!error && !count && source->state > WHOLE_PART)
    error = lines_add(whole, source);
  /* A text without code needs no command. */
  if (!error && source->state == WHOLE_UNCOMPILED && !source->way)
    source->state = WHOLE_DATA;
  return error;
}

static const char *judge_planned(struct whole_judging *judging) {
  struct whole *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  const struct planned_source *list = planned_list(&whole->planned);
  size_t count = planned_count(&whole->planned);
  const char *error = NULL;
  for (size_t i = 0, end; i < count && !error; i = end) {
    struct whole_source source = {.planned = (uint32_t)i,
                                  .name = list[i].name,
                                  .file = seen_number(&whole->seen,
                                                      list[i].name)};
    for (end = i + 1; end < count && !strcmp(list[end].name, list[i].name);)
      end++;
    source.count = (uint32_t)(end - i);
    if (source.file == SIZE_MAX)
      return out_of_memory;
    source.name = seen_file(&whole->seen, source.file)->name;
    if (!filter_keeps(&settings->filter, &settings->paths, source.name))
      continue;
    source.state = state_of(judging, &source);
    error = count_source(judging, &source);
    if (!error)
      error = buffer_append(&whole->list, &source, sizeof source);
  }
  return error;
}

/* What an ELF has and nobody has planned. */
static const char *judge_others(struct whole_judging *judging) {
  struct whole *whole = judging->whole;
  const struct report_settings *settings = judging->coverage->settings;
  size_t count = whole->seen.files.size / sizeof(struct seen_file);
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    const struct seen_file *file = seen_file(&whole->seen, i);
    const struct whole_source source = {
        .name = file->name, .state = WHOLE_UNPLANNED, .file = i};
    if (!file->given && (file->mapped || file->coded) &&
        planned_kind_of(file->name) != PLANNED_HEADER &&
        filter_keeps(&settings->filter, &settings->paths, file->name))
      error = buffer_append(&whole->list, &source, sizeof source);
  }
  return error;
}

/* ---- all ---- */

static int by_source(const void *left, const void *right) {
  const struct whole_source *a = left, *b = right;
  return strcmp(a->name, b->name);
}

/* Each ELF by itself. */
static const char *note_variants(struct whole *whole,
                                 const struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  const struct profile **profiles = calloc(inputs->count + 1, sizeof *profiles);
  const char *error = profiles ? NULL : out_of_memory;
  for (size_t i = 0; i < inputs->count && !error; i++) {
    struct exported alone;
    profiles[i] = &inputs->subjects[i].profile;
    if (coverage_evaluate(coverage, profiles, &alone))
      error = "its lines cannot be read; see above";
    else
      error = variants_note(whole, i, &alone);
    exported_free(&alone);
    profiles[i] = NULL;
  }
  free(profiles);
  return error ? error : variants_settle(whole);
}

int whole_find(struct whole *whole, const struct coverage *coverage) {
  const struct inputs *inputs = coverage->inputs;
  struct whole_judging judging = {.whole = whole, .coverage = coverage};
  judging.programs.limit = 1 << 20;
  whole->list.limit = 1 << 30;
  for (size_t i = 0; i < whole->what_count; i++)
    if (planned_read(&whole->planned, whole->what[i]))
      return 1;
  added_begin(&whole->added, inputs->subjects[0].elf.big);
  const char *error =
      seen_read(&whole->seen, inputs, &coverage->settings->paths);
  if (!error)
    error = name_objects(&judging);
  if (!error)
    error = look_at_objects(&judging);
  if (!error)
    error = judge_planned(&judging);
  if (!error)
    error = judge_others(&judging);
  if (!error && !inputs->object_code)
    error = note_variants(whole, coverage);
  if (!error)
    error = added_settle(&whole->added);
  sort(whole->list.data, whole->list.size / sizeof(struct whole_source),
       sizeof(struct whole_source), by_source);
  map_free(&judging.programs);
  free(judging.objects);
  return error ? report(whole->what[0], "%s", error) : 0;
}

void whole_free(struct whole *whole) {
  planned_free(&whole->planned);
  seen_free(&whole->seen);
  added_free(&whole->added);
  buffer_free(&whole->list);
  buffer_free(&whole->variants);
}

int whole_exclude(const struct coverage *coverage) {
  const struct whole *whole = coverage->whole;
  for (size_t i = 0; whole && i < whole_count(whole); i++) {
    const struct whole_source *one = whole_list(whole) + i;
    char *name = one->way ? paths_tidied(one->name) : NULL;
    const char *here = seen_file(&whole->seen, one->file)->key;
    int status = one->way && (!name || exclusions_add_source(
                                           coverage->exclusions, name, here));
    free(name);
    if (status)
      return 1;
  }
  return 0;
}

const struct whole_source *whole_added(const struct whole *whole,
                                       const char *name) {
  if (!whole)
    return NULL;
  const struct whole_source *one = whole_list(whole);
  const struct whole_source *end = one + whole_count(whole);
  one += search_text(one, whole_count(whole), name, name);
  for (; one < end && !strcmp(one->name, name); one++)
    if (one->way && one->state > WHOLE_PART)
      return one;
  return NULL;
}
