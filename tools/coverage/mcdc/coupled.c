/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file puts the conditions of a decision that must have equal or opposite
 * values into groups, which decision.c uses. The texts of conditions are
 * compared without blanks, outer brackets and negations, and with comparisons
 * turned one way: !(a != 0) becomes a == 0, the negation of a. This file does
 * not know types, so any text that might have a side effect is treated as if it
 * had one.
 */
#include "mcdc.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/compare.h"
#include "../../base/need.h"

static const char changes[] = "two conditions have the same text, and what "
                              "they read may change between them";
static const char too_many[] = "too many conditions have the same text";

/* ---- side effects ---- */

/* Returns whether the = or the doubled + or - at this place is an
 * assignment. */
static bool is_assignment(struct bytes text, size_t at) {
  int before = at ? text.data[at - 1] : 0, here = text.data[at];
  int behind = at + 1 < text.size ? text.data[at + 1] : 0;
  if (here == '+' || here == '-')
    return behind == here;
  if (here != '=' || behind == '=' || before == '=' || before == '!')
    return false;
  return (before != '<' && before != '>') ||
         (at > 1 && text.data[at - 2] == before); /* part of <<= or >>= */
}

/* Returns whether a text may call a function or assign to a variable. */
static bool has_side_effect(struct bytes text) {
  static const char *const harmless[] = {"sizeof", "and", "or", "not", NULL};
  static const char *const wild[] = {
      "volatile", "asm", "__asm__", "co_await", "new", "delete", NULL};
  bool callable = false; /* A bracket at this place would be a call. */
  struct bytes word;
  for (size_t end = 0; (word = token_find_next(text, &end)).size;) {
    int here = *word.data;
    if ((here == '(' && callable) || here == '{' ||
        is_assignment(text, end - word.size) || token_is_one_of(word, wild))
      return true;
    callable = (token_is_word_byte(here) && !token_is_one_of(word, harmless)) ||
               here == ')' || here == ']';
  }
  return false;
}

/* ---- volatile words ---- */

static bool list_has_word(const struct bytes *list, size_t count,
                          struct bytes word) {
  for (size_t i = 0; i < count; i++)
    if (compare_bytes(list[i].data, list[i].size, word.data, word.size) == 0)
      return true;
  return false;
}

/* The state while the declarations of a file are read. */
struct declaration_scan {
  struct volatile_words *declared;
  /* A bit for each open bracket, bit 0 for the innermost one. The bit is 1 if a
   * maker (see declares_volatile) stands before the bracket. */
  uint64_t made;
  unsigned depth;     /* number of open brackets */
  unsigned type;      /* depth of the current typedef + 1; or 0 */
  struct bytes named; /* last word that may be the name of the typedef */
};

static bool declares_volatile(const struct volatile_words *declared,
                              struct bytes word) {
  static const char *const makers[] = {"volatile", "_Atomic", "atomic", "__IO",
                                       "__I",      "__O",     "__IOM",  "__IM",
                                       "__OM",     NULL};
  return token_is_one_of(word, makers) ||
         (word.size > 7 && !memcmp(word.data, "atomic_", 7)) ||
         list_has_word(declared->types, declared->type_count, word);
}

static void parse_declaration_word(struct declaration_scan *all,
                                   struct bytes word) {
  static const char *const types[] = {"typedef", NULL};
  struct volatile_words *declared = all->declared;
  if (token_is_one_of(word, types)) {
    all->type = all->depth + 1;
  } else if (declares_volatile(declared, word)) {
    all->made |= 1;
  } else if (all->made & 1) {
    LIST_ADD(declared->words, declared->count, word);
    if (all->type == all->depth + 1)
      all->named = word;
  }
}

/* Ends a name at a comma in a declaration. If `whole` is set, ends the
 * declaration. */
static void end_declaration(struct declaration_scan *all, bool whole) {
  struct volatile_words *declared = all->declared;
  if (all->type == all->depth + 1) {
    if (all->named.size)
      LIST_ADD(declared->types, declared->type_count, all->named);
    all->named.size = 0;
    all->type = whole ? 0 : all->type;
  }
  if (whole)
    all->made &= ~UINT64_C(1);
}

