/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Matches names to dumps. Names and dumps are ordered by how many dumps had
 * begun before them.
 */
#include "frame.h"
#include "../base/storage.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = -1 };

struct naming_one {
  size_t begun;
  int sender;       /* core and image; or ANY */
  unsigned ordinal; /* 0: none */
  bool used;
  char *text;
};

static int sender_of(unsigned core, unsigned image) {
  return (int)((image & 15) << 4 | (core & 15));
}

static void add_name(struct naming *naming, struct bytes text,
                     struct naming_one one) {
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
  one.text = copy;
  naming->list[naming->count++] = one;
}

/* Whether this sender's last name is the same: the link repeated it. */
static bool is_repeated(const struct naming *naming, struct bytes text,
                        const struct naming_one *one) {
  for (size_t i = naming->count; i-- > 0;) {
    const struct naming_one *before = &naming->list[i];
    if (before->sender == one->sender)
      return before->begun == one->begun && before->ordinal == one->ordinal &&
             strlen(before->text) == text.size &&
             !memcmp(before->text, text.data, text.size);
  }
  return false;
}

void naming_answer(struct naming *naming, const struct answer *answer,
                   size_t begun) {
  struct naming_one one = {.begun = begun,
                           .sender = sender_of(answer->core, answer->image),
                           .ordinal = answer->ordinal};
  if (!is_repeated(naming, answer->body, &one))
    add_name(naming, answer->body, one);
}

static void match_line(struct naming *naming, size_t begun) {
  struct ere_span span;
  naming->line[naming->used] = 0;
  naming->used = 0;
  if (!ere_find(naming->pattern, naming->line, &span))
    return;
  struct bytes text = {(const unsigned char *)naming->line + span.begin,
                       span.end - span.begin};
  add_name(naming, text, (struct naming_one){.begun = begun, .sender = ANY});
}

/* Matches only the beginning of a line that is too long. */
void naming_text(struct naming *naming, struct bytes text, size_t begun) {
  if (!naming->pattern)
    return;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == '\n')
      match_line(naming, begun);
    else if (text.data[i] && naming->used < NAMING_LINE - 1)
      naming->line[naming->used++] = (char)text.data[i];
}

/* Returns the index of a sender's last name before index i; SIZE_MAX if there
 * is none. */
static size_t name_before(const struct naming *naming, size_t i, int sender) {
  while (i--)
    if (naming->list[i].sender == ANY || naming->list[i].sender == sender)
      return i;
  return SIZE_MAX;
}

/* With ordinals, a name belongs to the dump with the next ordinal. */
static bool belongs_to(const struct naming_one *name,
                       const struct header *header) {
  return !name->ordinal || !header->start ||
         (name->ordinal + 1) % 256 == header->ordinal;
}

const char *naming_of(struct naming *naming, const struct snapshot *dump,
                      bool *skipped) {
  int sender = sender_of(dump->header.core, dump->header.image);
  bool any = naming->senders[sender].any;
  size_t before = naming->senders[sender].opened, i = naming->count;
  const char *found = NULL;
  do
    i = name_before(naming, i, sender);
  while (i != SIZE_MAX && naming->list[i].begun > dump->opened);
  if (!any || dump->opened > before) {
    naming->senders[sender].any = true;
    naming->senders[sender].opened = dump->opened;
  }
  *skipped = false;
  for (; i != SIZE_MAX && (!any || naming->list[i].begun > before);
       i = name_before(naming, i, sender)) {
    struct naming_one *name = &naming->list[i];
    if (!found && !name->used && belongs_to(name, &dump->header)) {
      found = name->text;
      name->used = true;
    } else if (name->sender != ANY && !name->used) {
      *skipped = true;
    }
  }
  return found;
}

const char *naming_unused(const struct naming *naming, size_t i) {
  const struct naming_one *name = &naming->list[i];
  return name->sender != ANY && !name->used ? name->text : NULL;
}

void naming_free(struct naming *naming) {
  for (size_t i = 0; i < naming->count; i++)
    free(naming->list[i].text);
  free(naming->list);
  naming->list = NULL;
  naming->count = 0;
}
