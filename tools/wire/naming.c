/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Names and dumps are put in one order by the number of dumps that have begun.
 */
#include "naming.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = -1 };

struct naming_one {
  size_t begun;
  int sender; /* core and image, or ANY */
  char *text;
};

static int sender_of(unsigned core, unsigned image) {
  return (int)((image & 15) << 4 | (core & 15));
}

static void add(struct naming *naming, struct bytes text, int sender,
                size_t begun) {
  while (text.size && (*text.data == ' ' || *text.data == '\t'))
    text = (struct bytes){text.data + 1, text.size - 1};
  while (text.size && strchr(" \t\r", text.data[text.size - 1]))
    text.size--;
  if (!text.size || naming->count == NAMING_MOST)
    return;
  char *copy = malloc(text.size + 1);
  if (!copy || !list_more(&naming->list, naming->count, sizeof *naming->list)) {
    free(copy);
    naming->no_memory = true;
    return;
  }
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  naming->list[naming->count++] = (struct naming_one){begun, sender, copy};
}

void naming_answer(struct naming *naming, const struct answer *answer,
                   size_t begun) {
  add(naming, answer->name, sender_of(answer->core, answer->image), begun);
}

static void take_line(struct naming *naming, size_t begun) {
  struct ere_span span;
  naming->line[naming->used] = 0;
  naming->used = 0;
  if (!ere_find(naming->pattern, naming->line, &span))
    return;
  struct bytes text = {(const unsigned char *)naming->line + span.begin,
                       span.end - span.begin};
  add(naming, text, ANY, begun);
}

/* Of a line that is too long, the beginning counts. */
void naming_text(struct naming *naming, struct bytes text, size_t begun) {
  if (!naming->pattern)
    return;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == '\n')
      take_line(naming, begun);
    else if (text.data[i] && naming->used < NAMING_LINE - 1)
      naming->line[naming->used++] = (char)text.data[i];
}

const char *naming_of(struct naming *naming, const struct snapshot *dump) {
  int sender = sender_of(dump->header.core, dump->header.image);
  size_t i = naming->count;
  bool any = naming->senders[sender].any;
  size_t before = naming->senders[sender].opened;
  while (i && (naming->list[i - 1].begun > dump->opened ||
               (naming->list[i - 1].sender != ANY &&
                naming->list[i - 1].sender != sender)))
    i--;
  if (!any || dump->opened > before) {
    naming->senders[sender].any = true;
    naming->senders[sender].opened = dump->opened;
  }
  return i && (!any || naming->list[i - 1].begun > before)
             ? naming->list[i - 1].text
             : NULL;
}

void naming_free(struct naming *naming) {
  for (size_t i = 0; i < naming->count; i++)
    free(naming->list[i].text);
  free(naming->list);
  naming->list = NULL;
  naming->count = 0;
}
