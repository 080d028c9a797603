/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sorted list: names are looked up once for each value, and seldom added.
 */
#include "references.h"

#include <stdlib.h>
#include <string.h>

#include "../object/md5.h"

static int by_reference(const void *a, const void *b) {
  const struct reference *one = a, *two = b;
  return (one->reference > two->reference) - (one->reference < two->reference);
}

bool references_new(struct references *references,
                    const struct profile *profile,
                    struct functions_list functions) {
  const char *const *vtables = (const void *)profile->vtables.data;
  size_t vtable_count = profile->vtables.size / sizeof *vtables, count = 0;
  struct reference *list =
      malloc((functions.count + vtable_count + 1) * sizeof *list);
  *references = (struct references){list, 0};
  if (!list)
    return false;
  for (size_t i = 0; i < functions.count; i++)
    list[count++] = (struct reference){functions.list[i]->reference,
                                       functions.list[i]->name};
  for (size_t i = 0; i < vtable_count; i++)
    list[count++] = (struct reference){
        md5_low64(vtables[i], strlen(vtables[i])), vtables[i]};
  qsort(list, count, sizeof *list, by_reference);
  references->count = count;
  return true;
}

void references_free(struct references *references) {
  free(references->list);
  *references = (struct references){NULL, 0};
}

const char *reference_name(const struct references *references,
                           uint64_t reference) {
  const struct reference wanted = {reference, NULL};
  const struct reference *found =
      bsearch(&wanted, references->list, references->count,
              sizeof *references->list, by_reference);
  return found ? found->name : NULL;
}
