/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Records, counters, names and the rest, as a compiler and a linker leave
 * them.
 */
#include "compose.h"

#include <string.h>

const char *const function_names[FUNCTIONS] = {"alpha", "beta", "gamma",
                                               "delta"};
/* The first half of the MD5 of each name, little end first. */
static const uint64_t name_refs[FUNCTIONS] = {
    UINT64_C(0xbf5f3091a343172c), UINT64_C(0xb29e921bb0ca7b98),
    UINT64_C(0xb8b72c24d748b005), UINT64_C(0x18999a6af8abbc63)};

/* counters, bitmap bytes, value sites of three kinds, hole */
const struct plan plans[] = {
    {"plain", 7, 0, 3,
     {{1, 0, {0}, 0}, {2, 0, {0}, 0}, {3, 0, {0}, 0}}, 0, 0},
    {"one function", 7, 0, 1, {{2, 0, {0}, 0}}, 0, 0},
    /* More than the writer copies at a time, twice, and one over. */
    {"39 counters", 7, 0, 2, {{20, 0, {0}, 0}, {19, 0, {0}, 0}}, 0, 0},
    {"bitmaps", 9, 0, 4,
     {{1, 0, {0}, 0}, {2, 3, {0}, 0}, {3, 0, {0}, 0}, {1, 2, {0}, 0}}, 0, 0},
    {"bitmaps of 8", 9, 0, 2, {{1, 7, {0}, 0}, {1, 1, {0}, 0}}, 0, 0},
    {"byte counters", 8, IR | BYTES, 3,
     {{1, 0, {0}, 0}, {2, 0, {0}, 0}, {2, 0, {0}, 0}}, 0, 0},
    {"8 byte counters", 8, IR | BYTES, 2,
     {{5, 0, {0}, 0}, {3, 0, {0}, 0}}, 0, 0},
    /* As much as alignment to 8 may leave. */
    {"byte counters behind holes", 8, IR | BYTES, 3,
     {{1, 0, {0}, 7}, {2, 0, {0}, 7}, {2, 0, {0}, 7}}, 0, 0},
    {"byte counters for bits", 10, BYTES | OUTCOMES, 3,
     {{5, 3, {0}, 0}, {2, 0, {0}, 0}, {10, 9, {0}, 7}}, 20, 0},
    {"function entries", 8, IR | BYTES | ENTRY_ONLY, 3,
     {{1, 0, {0}, 0}, {1, 0, {0}, 0}, {1, 0, {0}, 0}}, 0, 0},
    {"sites of one kind", 7, IR, 3,
     {{1, 0, {0}, 0}, {2, 0, {2, 0}, 0}, {1, 0, {0}, 0}}, 0, 0},
    {"sites of two kinds", 7, IR, 3,
     {{1, 0, {0, 9}, 0}, {2, 0, {8, 1}, 0}, {1, 0, {0}, 0}}, 0, 0},
    {"sites of three kinds", 10, IR, 3,
     {{1, 0, {0, 0, 3}, 0}, {2, 0, {1, 2, 3}, 0}, {1, 0, {0}, 0}}, 0, 0},
    {"id of 8 bytes", 7, 0, 1, {{1, 0, {0}, 0}}, 8, 0},
    {"id of 20 bytes", 7, 0, 2, {{1, 0, {0}, 0}, {1, 0, {0}, 0}}, 20, 0},
    {"id of 13 bytes", 7, 0, 1, {{1, 0, {0}, 0}}, 13, 0},
    {"id of 1 byte", 7, 0, 1, {{1, 0, {0}, 0}}, 1, 0},
    /* A vtable site comes with an indirect call in the same function. */
    {"vtables", 10, IR, 2, {{1, 0, {0}, 0}, {1, 0, {0, 0, 1}, 0}}, 0, 1},
};
const unsigned plan_count = sizeof plans / sizeof *plans;

const struct plan everything = {
    "everything", 7, IR, 4,
    {{1, 0, {0}, 0}, {2, 3, {2, 0, 1}, 0}, {3, 0, {0, 9}, 0},
     {2, 2, {0}, 0}},
    20, 2};
const struct plan everything_bytes = {
    "everything in bytes", 7, IR | BYTES, 4,
    {{1, 0, {0}, 0}, {2, 3, {2, 0, 1}, 0}, {3, 0, {0, 9}, 7},
     {2, 2, {0}, 0}},
    13, 1};

