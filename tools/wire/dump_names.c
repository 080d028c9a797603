/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finds the name of each dump. The number of dumps that had begun before a name
 * shows to which dump the name belongs.
 */
#include "frame.h"
#include "../base/storage.h"

#include <stdlib.h>
#include <string.h>

enum { ANY = -1 };

struct dump_name {
  size_t begun;     /* the number of dumps that had begun before the name */
  int sender;       /* the number of the core and image, or ANY */
  unsigned ordinal; /* the name's ordinal; 0: none */
  bool used;
  char *text;
};

static int sender_number(unsigned core, unsigned image) {
  return (int)((image & 15) << 4 | (core & 15));
}

static void add_dump_name(struct dump_names *names, struct bytes text,
                          struct dump_name one) {
  while (text.size && (*text.data == ' ' || *text.data == '\t'))
    text = (struct bytes){text.data + 1, text.size - 1};
  while (text.size && strchr(" \t\r", text.data[text.size - 1]))
    text.size--;
  if (!text.size || names->count == NAMING_MOST)
    return;
  char *copy = malloc(text.size + 1);
  if (!copy ||
      !list_make_room(&names->list, names->count, sizeof *names->list)) {
    free(copy);
    names->no_memory = true;
    return;
  }
  memcpy(copy, text.data, text.size);
  copy[text.size] = 0;
  one.text = copy;
  names->list[names->count++] = one;
}

/* Returns whether the sender's previous name equals this name, because the link
 * has repeated the frame. */
static bool is_repeated_name(const struct dump_names *names, struct bytes text,
                             const struct dump_name *one) {
  for (size_t i = names->count; i-- > 0;) {
    const struct dump_name *before = &names->list[i];
    if (before->sender == one->sender)
      return before->begun == one->begun && before->ordinal == one->ordinal &&
             strlen(before->text) == text.size &&
             !memcmp(before->text, text.data, text.size);
  }
  return false;
}

void dump_names_add_answer(struct dump_names *names,
                           const struct answer *answer, size_t begun) {
  struct dump_name one = {.begun = begun,
                          .sender = sender_number(answer->core, answer->image),
                          .ordinal = answer->ordinal};
  if (!is_repeated_name(names, answer->body, &one))
    add_dump_name(names, answer->body, one);
}

static void add_name_in_line(struct dump_names *names, size_t begun) {
  struct ere_span span;
  names->line[names->used] = 0;
  names->used = 0;
  if (!ere_find(names->pattern, names->line, &span))
    return;
  struct bytes text = {(const unsigned char *)names->line + span.begin,
                       span.end - span.begin};
  add_dump_name(names, text, (struct dump_name){.begun = begun, .sender = ANY});
}

/* Reads console text. If a line is too long, the pattern is only compared with
 * the beginning of the line. */
void dump_names_add_text(struct dump_names *names, struct bytes text,
                         size_t begun) {
  if (!names->pattern)
    return;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] == '\n')
      add_name_in_line(names, begun);
    else if (text.data[i] && names->used < NAMING_LINE - 1)
      names->line[names->used++] = (char)text.data[i];
}

/* Returns the index of a sender's last name before index i, or SIZE_MAX if no
 * such name exists. */
static size_t find_name_before(const struct dump_names *names, size_t i,
                               int sender) {
  while (i--)
    if (names->list[i].sender == ANY || names->list[i].sender == sender)
      return i;
  return SIZE_MAX;
}

/* Returns whether a name may belong to a dump. If dumps and names have
 * ordinals, a name belongs to the dump with the next ordinal. */
static bool name_fits_dump(const struct dump_name *name,
                           const struct dump_header *header) {
  return !name->ordinal || !header->boot_id ||
         (name->ordinal + 1) % 256 == header->ordinal;
}

const char *dump_names_find_and_use(struct dump_names *names,
                                    const struct snapshot *dump,
                                    bool *skipped) {
  int sender = sender_number(dump->header.core, dump->header.image);
  bool any = names->senders[sender].any;
  size_t before = names->senders[sender].opened, i = names->count;
  const char *found = NULL;
  do
    i = find_name_before(names, i, sender);
  while (i != SIZE_MAX && names->list[i].begun > dump->opened);
  if (!any || dump->opened > before) {
    names->senders[sender].any = true;
    names->senders[sender].opened = dump->opened;
  }
  *skipped = false;
  for (; i != SIZE_MAX && (!any || names->list[i].begun > before);
       i = find_name_before(names, i, sender)) {
    struct dump_name *name = &names->list[i];
    if (!found && !name->used && name_fits_dump(name, &dump->header)) {
      found = name->text;
      name->used = true;
    } else if (name->sender != ANY && !name->used) {
      *skipped = true;
    }
  }
  return found;
}

const char *dump_names_get_unused(const struct dump_names *names, size_t i) {
  const struct dump_name *name = &names->list[i];
  return name->sender != ANY && !name->used ? name->text : NULL;
}

void dump_names_free(struct dump_names *names) {
  for (size_t i = 0; i < names->count; i++)
    free(names->list[i].text);
  free(names->list);
  names->list = NULL;
  names->count = 0;
}
