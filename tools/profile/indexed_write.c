/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes an indexed profile: header, summaries, functions (indexed_read.c), and
 * the other sections at the offsets in the header: an unchanged memory profile
 * (since version 8), build ids (9), names of vtables (12), traces (10).
 */
#include "indexed.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/bytes.h"

struct trailing_sections {
  const struct indexed_options *options;
  const struct profile *profile;
  const char **vtables; /* distinct names */
  size_t vtable_count;
  uint64_t memprof_at, ids_at, vtables_at, traces_at; /* 0: none */
};

static const char damaged[] =
    "the memory profile is damaged; make the file again";

/* ---- the memory profile ---- */

struct memprof_section {
  unsigned char *bytes;
  size_t size;
  uint64_t from, to;
};

/* Moves the offset at a place of the section. *inside becomes the place in the
 * section that the offset points to. */
static const char *move_offset(struct memprof_section *memprof, uint64_t at,
                               uint64_t *inside) {
  if (at > memprof->size || memprof->size - at < 8)
    return damaged;
  uint64_t offset = load64(memprof->bytes + at, false);
  *inside = 0;
  if (offset == 0)
    return NULL;
  *inside = offset - memprof->from;
  if (offset < memprof->from || *inside > memprof->size)
    return damaged;
  store64(memprof->bytes + at, *inside + memprof->to, false);
  return NULL;
}

static const char *move_table(struct memprof_section *memprof, uint64_t at) {
  if (at > memprof->size || memprof->size - at < 16)
    return damaged;
  uint64_t count = load64(memprof->bytes + at, false), inside;
  const char *error = NULL;
  if (count > (memprof->size - at - 16) / 8)
    return damaged;
  for (uint64_t i = 0; i < count && !error; i++)
    error = move_offset(memprof, at + 16 + 8 * i, &inside);
  return error;
}

const char *memprof_move(unsigned char *bytes, size_t size,
                         const struct memprof_place *place) {
  /* T: offset of a table. P: another offset. */
  static const char *const offsets[] = {"TPT", "TPT", "TPTPT", "PPT", "PPTP"};
  struct memprof_section memprof = {bytes, size, place->from, place->to};
  const char *error = NULL;
  if (place->version >= sizeof offsets / sizeof *offsets)
    return "the memory profile has an unsupported version; remove the memory "
           "profile with the compiler's llvm-profdata";
  if (place->from == place->to)
    return NULL;
  uint64_t at = place->version ? 8 : 0, inside;
  for (const char *what = offsets[place->version]; *what && !error; what++) {
    error = move_offset(&memprof, at, &inside);
    if (!error && *what == 'T' && !inside)
      return damaged;
    if (!error && *what == 'T')
      error = move_table(&memprof, inside);
    at += 8;
  }
  return error;
}

/* ---- build ids ---- */

static const struct bytes *list_build_ids(const struct profile *profile,
                                          size_t *count) {
  *count = profile->ids.size / sizeof(struct bytes);
  return (const struct bytes *)(const void *)profile->ids.data;
}

static uint64_t build_ids_size(const struct profile *profile) {
  size_t count;
  const struct bytes *ids = list_build_ids(profile, &count);
  uint64_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += 8 + round_up_to_8(ids[i].size);
  return size;
}

static void write_build_ids(const struct profile *profile,
                            struct text_stream *to) {
  size_t count;
  const struct bytes *ids = list_build_ids(profile, &count);
  text_put_raw(to, build_ids_size(profile), 8);
  for (size_t i = 0; i < count; i++) {
    text_put_raw(to, ids[i].size, 8);
    text_put_bytes(to, ids[i].data, ids[i].size);
    text_put_padding(to, ids[i].size);
  }
}

/* ---- names of vtables ---- */

static bool collect_vtable_names(struct trailing_sections *tail) {
  size_t count = 0;
  if (tail->options->vtable_names)
    count = tail->profile->vtables.size / sizeof *tail->vtables;
  tail->vtables = malloc((count + 1) * sizeof *tail->vtables);
  if (!tail->vtables)
    return false;
  if (count)
    memcpy(tail->vtables, tail->profile->vtables.data,
           count * sizeof *tail->vtables);
  tail->vtable_count = vtables_sort_unique(tail->vtables, count);
  return true;
}

/* Returns the size of the names with 0x01 between them. */
static uint64_t vtables_text_size(const struct trailing_sections *tail) {
  uint64_t size = tail->vtable_count ? tail->vtable_count - 1 : 0;
  for (size_t i = 0; i < tail->vtable_count; i++)
    size += strlen(tail->vtables[i]);
  return size;
}

