/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: text profiles, read and written (tools/profile). The input is a
 * file; or it chooses the contents of a file, and edits of lines. Unedited
 * files are accepted. Both writers write accepted ones, which are read again:
 * the same, except names that no record has. Translated there and back, they
 * are the same, too. Or the input is a memory profile to be moved.
 */
#include <string.h>

#include "indexed.h"
#include "input.h"
#include "profile/proftext.h"
#include "profile_merge.h"

enum { MOST = 1 << 15 };

static char file[MOST];
static size_t file_size;

/* ---- what a file has ---- */

static void put(const char *text) {
  size_t size = strlen(text);
  if (size > MOST - file_size)
    size = MOST - file_size;
  memcpy(file + file_size, text, size);
  file_size += size;
}

static void put_number(uint64_t number, const char *behind) {
  char text[32];
  snprintf(text, sizeof text, "%llu%s", (unsigned long long)number, behind);
  put(text);
}

static const char *name(struct input *input) {
  static const char *const names[] = {
      "main",  "f",     "a.c:f",     "a.c;f",       "b.c:g",
      "b.c;g", "$s4f",  "-[A b:c:]", "m.m:-[A b:]", "C:\\a:f",
      " h",    "\x01i", "_ZTV1A",    "a.cpp;_ZTV1B"};
  return names[take(input) % (sizeof names / sizeof *names)];
}

static uint64_t count(struct input *input) {
  unsigned size = take(input) % 16;
  return size == 15 ? UINT64_MAX - take(input) % 4
                    : take_number(input, size < 8 ? 1 : size - 7);
}

static void put_directives(struct input *input) {
  static const char *const words[] = {
      ":ir\n",          ":csir\n",
      ":fe\n",          ":entry_first\n",
      ":IR\r\n",        ":not_entry_first\n",
      "# a remark\n\n", ":instrument_loop_entries\n",
      ":ir\n",          ":single_byte_coverage\n"};
  for (unsigned i = take(input) % 4; i; i--)
    put(words[take(input) % (sizeof words / sizeof *words)]);
  unsigned traces = take(input) % 8;
  if (traces >= 6)
    return;
  put(":temporal_prof_traces\n");
  put_number(traces, "\n");
  put_number(traces + take(input) % 130 / 4 * 4, "\n");
  for (; traces; traces--) {
    put_number(take(input), "\n");
    put(name(input));
    for (unsigned i = take(input) % 4; i; i--) {
      put(",");
      put(name(input));
    }
    put("\n");
  }
}

static void put_values(struct input *input) {
  unsigned kinds = take(input) % 8;
  put_number(kinds & 1 ? 3 : 1, "\n");
  for (unsigned kind = kinds & 1 ? 0 : kinds % 3; kind < 3; kind++) {
    unsigned sites = take(input) % 3;
    put_number(kind, "\n");
    put_number(sites, "\n");
    for (; sites; sites--) {
      unsigned values = take(input) % 4;
      put_number(values, "\n");
      for (; values; values--) {
        if (kind == 1)
          put_number(take(input), "");
        else
          put(take(input) % 4 ? name(input) : "** External Symbol **");
        put(":");
        put_number(count(input), "\n");
      }
    }
    if (!(kinds & 1))
      return;
  }
}

static void put_record(struct input *input) {
  put(name(input));
  put(take(input) % 4 ? "\n" : "\n0x");
  put_number(take(input) % 3, "\n");
  unsigned counters = 1 + take(input) % 3;
  put_number(counters, "\n");
  for (; counters; counters--)
    put_number(count(input), "\n");
  unsigned what = take(input);
  if (what & 1) {
    put("$");
    put_number(what / 4 % 4, "\n");
    for (unsigned i = 0; i < what / 4 % 4; i++)
      put_number(take(input), "\n");
  }
  if (what & 2)
    put_values(input);
}

/* ---- edits ---- */

static void edit_line(struct input *input) {
  static const char *const lines[] = {
      "\n",  "0\n", "1\n",   "2\n",   "4294967296\n",
      "-\n", "#\n", "$1\n",  "f:1\n", "18446744073709551616\n",
      ":\n", "x\n", "$\n",   ":ir\n", ":temporal_prof_traces\n",
      ",\n", "3\n", "$0x\n", "0x1\n", "99999999\n"};
  const char *line = lines[take(input) % (sizeof lines / sizeof *lines)];
  size_t size = strlen(line), number = take(input), at = 0, end;
  for (; number && at < file_size; at++)
    number -= file[at] == '\n';
  for (end = at; end < file_size && file[end] != '\n';)
    end++;
  end += end < file_size;
  if (take(input) % 2)
    end = at;
  if (size > MOST - file_size)
    return;
  memmove(file + at + size, file + end, file_size - end);
  memcpy(file + at, line, size);
  file_size += size - (end - at);
}

static void edit(struct input *input) {
  while (more(input)) {
    unsigned what = take(input) % 4;
    size_t at = take_number(input, 2) % (file_size + 1);
    if (what == 0)
      file[at % MOST] = (char)take(input);
    else if (what == 1)
      file_size = at;
    else
      edit_line(input);
  }
}

/* Returns whether all is as it was put together. */
static bool compose(struct input *input) {
  file_size = 0;
  put_directives(input);
  for (unsigned i = take(input) % 6; i; i--)
    put_record(input);
  bool whole = !more(input) && file_size < MOST;
  edit(input);
  return whole;
}

/* ---- the checks ---- */

