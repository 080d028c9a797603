/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each thread has a part of the inputs, which follow each other, and a profile
 * of its own; the profiles are then added in the order of the parts. What is
 * said of an input may depend on all before it, and so may what is refused:
 * the first file of a kind decides. So a thread that finds something to say
 * stops all others.
 */
#include "gather_all.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* So many files, and a profile of its own has paid. */
enum { INPUTS_A_THREAD = 16, THREADS_MOST = 256 };

struct shared {
  const struct gather_work *work;
  pthread_mutex_t mutex; /* of what follows */
  size_t done;
  bool stop;
};

struct part {
  struct shared *shared;
  struct gather gather;
  pthread_t thread;
  size_t begin, end; /* of the inputs */
};

unsigned gather_threads(const struct sources *inputs, unsigned wanted) {
  size_t most = inputs->count < THREADS_MOST ? inputs->count : THREADS_MOST;
  if (wanted)
    return wanted < most ? wanted : (unsigned)most;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  size_t threads = processors > 1 ? (size_t)processors : 1;
  if (threads > inputs->count / INPUTS_A_THREAD)
    threads = inputs->count / INPUTS_A_THREAD;
  return threads < 1 ? 1 : threads < most ? (unsigned)threads : (unsigned)most;
}

/* Whether all can be opened, and once more if need be. */
static bool are_files(const struct sources *inputs) {
  struct stat status;
  for (size_t i = 0; i < inputs->count; i++)
    if (stat(inputs->names[i], &status) || !S_ISREG(status.st_mode) ||
        access(inputs->names[i], R_OK))
      return false;
  return true;
}

/* Takes note of a file that was added, or not. Whether to go on. */
static bool go_on(struct shared *shared, bool added) {
  pthread_mutex_lock(&shared->mutex);
  if (added)
    shared->work->progress(++shared->done, shared->work->inputs->count);
  else
    shared->stop = true;
  bool more = !shared->stop;
  pthread_mutex_unlock(&shared->mutex);
  return more;
}

static void *add_part(void *context) {
  struct part *part = context;
  const struct sources *inputs = part->shared->work->inputs;
  for (size_t i = part->begin; i < part->end; i++) {
    int failed = gather_file(&part->gather, (uint32_t)i, inputs->weights[i]);
    if (!go_on(part->shared, !failed && !part->gather.remarks))
      break;
  }
  return NULL;
}

static void new_part(struct part *part, struct shared *shared,
                     const struct gather *like, size_t number) {
  size_t count = shared->work->inputs->count, all = shared->work->threads;
  gather_new(&part->gather, like->files);
  part->gather.elf = like->elf;
  part->gather.quiet = true;
  part->shared = shared;
  part->begin = count * number / all;
  part->end = count * (number + 1) / all;
  part->gather.only = part->end - part->begin == 1;
}

/* Runs all parts to their ends; those without a thread here. */
static void run(struct part *parts, unsigned count) {
  unsigned started = 0;
  while (started < count && !pthread_create(&parts[started].thread, NULL,
                                            add_part, &parts[started]))
    started++;
  for (unsigned i = started; i < count; i++)
    add_part(&parts[i]);
  for (unsigned i = 0; i < started; i++)
    pthread_join(parts[i].thread, NULL);
}

/* Adds the later parts to the first, and frees them. */
static bool join(struct part *parts, unsigned count) {
  bool added = true;
  raw_cache_free(&parts[0].gather.cache);
  for (unsigned i = 1; i < count; i++) {
    raw_cache_free(&parts[i].gather.cache);
    added = added && profile_add_profile(&parts[0].gather.profile,
                                         &parts[i].gather.profile) == ADDED;
    parts[0].gather.last = parts[i].gather.last;
    gather_free(&parts[i].gather);
  }
  /* Of a site with too many values, the order decides which are kept. */
  return added && !parts[0].gather.profile.thinned;
}

bool gather_all(struct gather *gather, const struct gather_work *work) {
  struct shared shared = {.work = work};
  unsigned count = work->threads;
  struct part *parts =
      are_files(work->inputs) ? calloc(count, sizeof *parts) : NULL;
  if (!parts || pthread_mutex_init(&shared.mutex, NULL)) {
    free(parts);
    return false;
  }
  for (unsigned i = 0; i < count; i++)
    new_part(&parts[i], &shared, gather, i);
  run(parts, count);
  pthread_mutex_destroy(&shared.mutex);
  if (shared.stop)
    for (unsigned i = 1; i < count; i++)
      gather_free(&parts[i].gather);
  bool added = !shared.stop && join(parts, count);
  if (added) {
    profile_free(&gather->profile);
    gather->profile = parts[0].gather.profile;
    gather->last = parts[0].gather.last;
  } else {
    gather_free(&parts[0].gather);
  }
  free(parts);
  return added;
}