/* Collects the words that follow a maker in the same statement, because these
 * words may be volatile. Skips the bodies of structures in between. The name of
 * a volatile type is also a maker. */
static void collect_volatile_words(struct volatile_words *declared) {
  struct bytes text = declared->text;
  struct declaration_scan all = {.declared = declared};
  struct bytes word;
  for (size_t end = 0; (word = token_find_next(text, &end)).size;) {
    int here = *word.data;
    if (here == '{' || here == '(' || here == '[') {
      all.made <<= 1;
      all.depth++;
    } else if (here == '}' || here == ')' || here == ']') {
      all.made >>= 1;
      all.depth -= all.depth > 0;
    } else if (here == ';' || here == ',') {
      end_declaration(&all, here == ';');
    } else if (token_is_word_byte(here) && !token_is_digit(here)) {
      parse_declaration_word(&all, word);
    }
  }
  declared->read = true;
}

static bool reads_volatile(struct bytes text, struct volatile_words *declared) {
  if (!declared->read)
    collect_volatile_words(declared);
  struct bytes word;
  for (size_t end = 0; (word = token_find_next(text, &end)).size;)
    if (list_has_word(declared->words, declared->count, word))
      return true;
  return false;
}

void volatile_words_free(struct volatile_words *declared) {
  free(declared->words);
  free(declared->types);
  *declared = (struct volatile_words){.count = 0};
}

/* ---- the simplest form ---- */

/* The text of a condition in its simplest form. If `contrary` is set, the
 * condition has the opposite value of this text. */
struct simplified_condition {
  char *text;
  size_t size;
  bool contrary;
};

static void delete_bytes(struct simplified_condition *form, size_t at,
                         size_t count) {
  memmove(form->text + at, form->text + at + count, form->size - at - count);
  form->size -= count;
}

/* Copies a text without comments and blanks. One blank stays between words. */
static void copy_without_blanks(struct simplified_condition *form,
                                struct bytes text) {
  *form =
      (struct simplified_condition){.text = need_memory(malloc(text.size + 1))};
  struct bytes word;
  for (size_t end = 0, last = 0; (word = token_find_next(text, &end)).size;
       last = end) {
    bool blank = end - word.size != last;
    if (blank && form->size && token_is_word_byte(*word.data) &&
        token_is_word_byte((unsigned char)form->text[form->size - 1]))
      form->text[form->size++] = ' ';
    memcpy(form->text + form->size, word.data, word.size);
    form->size += word.size;
  }
}

static size_t find_brackets_end(struct bytes text, size_t at) {
  unsigned depth = 0;
  for (size_t end; at < text.size; at = end) {
    end = token_find_end(text, at);
    depth += memchr("([", text.data[at], 2) != NULL;
    depth -= memchr(")]", text.data[at], 2) != NULL;
    if (!depth)
      return end;
  }
  return text.size;
}

/* The operators of a text outside of brackets: their number, and the kind and
 * place of the last operator. The kinds are '!' for !=, '=' for ==, '<' for <,
 * 'l' for <=, '>' for >, 'g' for >=, and '?' for any other operator. */
struct last_operator_and_count {
  unsigned count;
  char kind;
  size_t at, size;
};

static struct last_operator_and_count
count_and_find_last_operator(struct bytes text) {
  struct last_operator_and_count found = {0};
  bool operand = false; /* The text before `at` is an operand. */
  for (size_t at = 0, end; at < text.size; at = end) {
    int here = text.data[at];
    int next = at + 1 < text.size ? text.data[at + 1] : 0;
    end = memchr("([", here, 2) ? find_brackets_end(text, at)
                                : token_find_end(text, at);
    if (here == '.' || (here == '-' && next == '>')) {
      end = at + (here == '.' ? 1 : 2);
      continue;
    }
    if (!memchr("!=<>+-*/%&|^?:,~", here, 16)) {
      operand = true;
      continue;
    }
    if (!operand)
      continue;
    bool equal = next == '=';
    found.kind = (here == '=' || here == '!') && equal ? (char)here
                 : here != '<' && here != '>'          ? '?'
                 : next == here                        ? '?'
                 : equal                               ? here == '<' ? 'l' : 'g'
                                                       : (char)here;
    end = at + 1 + equal + (!equal && next == here);
    found.at = at;
    found.size = end - at;
    found.count++;
    operand = false;
  }
  return found;
}

