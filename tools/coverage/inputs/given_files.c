/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds input files that are equal, dumps that a log contains too, and boot
 * numbers with which two logs begin.
 */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/need.h"
#include "../../base/os.h"
#include "../../image/dumpfile.h"
#include "../../image/trace_counts.h"
#include "../../profile/raw.h"

enum { FILE_LIMIT = 1 << 30, ID_BYTES = 8 /* of a build id; each dump has at
                                             least this many */ };

/* ---- files ---- */

static const struct given_file *find_equal_file(const struct given_files *given,
                                                struct bytes bytes) {
  for (size_t i = 0; i < given->count; i++) {
    struct bytes other = given->list[i].file.bytes;
    if (other.size == bytes.size &&
        (!bytes.size || memcmp(other.data, bytes.data, bytes.size) == 0))
      return &given->list[i];
  }
  return NULL;
}

int given_files_add(struct given_files *given, const char *name,
                    const char *shown) {
  struct given_file added = {0};
  if (file_read(&added.file, name, FILE_LIMIT))
    return 1;
  added.file.name = shown;
  const struct given_file *same = find_equal_file(given, added.file.bytes);
  if (same) {
    if (!given->copies++) {
      given->copy = shown;
      given->copied = same->file.name;
    }
    file_close(&added.file);
    return 0;
  }
  added.dump =
      file_is_raw(added.file.bytes) || dumpfile_is_dump(added.file.bytes) ||
      trace_is_file(added.file.bytes) || inputs_is_core(added.file.bytes);
  if (!added.dump &&
      file_refuse_non_log(shown, added.file.bytes,
                          "a console log, a .bpdump or a .profraw")) {
    file_close(&added.file);
    return 1;
  }
  LIST_ADD(given->list, given->count, added);
  return 0;
}

/* ---- tests ---- */

/* The size of a path without its extension. */
static size_t path_stem_size(const char *path) {
  const char *base = os_base_name(path), *dot = strrchr(base, '.');
  return dot && dot != base ? (size_t)(dot - path) : strlen(path);
}

static bool is_slash(char c) { return c == '/' || c == '\\'; }

/* Returns where the shortest end of a path begins, at a folder or file name,
 * that `other` does not end with. */
static size_t find_distinct_end(const char *path, size_t size,
                                const char *other) {
  size_t base = (size_t)(os_base_name(path) - path),
         end = path_stem_size(other);
  size_t at = size, left = end;
  while (at && left && path[at - 1] == other[left - 1])
    at--, left--;
  if (at > base || (left && at == base && !is_slash(other[left - 1])) ||
      (!at && !left))
    return base;
  at -= at && !left; /* skip the slash before the part that equals all of
                        other */
  while (at && !is_slash(path[at - 1]))
    at--;
  return at;
}

char *given_files_test_name(const struct given_files *given, const char *name) {
  size_t size = path_stem_size(name),
         begin = (size_t)(os_base_name(name) - name);
  if (strcmp(name, "-") == 0)
    return need_memory(strdup("stdin"));
  for (size_t i = 0; i < given->count; i++) {
    size_t own = find_distinct_end(name, size, given->list[i].file.name);
    begin = own < begin ? own : begin;
  }
  char *copy = need_memory(calloc(1, size - begin + 1));
  return memcpy(copy, name + begin, size - begin);
}

/* ---- how logs begin ---- */

static bool is_same_sender(const struct dump_header *a,
                           const struct dump_header *b) {
  return a->kind == b->kind && a->core == b->core && a->image == b->image &&
         memcmp(a->build_id, b->build_id, ID_BYTES) == 0;
}

static const struct dump_header *
find_first_header(const struct given_file *file,
                  const struct dump_header *header) {
  for (size_t i = 0; i < file->first_count; i++)
    if (is_same_sender(&file->firsts[i], header))
      return &file->firsts[i];
  return NULL;
}

static void note_first_header(void *context, struct dump_header *header) {
  struct given_file *file = context;
  if (!find_first_header(file, header))
    LIST_ADD(file->firsts, file->first_count, *header);
}

/* Warns in one line, however many copies there are. */
static void warn_of_copies(const struct given_files *given) {
  char first[256], others[80] = "";
  if (given->copies > 1)
    snprintf(others, sizeof others, "; so do %zu more equal files",
             given->copies - 1);
  if (given->copies)
    warn(given->copy, "this file equals %s, and counts once%s",
         make_printable(first, sizeof first, given->copied), others);
}

void given_files_warn(const struct given_files *given) {
  char others[80] = "";
  if (given->in_logs > 1)
    snprintf(others, sizeof others, "; the same holds for %zu more files",
             given->in_logs - 1);
  if (given->in_logs)
    warn(given->in_log, "a log has this dump too, and the dump counts once%s",
         others);
}

int given_files_finish(struct given_files *given) {
  size_t logs = 0;
  warn_of_copies(given);
  for (size_t i = 0; i < given->count; i++)
    if (!given->list[i].dump) {
      struct given_file log = given->list[i];
      memmove(&given->list[logs + 1], &given->list[logs],
              (i - logs) * sizeof log);
      given->list[logs++] = log;
    }
  for (size_t i = 0; i < logs && logs > 1; i++) {
    struct given_file *log = &given->list[i];
    const char *error =
        boots_read_headers(log->file.bytes, note_first_header, log);
    if (error)
      return report(log->file.name, "%s", error);
  }
  return 0;
}

bool given_files_share_boot(const struct given_files *given,
                            const struct dump_header *header) {
  size_t count = 0;
  for (size_t i = 0; header->boot && i < given->count; i++) {
    const struct dump_header *first =
        find_first_header(&given->list[i], header);
    count += first && first->boot == header->boot;
  }
  return count > 1;
}

/* ---- dumps of logs ---- */

void given_files_note_dump(struct given_files *given,
                           const struct snapshot *dump) {
  LIST_ADD(given->dumps, given->dump_count, snapshot_hash(dump));
}

bool given_files_have_dump(const struct given_files *given,
                           const struct snapshot *dump) {
  uint64_t sought = snapshot_hash(dump);
  for (size_t i = 0; i < given->dump_count; i++)
    if (given->dumps[i] == sought)
      return true;
  return false;
}

void given_files_free(struct given_files *given) {
  for (size_t i = 0; i < given->count; i++) {
    free(given->list[i].firsts);
    file_close(&given->list[i].file);
  }
  free(given->list);
  free(given->dumps);
  *given = (struct given_files){0};
}
