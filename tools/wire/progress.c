/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How far a dump is: a bar on a terminal, else two lines.
 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/os.h"

enum { CELLS = 24, REDRAW = 100 /* milliseconds */ };

void progress_init(struct progress *progress) {
  *progress = (struct progress){.bar = os_is_screen(2)};
  progress->console = progress->bar && os_is_terminal(1);
}

static long milliseconds(const struct timespec *from,
                         const struct timespec *to) {
  return (long)(to->tv_sec - from->tv_sec) * 1000 +
         (to->tv_nsec - from->tv_nsec) / 1000000;
}

/* Prints `12345 bytes, 10.2 kB/s`. The rate appears after some time. */
static void describe_progress(const struct progress *progress, char *text,
                              size_t room) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long time = milliseconds(&progress->begun, &now);
  size_t bytes = progress->state.bytes;
  int used = snprintf(text, room, "%zu bytes", bytes);
  if (time >= REDRAW)
    snprintf(text + used, room - (size_t)used, ", %.1f kB/s",
             (double)bytes / (double)time);
}

/* In thousandths, so that 100 % means everything. */
static unsigned portion(const struct progress_state *state) {
  if (!state->all || state->done >= state->all)
    return state->all ? 1000 : 0;
  return (unsigned)((double)state->done / (double)state->all * 1000);
}

static void draw(struct progress *progress) {
  char cells[CELLS + 1], text[64];
  unsigned part = portion(&progress->state);
  memset(cells, '.', CELLS);
  memset(cells, '#', part * CELLS / 1000);
  cells[CELLS] = 0;
  describe_progress(progress, text, sizeof text);
  fprintf(stderr, "\r[%s] %3u %%  %s\033[K", cells, part / 10, text);
  progress->drawn = true;
}

void progress_update(struct progress *progress,
                     const struct progress_state *state) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  progress->state = *state;
  if (!progress->running) {
    progress->running = true;
    progress->begun = progress->shown = now;
    if (!progress->bar)
      fprintf(stderr, "bareprof: a dump begins\n");
    return;
  }
  if (!progress->bar || progress->wide ||
      milliseconds(&progress->shown, &now) < REDRAW)
    return;
  progress->shown = now;
  draw(progress);
}

static void erase(struct progress *progress) {
  if (progress->drawn)
    fprintf(stderr, "\r\033[K%.*s", (int)progress->used, progress->line);
  progress->drawn = false;
}

void progress_clear(struct progress *progress) {
  erase(progress);
  if (progress->used || progress->wide)
    fputc('\n', stderr);
  progress->used = 0;
  progress->wide = false;
}

void progress_text(struct progress *progress, const unsigned char *text,
                   size_t size) {
  erase(progress);
  if (!progress->console)
    return;
  for (size_t i = size; i > 0; i--)
    if (text[i - 1] == '\n') {
      progress->used = 0;
      progress->wide = false;
      text += i;
      size -= i;
      break;
    }
  if (progress->wide || size > sizeof progress->line - progress->used) {
    progress->wide = true;
    progress->used = 0;
    return;
  }
  memcpy(progress->line + progress->used, text, size);
  progress->used += size;
}

void progress_end(struct progress *progress) {
  char text[64];
  progress_clear(progress);
  if (!progress->running)
    return;
  progress->running = false;
  describe_progress(progress, text, sizeof text);
  if (!progress->bar)
    fprintf(stderr, "bareprof: a dump ends: %s\n", text);
}
