/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes evidence.json: the command, ELFs, logs, sources and exclusions that a
 * report was made of. The file has neither a time nor a machine's name, so the
 * same inputs give the same bytes. json_export.c gets the same text.
 */
#include "out.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/text.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "bareprof.h"
#include "../exclude/exclude.h"
#include "../baseline/baseline.h"
#include "../mcdc/solver.h"
#include "../whole/whole.h"

enum { ID_MOST = 64 /* bytes of a build id */ };

/* Writes the name, the SHA-256 and the size of a file, without the object's
 * brackets. */
static void put_file(FILE *stream, const char *name, struct bytes bytes) {
  unsigned char digest[SHA256_SIZE];
  char shown[SHA256_TEXT];
  sha256(digest, bytes.data, bytes.size);
  json_print(stream, "\"file\":%s,\"sha256\":%s,\"size\":%zu", name,
             hex_of(shown, digest, sizeof digest), bytes.size);
}

/* Begins an element of a list, on a line of its own. */
static void put_next(FILE *stream, size_t number) {
  fputs(number ? ",\n{" : "\n{", stream);
}

/* ---- lists ---- */

static void put_words(FILE *stream, char *const *words) {
  fputs("\"command\":[\"bareprof\"", stream);
  for (; *words; words++)
    json_print(stream, ",%s", *words);
  fputs("],\n", stream);
}

