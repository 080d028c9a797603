/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The descriptors of functions: GUID, hash, a ULEB128 length, the name.
 */
#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"
#include "../base/search.h"
#include "inside.h"

static const char cut[] =
    "its section .pseudo_probe_desc is damaged or cut; link it again";

/* What is repeated stays in the order of the file: name lies in an arena that
 * grows, so addresses will not do. */
struct sorted {
  struct probe_function function;
  size_t number;
};

static int by_guid(const void *left, const void *right) {
  const struct sorted *a = left, *b = right;
  if (a->function.guid != b->function.guid)
    return a->function.guid < b->function.guid ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number;
}

static bool next(struct bytes *rest, bool big, struct probe_function *function,
                 struct bytes *name) {
  const unsigned char *end = rest->data + rest->size;
  uint64_t size;
  if (rest->size < 17)
    return false;
  const unsigned char *at = rest->data + 16;
  if (!read_uleb128(&at, end, &size) || size > (size_t)(end - at))
    return false;
  *function = (struct probe_function){load64(rest->data, big),
                                      load64(rest->data + 8, big), NULL};
  *name = (struct bytes){at, (size_t)size};
  *rest = (struct bytes){at + size, (size_t)(end - at - size)};
  return true;
}

static const char *take_all(struct probes *probes, struct bytes rest, bool big,
                            struct sorted *list) {
  struct bytes name;
  for (size_t i = 0; rest.size; i++) {
    struct probe_function *function = &list[i].function;
    if (!next(&rest, big, function, &name))
      return cut;
    list[i].number = i;
    function->name = arena_copy(&probes->arena, name.data, name.size);
    if (!function->name)
      return "not enough memory; free some";
  }
  return NULL;
}

/* The first of each GUID: linkers keep that of a COMDAT, too. */
static void keep_first(struct probes *probes, const struct sorted *list,
                       size_t count) {
  struct probe_function *to = (struct probe_function *)probes->functions;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept && to[kept - 1].guid == list[i].function.guid)
      probes->repeated += to[kept - 1].hash != list[i].function.hash;
    else
      to[kept++] = list[i].function;
  }
  probes->function_count = kept;
}

const char *probe_functions_read(struct probes *probes, struct bytes section,
                                 bool big) {
  struct bytes rest = section, name;
  struct probe_function function;
  size_t count = 0;
  for (; rest.size; count++)
    if (!next(&rest, big, &function, &name))
      return cut;
  struct sorted *list = calloc(count + 1, sizeof *list);
  probes->functions =
      arena_take(&probes->arena, (count + 1) * sizeof *probes->functions);
  const char *error = list && probes->functions
                          ? take_all(probes, section, big, list)
                          : "not enough memory; free some";
  if (!error) {
    qsort(list, count, sizeof *list, by_guid);
    keep_first(probes, list, count);
  }
  free(list);
  return error;
}

const struct probe_function *probes_function(const struct probes *probes,
                                             uint64_t guid) {
  size_t low = search_key(probes->functions, sizeof *probes->functions,
                          probes->function_count, guid);
  return low < probes->function_count && probes->functions[low].guid == guid
             ? &probes->functions[low]
             : NULL;
}

const struct probe_function *probes_described(const struct probes *probes,
                                              uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  const struct probe_name *name =
      function ? NULL : probe_names_find(probes, guid);
  const char *part = name ? strstr(name->name, ".cold") : NULL;
  if (!part)
    return function;
  return probes_function(probes,
                         md5_low64(name->name, (size_t)(part - name->name)));
}

const char *probes_name(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  if (function)
    return function->name;
  const struct probe_name *name = probe_names_find(probes, guid);
  return name ? name->name : NULL;
}
