/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Value data is
 *   u32 size of it all, a multiple of 8; u32 number of kinds;
 * and by kind
 *   u32 kind; u32 number of sites; u8 number of values, for each site; zeros
 *   up to a multiple of 8; u64 value, u64 count, for each value of each site
 */
#include "raw.h"
#include "../base/buffer.h"

static const char damaged[] = "its value data is damaged; make the file again";
static const char cut[] =
    "its value data is cut short, or missing; copy it again, or compile with "
    "-mllvm -disable-vp where the runtime writes none";

/* More than the value data of any function. */
enum { DATA_MOST = 1 << 28 };

void sites_new(struct sites *sites) {
  *sites = (struct sites){.values = {.limit = DATA_MOST}};
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    sites->lists[kind].limit = (size_t)DATA_MOST * sizeof(struct site);
}

void sites_free(struct sites *sites) {
  buffer_free(&sites->values);
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    buffer_free(&sites->lists[kind]);
}

/* The sites of a kind. There is room for the values already, so they do not
 * move. */
static const char *read_sites(struct sites *sites, unsigned kind,
                              struct bytes data, bool big) {
  uint32_t count = sites->count[kind];
  const unsigned char *counts = data.data + 8;
  size_t at = (8 + (size_t)count + 7) / 8 * 8;
  struct buffer *list = &sites->lists[kind];
  const char *error = buffer_reserve(list, count * sizeof(struct site));
  for (uint32_t i = 0; i < count && !error; i++) {
    struct site site = {NULL, counts[i], counts[i]};
    if (counts[i])
      site.values =
          (struct value *)(void *)(sites->values.data + sites->values.size);
    for (unsigned j = 0; j < counts[i]; j++, at += 16)
      site.values[j] = (struct value){load64(data.data + at, big),
                                      load64(data.data + at + 8, big)};
    sites->values.size += counts[i] * sizeof *site.values;
    error = buffer_add(list, &site, sizeof site);
  }
  return error;
}

/* Returns the bytes that a kind takes; 0: more than the data has. */
static size_t size_of_kind(struct bytes data, uint32_t count) {
  if (count > data.size - 8)
    return 0;
  size_t values = 0, at = (8 + (size_t)count + 7) / 8 * 8;
  for (uint32_t i = 0; i < count; i++)
    values += data.data[8 + i];
  return at > data.size || values > (data.size - at) / 16 ? 0
                                                          : at + values * 16;
}

static const char *read_kind(struct sites *sites, struct bytes *data,
                             bool big) {
  if (data->size < 8)
    return damaged;
  uint32_t kind = load32(data->data, big);
  uint32_t count = load32(data->data + 4, big);
  size_t size = size_of_kind(*data, count);
  if (kind >= VALUE_KINDS || sites->count[kind] || !count || !size)
    return damaged;
  sites->count[kind] = count;
  const char *error =
      read_sites(sites, kind, (struct bytes){data->data, size}, big);
  data->data += size;
  data->size -= size;
  return error;
}

const char *sites_read(struct sites *sites, const unsigned char **at,
                       const unsigned char *end, bool big) {
  sites->values.size = 0;
  for (unsigned kind = 0; kind < VALUE_KINDS; kind++)
    sites->count[kind] = 0, sites->lists[kind].size = 0;
  if (end - *at < 8)
    return cut;
  uint32_t size = load32(*at, big), kinds = load32(*at + 4, big);
  if (size < 8 || size % 8 || size > DATA_MOST || kinds > VALUE_KINDS)
    return damaged;
  if (size > (size_t)(end - *at))
    return cut;
  struct bytes data = {*at + 8, size - 8};
  const char *error = buffer_reserve(&sites->values, data.size);
  while (kinds-- && !error)
    error = read_kind(sites, &data, big);
  *at += size;
  return error ? error : data.size ? damaged : NULL;
}