static unsigned leb_size(uint64_t value) {
  unsigned size = 1;
  while (value >>= 7)
    size++;
  return size;
}

/* Format: size of the text, its compressed size (0: not compressed), the text.
 */
static uint64_t vtables_section_size(const struct trailing_sections *tail) {
  uint64_t text = vtables_text_size(tail);
  return tail->vtable_count ? leb_size(text) + 1 + text : 0;
}

static void write_vtable_names(const struct trailing_sections *tail,
                               struct text_stream *to) {
  uint64_t left = vtables_text_size(tail);
  text_put_raw(to, vtables_section_size(tail), 8);
  if (!tail->vtable_count)
    return;
  for (; left >= 0x80; left >>= 7)
    text_put_raw(to, left | 0x80, 1);
  text_put_raw(to, left, 1);
  text_put_raw(to, 0, 1);
  for (size_t i = 0; i < tail->vtable_count; i++) {
    if (i)
      text_put_raw(to, 1, 1);
    text_put_bytes(to, tail->vtables[i], strlen(tail->vtables[i]));
  }
  text_put_padding(to, vtables_section_size(tail));
}

/* ---- traces ---- */

static void write_traces(const struct profile *profile,
                         struct text_stream *to) {
  text_put_raw(to, profile->trace_count, 8);
  text_put_raw(to, profile->trace_stream, 8);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct temporal_trace *trace = &profile->traces[i];
    text_put_raw(to, trace->weight, 8);
    text_put_raw(to, trace->count, 8);
    for (size_t j = 0; j < trace->count; j++)
      text_put_raw(to, trace->functions[j], 8);
  }
}

/* ---- all sections ---- */

static const char *lay_out_sections(struct trailing_sections *tail,
                                    const struct profile *profile,
                                    const struct indexed_options *options,
                                    uint64_t at) {
  unsigned version = options->version;
  *tail = (struct trailing_sections){.options = options, .profile = profile};
  if (!collect_vtable_names(tail))
    return out_of_memory;
  if (profile->memprof.size) {
    tail->memprof_at = at;
    at += profile->memprof.size;
  }
  if (version >= 9) {
    tail->ids_at = at;
    at += 8 + build_ids_size(profile);
  }
  if (version >= 12) {
    tail->vtables_at = at;
    at += 8 + round_up_to_8(vtables_section_size(tail));
  }
  if (version >= 10 && profile->flags & PROFILE_TEMPORAL)
    tail->traces_at = at;
  return NULL;
}

static void free_sections(struct trailing_sections *tail) {
  free(tail->vtables);
}

static const char *write_memprof(const struct trailing_sections *tail,
                                 struct text_stream *to) {
  const struct profile *profile = tail->profile;
  unsigned char *copy = malloc(profile->memprof.size);
  if (!copy)
    return out_of_memory;
  memcpy(copy, profile->memprof.data, profile->memprof.size);
  const struct memprof_place place = {profile->memprof_version,
                                      profile->memprof_at, tail->memprof_at};
  const char *error = memprof_move(copy, profile->memprof.size, &place);
  text_put_bytes(to, copy, profile->memprof.size);
  free(copy);
  return error;
}

static const char *write_sections(const struct trailing_sections *tail,
                                  struct text_stream *to) {
  const char *error = NULL;
  if (tail->memprof_at)
    error = write_memprof(tail, to);
  if (tail->ids_at)
    write_build_ids(tail->profile, to);
  if (tail->vtables_at)
    write_vtable_names(tail, to);
  if (tail->traces_at)
    write_traces(tail->profile, to);
  return error;
}

/* ==== Which index version has which parts, and which LLVM release has which
 * version. */

static unsigned version_of_llvm(unsigned llvm) {
  if (llvm < 15)
    return 7;
  if (llvm < 19)
    return llvm - 7;
  return llvm < 22 ? 12 : llvm < 23 ? 13 : INDEXED_NEWEST;
}

/* Compilers look for front-end hashes in the form of the version. Version 13
 * has truncated hashes. A hash can be truncated, but not restored. */
static const char *check_hashes(const struct profile *profile,
                                unsigned version) {
  if (!(profile->flags & PROFILE_FRONT_END))
    return NULL;
  if (version < 7)
    return "index versions before 7 hash profiles of -fprofile-instr-generate "
           "differently; use --index-version 7 or later";
  if (version < 13 && profile->hashes_cut)
    return "the hashes are from clang 22 or later, and older compilers do not "
           "find them; use --for-llvm 22 or later, or build with the older "
           "clang";
  return NULL;
}

/* Readers take all bitmaps before version 12 for LLVM 18's, and all later ones
 * for LLVM 19's. */