#ifdef BAREPROF_FOREIGN
const struct target machines[] = {{0, 8, 0}, {0, 8, 1}, {0, 4, 0}, {0, 4, 1}};
const char *const flavour_name = "foreign";
#else
const struct target machines[] = {{0, 8, 0}};
#ifdef HALVES
const char *const flavour_name = "native, counters in halves,";
#else
const char *const flavour_name = "native";
#endif
#endif
const unsigned machine_count = sizeof machines / sizeof *machines;

uint64_t function_hash(unsigned function) {
  return UINT64_C(0x0123456789abcdef) * (2 * function + 1);
}

uint64_t planned_count(const struct plan *plan, unsigned function,
                       unsigned counter) {
  if (plan->mode & BYTES)
    return (function + counter) % 2 ? 0xFF : 0;
  /* The first ones need all of their 64 bits to be put in order. */
  uint64_t base = function ? 10 * function : UINT64_C(0x1020304050607);
  return base + counter;
}

/* Where a linker might have put the pieces: with counters before or behind
 * the records, so that distances of both signs occur. Natively the pieces
 * are where they are. */
static void place(struct firmware *to) {
#ifdef BAREPROF_FOREIGN
  uint64_t high = to->target.pointer == 8 ? UINT64_C(0x12345600000000) : 0;
  to->records_address = high + (to->target.big ? 0x20001000 : 0x90001000);
  to->counters_address = high + (to->target.big ? 0x90000100 : 0x20000100);
  to->bitmap_address = to->counters_address + 0x1001;
  to->names_address = to->records_address + 0x2003;
#else
  to->records_address = (uintptr_t)to->records;
  to->counters_address = (uintptr_t)to->counters;
  to->bitmap_address = (uintptr_t)to->bitmap;
  to->names_address = (uintptr_t)to->names;
#endif
}

static void put(const struct target *target, unsigned char *record,
                enum record_field field, uint64_t value) {
  size_t at = record_offset(target, field);
  if (at != NOWHERE)
    store(target, record + at, record_width(target, field), value);
}

static void put_record(struct firmware *to, const struct plan *plan,
                       unsigned i, unsigned version) {
  const struct target target = {version, to->target.pointer, to->target.big};
  unsigned char *record = to->records + to->record_at[i];
  uint64_t base = to->records_address + to->record_at[i];
  uint64_t counters = to->counters_address + to->counters_at[i];
  bool sites = false;
  for (unsigned kind = 0; kind < (version >= 10 ? 3 : 2); kind++)
    sites |= plan->function[i].sites[kind] != 0;

  put(&target, record, R_NAME_REF, name_refs[i]);
  put(&target, record, R_FUNC_HASH, function_hash(i));
  put(&target, record, R_COUNTER_PTR,
      version == 7 ? counters : counters - base);
  if (plan->function[i].bitmap)
    put(&target, record, R_BITMAP_PTR,
        (plan->mode & OUTCOMES ? counters
                               : to->bitmap_address + to->bitmap_at[i]) -
            base);
  if (sites) {
    put(&target, record, R_FUNCTION_PTR, base + 0x400 * (i + 1));
    put(&target, record, R_VALUES, counters + 0x1000);
  }
  put(&target, record, R_NUM_COUNTERS, plan->function[i].counters);
  for (unsigned kind = 0; kind < 3; kind++)
    put(&target, record, R_SITES_0 + kind, plan->function[i].sites[kind]);
  put(&target, record, R_NUM_BITMAP_BYTES, plan->function[i].bitmap);
  to->record_at[i + 1] = to->record_at[i] + record_offset(&target, R_FIELDS);
}

static void put_counts(struct firmware *to, const struct plan *plan,
                       unsigned i) {
  unsigned width = plan->mode & BYTES ? 1 : 8;
  size_t at = to->counters_at[i] + plan->function[i].hole;
  to->counters_at[i] = at;
  for (unsigned j = 0; j < plan->function[i].counters; j++, at += width)
    store(&to->target, to->counters + at, width, planned_count(plan, i, j));
  to->counters_at[i + 1] = at;
  at = to->bitmap_at[i];
  to->bitmap_at[i + 1] = at;
  if (to->target.version < 9 || plan->mode & OUTCOMES)
    return;
  for (unsigned j = 0; j < plan->function[i].bitmap; j++)
    to->bitmap[at++] = (unsigned char)(0x51 + 16 * i + j);
  to->bitmap_at[i + 1] = at;
}

