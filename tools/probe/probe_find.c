/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What struct probes has, by address and by GUID.
 */
#include <string.h>

#include "../base/compare.h"
#include "../object/digest.h"
#include "probe_inside.h"

size_t probes_from(const struct probes *probes, uint64_t address) {
  return search_from(probes->list, probes->count, address, address);
}

const struct probe *probes_first(const struct probes *probes,
                                 const struct probe_symbol *symbol) {
  size_t i = probes_from(probes, symbol->address);
  return i < probes->count &&
                 probes->list[i].address - symbol->address < symbol->size
             ? &probes->list[i]
             : NULL;
}

uint64_t probe_outermost(const struct probe *probe) {
  uint64_t guid = probe->guid;
  for (const struct probe_frame *at = probe->frame; at; at = at->parent)
    guid = at->guid;
  return guid;
}

const char *probe_type_name(unsigned type) {
  static const char *const names[] = {"Block", "IndirectCall", "DirectCall"};
  return type < sizeof names / sizeof *names ? names[type] : "Unknown";
}

const struct probe_function *probes_function(const struct probes *probes,
                                             uint64_t guid) {
  size_t low =
      search_from(probes->functions, probes->function_count, guid, guid);
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

uint64_t probes_owner(const struct probes *probes,
                      const struct probe_symbol *symbol) {
  const struct probe *first = probes_function(probes, symbol->guid)
                                  ? NULL
                                  : probes_first(probes, symbol);
  return first ? probes->records[first->record].guid : symbol->guid;
}

const char *probes_name(const struct probes *probes, uint64_t guid) {
  const struct probe_function *function = probes_function(probes, guid);
  if (function)
    return function->name;
  const struct probe_name *name = probe_names_find(probes, guid);
  return name ? name->name : NULL;
}

struct probe_name *probe_names_find(const struct probes *probes,
                                    uint64_t guid) {
  size_t low = search_from(probes->names, probes->name_count, guid, guid);
  return low < probes->name_count && probes->names[low].guid == guid
             ? probes->names + low
             : NULL;
}

const struct probe_symbol *probes_symbol(const struct probes *probes,
                                         uint64_t address) {
  size_t behind =
      search_behind(probes->symbols, probes->symbol_count, address, address);
  const struct probe_symbol *symbol = probes->symbols + behind;
  return behind && address - symbol[-1].address < symbol[-1].size ? symbol - 1
                                                                  : NULL;
}

const struct probe_symbol *probes_only(const struct probes *probes,
                                       uint64_t guid) {
  const struct probe_name *name = probe_names_find(probes, guid);
  return name && name->count == 1 ? probes_symbol(probes, name->address) : NULL;
}
