/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file compares sources using the MD5 that the debug information contains.
 * The coverage mapping and the debug information name files independently:
 * compiler options may rewrite the names in only one of the two.
 */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"
#include "../../base/os.h"
#include "../../base/source_name.h"
#include "../../object/digest.h"
#include "../../object/dwarf.h"

enum { SOURCE_LIMIT = 1 << 30 };

/* A file that the debug information names. */
struct source_digest {
  const char *base; /* name of the file without folders */
  char *path;
  const unsigned char *md5;
  bool taken; /* The mapping contains a file with exactly this path. */
};

struct source_digests {
  struct source_digest *list; /* files, sorted by `base`, then by path */
  size_t count;
  struct dwarf dwarf;
  struct dwarf_sources sources;
};

/* ---- the files of the debug information ---- */

static int compare_source_digests(const void *a, const void *b) {
  const struct source_digest *x = a, *y = b;
  int order = strcmp(x->base, y->base);
  if (!order)
    order = strcmp(x->path, y->path);
  return order ? order : memcmp(x->md5, y->md5, 16);
}

/* Lists the files of the debug information. The list is empty if the debug
 * information cannot be read. */
static void list_source_digests(struct source_digests *entries,
                                const struct elf *elf) {
  *entries = (struct source_digests){.list = NULL};
  const char *error = dwarf_open(&entries->dwarf, elf);
  if (!error)
    error = dwarf_sources_read(&entries->sources, &entries->dwarf);
  need_memory(error == out_of_memory ? NULL : entries);
  if (error)
    return;
  const struct dwarf_source *list =
      (const struct dwarf_source *)entries->sources.list.data;
  size_t count = entries->sources.list.size / sizeof *list;
  entries->list = need_memory(malloc((count + 1) * sizeof *entries->list));
  for (size_t i = 0; i < count; i++) {
    if (*list[i].path == '/')
      paths_tidy(list[i].path);
    entries->list[entries->count++] = (struct source_digest){
        os_base_name(list[i].path), list[i].path, list[i].md5, false};
  }
  qsort(entries->list, entries->count, sizeof *entries->list,
        compare_source_digests);
  size_t kept = 0; /* number of files; each file occurs once */
  for (size_t i = 0; i < entries->count; i++)
    if (!kept ||
        compare_source_digests(&entries->list[kept - 1], &entries->list[i]))
      entries->list[kept++] = entries->list[i];
  entries->count = kept;
}

/* Returns the first file with this base name, and sets *end to the element
 * after the last such file. */
static struct source_digest *
find_digests_of_base(const struct source_digests *entries, const char *base,
                     const struct source_digest **end) {
  size_t low = search_text(entries->list, entries->count, base, base), high;
  for (high = low;
       high < entries->count && strcmp(entries->list[high].base, base) == 0;)
    high++;
  *end = entries->list + high;
  return entries->list + low;
}

/* Decides the state of a file from the entries with exactly its path. If there
 * are none, the debug information has another path for the file. Then an entry
 * with the same MD5 is enough. Without such an entry, two common path
 * components show that an entry is the same file and the file has changed. */
static enum source_state
decide_source_state(const struct source_digests *entries, const char *name,
                    const unsigned char md5[16]) {
  const struct source_digest *end;
  unsigned shared = 0;
  bool exact = false, same = true, found = false;
  for (struct source_digest *at =
           find_digests_of_base(entries, os_base_name(name), &end);
       at < end; at++) {
    bool equal = memcmp(at->md5, md5, 16) == 0;
    if (strcmp(at->path, name) == 0) {
      exact = true;
      same &= equal;
    } else if (!at->taken) {
      unsigned names = source_name_count_shared_parts(at->path, name);
      shared = names > shared ? names : shared;
      found |= equal;
    }
  }
  if (exact ? same : found)
    return SOURCE_SAME;
  return exact || shared > 1 ? SOURCE_CHANGED : SOURCE_UNKNOWN;
}

static void set_source_state_and_digest(const struct source_digests *entries,
                                        struct input_source *source) {
  unsigned char digest[16];
  struct file file;
  bool found;
  source->state = SOURCE_MISSING;
  exit_if_failed(
      file_read_if_exists(&file, source->here, SOURCE_LIMIT, &found));
  if (!found)
    return;
  sha256(source->sha256, file.bytes.data, file.bytes.size);
  md5(digest, file.bytes.data, file.bytes.size);
  source->state = decide_source_state(entries, source->name, digest);
  file_close(&file);
}

/* ---- sources of an ELF ---- */

/* Compares the sources of an ELF. Reports the sources that have changed. */
static void compare_elf_sources(struct input_elf *subject,
                                const struct source_digests *entries) {
  size_t changed = 0, first = 0;
  for (size_t i = 0; i < subject->summary.count; i++) {
    const char *name = subject->sources[i].name;
    const struct source_digest *end;
    for (struct source_digest *at =
             find_digests_of_base(entries, os_base_name(name), &end);
         at < end; at++)
      at->taken |= strcmp(at->path, name) == 0;
  }
  for (size_t i = 0; i < subject->summary.count; i++) {
    struct input_source *source = &subject->sources[i];
    set_source_state_and_digest(entries, source);
    if (source->state == SOURCE_CHANGED && changed++ == 0)
      first = i;
  }
  subject->changed = changed;
  if (!changed)
    return;
  char others[80] = "";
  if (changed > 1)
    snprintf(others, sizeof others, ", as have %zu more source%s", changed - 1,
             changed == 2 ? "" : "s");
  report(subject->sources[first].here,
         "the source has changed since %s was built%s; build the firmware "
         "again, or use --allow-changed",
         subject->name, others);
}

