/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Replaces a profile by another in the same file: a name may lead to the file,
 * and others wait for its lock. This process can end at any moment, and others
 * may read meanwhile. So:
 *
 * - parts that need room get it first, as zeros, which tools skip at the end of
 *   a profile: without room, nothing has changed;
 * - parts that have their place (the counters) are written there: each counter
 *   is the old one or the new one;
 * - the value data, whose pieces move, is switched over (see below);
 * - the file is cut last.
 *
 * The kernel may end a process between two pages of a write, but not within
 * one: aligned 8-byte words are complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hosted.h"

enum { PAGE = 4096, HEAD = 8 };

static int put_at(int file, const unsigned char *bytes, size_t size,
                  size_t at) {
  while (size) {
    ssize_t written = pwrite(file, bytes, size, (off_t)at);
    if (written < 0 && errno != EINTR)
      return errno;
    if (written > 0) {
      bytes += written;
      at += (size_t)written;
      size -= (size_t)written;
    }
  }
  return 0;
}

static int put_zeros(int file, size_t begin, size_t end) {
  static const unsigned char zeros[PAGE];
  int error = 0;
  for (; !error && begin < end; begin += PAGE)
    error = put_at(file, zeros, end - begin < PAGE ? end - begin : PAGE, begin);
  return error;
}

static int cut(int file, size_t size) {
  return ftruncate(file, (off_t)size) < 0 ? errno : 0;
}

/* A limit of this process is asked before anything is written: beyond it
 * writes are cut anywhere, or end the process. */
static int check_limit(size_t size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < size ? EFBIG
                                                                       : 0;
}

/* More room in the file, or as much as before. */
static int make_room(int file, size_t old, size_t size) {
  int error = check_limit(size);
  if (!error)
    error = put_zeros(file, old, size);
  if (error)
    cut(file, old);
  return error;
}

/* ---- value data ----------------------------------------------------------
 *
 * An entry for each function with value sites; the head of an entry says how
 * long it is, and whatever it has behind its values is skipped. So a head,
 * written at once, can take the reader to other entries:
 *
 *   1. the last old entry reaches to the end of the room,
 *   2. the new entries but the first go there, behind where all will end,
 *   3. the first entry leads to them,
 *   4. the new entries go to their places, which the first entry skips,
 *   5. the first entry ends where the second one begins.
 *
 * The first entry itself is written at once if it lies in one page; else its
 * function has no values for a moment.
 */
struct entries {
  unsigned char *at;
  size_t first; /* bytes of the first one */
  size_t last;  /* where the last one begins */
  size_t end;   /* where it ends */
  size_t count;
};

struct edit {
  int file;
  size_t base; /* where value data are in the file */
  size_t room; /* where the room for it ends, behind base */
  struct entries old, new;
};

static uint32_t load32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

/* False if they are not whole. */
static bool find_entries(struct entries *entries, size_t size) {
  while (size - entries->end >= HEAD) {
    size_t bytes = load32(entries->at + entries->end);
    if (bytes == 0)
      break;
    if (bytes < HEAD || bytes % 8 || bytes > size - entries->end)
      return false;
    if (entries->count++ == 0)
      entries->first = bytes;
    entries->last = entries->end;
    entries->end += bytes;
  }
  return true;
}

/* The bytes of a kind of values but its values: kind, sites, how many values
 * each has, up to 8. */
static size_t kind_head(const unsigned char *at, size_t *values) {
  size_t sites = load32(at + 4);
  for (size_t i = 0; i < sites; i++)
    *values += at[HEAD + i];
  return (HEAD + sites + 7) & ~(size_t)7;
}

/* Whether both have the same values in the same places, so that only their
 * counts are to be written. */
static bool is_same_but_counts(const struct edit *edit) {
  const unsigned char *old = edit->old.at, *new = edit->new.at;
  if (edit->old.end != edit->new.end)
    return false;
  for (size_t at = 0; at < edit->new.end;) {
    size_t end = at + load32(new + at);
    if (memcmp(old + at, new + at, HEAD))
      return false;
    for (at += HEAD; at < end;) {
      size_t values = 0, head = kind_head(new + at, &values);
      if (memcmp(old + at, new + at, head))
        return false;
      for (at += head; values; values--, at += 16)
        if (memcmp(old + at, new + at, 8))
          return false;
    }
  }
  return true;
}

/* The head of an entry at a place, without its length. */
static int put_head(const struct edit *edit, const unsigned char *entry,
                    size_t at, size_t size) {
  uint32_t head[2] = {(uint32_t)size, load32(entry + 4)};
  return put_at(edit->file, (const unsigned char *)head, HEAD, edit->base + at);
}

static void set_size(unsigned char *entry, size_t size) {
  uint32_t word = (uint32_t)size;
  memcpy(entry, &word, sizeof word);
}

/* The new entries but the first, to a place; the last reaches to the end of
 * the room. */
