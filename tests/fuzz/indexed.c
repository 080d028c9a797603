/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/profile/indexed_read*. The input says which profile is put
 * together, of any version, and what is then edited; or it is the file. What
 * holds: a file that is refused adds nothing, one that is not edited is read,
 * and counts add up. With lost_on_error the same files are read, and the same
 * rejected. Windows have the same data, or report an error.
 */
#include <string.h>

#include "indexed.h"
#include "digest.h"
#include "profiles.h"

enum { MOST = 8192, EDITS_MOST = 24 };
#define LIMIT ((size_t)64 << 20)

static unsigned char file[MOST];
static size_t size;
static uint64_t version;
static bool proper; /* each function is where its MD5 says */

static void put(uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width && size < MOST; i++)
    file[size++] = i < 8 ? (unsigned char)(value >> 8 * i) : 0;
}

static void set(size_t at, uint64_t value) {
  size_t end = size;
  size = at;
  put(value, 8);
  size = end;
}

static void pad(size_t begin) {
  while ((size - begin) % 8)
    put(0, 1);
}

static void put_sites(struct input *input) {
  size_t begin = size;
  unsigned kinds = take(input) % 4;
  put(0, 4);
  put(kinds, 4);
  for (unsigned kind = 0; kind < kinds; kind++) {
    unsigned sites = 1 + take(input) % 3, counts = take(input);
    put(kind, 4);
    put(sites, 4);
    for (unsigned i = 0; i < sites; i++)
      put(counts >> 2 * i & 3, 1);
    pad(begin);
    for (unsigned i = 0; i < sites; i++)
      for (unsigned j = 0; j < (counts >> 2 * i & 3); j++) {
        put(take(input), 8);
        put(take(input), 8);
      }
  }
  size_t end = size;
  size = begin;
  put(end - begin, 4);
  size = end;
}

static uint64_t md5_of(unsigned number) {
  const unsigned char name[] = {(unsigned char)('a' + number), 'b'};
  return md5_low64(name, sizeof name);
}

static void put_function(struct input *input, unsigned number) {
  unsigned records = version == 1 ? 1 : 1 + take(input) % 2;
  bool right = take(input) % 64;
  proper = proper && right;
  put(right ? md5_of(number) : number, 8);
  put(2, 8);
  size_t length = size;
  put(0, 8);
  put('a' + number, 1);
  put('b', 1);
  size_t begin = size;
  for (unsigned i = 0; i < records; i++) {
    unsigned counters = 1 + take(input) % 4;
    put(i, 8);
    if (version > 1)
      put(counters, 8);
    for (unsigned j = 0; j < counters; j++)
      put(take(input), 8);
    unsigned bitmap = version >= 11 ? take(input) % 3 : 0;
    if (version >= 11)
      put(bitmap, 8);
    for (unsigned j = 0; j < bitmap; j++)
      put(take(input), 8);
    if (version >= 3)
      put_sites(input);
  }
  set(length, size - begin);
}

static void put_table(struct input *input) {
  size_t offsets[4] = {0};
  unsigned functions = 0, number = 0;
  for (unsigned i = 0; i < 4; i++) {
    unsigned variant = take(input), count = variant % 3;
    proper = proper && variant < 252;
    if (!count)
      continue;
    offsets[i] = size;
    put(count, 2);
    for (; count--; functions++) {
      while (variant < 252 && (md5_of(number) & 3) != i)
        number++;
      put_function(input, number++);
    }
  }
  pad(0);
  set(32, size);
  put(4, 8);
  put(functions, 8);
  for (unsigned i = 0; i < 4; i++)
    put(offsets[i], 8);
}

static void put_rest(struct input *input, bool memory, bool traces) {
  if (memory) {
    set(40, size);
    put(take(input) % 6, 8);
    put(take(input), 8);
  }
  if (version >= 9) {
    unsigned length = 1 + take(input) % 20;
    set(48, size);
    put(8 + (length + 7) / 8 * 8, 8);
    put(length, 8);
    for (unsigned i = 0; i < length; i++)
      put(take(input), 1);
    pad(0);
  }
  if (version >= 12) {
    set(64, size);
    put(5, 8);
    put(3, 1);
    put(0, 1);
    put('v' << 16 | 1 << 8 | 'w', 3);
    pad(0);
  }
  if (!traces)
    return;
  unsigned count = take(input) % 4;
  set(56, size);
  put(count, 8);
  put(count + take(input), 8);
  while (count--) {
    unsigned functions = take(input) % 4;
    put(1, 8);
    put(functions, 8);
    for (unsigned i = 0; i < functions; i++)
      put(take(input), 8);
  }
}

static void compose(struct input *input) {
  static const unsigned char sizes[14] = {0,  40, 40, 40, 40, 40, 40,
                                          40, 48, 56, 64, 64, 72, 72};
  unsigned variant = take(input);
  version = 1 + take(input) % 13;
  bool memory = variant & 64 && version >= 8;
  bool traces = variant & 128 && version >= 10;
  proper = !memory;
  memcpy(file, "\377lprofi\201", 8);
  size = 8;
  put(version | (uint64_t)(variant & 0x35) << 56 | (uint64_t)memory << 62 |
          (uint64_t)traces << 63,
      8);
  put(0, sizes[version] - 16u);
  put_table(input);
  put_rest(input, memory, traces);
}

