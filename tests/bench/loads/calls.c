/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Workload: calls, about one in 12 instructions. A small machine runs
 * programs, each of its steps a call through a table; expressions are parsed
 * by recursive descent; a tree is filled and searched; queues and a checksum
 * are small leaves. Functions are not inlined, as if each were in a file of
 * its own.
 */
#include "forms.h"

#ifndef ROUNDS
#define ROUNDS 23350 /* 40 million instructions */
#endif

#ifndef CALLED
#define CALLED __attribute__((noinline))
#endif

/* ---- leaves ---- */

static uint32_t sum = 1, seed = 12345;
static uint8_t queue[64];
static unsigned queue_in, queue_out;

CALLED static void note(uint32_t value) {
  sum = ((sum << 5) | (sum >> 27)) ^ value;
}

CALLED static uint32_t pick(uint32_t most) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 16) & most;
}

CALLED static void put(unsigned value) {
  queue[queue_in++ % sizeof queue] = (uint8_t)value;
}

CALLED static unsigned take(void) { return queue[queue_out++ % sizeof queue]; }

CALLED static int is_digit(char c) { return c >= '0' && c <= '9'; }

CALLED static uint32_t mix(uint32_t a, uint32_t b) { return (a << 3) ^ b; }

/* ---- a machine with a table of its steps ---- */

static uint32_t stack[16], *top = stack;

CALLED static void push(uint32_t value) { *top++ = value; }
CALLED static uint32_t pop(void) { return *--top; }

static void do_constant(uint32_t value) { push(value); }
static void do_add(uint32_t unused) {
  (void)unused;
  push(pop() + pop());
}
static void do_exclusive(uint32_t unused) {
  (void)unused;
  push(mix(pop(), pop()));
}
static void do_twice(uint32_t unused) {
  uint32_t value = pop();
  (void)unused;
  push(value);
  push(value);
}
static void do_send(uint32_t unused) {
  (void)unused;
  put(pop());
}
static void do_receive(uint32_t unused) {
  (void)unused;
  push(take());
}
static void do_note(uint32_t unused) {
  (void)unused;
  note(pop());
}

static void (*const steps[])(uint32_t) = {
    do_constant, do_add, do_exclusive, do_twice, do_send, do_receive, do_note};

static const struct {
  uint8_t step, value;
} program[] = {{0, 7}, {0, 9}, {1, 0}, {3, 0}, {4, 0}, {5, 0}, {2, 0}, {0, 3},
               {1, 0}, {3, 0}, {2, 0}, {0, 5}, {2, 0}, {3, 0}, {4, 0}, {6, 0}};

CALLED static void run_machine(void) {
  for (unsigned i = 0; i < sizeof program / sizeof *program; i++)
    steps[program[i].step](program[i].value + (sum & 1));
}

/* ---- expressions ---- */

static const char *at;

CALLED static uint32_t expression(void);

CALLED static uint32_t number(void) {
  uint32_t value = 0;
  while (is_digit(*at))
    value = value * 10 + (uint32_t)(*at++ - '0');
  return value;
}

CALLED static uint32_t factor(void) {
  uint32_t value;
  if (*at != '(')
    return number();
  at++;
  value = expression();
  at++;
  return value;
}

CALLED static uint32_t term(void) {
  uint32_t value = factor();
  while (*at == '*') {
    at++;
    value *= factor();
  }
  return value;
}

CALLED static uint32_t expression(void) {
  uint32_t value = term();
  while (*at == '+') {
    at++;
    value += term();
  }
  return value;
}

CALLED static void run_parser(void) {
  static const char *const texts[] = {"1+2*(3+4*5)+6", "((7))*8+9*(1+1)",
                                      "12+34+56*(7+8)", "9*8*7*6+(5+4)*3"};
  at = texts[pick(3)];
  note(expression());
}

/* ---- a tree ---- */

enum { NODES = 256 };
static struct node {
  struct node *left, *right;
  uint32_t key;
} nodes[NODES], *root;
static unsigned node_count;

CALLED static int before(uint32_t a, uint32_t b) { return a < b; }

CALLED static struct node *insert(struct node *node, uint32_t key) {
  if (!node) {
    node = &nodes[node_count++];
    node->key = key;
    return node;
  }
  if (before(key, node->key))
    node->left = insert(node->left, key);
  else
    node->right = insert(node->right, key);
  return node;
}

CALLED static int search(const struct node *node, uint32_t key) {
  if (!node)
    return 0;
  if (node->key == key)
    return 1;
  return search(before(key, node->key) ? node->left : node->right, key);
}

CALLED static void run_tree(void) {
  if (node_count < NODES)
    root = insert(root, pick(4095));
  for (unsigned i = 0; i < 4; i++)
    note((uint32_t)search(root, pick(4095)));
}

/* Never called: so that there is one. */
CALLED static void run_never(void) { note(take()); }

void work(void) {
  for (unsigned i = 0; i < ROUNDS; i++) {
    run_machine();
    run_parser();
    run_tree();
    if (sum == 0)
      run_never();
  }
}

uint32_t work_result(void) { return sum; }