static int put_rest(const struct edit *edit, size_t to) {
  const struct entries *new = &edit->new;
  size_t last = new->last - new->first + to;
  set_size(new->at + new->last, edit->room - last);
  return put_at(edit->file, new->at + new->first, new->end - new->first,
                edit->base + to);
}

/* The new first entry; behind it the reader goes on at next. */
static int put_first(const struct edit *edit, size_t next) {
  static const unsigned char none[HEAD];
  unsigned char *entry = edit->new.at;
  size_t size = edit->new.first;
  set_size(entry, next);
  if (edit->base % PAGE + size <= PAGE)
    return put_at(edit->file, entry, size, edit->base);
  int error = put_head(edit, none, 0, next);
  if (!error)
    error = put_at(edit->file, entry + HEAD, size - HEAD, edit->base + HEAD);
  return error ? error : put_head(edit, entry, 0, next);
}

static int switch_entries(const struct edit *edit, size_t far) {
  const struct entries *old = &edit->old, *new = &edit->new;
  bool alone = new->count == 1;
  int error =
      put_head(edit, old->at + old->last, old->last, edit->room - old->last);
  if (!error && !alone)
    error = put_rest(edit, far);
  if (!error)
    error = put_first(edit, alone ? edit->room : far);
  if (!error && !alone)
    error = put_rest(edit, new->first);
  if (!error && !alone)
    error = put_head(edit, new->at, 0, new->first);
  if (!error)
    error =
        put_zeros(edit->file, edit->base + new->end, edit->base + edit->room);
  return error ? error
               : put_head(edit, new->at + new->last, new->last,
                          new->end - new->last);
}

/* Notes what is to be done: how much room it takes, or 0 if the value data
 * cannot be switched, as the old ones are not whole. */
static size_t plan(struct edit *edit, const struct bareprof_hosted_bytes *old,
                   const struct bareprof_hosted_bytes *new) {
  edit->old.at = old->at + edit->base;
  edit->new.at = new->at + edit->base;
  if (edit->base == 0 || old->size < edit->base ||
      !find_entries(&edit->old, old->size - edit->base) ||
      !find_entries(&edit->new, new->size - edit->base) ||
      edit->old.count != edit->new.count)
    return 0;
  edit->room = (old->size - edit->base + 7) & ~(size_t)7;
  if (edit->new.count == 0 || is_same_but_counts(edit))
    return old->size;
  size_t end = edit->old.end > edit->new.end ? edit->old.end : edit->new.end;
  end += edit->new.end - edit->new.first;
  if (edit->room < end)
    edit->room = end;
  return edit->room > UINT32_MAX ? 0 : edit->base + edit->room;
}

/* Into an empty file: it is no profile before its first word is there, and
 * known as one that has been begun. */
static int put_new(int file, const struct bareprof_hosted_bytes *new) {
  unsigned char first[8];
  memcpy(first, new->at, sizeof first);
  memset(new->at, 0, sizeof first);
  int error = check_limit(new->size);
  if (!error)
    error = put_at(file, new->at, new->size, 0);
  if (!error)
    error = put_at(file, first, sizeof first, 0);
  if (error)
    cut(file, 0);
  return error;
}

bool bareprof_hosted_is_new(const struct bareprof_hosted_bytes *bytes) {
  uint64_t words[2];
  if (bytes->size < sizeof words)
    return bytes->size == 0;
  memcpy(words, bytes->at, sizeof words);
  return words[0] == 0 && words[1] == *bareprof_hosted_image.version;
}

static int replace(int file, const struct bareprof_hosted_bytes *old,
                   const struct bareprof_hosted_bytes *new, size_t values) {
  struct edit edit = {.file = file, .base = values};
  if (bareprof_hosted_is_new(old))
    return put_new(file, new);
  size_t room = plan(&edit, old, new);
  size_t size = room ? values : new->size;
  int error = make_room(file, old->size, room > new->size ? room : new->size);
  if (!error)
    error = put_at(file, new->at, size, 0);
  if (!error && room && edit.new.count) {
    if (is_same_but_counts(&edit))
      error = put_at(file, edit.new.at, edit.new.end, values);
    else
      error =
          switch_entries(&edit, edit.room - (edit.new.end - edit.new.first));
  }
  return error ? error : cut(file, new->size);
}

/* A file that was opened to be appended to would be written at its end only. */
int bareprof_hosted_replace(int file, const struct bareprof_hosted_bytes *old,
                            const struct bareprof_hosted_bytes *new,
                            size_t values) {
  int flags = fcntl(file, F_GETFL);
  bool appends = flags >= 0 && flags & O_APPEND;
  if (appends && fcntl(file, F_SETFL, flags & ~O_APPEND) < 0)
    return errno;
  int error = replace(file, old, new, values);
  if (appends && fcntl(file, F_SETFL, flags) < 0 && !error)
    error = errno;
  return error;
}
