/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Writes text profiles. If text, or the llvm-profdata of a release, cannot hold
 * the profile, this is an error. */
#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/need.h"
#include "indexed.h"
#include "proftext.h"

/* llvm-profdata 18 to 23 read only bitmaps below this size. */
enum { BITMAP_BYTES_LLVM = 256 };

/* Returns whether a reader would misread the name as a comment, a directive, a
 * number or two lines or, in traces, as two names. */
static bool is_unwritable_name(const struct function_entry *function,
                               bool traces, unsigned llvm) {
  const char *name = function->name;
  size_t size = function->name_size;
  const struct bytes text = {(const unsigned char *)name, size};
  const struct bytes rest = {text.data + 1, size - 1};
  uint64_t number;
  return size == 0 || strchr("#:", *name) || memchr(name, '\n', size) ||
         name[size - 1] == '\r' || proftext_parse_number(text, 10, &number) ||
         (*name == '$' &&
          (llvm >= 18 || proftext_parse_number(rest, 0, &number))) ||
         (traces && memchr(name, ',', size));
}

static const char *check_record_writable(const struct record_counts *counts,
                                         unsigned llvm) {
  if (llvm && llvm < 18 && counts->more->bitmap_size)
    return "MC/DC bitmaps need LLVM 18 or later; use --for-llvm 18 or later";
  if (llvm && counts->more->bitmap_size >= BITMAP_BYTES_LLVM)
    return "a function has 256 bytes or more of MC/DC bitmap, which "
           "llvm-profdata cannot read from text; remove --text";
  if (llvm && llvm < 19 && counts->more->site_count[VALUE_VTABLES])
    return "vtables need LLVM 19 or later; use --for-llvm 19 or later";
  return NULL;
}

static const char *check_flags_writable(unsigned flags, unsigned llvm) {
  if (llvm && llvm < 13)
    return "profiles for LLVM before 13 cannot be written; use --for-llvm 13, "
           "which the older tools may read";
  if (llvm && llvm < 17 && flags & PROFILE_TEMPORAL)
    return "temporal traces need LLVM 17 or later; use --for-llvm 17 or later";
  if (llvm && llvm < 18 && flags & PROFILE_BYTES)
    return "in text, profiles that only say whether code ran need LLVM 18 or "
           "later; remove --text";
  if (llvm && llvm < 20 && flags & PROFILE_LOOP_ENTRIES)
    return "loop entry counts need LLVM 20 or later; use --for-llvm 20 or "
           "later";
  return NULL;
}

/* Checks the bitmaps. llvm-profdata converts text to the index version of its
 * own release, which decides the meaning of the bitmaps. */
static const char *check_bitmaps_writable(const struct profile *profile,
                                          unsigned llvm) {
  if (llvm < 18 || !profile->has_bitmaps)
    return NULL;
  if (llvm == 18 && profile->bitmaps == BITMAPS_19)
    return "MC/DC bitmaps of LLVM 19 or later do not fit LLVM 18; use "
           "--for-llvm 19 or later";
  if (llvm > 18 && profile->bitmaps == BITMAPS_18)
    return "MC/DC bitmaps of LLVM 18 cannot be stored as text, because later "
           "releases would misread them; remove --text";
  return NULL;
}

static const char *check_profile_writable(const struct profile *profile,
                                          unsigned llvm) {
  const char *error = check_flags_writable(profile->flags, llvm);
  if (!error)
    error = check_bitmaps_writable(profile, llvm);
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (const struct function_entry *entry = profile->buckets[i];
         entry && !error; entry = entry->next) {
      if (is_unwritable_name(entry, profile->trace_count, llvm))
        error = "a function name has bytes that text cannot hold; remove "
                "--text";
      for (const struct record_counts *counts = entry->counts; counts && !error;
           counts = counts->next)
        error = check_record_writable(counts, llvm);
    }
  return error;
}

/* ==== Writes text profiles with the comments that llvm-profdata adds. A value
 * is written as a name if the profile has the function or vtable. For other
 * values only the hash is known, and readers cannot use the hash. */

struct proftext_writer {
  const struct profile *profile;
  struct functions_list functions;
  uint64_t hash_bits; /* the bits of hashes that the release has */
  struct value_ranking ranking;
  struct reference_names names;
  const struct record_counts **records; /* the records of one function, by
                                           hash */
  struct text_stream text;
};

/* ---- directives ---- */

static void write_traces(struct proftext_writer *writer) {
  const struct profile *profile = writer->profile;
  struct text_stream *to = &writer->text;
  text_put_number_line(
      to, ":temporal_prof_traces\n# Num Temporal Profile Traces:\n",
      profile->trace_count);
  text_put_number_line(to, "# Temporal Profile Trace Stream Size:\n",
                       profile->run_count);
  for (size_t i = 0; i < profile->trace_count; i++) {
    const struct temporal_trace *trace = &profile->traces[i];
    text_put_number_line(to, "# Weight:\n", trace->weight);
    for (size_t j = 0; j < trace->count; j++) {
      const char *name =
          references_find_name(&writer->names, trace->functions[j]);
      text_put_string(to, name ? name : "");
      text_put_string(to, ",");
    }
    text_put_string(to, "\n");
  }
  text_put_string(to, "\n");
}