/* Turns != into ==, >= into <, and > into <=, then removes "== 0". Returns
 * whether "== 0" was removed. */
static bool normalise_comparison(struct simplified_condition *form,
                                 const struct last_operator_and_count *found) {
  static const char *const zeros[] = {"0", "NULL", "nullptr", "false", NULL};
  const struct bytes text = {(unsigned char *)form->text, form->size};
  size_t behind = found->at + found->size;
  if (memchr("!g>", found->kind, 3))
    form->contrary = !form->contrary;
  if (found->kind == '!') {
    form->text[found->at] = '=';
  } else if (found->kind == 'g') {
    form->text[found->at] = '<';
    delete_bytes(form, found->at + 1, 1);
  } else if (found->kind == '>') {
    memmove(form->text + behind + 1, form->text + behind, form->size - behind);
    memcpy(form->text + found->at, "<=", 2);
    form->size++;
  }
  if ((found->kind != '!' && found->kind != '=') ||
      !token_is_one_of((struct bytes){text.data + behind, form->size - behind},
                       zeros))
    return false;
  form->size = found->at;
  form->contrary = !form->contrary;
  return true;
}

/* Simplifies a text by one step. Returns false if the text cannot be simplified
 * any more. */
static bool simplify_condition_once(struct simplified_condition *form) {
  const struct bytes text = {(unsigned char *)form->text, form->size};
  if (form->size > 1 && *form->text == '(' &&
      find_brackets_end(text, 0) == form->size) {
    form->size--;
    delete_bytes(form, 0, 1);
    return true;
  }
  struct last_operator_and_count found = count_and_find_last_operator(text);
  if (!found.count && form->size > 1 && *form->text == '!') {
    delete_bytes(form, 0, 1);
    form->contrary = !form->contrary;
    return true;
  }
  return found.count == 1 && found.kind != '?' &&
         normalise_comparison(form, &found);
}

/* ---- groups ---- */

static bool keeps_value_between(struct bytes text,
                                const struct condition_text_span *from,
                                const struct condition_text_span *to,
                                struct volatile_words *declared) {
  const struct bytes piece = {text.data + from->begin, to->end - from->begin};
  const struct bytes one = {piece.data, from->end - from->begin};
  return !from->macro && !to->macro && !has_side_effect(piece) &&
         !reads_volatile(one, declared);
}

const char *coupled_set_groups(struct condition_constraints *known,
                               struct bytes text,
                               const struct condition_text_span *atoms,
                               uint32_t count,
                               struct volatile_words *declared) {
  struct simplified_condition *forms =
      need_memory(calloc(count + 1, sizeof *forms));
  const char *why = NULL;
  unsigned char groups = 0;
  for (uint32_t i = 0; i < count && !why; i++) {
    const struct bytes one = {text.data + atoms[i].begin,
                              atoms[i].end - atoms[i].begin};
    uint32_t first = 0;
    copy_without_blanks(&forms[i], one);
    while (simplify_condition_once(&forms[i]))
      ;
    while (first < i && compare_bytes(forms[first].text, forms[first].size,
                                      forms[i].text, forms[i].size) != 0)
      first++;
    known[i].group = GROUP_NONE;
    known[i].contrary = false;
    if (first == i)
      continue;
    if (!keeps_value_between(text, &atoms[first], &atoms[i], declared))
      why = changes;
    else if (known[first].group == GROUP_NONE && groups == GROUPS_MOST)
      why = too_many;
    else if (known[first].group == GROUP_NONE)
      known[first].group = groups++;
    known[i].group = known[first].group;
    known[i].contrary = forms[i].contrary != forms[first].contrary;
  }
  for (uint32_t i = 0; i < count; i++)
    free(forms[i].text);
  free(forms);
  return why;
}