static void put_sources(FILE *stream, const struct subject *subject) {
  static const char *const states[] = {[SOURCE_SAME] = "same",
                                       [SOURCE_CHANGED] = "changed",
                                       [SOURCE_UNKNOWN] = "no MD5",
                                       [SOURCE_MISSING] = "not found"};
  char shown[SHA256_TEXT];
  fputs(",\"sources\":[", stream);
  for (size_t i = 0; i < subject->summary.count; i++) {
    const struct source *source = &subject->sources[i];
    put_next(stream, i);
    json_print(stream, "\"file\":%s,\"compiled_as\":%s,\"since_build\":%s",
               source->here, subject->summary.rows[i].name,
               states[source->state]);
    if (source->state != SOURCE_MISSING)
      json_print(stream, ",\"sha256\":%s",
                 hex_of(shown, source->sha256, sizeof source->sha256));
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void put_elfs(FILE *stream, const struct inputs *inputs) {
  fputs("\"elfs\":[", stream);
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    struct bytes build_id = subject->build_id;
    char id[2 * ID_MOST + 1];
    put_next(stream, i);
    put_file(stream, subject->name, subject->file.bytes);
    json_print(stream,
               ",\"build_id\":%s,\"clang\":%u,\"boots\":%zu,\"dumps\":%zu",
               hex_of(id, build_id.data,
                      build_id.size < ID_MOST ? build_id.size : ID_MOST),
               subject->release, subject->starts, subject->dumps);
    if (dropped_count(subject))
      json_print(stream, ",\"dropped\":%zu", dropped_count(subject));
    put_sources(stream, subject);
    fputc('}', stream);
  }
  fputs("],\n", stream);
}

static void put_logs(FILE *stream, const struct inputs *inputs) {
  fputs("\"logs\":[", stream);
  for (size_t i = 0; i < inputs->given.count; i++) {
    const struct file *file = &inputs->given.list[i].file;
    put_next(stream, i);
    put_file(stream, file->name, file->bytes);
    fputc('}', stream);
  }
  fputs("],\n", stream);
}

static void put_unmeasured(FILE *stream, const struct buffer *list) {
  fputs("\"not_measured\":[", stream);
  for (size_t i = 0; i < unmeasured_count(list); i++) {
    const struct unmeasured *one = &unmeasured_list(list)[i];
    put_next(stream, i);
    json_print(stream, "\"compiled_as\":%s,\"line\":%u,\"column\":%u}",
               one->file, one->begin.line, one->begin.column);
  }
  fputs("],\n", stream);
}

static void put_not_known(FILE *stream, const struct coverage *coverage) {
  const struct buffer *list = &coverage->not_known;
  const struct not_known *all = (const void *)list->data;
  fputs("\"not_known\":[", stream);
  for (size_t i = 0; i < list->size / sizeof *all; i++) {
    const struct not_known *one = &all[i];
    put_next(stream, i);
    json_print(stream, "\"compiled_as\":%s,\"line\":%u,",
               coverage->exported.names[one->name], one->line);
    if (one->column)
      json_print(stream, "\"column\":%u,", one->column);
    json_print(stream, "\"of\":%s,\"cause\":%s,", metric_names[one->metric],
               cause_texts[one->cause]);
    fputs("\"known\":false}", stream);
  }
  fputs("],\n", stream);
}

static void put_differs(FILE *stream, const struct exported *exported) {
  const struct line_differs *all = (const void *)exported->differs.data;
  fputs("\"differs_from_llvm_cov\":[", stream);
  for (size_t i = 0; i < exported->differs.size / sizeof *all; i++) {
    put_next(stream, i);
    json_print(stream, "\"compiled_as\":%s,\"line\":%u,\"llvm_cov\":%ju}",
               exported->names[all[i].row], all[i].line, all[i].count);
  }
  fputs("],\n", stream);
}

/* ---- exclusions ---- */

/* Writes which lines of which sources an exclusion excludes. */
static void put_places(FILE *stream, const struct exclusions *set,
                       size_t exclusion) {
  size_t count = 0;
  fputs(",\"places\":[", stream);
  for (size_t i = 0; i < set->source_count; i++) {
    const struct excluded_source *source = &set->sources[i];
    for (size_t k = 0; k < source->range_count; k++) {
      const struct excluded_range *range = &source->ranges[k];
      if (range->exclusion != exclusion || range->kind == EXCLUDED_FUNCTION)
        continue;
      fputs(count++ ? ",{" : "{", stream);
      json_print(stream, "\"compiled_as\":%s,\"first\":%u,\"last\":%u",
                 source->name, range->first,
                 source->lines && source->lines < range->last ? source->lines
                                                              : range->last);
      if (range->column)
        json_print(stream, ",\"column\":%u", range->column);
      fputc('}', stream);
    }
  }
  fputc(']', stream);
}

static void put_exclusion(FILE *stream, const struct exclusions *set,
                          size_t number) {
  static const char *const kinds[] = {[EXCLUDED_LINES] = "lines",
                                      [EXCLUDED_BRANCHES] = "branches",
                                      [EXCLUDED_FUNCTION] = "function",
                                      [EXCLUDED_DECISION] = "decision"};
  const struct exclusion *one = &set->list[number];
  json_print(stream,
             "\"file\":%s,\"line\":%u,\"marker\":%s,\"excludes\":%s,"
             "\"reason\":%s,\"by\":%s",
             one->file, one->line, one->path ? "" : one->name, kinds[one->kind],
             one->reason, one->by);
  fputs(one->stale ? ",\"stale\":true" : ",\"stale\":false", stream);
  if (one->ran_line)
    json_print(stream, ",\"ran\":{\"file\":%s,\"line\":%u}", one->ran_file,
               one->ran_line);
  put_places(stream, set, number);
}

static void put_exclusions(FILE *stream, const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  struct file_row total;
  excluded_total(coverage, &total);
  fputs("\"exclusions\":{", stream);
  if (set->name) {
    fputs("\"of\":{", stream);
    put_file(stream, set->name, set->file.bytes);
    fputs("},\n", stream);
  }
  fputs("\"list\":[", stream);
  for (size_t i = 0; i < set->count; i++) {
    put_next(stream, i);
    put_exclusion(stream, set, i);
    fputc('}', stream);
  }
  fputs("],\n\"excluded\":{", stream);
  for (unsigned i = 0; i < METRICS; i++)
    json_print(stream, "%s:%ju,", metric_names[i], total.scores[i].count);
  json_print(stream, "\"not_measured\":%zu}}}\n",
             coverage->unmeasured_excluded);
}

static void put_against(FILE *stream, const struct baseline *against) {
  fputs("\"against\":{", stream);
  put_file(stream, against->file.name, against->file.bytes);
  fputs(",\n", stream);
  against_json(against, stream);
  fputs("},\n", stream);
}

/* ---- all ---- */

static void put_all(FILE *stream, const struct coverage *coverage,
                    const struct evidence *evidence) {
  fprintf(stream, "{\"version\":\"%d.%d.%d\",\n", BAREPROF_VERSION >> 16,
          BAREPROF_VERSION >> 8 & 255, BAREPROF_VERSION & 255);
  put_words(stream, evidence->words);
  fputs("\"failures\":", stream);
  checks_put(evidence->checks, stream);
  fputs(",\n", stream);
  if (evidence->against)
    put_against(stream, evidence->against);
  put_elfs(stream, coverage->inputs);
  put_logs(stream, coverage->inputs);
  put_unmeasured(stream, &coverage->unmeasured);
  put_not_known(stream, coverage);
  put_differs(stream, &coverage->exported);
  whole_json(coverage, stream);
  put_exclusions(stream, coverage);
}

static int write_file(const struct coverage *coverage, const char *text) {
  char *path = coverage_file(coverage, "evidence", ".json");
  FILE *stream = os_fopen(path, "w");
  bool wrong = !stream || fputs(text, stream) < 0;
  if (stream)
    wrong |= fclose(stream) != 0;
  int status = wrong ? report(path, "cannot be written; check the "
                                    "permissions and the disk space")
                     : 0;
  free(path);
  return status;
}

int evidence_make(const struct coverage *coverage,
                  const struct evidence *evidence, char **text) {
  size_t size = 0;
  *text = NULL;
  FILE *stream = need(os_memory_begin(text, &size));
  put_all(stream, coverage, evidence);
  need(os_memory_end(stream, text, &size) ? *text : NULL);
  if (write_file(coverage, *text))
    return 1;
  /* In the JSON output, the text is an element on one line. */
  for (char *at = *text; *at; at++)
    if (*at == '\n')
      *at = at[1] ? ' ' : 0;
  return 0;
}