static void write_directives(struct proftext_writer *writer) {
  unsigned flags = writer->profile->flags;
  struct text_stream *to = &writer->text;
  if (flags & PROFILE_CS)
    text_put_string(to, "# CSIR level Instrumentation Flag\n:csir\n");
  else if (flags & PROFILE_IR)
    text_put_string(to, "# IR level Instrumentation Flag\n:ir\n");
  if (flags & PROFILE_ENTRY_FIRST)
    text_put_string(
        to, "# Always instrument the function entry block\n:entry_first\n");
  if (flags & PROFILE_LOOP_ENTRIES)
    text_put_string(to, "# Always instrument the loop entry blocks\n"
                        ":instrument_loop_entries\n");
  if (flags & PROFILE_BYTES)
    text_put_string(to, "# Instrument block coverage\n:single_byte_coverage\n");
  if (flags & PROFILE_TEMPORAL)
    write_traces(writer);
}

/* ---- records ---- */

static void write_bitmap(struct text_stream *to,
                         const struct record_counts *counts) {
  static const char digits[] = "0123456789abcdef";
  text_put_number_line(to, "# Num Bitmap Bytes:\n$", counts->more->bitmap_size);
  text_put_string(to, "# Bitmap Byte Values:\n");
  for (uint32_t i = 0; i < counts->more->bitmap_size; i++) {
    unsigned byte = counts->more->bitmap[i];
    char text[6] = {'0', 'x'};
    unsigned size = 2;
    if (byte >= 16)
      text[size++] = digits[byte / 16];
    text[size++] = digits[byte % 16];
    text[size++] = '\n';
    text_put_bytes(to, text, size);
  }
  text_put_string(to, "\n");
}

static void write_site(struct proftext_writer *writer,
                       const struct value_site *site, unsigned kind) {
  struct text_stream *to = &writer->text;
  uint32_t count = ranking_rank_site(&writer->ranking, site);
  text_put_number_line(to, "", count);
  for (uint32_t i = 0; i < count; i++) {
    struct profiled_value value = writer->ranking.list[i].value;
    const char *name = NULL;
    if (kind == VALUE_MEMOPS) {
      text_put_decimal(to, value.value, 0);
    } else {
      name = references_find_name(&writer->names, value.value);
      text_put_string(to, name ? name : TEXT_EXTERNAL);
    }
    text_put_number_line(to, ":", value.count);
  }
}

static void write_values(struct proftext_writer *writer,
                         const struct record_counts *counts) {
  static const char *const kinds[VALUE_KINDS] = {
      "# ValueKind = IPVK_IndirectCallTarget:\n",
      "# ValueKind = IPVK_MemOPSize:\n", "# ValueKind = IPVK_VTableTarget:\n"};
  unsigned count = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    count += counts->more->site_count[kind] != 0;
  if (count)
    text_put_number_line(&writer->text, "# Num Value Kinds:\n", count);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++) {
    if (!counts->more->site_count[kind])
      continue;
    text_put_number_line(&writer->text, kinds[kind], kind);
    text_put_number_line(&writer->text, "# NumValueSites:\n",
                         counts->more->site_count[kind]);
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++)
      write_site(writer, &counts->more->sites[kind][i], kind);
  }
}

static void write_record(struct proftext_writer *writer,
                         const struct function_entry *function,
                         const struct record_counts *counts) {
  struct text_stream *to = &writer->text;
  text_put_bytes(to, function->name, function->name_size);
  text_put_number_line(to, "\n# Func Hash:\n",
                       counts->hash & writer->hash_bits);
  text_put_number_line(to, "# Num Counters:\n", counts->counter_count);
  text_put_string(to, "# Counter Values:\n");
  for (uint32_t i = 0; i < counts->counter_count; i++)
    text_put_number_line(to, "", counts->counters[i]);
  if (counts->more->bitmap_size)
    write_bitmap(to, counts);
  write_values(writer, counts);
  text_put_string(to, "\n");
}

ORDER_BY(compare_hashes, struct record_counts *const, (*x)->hash);

static void write_function(struct proftext_writer *writer,
                           const struct function_entry *function) {
  size_t count = 0;
  for (const struct record_counts *at = function->counts; at; at = at->next)
    writer->records[count++] = at;
  qsort(writer->records, count, sizeof *writer->records, compare_hashes);
  for (size_t i = 0; i < count; i++)
    write_record(writer, function, writer->records[i]);
}

static size_t largest_record_count(const struct functions_list *functions) {
  size_t most = 1;
  for (size_t i = 0; i < functions->count; i++) {
    size_t count = 0;
    for (const struct record_counts *at = functions->list[i]->counts; at;
         at = at->next)
      count++;
    most = count > most ? count : most;
  }
  return most;
}

const char *proftext_write(const struct profile *profile, FILE *stream,
                           unsigned llvm, bool sparse) {
  const char *error = check_profile_writable(profile, llvm);
  if (error)
    return error;
  struct proftext_writer *writer = need_memory(calloc(1, sizeof *writer));
  writer->profile = profile;
  writer->hash_bits =
      llvm < 22 ? UINT64_MAX : profile_comparable_hash(profile, UINT64_MAX);
  writer->functions = profile_list_written_functions(profile, sparse);
  writer->records = need_memory(malloc(
      largest_record_count(&writer->functions) * sizeof *writer->records));
  references_init(&writer->names, profile, sparse);
  ranking_init(&writer->ranking, profile);
  text_begin(&writer->text, stream);
  write_directives(writer);
  for (size_t i = 0; i < writer->functions.count; i++)
    write_function(writer, writer->functions.list[i]);
  text_flush(&writer->text);
  ranking_free(&writer->ranking);
  free((void *)writer->functions.list);
  references_free(&writer->names);
  free(writer->records);
  free(writer);
  return NULL;
}
