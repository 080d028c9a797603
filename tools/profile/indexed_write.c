/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An indexed profile: header, summaries (that of the context-sensitive
 * records only if there may be any), the table of functions, and the rest.
 * All in little endian.
 */
#include "indexed_write.h"

#include <stdlib.h>

#include "indexed_inside.h"

static const uint64_t magic = UINT64_C(0x8169666F72706CFF);
enum {
  SUMMARY_FIELDS = 6,
  SUMMARY_SIZE = 16 + 8 * SUMMARY_FIELDS + 24 * SUMMARY_CUTOFFS
};
static const char no_memory[] = "not enough memory; free some";

/* A file under way. */
struct indexed {
  const struct profile *profile;
  const struct indexed_options *options;
  struct functions_list functions;
  struct records records;
  struct table table;
  struct tail tail;
  struct emit emit;
};

static bool has_cs_summary(const struct indexed *file) {
  return file->profile->flags & PROFILE_CS;
}

static unsigned header_size(unsigned version) {
  return version < 8    ? 40
         : version < 9  ? 48
         : version < 10 ? 56
         : version < 12 ? 64
                        : 72;
}

static uint64_t version_word(const struct indexed *file) {
  static const struct {
    enum profile_flag flag;
    unsigned bit;
  } bits[] = {{PROFILE_LOOP_ENTRIES, 55}, {PROFILE_IR, 56},
              {PROFILE_CS, 57},           {PROFILE_ENTRY_FIRST, 58},
              {PROFILE_BYTES, 60},        {PROFILE_ENTRY_ONLY, 61}};
  uint64_t word = file->options->version;
  for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
    if (file->profile->flags & bits[i].flag)
      word |= UINT64_C(1) << bits[i].bit;
  if (file->tail.memprof_at)
    word |= UINT64_C(1) << 62;
  if (file->tail.traces_at)
    word |= UINT64_C(1) << 63;
  return word;
}

static void write_header(struct indexed *file) {
  struct emit *emit = &file->emit;
  emit64(emit, magic);
  emit64(emit, version_word(file));
  emit64(emit, 0); /* unused */
  emit64(emit, 0); /* the hash is MD5 */
  emit64(emit, file->table.table_at);
  if (file->options->version >= 8)
    emit64(emit, file->tail.memprof_at);
  if (file->options->version >= 9)
    emit64(emit, file->tail.ids_at);
  if (file->options->version >= 10)
    emit64(emit, file->tail.traces_at);
  if (file->options->version >= 12)
    emit64(emit, file->tail.vtables_at);
}

static bool write_summary(struct indexed *file, bool context_sensitive) {
  struct summary summary;
  struct emit *emit = &file->emit;
  if (!summary_make(&summary, file->functions,
                    context_sensitive ? SUMMARY_CS : SUMMARY_REGULAR))
    return false;
  emit64(emit, SUMMARY_FIELDS);
  emit64(emit, SUMMARY_CUTOFFS);
  emit64(emit, summary.functions);
  emit64(emit, summary.blocks);
  emit64(emit, summary.most_entry);
  emit64(emit, summary.most);
  emit64(emit, summary.most_internal);
  emit64(emit, summary.total);
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    emit64(emit, summary.cutoffs[i].cutoff);
    emit64(emit, summary.cutoffs[i].least);
    emit64(emit, summary.cutoffs[i].blocks);
  }
  return true;
}

static const char *lay_out(struct indexed *file) {
  uint64_t at = header_size(file->options->version) +
                (uint64_t)SUMMARY_SIZE * (has_cs_summary(file) ? 2 : 1);
  unsigned version = file->options->version;
  if (!records_new(&file->records, file->functions, version,
                   version < 13 ? UINT64_MAX
                                : profile_hash(file->profile, UINT64_MAX)))
    return no_memory;
  const char *error =
      table_new(&file->table, file->functions, &file->records, at);
  if (!error)
    error =
        tail_new(&file->tail, file->profile, file->options, file->table.end);
  return error;
}

static const char *write_file(struct indexed *file) {
  write_header(file);
  if (!write_summary(file, false) ||
      (has_cs_summary(file) && !write_summary(file, true)))
    return no_memory;
  table_write(&file->table, &file->records, &file->emit);
  return tail_write(&file->tail, &file->emit);
}

const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options) {
  const char *error = indexed_refuses(profile, options->version);
  if (error)
    return error;
  struct indexed *file = calloc(1, sizeof *file);
  if (!file)
    return no_memory;
  file->profile = profile;
  file->options = options;
  file->functions = written_functions(profile, options->sparse);
  emit_new(&file->emit, stream);
  error = file->functions.list ? lay_out(file) : no_memory;
  if (!error)
    error = write_file(file);
  emit_flush(&file->emit);
  table_free(&file->table);
  tail_free(&file->tail);
  records_free(&file->records);
  free((void *)file->functions.list);
  free(file);
  return error;
}
