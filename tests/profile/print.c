/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints the readers' results, in the lines that canon.awk makes of
 * llvm-profdata's text; the caller sorts them.
 *   print [elf=FILE] [weight=N] [cache] [vtables] FILE...
 * adds all files, raw or indexed, to one profile. What is wrong with a file is
 * printed, and with it the file has added nothing. vtables: by name in values,
 * which llvm-profdata's text never has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "object/digest.h"
#include "indexed.h"
#include "raw.h"

enum { FILE_LIMIT = 1 << 30 };

static struct profile profile;
static bool vtables_by_name;

static const char *name_of(uint64_t reference) {
  const char *const *vtables = (const void *)profile.vtables.data;
  if (profile.bucket_count)
    for (struct function_entry *at =
             profile.buckets[reference & (profile.bucket_count - 1)];
         at; at = at->next)
      if (at->reference == reference)
        return at->name;
  for (size_t i = 0;
       vtables_by_name && i < profile.vtables.size / sizeof *vtables; i++)
    if (md5_low64(vtables[i], strlen(vtables[i])) == reference)
      return vtables[i];
  return "** External Symbol **";
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_site(const struct value_site *site, unsigned kind) {
  char **list = calloc(site->count + 1, sizeof *list);
  for (uint32_t i = 0; i < site->count; i++) {
    const struct profiled_value *value = &site->values[i];
    const char *name = kind == VALUE_MEMOPS ? "" : name_of(value->value);
    list[i] = malloc(strlen(name) + 50);
    if (kind == VALUE_MEMOPS)
      sprintf(list[i], "%llu:%llu", (unsigned long long)value->value,
              (unsigned long long)value->count);
    else
      sprintf(list[i], "%s:%llu", name, (unsigned long long)value->count);
  }
  qsort(list, site->count, sizeof *list, by_text);
  for (uint32_t i = 0; i < site->count; i++) {
    printf(" %s", list[i]);
    free(list[i]);
  }
  free(list);
}

static void print_counts(const struct function_entry *function,
                         const struct record_counts *counts) {
  printf("function %s %llu", function->name, (unsigned long long)counts->hash);
  for (uint32_t i = 0; i < counts->counter_count; i++)
    printf(" %llu", (unsigned long long)counts->counters[i]);
  if (counts->more->bitmap_size)
    printf(" bitmap");
  for (uint32_t i = 0; i < counts->more->bitmap_size; i++)
    printf(" %u", counts->more->bitmap[i]);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    for (uint32_t i = 0; i < counts->more->site_count[kind]; i++) {
      printf(" site %u", kind);
      print_site(&counts->more->sites[kind][i], kind);
    }
  printf("\n");
}

static void print_flags(void) {
  static const struct {
    unsigned flag;
    const char *name;
  } names[] = {{PROFILE_IR, "ir"},
               {PROFILE_CS, "csir"},
               {PROFILE_ENTRY_FIRST, "entry_first"},
               {PROFILE_BYTES, "single_byte_coverage"},
               {PROFILE_LOOP_ENTRIES, "instrument_loop_entries"},
               {PROFILE_TEMPORAL, "temporal_prof_traces"}};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (profile.flags & names[i].flag)
      printf("flag %s\n", names[i].name);
}

static void print_rest(void) {
  const struct bytes *ids = (const void *)profile.ids.data;
  for (size_t i = 0; i < profile.ids.size / sizeof *ids; i++) {
    printf("id ");
    for (size_t j = 0; j < ids[i].size; j++)
      printf("%02x", ids[i].data[j]);
    printf("\n");
  }
  const char **vtables = (const char **)(void *)profile.vtables.data;
  size_t count =
      vtables_sort_unique(vtables, profile.vtables.size / sizeof *vtables);
  for (size_t i = 0; i < count; i++)
    printf("vtable %s\n", vtables[i]);
  for (size_t i = 0; i < profile.trace_count; i++) {
    printf("trace %llu ", (unsigned long long)profile.traces[i].weight);
    for (size_t j = 0; j < profile.traces[i].count; j++)
      printf("%s,", name_of(profile.traces[i].functions[j]));
    printf("\n");
  }
  if (profile.trace_count)
    printf("runs %llu\n", (unsigned long long)profile.run_count);
  if (profile.memprof.size)
    printf("memprof %u %zu bytes\n", profile.memprof_version,
           profile.memprof.size);
}

static void event(void *context, enum addition_result result,
                  const struct record_counts *counts,
                  const struct counts_addition *addition) {
  static const char *const texts[ADDITION_BITS] = {
      "overflow", "suspect", "one-bitmap", "no-bitmap", "one-sites",
      "no-sites", "shape"};
  (void)context;
  for (unsigned i = 0; i < ADDITION_BITS; i++)
    if (result >> i & 1)
      printf("event %s %.*s%s\n", texts[i], (int)addition->name_size,
             addition->name, counts ? "" : " not there");
}

static void read_file(const char *name, struct raw_options *options) {
  struct file file;
  if (file_read(&file, name, FILE_LIMIT))
    exit(1);
  size_t before = profile.function_count;
  unsigned flags = profile.flags;
  const char *error = indexed_has_magic(file.bytes)
                          ? indexed_parse_into(&profile, file.bytes,
                                               options->weight, options->events)
                          : raw_parse_into(&profile, file.bytes, options);
  if (error)
    printf("error %s\n", error);
  if (error && (profile.function_count != before || profile.flags != flags))
    printf("error and yet something was added\n");
  file_close(&file);
}

static void load_elf(struct elf *elf, const char *name) {
  static struct file file;
  if (file_read(&file, name, FILE_LIMIT) || elf_open(elf, file.bytes))
    exit(1);
}

int main(int argc, char **argv) {
  static const struct addition_handler events = {event, NULL};
  struct raw_cache cache = {0};
  struct elf elf;
  struct raw_options options = {.weight = 1, .events = &events};
  profile_init(&profile, (size_t)1 << 32);
  for (int i = 1; i < argc; i++)
    if (!strncmp(argv[i], "elf=", 4)) {
      load_elf(&elf, argv[i] + 4);
      options.elf = &elf;
    } else if (!strncmp(argv[i], "weight=", 7)) {
      options.weight = strtoull(argv[i] + 7, NULL, 0);
    } else if (!strcmp(argv[i], "vtables")) {
      vtables_by_name = true;
    } else if (!strcmp(argv[i], "cache")) {
      options.cache = &cache;
    } else {
      read_file(argv[i], &options);
    }
  print_flags();
  struct function_entry **list = profile_list_sorted_functions(&profile);
  for (size_t i = 0; i < profile.function_count; i++)
    for (struct record_counts *at = list[i]->counts; at; at = at->next)
      print_counts(list[i], at);
  print_rest();
  free(list);
  raw_cache_free(&cache);
  profile_free(&profile);
  return 0;
}