/* Sections that are blobs to the runtime. Returns the size of the names. */
static size_t put_names(struct firmware *to, const struct plan *plan) {
  size_t size = 2;
  for (unsigned i = 0; i < plan->functions; i++) {
    size_t length = strlen(function_names[i]);
    if (i)
      to->names[size++] = 1;
    memcpy(to->names + size, function_names[i], length);
    size += length;
  }
  to->names[0] = (unsigned char)(size - 2);
  return size;
}

static size_t put_vtables(struct firmware *to, unsigned count) {
  size_t size = to->target.pointer == 8 ? 24 : 16;
  for (unsigned i = 0; i < count; i++) {
    unsigned char *vtable = to->vtables + i * size;
    store(&to->target, vtable, 8, 77 + i);
    store(&to->target, vtable + 8, to->target.pointer, 0x6000 + 64 * i);
    store(&to->target, vtable + 8 + to->target.pointer, 4, 40);
  }
  return count * size;
}

static size_t put_note(struct firmware *to, unsigned size) {
  if (!size)
    return 0;
  store(&to->target, to->build_id, 4, 4);
  store(&to->target, to->build_id + 4, 4, size);
  store(&to->target, to->build_id + 8, 4, 3);
  memcpy(to->build_id + 12, "GNU", 4);
  for (unsigned i = 0; i < size; i++)
    to->build_id[16 + i] = (unsigned char)(0xA0 + i);
  return 16 + (size + 3) / 4 * 4;
}

static struct bareprof_span span(const unsigned char *bytes, size_t size,
                                 uint64_t address) {
  struct bareprof_span span = {.begin = bytes, .end = bytes + size};
#ifdef BAREPROF_FOREIGN
  span.address = address;
#else
  (void)address;
#endif
  return span;
}

void compose_mixed(struct firmware *to, const struct target *target,
                   const struct plan *plan, const unsigned *versions) {
  memset(to, 0, sizeof *to);
  to->target = *target;
  to->word = target->version | (plan->mode & ~OUTCOMES);
  place(to);
  for (unsigned i = 0; i < plan->functions; i++) {
    /* A version without bitmaps leaves none; all others share the section. */
    to->target.version = versions[i];
    put_counts(to, plan, i);
    put_record(to, plan, i, versions[i]);
  }
  to->target.version = target->version;
  to->values = (struct bareprof_values){to->slots, &to->state, 1, 8, 8};
  unsigned last = plan->functions;
  to->image = (struct bareprof_image){
      .version = &to->word,
      .records = span(to->records, to->record_at[last], to->records_address),
      .counters =
          span(to->counters, to->counters_at[last], to->counters_address),
      .bitmap = span(to->bitmap, to->bitmap_at[last], to->bitmap_address),
      .names = span(to->names, put_names(to, plan), to->names_address),
      .values = &to->values,
      .build_id = span(to->build_id, put_note(to, plan->build_id), 0x8000),
#ifdef BAREPROF_FOREIGN
      .pointer_size = (uint8_t)target->pointer,
      .big_endian = (uint8_t)target->big,
#endif
  };
  if (plan->vtables && target->version >= 10) {
    /* Stored, not compressed. */
    static const unsigned char blob[] = "\7\0_ZTV2AB";
    memcpy(to->vtable_names, blob, 9);
    to->image.vtables =
        span(to->vtables, put_vtables(to, plan->vtables), 0x9000);
    to->image.vtable_names = span(to->vtable_names, 9, 0xA000);
  }
}

void compose(struct firmware *to, const struct target *target,
             const struct plan *plan) {
  unsigned versions[FUNCTIONS];
  for (unsigned i = 0; i < FUNCTIONS; i++)
    versions[i] = target->version;
  compose_mixed(to, target, plan, versions);
}

int capture_write(void *context, const void *bytes, size_t size) {
  struct capture *to = context;
  to->calls++;
  if (!bytes || !size)
    to->null_or_empty = true;
  else if (to->size + size <= sizeof to->bytes)
    memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return 0;
}

int capture_image(struct capture *to, const struct bareprof_image *image) {
  const struct bareprof_sink sink = {capture_write, to};
  memset(to, 0, sizeof *to);
  return bareprof_write_image(image, &sink);
}