static const char *read_text(struct profile *profile, const char *text,
                             size_t size) {
  size_t line;
  profile_init(profile, (size_t)1 << 28);
  /* Of its very size, for the sanitizer. */
  unsigned char *block = malloc(size + !size);
  memcpy(block, text, size);
  const char *error =
      proftext_parse_into(profile, (struct bytes){block, size}, 1, NULL, &line);
  free(block);
  /* As merge --mcdc-llvm=19 does: a text does not say it. */
  if (profile->bitmaps == BITMAPS_UNSAID)
    profile->bitmaps = BITMAPS_19;
  return error;
}

struct written {
  char *text;
  size_t size;
  const char *error;
};

static struct written write_text(const struct profile *profile) {
  struct written to = {0};
  FILE *stream = open_memstream(&to.text, &to.size);
  to.error = proftext_write(profile, stream, 0, false);
  fclose(stream);
  return to;
}

/* Reads text, writes it; frees it. */
static struct written again(struct written from) {
  struct profile profile;
  must(!read_text(&profile, from.text, from.size), "what is written is read");
  free(from.text);
  struct written to = write_text(&profile);
  must(!to.error, "and can be written");
  profile_free(&profile);
  return to;
}

static void same(struct written a, struct written b) {
  must(a.size == b.size && !memcmp(a.text, b.text, a.size), "it is the same");
  free(b.text);
}

/* Whether a site has a function twice, which only edited files have: becoming
 * others and back they may be added up. */
static bool repeats(const struct record_counts *counts) {
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      const struct value_site *site = &counts->more->sites[kind][i];
      for (uint32_t j = 0; j < site->count; j++)
        for (uint32_t k = 0; k < j; k++)
          if (site->values[k].value == site->values[j].value)
            return true;
    }
  return false;
}

static bool any_repeats(const struct profile *profile) {
  for (size_t i = 0; i < profile->bucket_count; i++)
    for (const struct function_entry *entry = profile->buckets[i]; entry;
         entry = entry->next)
      for (const struct record_counts *at = entry->counts; at; at = at->next)
        if (repeats(at))
          return true;
  return false;
}

/* By way of an indexed file, with other names and back. */
static struct written around(struct written from, unsigned version) {
  struct profile profile, other;
  const struct indexed_options options = {version, false, true};
  struct written file_of = {0};
  must(!read_text(&profile, from.text, from.size), "it is read again");
  bool there = !any_repeats(&profile);
  if (there) {
    translate_name_separators(&profile, ':', NULL);
    translate_name_separators(&profile, ';', NULL);
  }
  FILE *stream = open_memstream(&file_of.text, &file_of.size);
  must(!indexed_write(&profile, stream, &options), "it is written, indexed");
  fclose(stream);
  profile_init(&other, (size_t)1 << 28);
  must(!indexed_parse_into(
           &other, (struct bytes){(unsigned char *)file_of.text, file_of.size},
           1, NULL),
       "the indexed file is read");
  free(file_of.text);
  struct written to = write_text(&other);
  profile_free(&profile);
  profile_free(&other);
  return to;
}

/* Files get other names; what becomes one function adds up. */
static void rename_files(struct written from) {
  static const char *const files[] = {"a/=", "f=foo", "foo=a/f", "file.c=b.c"};
  struct profile profile;
  struct file_renames renames = {.count = 0};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    must(!renames_add_rule(&renames, files[i]), "it is a rule");
  must(!read_text(&profile, from.text, from.size), "it is read again");
  if (!any_repeats(&profile)) {
    size_t count = profile.function_count;
    translate_file_names(&profile, &renames, NULL);
    must(profile.function_count <= count, "no function is new");
  }
  profile_free(&profile);
  renames_free(&renames);
}

static void check(struct profile *profile) {
  const char *why;
  unsigned version = indexed_choose_version(profile, 0, &why);
  must(version >= 7 && version <= 13, "some version has all of it");
  translate_name_separators(profile, ';', NULL);
  struct written text = write_text(profile);
  if (text.error) {
    free(text.text);
    return;
  }
  /* What only the values of refused records name is gone, then what is in
   * traces. */
  text = again(again(text));
  struct written copy = {malloc(text.size + 1), text.size, NULL};
  memcpy(copy.text, text.text, text.size);
  same(text, again(copy));
  same(text, around(text, version < 12 ? 12 : version));
  rename_files(text);
  free(text.text);
}

/* The bytes of a memory profile, which may be anything. */
static void move_memory(struct input *input) {
  const struct memprof_relocation place = {
      take(input) % 6, take_number(input, 2), take_number(input, 2)};
  size_t size = (size_t)(input->end - input->at);
  unsigned char *block = malloc(size + !size);
  memcpy(block, input->at, size);
  memprof_move_offsets(block, size, &place);
  free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + (size < MOST / 8 ? size : MOST / 8)};
  struct profile profile;
  bool whole = false;
  unsigned what = take(&input) % 16;
  if (what == 1) {
    move_memory(&input);
    return 0;
  }
  if (what) {
    whole = compose(&input);
  } else {
    file_size = (size_t)(input.end - input.at);
    memcpy(file, input.at, file_size);
  }
  const char *error = read_text(&profile, file, file_size);
  must(!whole || !error, "what is put together is accepted");
  if (error)
    must(!profile.function_count && !profile.trace_count &&
             !profile.vtables.size,
         "of what is refused, nothing was added");
  else
    check(&profile);
  profile_free(&profile);
  return 0;
}
