/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions whose code begins with that of another, which is inlined.
 */
extern volatile int sink;
volatile int sink;

/* What bareprof_mip_init would bring. */
extern const unsigned bareprof_mip_unit[2];
__attribute__((used)) const unsigned bareprof_mip_unit[2] = {1, 0};

__attribute__((always_inline)) static inline int inlined_first(int value);
static inline int inlined_first(int value) { return sink + value; }

int begins(int value);
/* clang-format off */
int
begins(int value)
{
  return inlined_first(value) * 2;
}
/* clang-format on */

__attribute__((noinline)) static void plain(int value);
static void plain(int value) {
  sink = value;
  sink = begins(value);
}

void _start(void);
void _start(void) {
  plain(1);
  plain(2);
}
