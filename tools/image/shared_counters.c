/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks that functions do not share counters. The runtime does not make this
 * check (runtime/image_layout.c), because the target would have to sort the
 * records. */
#include <stdlib.h>

#include "../base/compare.h"
#include "../base/error.h"
#include "image.h"

/* The range of a piece that one record claims, in bytes. */
struct claimed_range {
  uint64_t at, end;
  size_t number; /* index of the record */
};

static struct record read_numbered_record(const struct record_table *of,
                                          size_t number) {
  struct record record;
  size_t offset = number * of->form.layout->record_size;
  record_read(&of->form, of->records.data + offset, of->address + offset,
              &record);
  return record;
}

/* Returns the range of the counters, or of the bitmap, that a record claims.
 * The range is empty if the record has none. */
static struct claimed_range claimed_range_of(const struct record_table *of,
                                             size_t number, bool bitmap) {
  const struct record record = read_numbered_record(of, number);
  struct claimed_range claim = {record.counters, 0, number};
  uint64_t size = (uint64_t)record.counter_count * of->counter_size;
  if (bitmap) {
    claim.at = record.bitmap;
    size = of->counter_size == 1 && record_has_mcdc_bytes(&record)
               ? 0
               : record.bitmap_size;
  }
  claim.at = record_narrow_address(
      &of->form, claim.at - (bitmap ? of->bitmap : of->counters));
  claim.end = claim.at + size;
  return claim;
}

/* Returns whether the claims ascend. Most linkers keep claims in order. */
static bool are_claims_ascending(const struct record_table *of, size_t count,
                                 bool bitmap) {
  uint64_t end = 0;
  for (size_t i = 0; i < count; i++) {
    struct claimed_range claim = claimed_range_of(of, i, bitmap);
    if (claim.at < end && claim.at != claim.end)
      return false;
    end = claim.at != claim.end ? claim.end : end;
  }
  return true;
}

ORDER_BY(by_place, struct claimed_range, x->at, x->number);

/* Returns whether two records are twins. Records are twins if several objects
 * define the function and the linker kept one definition. */
static bool are_twin_records(const struct record_table *of,
                             const struct claimed_range *a,
                             const struct claimed_range *b) {
  const struct record x = read_numbered_record(of, a->number),
                      y = read_numbered_record(of, b->number);
  return a->at == b->at && a->end == b->end && x.name == y.name &&
         x.hash == y.hash;
}

static const char *check_claims_and_mark_twins(const struct record_table *of,
                                               size_t count, bool bitmap,
                                               unsigned char *twins) {
  struct claimed_range *list = malloc((count + 1) * sizeof *list);
  const char *error = list ? NULL : out_of_memory;
  size_t kept = 0, first = 0;
  for (size_t i = 0; i < count && list; i++) {
    list[kept] = claimed_range_of(of, i, bitmap);
    kept += list[kept].at != list[kept].end;
  }
  sort_array(list, kept, sizeof *list, by_place);
  for (size_t i = 1; i < kept && !error; i++) {
    if (list[i].at >= list[first].end)
      first = i;
    else if (!are_twin_records(of, &list[first], &list[i]))
      error = "two functions count in the same counters: the ELF is damaged, "
              "or has objects of two compilers, or different weak definitions; "
              "see bareprof explain RECORD";
    else if (!bitmap)
      twins[list[i].number] = 1;
  }
  free(list);
  return error;
}

const char *shared_counters_check_and_mark(const struct record_table *of,
                                           unsigned char **twins) {
  size_t count = of->records.size / of->form.layout->record_size;
  const char *error = NULL;
  *twins = NULL;
  for (int bitmap = 0; bitmap <= 1 && !error; bitmap++) {
    if (are_claims_ascending(of, count, bitmap))
      continue;
    if (!*twins && !(*twins = calloc(count, 1)))
      return out_of_memory;
    error = check_claims_and_mark_twins(of, count, bitmap, *twins);
  }
  if (error) {
    free(*twins);
    *twins = NULL;
  }
  return error;
}