static const char *check_bitmaps(const struct profile *profile,
                                 unsigned version) {
  if (!profile->has_bitmaps)
    return NULL;
  if (version < 11)
    return "MC/DC bitmaps need LLVM 18 or later; use --for-llvm 18 or later";
  if (profile->bitmaps == BITMAPS_UNSAID)
    return "the text profile does not say which LLVM its MC/DC bitmaps are "
           "from; use merge --mcdc-llvm";
  if (version < 12 && profile->bitmaps == BITMAPS_19)
    return "MC/DC bitmaps of LLVM 19 or later do not fit LLVM 18 and index "
           "version 11; use --for-llvm 19 or later";
  if (version > 11 && profile->bitmaps == BITMAPS_18)
    return "MC/DC bitmaps of LLVM 18 do not fit index version 12 and later; "
           "use --index-version 11";
  return NULL;
}

const char *indexed_check_version(const struct profile *profile,
                                  unsigned version) {
  unsigned flags = profile->flags;
  if (version < INDEXED_OLDEST || version > INDEXED_NEWEST)
    return "this index version is not supported for writing; use a version "
           "that `merge --help` lists";
  if (version < 12 && profile->has_sites[VALUE_VTABLES])
    return "vtables need LLVM 19 or later; use --for-llvm 19 or later";
  if (version < 12 && flags & PROFILE_LOOP_ENTRIES)
    return "loop entry counts need LLVM 20 or later; use --for-llvm 20 or "
           "later";
  if (version < 12 && profile->memprof.size && profile->memprof_version)
    return "this memory profile needs LLVM 19 or later; use --for-llvm 19 or "
           "later";
  if (version < 10 && profile->trace_count)
    return "traces need LLVM 17 or later; use --for-llvm 17 or later";
  if (version < 8 && profile->memprof.size)
    return "memory profiles need LLVM 15 or later; use --for-llvm 15 or later";
  const char *error = check_bitmaps(profile, version);
  return error ? error : check_hashes(profile, version);
}

/* Returns the oldest version that also holds the optional parts. */
static unsigned oldest_version(const struct profile *profile) {
  if (profile->vtables.size)
    return 12;
  if (profile->flags & PROFILE_TEMPORAL)
    return 10;
  return profile->ids.size ? 9 : 7;
}

unsigned indexed_choose_version(const struct profile *profile, unsigned llvm,
                                const char **why_not) {
  unsigned version = llvm ? version_of_llvm(llvm) : 7;
  *why_not = NULL;
  /* Later releases read version 11, and a later version would change the
   * meaning of the bitmaps. */
  if (version > 11 && profile->bitmaps == BITMAPS_18)
    version = 11;
  if (!llvm) {
    version = oldest_version(profile);
    while (version < INDEXED_NEWEST && indexed_check_version(profile, version))
      version++;
  }
  if (llvm && llvm < 13)
    *why_not = "profiles for LLVM before 13 cannot be written; use --for-llvm "
               "13, which the older compilers may read";
  else if (llvm == 13 && profile->flags & (PROFILE_BYTES | PROFILE_ENTRY_ONLY))
    *why_not = "profiles that only say whether code ran need LLVM 14 or later; "
               "use --for-llvm 14 or later";
  else if (llvm && llvm < 20 && profile->flags & PROFILE_LOOP_ENTRIES)
    *why_not =
        "loop entry counts need LLVM 20 or later; use --for-llvm 20 or later";
  else
    *why_not = indexed_check_version(profile, version);
  if (*why_not)
    return 0;
  if (version < 9 && profile->ids.size)
    *why_not =
        "build ids are left out, because LLVM before 16 cannot read them";
  return version;
}

/* ==== The file: header, summaries (one for context-sensitive records only if
 * there may be any), the table of functions, and the other sections, all
 * little-endian. */

static const uint64_t magic = UINT64_C(0x8169666F72706CFF);
enum {
  SUMMARY_FIELDS = 6,
  SUMMARY_SIZE = 16 + 8 * SUMMARY_FIELDS + 24 * SUMMARY_CUTOFFS
};

/* The state of writing a file. */
struct indexed_output {
  const struct profile *profile;
  const struct indexed_options *options;
  struct profile_summary summary, cs_summary;
  struct record_writer records;
  struct function_table table;
  struct trailing_sections tail;
  struct text_stream text;
};

static bool has_cs_summary(const struct indexed_output *file) {
  return file->profile->flags & PROFILE_CS;
}

static unsigned header_size(unsigned version) {
  return version < 8    ? 40
         : version < 9  ? 48
         : version < 10 ? 56
         : version < 12 ? 64
                        : 72;
}

