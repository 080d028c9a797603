/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Normalises names of source files. On POSIX a name may contain `\`, so a name
 * is a Windows name only if it has a drive or a share.
 */
#include "source_name.h"

#include <string.h>

#include "os.h"

enum { DRIVE_ROOT = 3, SHARE_ROOT = 2 }; /* the sizes of C:\ and of \\ */

static bool is_separator(char c) { return c == '/' || c == '\\'; }

static bool has_drive(const char *name, size_t size) {
  return size >= DRIVE_ROOT && is_separator(name[2]) && name[1] == ':' &&
         ((*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z'));
}

static bool has_share(const char *name, size_t size) {
  return size > SHARE_ROOT && memcmp(name, "\\\\", SHARE_ROOT) == 0 &&
         !is_separator(name[SHARE_ROOT]);
}

bool source_name_is_windows(const char *name, size_t size) {
  return has_drive(name, size) || has_share(name, size);
}

bool source_name_is_absolute(const char *name) {
  return *name == '/' || os_is_absolute(name) ||
         source_name_is_windows(name, strlen(name));
}

/* Returns where the last root in a name begins. Returns `size` if the name is
 * not a Windows name. After a POSIX folder, only a drive with `\` counts,
 * because `c:` may be a folder on POSIX. */
static size_t find_windows_root(const char *name, size_t size) {
  bool windows = source_name_is_windows(name, size);
  size_t begin = windows ? 0 : size;
  for (size_t at = 1; at < size; at++)
    if ((name[at - 1] == '/' || (begin != size && name[at - 1] == '\\')) &&
        has_drive(name + at, size - at) && (windows || name[at + 2] == '\\'))
      begin = at;
    else if (windows && name[at - 1] == '/' && has_share(name + at, size - at))
      begin = at;
  return begin;
}

size_t source_name_normalise_bytes(char *name, size_t size) {
  size_t begin = find_windows_root(name, size);
  bool found = begin != size;
  if (!found && !os_is_separator('\\'))
    return size;
  if (found) {
    size -= begin;
    memmove(name, name + begin, size);
  }
  for (size_t i = 0; i < size; i++)
    if (name[i] == '\\')
      name[i] = '/';
  if (!found)
    return size;
  if (*name >= 'a' && *name <= 'z')
    *name = (char)(*name - 'a' + 'A');
  return source_name_remove_dots(name, size,
                                 *name == '/' ? SHARE_ROOT : DRIVE_ROOT);
}

char *source_name_normalise(char *name) {
  name[source_name_normalise_bytes(name, strlen(name))] = 0;
  return name;
}

size_t source_name_remove_dots(char *name, size_t size, size_t root) {
  char *begin = name + root, *to = begin;
  const char *at = begin, *end = name + size;
  while (at < end) {
    const char *slash = memchr(at, '/', (size_t)(end - at));
    size_t part = (size_t)((slash ? slash : end) - at);
    char *last = to - (to != begin); /* the start of the last finished
                                        component, which ends with a slash */
    while (last != begin && last[-1] != '/')
      last--;
    bool up = part == 2 && memcmp(at, "..", 2) == 0;
    bool after_up = to - last == 3 && memcmp(last, "../", 3) == 0;
    if (up && to != begin && !after_up) {
      to = last;
    } else if (part && !(part == 1 && *at == '.') && !(up && root)) {
      memmove(to, at, part);
      to += part;
      if (to < name + size) /* no slash follows the last component */
        *to++ = '/';
      else
        return size;
    }
    at += part + 1;
  }
  return (size_t)(to - name) - (to != begin);
}

unsigned source_name_count_shared_parts(const char *a, const char *b) {
  size_t x = strlen(a), y = strlen(b);
  unsigned same = 0;
  for (;; x--, y--) {
    bool ends_a = !x || os_is_separator(a[x - 1]);
    bool ends_b = !y || os_is_separator(b[y - 1]);
    same += ends_a && ends_b;
    if (!x || !y || ends_a != ends_b || (!ends_a && a[x - 1] != b[y - 1]))
      return same;
  }
}
