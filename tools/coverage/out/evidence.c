/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * There is no time and no name of a machine in it: the same inputs give the
 * same bytes.
 */
#include "result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/error.h"
#include "../../base/text.h"
#include "../../base/os.h"
#include "../../object/digest.h"
#include "bareprof.h"
#include "../exclude/exclude_apply.h"
#include "../mcdc/solver.h"

/* ---- elements ---- */

static void put_key(FILE *stream, const char *key) {
  json_put_string(stream, key);
  fputc(':', stream);
}

static void put_text(FILE *stream, const char *key, const char *text) {
  put_key(stream, key);
  json_put_string(stream, text);
}

/* Behind another element. */
static void put_more(FILE *stream, const char *key, const char *text) {
  fputc(',', stream);
  put_text(stream, key, text);
}

/* The same, in hexadecimal. */
static void put_hex(FILE *stream, const char *key, const unsigned char *bytes,
                    size_t size) {
  fputc(',', stream);
  put_key(stream, key);
  fputc('"', stream);
  for (size_t i = 0; i < size; i++)
    fprintf(stream, "%02x", bytes[i]);
  fputc('"', stream);
}

/* The name, the SHA-256 and the size of a file, without brackets. */
static void put_file(FILE *stream, const char *name, struct bytes bytes) {
  unsigned char digest[SHA256_SIZE];
  sha256(digest, bytes.data, bytes.size);
  put_text(stream, "file", name);
  put_hex(stream, "sha256", digest, sizeof digest);
  fprintf(stream, ",\"size\":%zu", bytes.size);
}

/* Begins an element of a list, on a line of its own. */
static void put_next(FILE *stream, size_t number) {
  fputs(number ? ",\n{" : "\n{", stream);
}

/* ---- lists ---- */

static void put_words(FILE *stream, char *const *words) {
  fputs("\"command\":[\"bareprof\"", stream);
  for (; *words; words++) {
    fputc(',', stream);
    json_put_string(stream, *words);
  }
  fputs("],\n", stream);
}

static void put_sources(FILE *stream, const struct subject *subject) {
  static const char *const states[] = {[SOURCE_SAME] = "same",
                                       [SOURCE_CHANGED] = "changed",
                                       [SOURCE_UNKNOWN] = "no MD5",
                                       [SOURCE_MISSING] = "not found"};
  fputs(",\"sources\":[", stream);
  for (size_t i = 0; i < subject->summary.count; i++) {
    const struct source *source = &subject->sources[i];
    put_next(stream, i);
    put_text(stream, "file", source->here);
    put_more(stream, "compiled_as", subject->summary.rows[i].name);
    put_more(stream, "since_build", states[source->state]);
    if (source->state != SOURCE_MISSING)
      put_hex(stream, "sha256", source->sha256, sizeof source->sha256);
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void put_elfs(FILE *stream, const struct inputs *inputs) {
  fputs("\"elfs\":[", stream);
  for (size_t i = 0; i < inputs->count; i++) {
    const struct subject *subject = &inputs->subjects[i];
    put_next(stream, i);
    put_file(stream, subject->name, subject->file.bytes);
    put_hex(stream, "build_id", subject->build_id.data, subject->build_id.size);
    fprintf(stream, ",\"clang\":%u,\"starts\":%zu,\"dumps\":%zu",
            subject->release, subject->starts, subject->dumps);
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
    put_text(stream, "compiled_as", one->file);
    fprintf(stream, ",\"line\":%u,\"column\":%u}", one->begin.line,
            one->begin.column);
  }
  fputs("],\n", stream);
}

/* ---- exclusions ---- */

/* The places of an exclusion: of a source and its lines. */
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
      put_text(stream, "compiled_as", source->name);
      uint32_t last = source->lines && source->lines < range->last
                          ? source->lines
                          : range->last;
      fprintf(stream, ",\"first\":%" PRIu32 ",\"last\":%" PRIu32, range->first,
              last);
      if (range->column)
        fprintf(stream, ",\"column\":%" PRIu32, range->column);
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
  put_text(stream, "file", one->file);
  fprintf(stream, ",\"line\":%" PRIu32 ",", one->line);
  put_text(stream, "marker", one->path ? "" : one->name);
  put_more(stream, "excludes", kinds[one->kind]);
  put_more(stream, "reason", one->reason);
  put_more(stream, "by", one->by);
  fprintf(stream, ",\"stale\":%s", one->stale ? "true" : "false");
  if (one->ran_line) {
    fputs(",\"ran\":{", stream);
    put_text(stream, "file", one->ran_file);
    fprintf(stream, ",\"line\":%" PRIu32 "}", one->ran_line);
  }
  put_places(stream, set, number);
}

static void put_exclusions(FILE *stream, const struct coverage *coverage) {
  const struct exclusions *set = coverage->exclusions;
  struct file_row total;
  excluded_total(coverage, &total);
  fputs("\"exclusions\":{", stream);
  if (set->name) {
    put_key(stream, "of");
    fputc('{', stream);
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
    fprintf(stream, "\"%s\":%" PRIu64 ",", metric_names[i],
            total.scores[i].count);
  fprintf(stream, "\"not_measured\":%zu}}}\n", coverage->unmeasured_excluded);
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
  put_exclusions(stream, coverage);
}

static int write_file(const struct coverage *coverage, const char *text) {
  char *path = coverage_file(coverage, "evidence", ".json");
  FILE *stream = path ? os_fopen(path, "w") : NULL;
  bool wrong = !stream || fputs(text, stream) < 0;
  if (stream)
    wrong |= fclose(stream) != 0;
  int status =
      wrong ? report(path, "cannot be written; check rights and disk") : 0;
  free(path);
  return status;
}

int evidence_make(const struct coverage *coverage,
                  const struct evidence *evidence, char **text) {
  size_t size = 0;
  *text = NULL;
  FILE *stream = os_memory_begin(text, &size);
  if (!stream)
    return report_memory(NULL);
  put_all(stream, coverage, evidence);
  if (!os_memory_end(stream, text, &size))
    return report_memory(NULL);
  if (write_file(coverage, *text))
    return 1;
  /* It becomes an element of a line. */
  for (char *at = *text; *at; at++)
    if (*at == '\n')
      *at = at[1] ? ' ' : 0;
  return 0;
}
