/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions of a file, by name.
 */
#include "../object/md5.h"
#include "lower_inside.h"

const char *lower_function(struct lowering *l, struct piece word,
                           uint32_t *number) {
  struct piece name = lower_name(word);
  const struct lower_function made = {.name = word,
                                      .guid = md5_low64(name.at, name.size),
                                      .place = l->places.now};
  bool is_new;
  const char *error = probe_table_number(&l->table, made.guid, number, &is_new);
  return !error && is_new ? buffer_append(&l->functions, &made, sizeof made)
                          : error;
}
