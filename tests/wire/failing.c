/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A sink that fails, or leaves by longjmp, in any byte of a dump: its code
 * comes back, it is not called again, and the log is right on the host's side:
 * the dump behind it is accepted, and no false one. From the first whole frame
 * of the broken dump on, the host says that a dump is broken, unless all of its
 * counts are there. A sink that sends a whole dump by itself at such a place:
 * that dump is accepted, too.
 */
#include <stdio.h>
#include <string.h>

#include "failing_send.h"
#include "starts_host.h"

static struct {
  unsigned right, wrong;
  size_t said; /* logs of one form in which the host said that one is broken */
} seen;

static void accept(const struct snapshot *snapshot) {
  bool right =
      snapshot->parts[1].bytes &&
      memcmp(snapshot->parts[1].bytes, failing_counters(),
             FAILING_COUNTERS * 8) == 0 &&
      memcmp(snapshot->parts[2].bytes, failing_bitmap(), FAILING_BITMAP) == 0;
  seen.right += right;
  seen.wrong += !right;
}
static void told(const struct snapshot *snapshot) { accept(snapshot); }

/* Why the log is wrong, or NULL. */
static const char *judge(const struct failing_log *log,
                         enum failing_way way) {
  unsigned least = way == SENDS_ANOTHER && log->failed ? 2 : 1;
  struct bytes bytes = {log->bytes, log->size};
  if (log->wrong)
    return log->wrong;
  seen.right = seen.wrong = 0;
  bool good = host_receive(bytes, accept, told);
  if (seen.wrong || seen.right < least || seen.right > least + 1)
    return "receive";
  if (way != SENDS_ANOTHER && good && seen.right == 1 && seen.said)
    return "receive says nothing of the broken dump";
  seen.said += !good;
  seen.right = seen.wrong = 0;
  host_report(bytes, accept);
  return seen.wrong || seen.right != 1 ? "report" : NULL;
}

int main(void) {
  static const char *const names[FORMS] = {"full TEXT", "full BINARY",
                                           "lean TEXT", "lean BINARY"};
  static const char *const ways[WAYS] = {"a code", "longjmp", "a dump within"};
  static struct failing_log log;
  int status = 0;
  for (unsigned form = 0; form < FORMS; form++)
    for (unsigned way = 0; way < WAYS; way++) {
      size_t most = 0, wrong = 0;
      const char *why = NULL;
      seen.said = 0;
      do {
        failing_send(&log, form, most, way);
        const char *now = judge(&log, way);
        wrong += now != NULL;
        if (now && wrong < 4)
          printf("    %s, byte %zu: %s\n", names[form], most, now);
        why = now ? now : why;
        most++;
      } while (log.failed);
      if (way != SENDS_ANOTHER && seen.said < most / 2)
        why = "receive says too little";
      printf("%s wire failing: %s, %s: %zu places%s%s\n",
             why ? "not ok" : "ok", names[form],
             ways[way], most, why ? ": " : "",
             why ? why : "");
      status |= why != NULL;
    }
  return status;
}