void source_list_and_compare(struct input_elf *subject,
                             const struct report_settings *settings) {
  size_t count = subject->summary.count;
  struct source_digests entries;
  subject->sources = need_memory(calloc(count + 1, sizeof *subject->sources));
  for (size_t i = 0; i < count; i++) {
    const char *name = subject->summary.rows[i].name;
    subject->sources[i].name = paths_copy_tidied(name);
    subject->sources[i].here = paths_local_name(&settings->paths, name);
  }
  list_source_digests(&entries, &subject->elf);
  compare_elf_sources(subject, &entries);
  free(entries.list);
  dwarf_sources_free(&entries.sources);
  dwarf_close(&entries.dwarf);
  exit_if_failed(subject->changed && !settings->allow_changed);
}

void source_free_list(struct input_elf *subject) {
  for (size_t i = 0; subject->sources && i < subject->summary.count; i++) {
    free(subject->sources[i].name);
    free(subject->sources[i].here);
  }
  free(subject->sources);
  subject->sources = NULL;
}

void source_print_changed(const struct input_elf *subject) {
  size_t unknown = 0, here = 0, known = 0;
  char shown[1000];
  for (size_t i = 0; i < subject->summary.count; i++) {
    const struct input_source *source = &subject->sources[i];
    unknown += source->state == SOURCE_UNKNOWN;
    here += source->state != SOURCE_MISSING;
    known += source->state == SOURCE_SAME || source->state == SOURCE_CHANGED;
    if (source->state == SOURCE_CHANGED)
      printf("  Changed since the build, its lines may be wrong: %s\n",
             make_printable(shown, sizeof shown, source->here));
  }
  if (unknown)
    printf("  Not compared with the build: %zu of %zu sources%s\n", unknown,
           here,
           known ? ", whose MD5 the debug information lacks"
                 : "; clang -g writes these MD5 sums into the ELF");
}

/* ---- lines ----
 *
 * Sources may be edited while bareprof runs, so the functions below check each
 * position of the mapping.
 */

/* Returns the beginning of the next line. If `feeds` is set, only LF ends
 * lines, as in nearly all sources. */
static size_t find_next_line(struct bytes text, size_t at, bool feeds) {
  if (feeds) {
    const unsigned char *end = memchr(text.data + at, '\n', text.size - at);
    return end ? (size_t)(end - text.data) + 1 : text.size;
  }
  while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r')
    at++;
  if (at + 1 < text.size && text.data[at] == '\r' && text.data[at + 1] == '\n')
    at++;
  return at < text.size ? at + 1 : at;
}

int source_read(struct source_text *source, const char *name) {
  *source = (struct source_text){0};
  if (file_read_if_exists(&source->file, name, SOURCE_LIMIT, &source->found))
    return 1;
  if (!source->found)
    return 0;
  struct bytes text = source->file.bytes;
  bool feeds = text.size && !memchr(text.data, '\r', text.size);
  LIST_ADD(source->starts, source->count, 0);
  for (size_t at = 0; at < text.size; at = find_next_line(text, at, feeds))
    LIST_ADD(source->starts, source->count, (uint32_t)at);
  LIST_ADD(source->starts, source->count, (uint32_t)text.size);
  source->count--;
  return 0;
}

void source_free(struct source_text *source) {
  if (source->found)
    file_close(&source->file);
  free(source->starts);
  *source = (struct source_text){0};
}

struct bytes source_line_text(const struct source_text *source, uint32_t line) {
  if (!line || line >= source->count)
    return (struct bytes){NULL, 0};
  const unsigned char *data = source->file.bytes.data;
  size_t begin = source->starts[line], end = source->starts[line + 1];
  while (end > begin && (data[end - 1] == '\n' || data[end - 1] == '\r'))
    end--;
  return (struct bytes){data + begin, end - begin};
}

/* Returns the offset of a position, limited to the end of its line. */
static size_t find_text_offset(const struct source_text *source, uint32_t line,
                               uint32_t column) {
  size_t begin = source->starts[line];
  size_t size = source_line_text(source, line).size;
  size_t add = column ? column - 1 : 0;
  return begin + (add < size ? add : size);
}

struct bytes source_span_text(const struct source_text *source,
                              const struct source_span *span) {
  if (!span->line || span->line >= source->count ||
      span->end_line < span->line || span->end_line >= source->count)
    return (struct bytes){NULL, 0};
  size_t begin = find_text_offset(source, span->line, span->column);
  size_t end = find_text_offset(source, span->end_line, span->end_column);
  if (end <= begin)
    return (struct bytes){NULL, 0};
  return (struct bytes){source->file.bytes.data + begin, end - begin};
}
