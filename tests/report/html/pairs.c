/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pairs of MC/DC against brute force: decisions by chance, evaluated as a tree
 * with all vectors there are.
 *   pairs SEED COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../tools/coverage/logic.h"

enum { MOST = 6, TEXT = 4096 };

static uint64_t state;

static unsigned chance(unsigned below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

/* ---- a decision, as text and as a tree ---- */

struct node {
  enum { CONDITION, AND, OR } kind;
  bool negated;
  unsigned condition, left, right;
};

static struct node nodes[2 * MOST];
static unsigned node_count, condition_count;
static char text[TEXT];
static size_t size;
static struct atom atoms[MOST];

static void add(const char *word) {
  size_t length = strlen(word);
  memcpy(text + size, word, length + 1);
  size += length;
}

static void blank(void) {
  static const char *const blanks[] = {"",   " ",       "\n  ", " /* && ( */ ",
                                       "\t", " // ||\n"};
  add(blanks[chance(6)]);
}

/* A tree of so many conditions; brackets: it must be one operand. */
static unsigned grow(unsigned conditions, unsigned outer) {
  unsigned at = node_count++;
  if (conditions == 1) {
    unsigned brackets = chance(3) == 0;
    nodes[at] = (struct node){.kind = CONDITION,
                              .negated = chance(4) == 0,
                              .condition = condition_count};
    add(nodes[at].negated ? "!" : "");
    add(brackets ? "(" : "");
    blank();
    atoms[condition_count].begin = size;
    add(chance(2) ? "f(a && b)" : "x");
    atoms[condition_count++].end = size;
    blank();
    add(brackets ? ")" : "");
    return at;
  }
  unsigned left = 1 + chance(conditions - 1);
  struct node node = {.kind = chance(2) ? AND : OR, .negated = chance(5) == 0};
  /* && in || needs no brackets, and the other way round it does; the same
   * operator may have them or not. */
  bool brackets =
      node.negated || (node.kind == OR && outer == AND) || chance(4) == 0;
  add(node.negated ? "!" : "");
  add(brackets ? "(" : "");
  blank();
  node.left = grow(left, node.kind);
  blank();
  add(node.kind == AND ? "&&" : chance(2) ? "||" : "or ");
  blank();
  node.right = grow(conditions - left, node.kind);
  blank();
  add(brackets ? ")" : "");
  nodes[at] = node;
  return at;
}

/* Evaluates with all conditions known; vector: what is evaluated. */
static bool evaluate(unsigned at, unsigned values, unsigned char *vector) {
  const struct node *node = &nodes[at];
  bool result;
  if (node->kind == CONDITION) {
    result = values >> node->condition & 1;
    vector[node->condition] = result;
  } else {
    result = evaluate(node->left, values, vector);
    if (result == (node->kind == AND))
      result = evaluate(node->right, values, vector);
  }
  return result != node->negated;
}

/* ---- all vectors ---- */

static unsigned char all[1 << MOST][MOST + 1];
static unsigned all_count;

static void list_vectors(const unsigned char *constants) {
  all_count = 0;
  for (unsigned values = 0; values < 1u << condition_count; values++) {
    unsigned char vector[MOST + 1];
    bool allowed = true, known = false;
    memset(vector, VALUE_NONE, sizeof vector);
    vector[condition_count] = evaluate(0, values, vector);
    for (unsigned i = 0; i < condition_count; i++)
      allowed &= constants[i] == VALUE_NONE || vector[i] == VALUE_NONE ||
                 vector[i] == constants[i];
    for (unsigned i = 0; i < all_count; i++)
      known |= memcmp(all[i], vector, condition_count + 1) == 0;
    if (allowed && !known)
      memcpy(all[all_count++], vector, condition_count + 1);
  }
}

/* The criterion in other words than those of logic.c. */
static bool shows(const unsigned char *a, const unsigned char *b,
                  unsigned condition) {
  unsigned differ = 0, which = 0;
  for (unsigned i = 0; i < condition_count; i++)
    if (a[i] + b[i] == VALUE_TRUE + VALUE_FALSE && a[i] != b[i] &&
        a[i] != VALUE_NONE && b[i] != VALUE_NONE) {
      differ++;
      which = i;
    }
  return differ == 1 && which == condition &&
         a[condition_count] != b[condition_count];
}

static bool shown_by(const unsigned char (*list)[MOST + 1], unsigned count,
                     unsigned condition) {
  for (unsigned a = 0; a < count; a++)
    for (unsigned b = 0; b < a; b++)
      if (shows(list[a], list[b], condition))
        return true;
  return false;
}

static void fail(const char *what, unsigned condition) {
  printf("%s, condition %u of:\n%s\n", what, condition, text);
  exit(1);
}

/* ---- one decision ---- */

/* What ran, and what has to, in rows of MOST + 1. */
static unsigned char rows[2 << MOST][MOST + 1];

static void take_rows(const struct pairs *pairs) {
  for (unsigned i = 0; i < pairs->count; i++) {
    memcpy(rows[i], pairs->vectors.data + i * (condition_count + 1),
           condition_count + 1);
    bool known = false;
    for (unsigned k = 0; k < all_count; k++)
      known |= memcmp(rows[i], all[k], condition_count + 1) == 0;
    if (!known)
      fail("a vector that cannot be", i);
  }
}

static unsigned counted[3];

static void check(const struct pairs *pairs, unsigned ran) {
  take_rows(pairs);
  for (unsigned i = 0; i < condition_count; i++) {
    const struct pair *pair = &pairs->pairs[i];
    bool covered = shown_by(rows, ran, i);
    bool possible = shown_by(all, all_count, i);
    counted[pair->state]++;
    if (covered != (pair->state == PAIR_RAN))
      fail("wrongly said to be covered or missing", i);
    if (possible != (pair->state != PAIR_NONE))
      fail("wrongly said to be possible or not", i);
    if (possible && !shows(rows[pair->vectors[0]], rows[pair->vectors[1]], i))
      fail("the pair does not show it", i);
    if (possible && !shown_by(rows, pairs->count, i))
      fail("not shown by all vectors", i);
  }
}

static void one(bool with_constants) {
  unsigned char ran[1 << MOST][MOST + 1], constants[MOST], *flat = &ran[0][0];
  unsigned count = 0;
  struct logic logic;
  struct pairs pairs;
  node_count = condition_count = 0;
  size = 0;
  text[0] = 0;
  grow(1 + chance(MOST), OR);
  for (unsigned i = 0; i < condition_count; i++)
    constants[i] = with_constants && chance(3) == 0 ? chance(2) : VALUE_NONE;
  list_vectors(constants);
  for (unsigned i = 0, part = chance(4); i < all_count; i++)
    if (chance(3) < part)
      memcpy(flat + (count++) * (condition_count + 1), all[i],
             condition_count + 1);
  if (!logic_parse(&logic, (struct bytes){(unsigned char *)text, size}, atoms,
                   condition_count))
    fail("not parsed", 0);
  for (unsigned i = 0; i < all_count; i++) {
    if (!logic_gives(&logic, all[i]))
      fail("a vector is not given", i);
    all[i][condition_count] ^= 1;
    if (logic_gives(&logic, all[i]))
      fail("a wrong result is given", i);
    all[i][condition_count] ^= 1;
  }
  if (pairs_find(&pairs, &logic, flat, count, constants))
    fail("no memory", 0);
  check(&pairs, count);
  pairs_free(&pairs);
  logic_free(&logic);
}

/* What is not a decision of && || ! () alone. */
static void refuse(void) {
  static const char *const texts[] = {"x",   "x &&",  "(x",     "x)",
                                      "x x", "x + x", "x & x",  "x ? x",
                                      "!",   "x = x", "x &&& x"};
  for (unsigned i = 1; i < sizeof texts / sizeof *texts; i++) {
    struct logic logic;
    struct atom list[2];
    unsigned count = 0;
    for (size_t k = 0; texts[i][k]; k++)
      if (texts[i][k] == 'x')
        list[count++] = (struct atom){k, k + 1};
    if (logic_parse(
            &logic,
            (struct bytes){(const unsigned char *)texts[i], strlen(texts[i])},
            list, count)) {
      printf("parsed: %s\n", texts[i]);
      exit(1);
    }
    logic_free(&logic);
  }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  state = strtoull(argv[1], NULL, 10);
  unsigned count = (unsigned)atoi(argv[2]);
  refuse();
  for (unsigned i = 0; i < count; i++)
    one(i % 3 == 2);
  printf("%u covered, %u missing, %u impossible\n", counted[PAIR_RAN],
         counted[PAIR_MISSING], counted[PAIR_NONE]);
  return !counted[0] || !counted[1] || !counted[2];
}