static uint64_t encode_version_word(const struct indexed_output *file) {
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

static void write_header(struct indexed_output *file) {
  struct text_stream *to = &file->text;
  text_put_raw(to, magic, 8);
  text_put_raw(to, encode_version_word(file), 8);
  text_put_raw(to, 0, 8); /* unused */
  text_put_raw(to, 0, 8); /* the hash is MD5 */
  text_put_raw(to, file->table.table_at, 8);
  if (file->options->version >= 8)
    text_put_raw(to, file->tail.memprof_at, 8);
  if (file->options->version >= 9)
    text_put_raw(to, file->tail.ids_at, 8);
  if (file->options->version >= 10)
    text_put_raw(to, file->tail.traces_at, 8);
  if (file->options->version >= 12)
    text_put_raw(to, file->tail.vtables_at, 8);
}

static void write_summary(struct text_stream *to,
                          const struct profile_summary *summary) {
  text_put_raw(to, SUMMARY_FIELDS, 8);
  text_put_raw(to, SUMMARY_CUTOFFS, 8);
  text_put_raw(to, summary->functions, 8);
  text_put_raw(to, summary->blocks, 8);
  text_put_raw(to, summary->most_entry, 8);
  text_put_raw(to, summary->most, 8);
  text_put_raw(to, summary->most_internal, 8);
  text_put_raw(to, summary->total, 8);
  for (unsigned i = 0; i < SUMMARY_CUTOFFS; i++) {
    text_put_raw(to, summary->cutoffs[i].cutoff, 8);
    text_put_raw(to, summary->cutoffs[i].least, 8);
    text_put_raw(to, summary->cutoffs[i].blocks, 8);
  }
}

/* Adds all functions to the table and to the sums in a single walk, because
 * reading all functions is slow. cs may be NULL. */
static const char *add_functions(struct indexed_output *file,
                                 struct summary_builder *regular,
                                 struct summary_builder *cs) {
  const struct profile *profile = file->profile;
  for (size_t i = 0; i < profile->function_count; i++) {
    struct function_entry *function = profile->arrived[i];
    profile_prefetch_walk(profile, i);
    if (!function_is_written(function, file->options->sparse))
      continue;
    if (!function_table_add(&file->table, &file->records, function))
      return "a function has more values than an indexed profile can hold; "
             "write a text profile, or merge fewer files";
    if (!summary_builder_add(regular, function) ||
        (cs && !summary_builder_add(cs, function)))
      return out_of_memory;
  }
  return summary_builder_finish(regular, &file->summary) &&
                 (!cs || summary_builder_finish(cs, &file->cs_summary))
             ? NULL
             : out_of_memory;
}

static const char *add_and_sum(struct indexed_output *file) {
  bool has_cs = has_cs_summary(file);
  struct summary_builder *regular = summary_builder_new(SUMMARY_REGULAR);
  struct summary_builder *cs = has_cs ? summary_builder_new(SUMMARY_CS) : NULL;
  const char *error = regular && (cs || !has_cs)
                          ? add_functions(file, regular, cs)
                          : out_of_memory;
  summary_builder_free(regular);
  summary_builder_free(cs);
  return error;
}

static const char *lay_out_file(struct indexed_output *file) {
  uint64_t at = header_size(file->options->version) +
                (uint64_t)SUMMARY_SIZE * (has_cs_summary(file) ? 2 : 1);
  if (!record_writer_new(&file->records, file->profile,
                         file->options->version) ||
      !function_table_new(&file->table, file->profile->function_count))
    return out_of_memory;
  const char *error = add_and_sum(file);
  if (!error)
    error = function_table_lay_out(&file->table, at);
  if (!error)
    error = lay_out_sections(&file->tail, file->profile, file->options,
                             file->table.end);
  return error;
}

static const char *write_file(struct indexed_output *file) {
  write_header(file);
  write_summary(&file->text, &file->summary);
  if (has_cs_summary(file))
    write_summary(&file->text, &file->cs_summary);
  function_table_write(&file->table, &file->records, &file->text);
  return write_sections(&file->tail, &file->text);
}

const char *indexed_write(const struct profile *profile, FILE *stream,
                          const struct indexed_options *options) {
  const char *error = indexed_check_version(profile, options->version);
  if (error)
    return error;
  struct indexed_output *file = calloc(1, sizeof *file);
  if (!file)
    return out_of_memory;
  file->profile = profile;
  file->options = options;
  text_begin(&file->text, stream);
  error = lay_out_file(file);
  if (!error)
    error = write_file(file);
  text_flush(&file->text);
  function_table_free(&file->table);
  free_sections(&file->tail);
  record_writer_free(&file->records);
  free(file);
  return error;
}