static bool edit(struct input *input) {
  bool edited = false;
  for (unsigned i = 0; more(input) && i < EDITS_MOST && size; i++) {
    size_t at = take_place(input, size, 40, 64);
    unsigned what = take(input);
    edited = true;
    if (!edit_byte(input, &file[at], what) && what > 200)
      size = at + 1;
  }
  return edited;
}

/* Reads the file in one pass, without a check before. */
static void read_at_once(struct bytes bytes, const char *error, uint64_t once) {
  struct profile profile;
  profile_init(&profile, LIMIT);
  profile.lost_on_error = true;
  const char *other = indexed_parse_into(&profile, bytes, 1, NULL);
  must(!error == !other, "at once the same is read");
  must(error || sum_of(&profile) == once, "at once counts are the same");
  profile_free(&profile);
}

static void see(void *context, const struct bytes *name,
                const struct record_counts *counts) {
  (void)name;
  for (uint32_t i = 0; i < counts->counter_count; i++)
    *(uint64_t *)context += counts->counters[i];
}

/* Reads it in windows of some buckets, after a look. */
static void read_in_windows(struct bytes bytes, const char *error,
                            const struct profile *whole, bool can) {
  struct profile rest;
  uint64_t seen = 0, sum = 0, functions = 0;
  profile_init(&rest, LIMIT);
  struct indexed_window_reader *windows = indexed_windows_new(bytes, &rest);
  size_t step = windows ? (windows->buckets + 1) / 2 : 0;
  if (windows)
    indexed_windows_visit_records(windows, see, &seen);
  for (size_t i = 0; i < step; i++) {
    indexed_windows_load(windows, i, i + 1, step, NULL);
    sum += sum_of(&windows->profile);
    functions += windows->profile.function_count;
  }
  must(!can || (windows && indexed_windows_are_valid(windows, true)),
       "what LLVM writes is read in windows");
  if (windows && indexed_windows_are_valid(windows, true)) {
    must(!error && !events, "what windows take is right, and nothing is said");
    must(sum == sum_of(whole) && sum == seen, "windows have the same counts");
    must(functions == whole->function_count, "windows have all functions");
    must(rest.trace_count == whole->trace_count, "windows have the traces");
    must(rest.ids.size == whole->ids.size, "windows have the ids");
  }
  indexed_windows_free(windows);
  profile_free(&rest);
}

/* Whether the windows find all of a profile by reference, name and hash. */
static bool finds_all(struct indexed_window_reader *windows,
                      const struct profile *whole) {
  bool same = true;
  for (size_t i = 0; i < whole->function_count && same; i++) {
    const struct function_entry *function = whole->arrived[i];
    struct bytes name = indexed_windows_find_name(windows, function->reference);
    same = name.data && name.size == function->name_size &&
           !memcmp(name.data, function->name, name.size);
    for (const struct record_counts *at = function->counts; at && same;
         at = at->next) {
      const struct record_counts *found =
          indexed_windows_load_record(windows, name, at->hash);
      same = found->counter_count == at->counter_count &&
             found->more->bitmap_size == at->more->bitmap_size &&
             !memcmp(found->counters, at->counters, 8 * at->counter_count);
    }
  }
  return same;
}

/* Looks at all its functions, and reads some of them again. */
static void read_alone(struct bytes bytes, const char *error,
                       const struct profile *whole, bool can) {
  struct profile rest;
  uint64_t seen = 0;
  profile_init(&rest, LIMIT);
  struct indexed_window_reader *windows = indexed_windows_new(bytes, &rest);
  bool right =
      windows && indexed_windows_visit_and_check(windows, true, see, &seen);
  must(!can || right, "what LLVM writes is read alone");
  if (right) {
    must(!error && !events, "what is read alone is right, nothing is said");
    must(seen == sum_of(whole), "alone counts are the same");
    must(finds_all(windows, whole), "alone all is found again");
  }
  indexed_windows_free(windows);
  profile_free(&rest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_size) {
  struct input input = {data, data + data_size};
  bool whole = false;
  size = 0;
  if (take(&input) % 8) {
    compose(&input);
    whole = size < MOST && !edit(&input);
  } else {
    size = (size_t)(input.end - input.at) % MOST;
    if (size)
      memcpy(file, input.at, size);
  }
  /* Of its very size, for the sanitizer. */
  unsigned char *block = malloc(size + !size);
  memcpy(block, file, size);
  struct bytes bytes = {block, size};
  static const struct addition_handler listener = {event, NULL};
  struct profile profile;
  profile_init(&profile, LIMIT);
  events = 0;
  const char *error = indexed_parse_into(&profile, bytes, 1, &listener);
  uint64_t once = sum_of(&profile);
  must(!whole || !error, "what is whole is read");
  must(!error || (profile.function_count == 0 && !profile.flags),
       "what is refused adds nothing");
  read_in_windows(bytes, error, &profile, whole && proper && !error);
  read_alone(bytes, error, &profile, whole && proper && !error);
  if (!error && !profile.memprof.size) {
    must(!indexed_parse_into(&profile, bytes, 1, &listener),
         "it is read again");
    must(events || sum_of(&profile) == 2 * once, "counts add up");
  }
  profile_free(&profile);
  read_at_once(bytes, error, once);
  free(block);
  return 0;
}
