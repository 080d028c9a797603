/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Pairs of MC/DC against brute force: decisions by chance, evaluated as a tree
 * with all values of their variables, which may stand in several conditions.
 *   pairs SEED COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../tools/coverage/mcdc/mcdc.h"

enum { MOST = 6, WIDE = 30, TEXT = 4096 };

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

/* What a condition reads: the variable, or its contrary. */
static struct {
  unsigned variable;
  bool contrary;
} reads[MOST];
static bool repeated; /* Conditions may read the same. */

static struct node nodes[2 * MOST];
static unsigned node_count, condition_count;
static char text[TEXT];
static size_t size;
static struct condition_text_span atoms[MOST];

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

/* Texts of a variable, then of its contrary. */
static void add_condition(void) {
  static const char *const forms[2][6] = {
      {"v%u", "(v%u)", "v%u!= 0", "0 /* = */ < v%u", "!(!v%u)",
       "(v%u) != NULL"},
      {"!v%u", "! (v%u)", "v%u == 0", "0>=v%u", "!(v%u != /**/ 0)",
       "!((v%u))"}};
  unsigned variable = repeated ? chance(1 + condition_count) : condition_count;
  unsigned contrary = chance(2), form = chance(6);
  char one[64];
  /* Only these two are known to be contraries of each other. */
  if (repeated && form == 3)
    form = 2;
  reads[condition_count].variable = variable;
  reads[condition_count].contrary = contrary;
  if (!repeated && chance(2))
    snprintf(one, sizeof one, "f(a && %u)", condition_count);
  else
    snprintf(one, sizeof one, forms[contrary][form], variable);
  add(one);
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
    add_condition();
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
  add(node.kind == AND ? "&&" : chance(2) ? "||" : " or ");
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
    result = (values >> reads[node->condition].variable & 1) !=
             reads[node->condition].contrary;
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

static void list_vectors(const struct condition_constraints *known) {
  all_count = 0;
  for (unsigned values = 0; values < 1u << condition_count; values++) {
    unsigned char vector[MOST + 1];
    bool allowed = true, listed = false;
    memset(vector, VALUE_NONE, sizeof vector);
    vector[condition_count] = evaluate(0, values, vector);
    for (unsigned i = 0; i < condition_count; i++)
      allowed &= known[i].constant == VALUE_NONE || vector[i] == VALUE_NONE ||
                 vector[i] == known[i].constant;
    for (unsigned i = 0; i < all_count; i++)
      listed |= memcmp(all[i], vector, condition_count + 1) == 0;
    if (allowed && !listed)
      memcpy(all[all_count++], vector, condition_count + 1);
  }
}

/* The criterion in other words than mcdc/decision.c. */
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

static void take_rows(const struct decision_pairs *pairs) {
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

static void check(const struct decision_pairs *pairs, unsigned ran) {
  take_rows(pairs);
  for (unsigned i = 0; i < condition_count; i++) {
    const struct independence_pair *pair = &pairs->pairs[i];
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
  unsigned char ran[1 << MOST][MOST + 1], *flat = &ran[0][0];
  struct condition_constraints known[MOST];
  unsigned count = 0;
  struct logic_graph logic;
  struct decision_pairs pairs;
  node_count = condition_count = 0;
  size = 0;
  text[0] = 0;
  repeated = chance(2);
  grow(1 + chance(MOST), OR);
  const struct bytes decision = {(unsigned char *)text, size};
  for (unsigned i = 0; i < condition_count; i++)
    known[i].constant =
        with_constants && !repeated && chance(3) == 0 ? chance(2) : VALUE_NONE;
  struct volatile_words nothing = {.count = 0};
  if (coupled_set_groups(known, decision, atoms, condition_count, &nothing))
    fail("said to change", 0);
  list_vectors(known);
  for (unsigned i = 0, part = chance(4); i < all_count; i++)
    if (chance(3) < part)
      memcpy(flat + (count++) * (condition_count + 1), all[i],
             condition_count + 1);
  if (!logic_parse(&logic, decision, atoms, condition_count))
    fail("not parsed", 0);
  for (unsigned i = 0; i < all_count; i++) {
    if (!logic_allows_vector(&logic, all[i]))
      fail("a vector is not given", i);
    if (!pairs_vector_fits(known, condition_count, all[i]))
      fail("a vector does not hold", i);
    all[i][condition_count] ^= 1;
    if (logic_allows_vector(&logic, all[i]))
      fail("a wrong result is given", i);
    all[i][condition_count] ^= 1;
  }
  pairs_find(&pairs, &logic, flat, count, known);
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
    struct logic_graph logic;
    struct condition_text_span list[2];
    unsigned count = 0;
    for (size_t k = 0; texts[i][k]; k++)
      if (texts[i][k] == 'x')
        list[count++] = (struct condition_text_span){k, k + 1};
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

/* The first and the last word are conditions. of: what the file has. */
static void changes(void) {
  static const struct {
    const char *text, *of;
    bool changes;
  } cases[] = {
      {"a && b && a", "int a;", false},
      {"a && b++ && a", "", true},
      {"a && --b && a", "", true},
      {"a && (b = 1) && a", "", true},
      {"a && (b >>= 1) && a", "", true},
      {"a && b >= 1 && b <= 2 && b == c && b != c && a", "", false},
      {"a && f (b) && a", "", true},
      {"a && (b || c) && a", "", false},
      {"a && sizeof (b) && a", "", false},
      {"a && p[0](b) && a", "", true},
      {"a && \"f(b)\"[c] && a /* = */", "", false},
      {"a && b && a", "volatile int a;", true},
      {"a && b && a", "int volatile a;", true},
      {"a && b && a", "volatile int b; int a;", false},
      {"a && b && a", "f(volatile int *b) { } int a;", false},
      {"a && b && a", "volatile struct { int b; } a;", true},
      {"a && b && a", "volatile int __attribute__((used)) a;", true},
      {"a && b && a", "_Atomic(int) a;", true},
      {"a && b && a", "atomic_int a;", true},
      {"a && b && a", "volatile int b[(4)], a;", true},
      {"a && b && a", "typedef volatile int t; t a;", true},
      {"a && b && a", "typedef struct { t c; } volatile u; u a;", true},
      {"a && b && a", "typedef volatile int *t, u; t b; u *a;", true},
      {"a && b && a", "typedef volatile int t; t b; int a;", false},
      {"a && b && a", "typedef struct { __IO int c; } t; t a;", false},
      {"s->a && b && s->a", "struct { __IO int a; } *s;", true},
      {"s->a && b && s->a", "struct { int a; } *s;", false}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *one = cases[i].text, *of = cases[i].of;
    size_t end = strcspn(one, " ");
    const struct bytes text = {(const unsigned char *)one, strlen(one)};
    struct volatile_words file = {{(const unsigned char *)of, strlen(of)}};
    const size_t last = (size_t)(strrchr(one, 'a') - one) + 1;
    const struct condition_text_span list[] = {{0, end, false},
                                               {last - end, last, false}};
    struct condition_constraints known[2];
    const char *why = coupled_set_groups(known, text, list, 2, &file);
    volatile_words_free(&file);
    if ((why != NULL) != cases[i].changes) {
      printf("%s it changes: %s in %s\n",
             cases[i].changes ? "not said" : "said", one, of);
      exit(1);
    }
  }
}

/* Vectors of several words, most of whose conditions agree. */
static void compare_wide_vectors(void) {
  unsigned char a[MOST * WIDE + 1], b[MOST * WIDE + 1];
  uint64_t packed[2][MOST * WIDE];
  uint32_t which = 0;
  condition_count = MOST * (1 + chance(WIDE));
  for (unsigned i = 0; i <= condition_count; i++) {
    a[i] = (unsigned char)chance(3);
    b[i] = chance(condition_count) ? a[i] : (unsigned char)chance(3);
  }
  a[condition_count] = !(b[condition_count] = (unsigned char)chance(2));
  pairs_pack_vector(a, condition_count, packed[0]);
  pairs_pack_vector(b, condition_count, packed[1]);
  bool found = pairs_find_only_difference(packed[0], packed[1],
                                          condition_count, &which);
  for (unsigned i = 0; i < condition_count; i++)
    if (shows(a, b, i) != (found && which == i))
      fail("a wide pair is compared wrongly", i);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  state = strtoull(argv[1], NULL, 10);
  unsigned count = (unsigned)atoi(argv[2]);
  refuse();
  changes();
  for (unsigned i = 0; i < count; i++)
    one(i % 3 == 2), compare_wide_vectors();
  printf("%u covered, %u missing, %u impossible\n", counted[PAIR_RAN],
         counted[PAIR_MISSING], counted[PAIR_NONE]);
  return !counted[0] || !counted[1] || !counted[2];
}
