/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements os.h on Windows: files and memory. Files are opened so that other
 * programs may read, write and rename them, as on POSIX.
 */
#include "os_windows.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

static const struct {
  DWORD code;
  int number;
} errors[] = {{ERROR_FILE_NOT_FOUND, ENOENT},
              {ERROR_PATH_NOT_FOUND, ENOENT},
              {ERROR_INVALID_NAME, ENOENT},
              {ERROR_BAD_PATHNAME, ENOENT},
              {ERROR_BAD_NETPATH, ENOENT},
              {ERROR_INVALID_DRIVE, ENOENT},
              {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
              {ERROR_ACCESS_DENIED, EACCES},
              {ERROR_WRITE_PROTECT, EROFS},
              {ERROR_SHARING_VIOLATION, EBUSY},
              {ERROR_LOCK_VIOLATION, EBUSY},
              {ERROR_USER_MAPPED_FILE, EBUSY},
              {ERROR_FILE_EXISTS, EEXIST},
              {ERROR_ALREADY_EXISTS, EEXIST},
              {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
              {ERROR_DIRECTORY, ENOTDIR},
              {ERROR_DISK_FULL, ENOSPC},
              {ERROR_HANDLE_DISK_FULL, ENOSPC},
              {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
              {ERROR_OUTOFMEMORY, ENOMEM},
              {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
              {ERROR_BROKEN_PIPE, EPIPE},
              {ERROR_NO_DATA, EPIPE},
              {ERROR_BAD_EXE_FORMAT, ENOEXEC},
              {ERROR_NOT_READY, EIO},
              {ERROR_GEN_FAILURE, EIO}};

int os_set_errno(void) {
  DWORD code = GetLastError();
  errno = EINVAL;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].code == code)
      errno = errors[i].number;
  return -1;
}

/* Always fails. Only live_page_open needs random bytes, and its first step,
 * os_port_listen, already fails on Windows. */
bool os_fill_random_bytes(void *bytes, size_t size) {
  (void)bytes, (void)size;
  return false;
}

const char *os_error_text(int error) {
  return error == EBUSY ? "another program has it open" : strerror(error);
}

/* ---- opening ---- */

HANDLE os_open_handle(const char *name, DWORD access, DWORD how, DWORD flags) {
  wchar_t *wide = os_name_to_utf16(name);
  if (!wide)
    return INVALID_HANDLE_VALUE;
  HANDLE file = CreateFileW(
      wide, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      NULL, how, FILE_ATTRIBUTE_NORMAL | flags, NULL);
  if (file == INVALID_HANDLE_VALUE)
    os_set_errno();
  free(wide);
  return file;
}

static int open_descriptor(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE)
    return -1;
  int file =
      _open_osfhandle((intptr_t)handle, flags | _O_BINARY | _O_NOINHERIT);
  if (file < 0)
    CloseHandle(handle);
  return file;
}

/* Opens files and folders. Reading a folder fails. */
int os_open(const char *name) {
  return open_descriptor(os_open_handle(name, GENERIC_READ, OPEN_EXISTING,
                                        FILE_FLAG_BACKUP_SEMANTICS),
                         _O_RDONLY);
}

int os_open_to_append(const char *name) {
  struct os_file_info facts;
  if (os_stat(name, &facts) && facts.kind == OS_FOLDER) {
    errno = EISDIR;
    return -1;
  }
  return open_descriptor(os_open_handle(name, GENERIC_WRITE, OPEN_EXISTING, 0),
                         _O_WRONLY | _O_APPEND);
}

long os_read(int file, void *bytes, size_t size) {
  HANDLE handle = (HANDLE)_get_osfhandle(file);
  DWORD got = 0;
  if (ReadFile(handle, bytes, size < 1 << 30 ? (DWORD)size : 1 << 30, &got,
               NULL))
    return (long)got;
  DWORD error = GetLastError();
  BY_HANDLE_FILE_INFORMATION facts;
  if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF)
    return 0;
  os_set_errno();
  if (GetFileInformationByHandle(handle, &facts) &&
      facts.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY)
    errno = EISDIR;
  return -1;
}

static FILE *open_stream(int file, const char *mode) {
  FILE *stream = file < 0 ? NULL : _fdopen(file, mode);
  if (!stream && file >= 0)
    _close(file);
  return stream;
}

FILE *os_fopen(const char *name, const char *mode) {
  DWORD how = *mode == 'r'   ? OPEN_EXISTING
              : *mode == 'w' ? CREATE_ALWAYS
                             : OPEN_ALWAYS;
  HANDLE handle = os_open_handle(
      name, *mode == 'r' ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE, how, 0);
  int file = open_descriptor(handle, *mode == 'a' ? _O_APPEND : 0);
  return open_stream(file, *mode == 'r' ? "rb" : *mode == 'w' ? "wb" : "ab");
}

/* ---- facts about files ---- */

static bool read_handle_file_info(HANDLE file, struct os_file_info *facts) {
  BY_HANDLE_FILE_INFORMATION is;
  *facts = (struct os_file_info){.kind = OS_OTHER};
  if (GetFileType(file) != FILE_TYPE_DISK ||
      !GetFileInformationByHandle(file, &is))
    return true;
  uint64_t time = (uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 |
                  is.ftLastWriteTime.dwLowDateTime; /* in units of 100 ns */
  facts->kind =
      is.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? OS_FOLDER : OS_FILE;
  facts->device = is.dwVolumeSerialNumber;
  facts->number = (uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow;
  facts->size = (uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow;
  facts->seconds = (int64_t)(time / 10000000) - INT64_C(11644473600);
  facts->nanoseconds = (long)(time % 10000000) * 100;
  return true;
}

bool os_stat(const char *name, struct os_file_info *facts) {
  *facts = (struct os_file_info){0};
  if (os_is_device(name)) {
    facts->kind = OS_OTHER;
    return true;
  }
  HANDLE file =
      os_open_handle(name, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE)
    return false;
  read_handle_file_info(file, facts);
  CloseHandle(file);
  return true;
}

bool os_stat_open(int file, struct os_file_info *facts) {
  *facts = (struct os_file_info){0};
  intptr_t handle = _get_osfhandle(file);
  return handle >= 0 && read_handle_file_info((HANDLE)handle, facts);
}

static DWORD read_attributes(const char *name) {
  wchar_t *wide = os_name_to_utf16(name);
  DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
  if (wide && attributes == INVALID_FILE_ATTRIBUTES)
    os_set_errno();
  free(wide);
  return attributes;
}

bool os_exists(const char *name) {
  return read_attributes(name) != INVALID_FILE_ATTRIBUTES;
}

bool os_can_read(const char *name) {
  if (os_is_device(name))
    return true;
  HANDLE file = os_open_handle(name, GENERIC_READ, OPEN_EXISTING,
                               FILE_FLAG_BACKUP_SEMANTICS);
  if (file == INVALID_HANDLE_VALUE)
    return false;
  CloseHandle(file);
  return true;
}

bool os_can_run(const char *name) {
  DWORD attributes = read_attributes(name);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

bool os_is_link(const char *name) {
  DWORD attributes = read_attributes(name);
  return attributes != INVALID_FILE_ATTRIBUTES &&
         attributes & FILE_ATTRIBUTE_REPARSE_POINT;
}

/* ---- new files, and old ones ---- */

enum { TRIES = 100 };

int os_make_temporary_file(char *path, const char *like) {
  (void)like; /* a new file gets its permissions from the folder */
  for (unsigned i = 0; i < TRIES; i++) {
    os_randomise_name(path);
    int file = open_descriptor(
        os_open_handle(path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW, 0),
        _O_RDWR);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

void os_copy_mode(FILE *to, const char *like) {
  (void)to;
  (void)like;
}

FILE *os_temporary_file(void) {
  char path[1100];
  for (unsigned i = 0; i < TRIES; i++) {
    snprintf(path, sizeof path, "%s/bareprof-XXXXXX", os_temporary_folder());
    os_randomise_name(path);
    int file = open_descriptor(
        os_open_handle(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW,
                       FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE),
        _O_RDWR);
    if (file >= 0 || errno != EEXIST)
      return open_stream(file, "w+b");
  }
  return NULL;
}

bool os_truncate_file(FILE *file) {
  fflush(file);
  return _chsize_s(_fileno(file), 0) == 0;
}

/* Returns whether the file cannot be replaced because it is a running program.
 * MoveFileEx then reports missing permissions (EACCES). */
static bool is_in_use(const char *name) {
  HANDLE file = os_open_handle(name, DELETE, OPEN_EXISTING, 0);
  if (file != INVALID_HANDLE_VALUE)
    CloseHandle(file);
  return file == INVALID_HANDLE_VALUE && errno == EBUSY;
}

/* Renames a file, and retries for a moment: a program that checks new files,
 * such as a virus scanner, may have either file open. */
bool os_rename(const char *from, const char *to) {
  wchar_t *old = os_name_to_utf16(from), *new = os_name_to_utf16(to);
  bool done = false;
  for (unsigned i = 0; old && new && !done &&i < TRIES; i++) {
    done = MoveFileExW(old, new,
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH);
    if (done)
      break;
    os_set_errno();
    if (errno != EBUSY && errno != EACCES)
      break;
    SetFileAttributesW(new, FILE_ATTRIBUTE_NORMAL);
    Sleep(10);
  }
  free(old);
  free(new);
  if (!done && errno == EACCES)
    errno = is_in_use(to) ? EBUSY : EACCES;
  return done;
}

bool os_remove(const char *file) {
  wchar_t *wide = os_name_to_utf16(file);
  bool done = wide && DeleteFileW(wide);
  if (wide && !done)
    os_set_errno();
  free(wide);
  return done;
}

bool os_make_folder(const char *path) {
  wchar_t *wide = os_name_to_utf16(path);
  bool done = wide && CreateDirectoryW(wide, NULL);
  if (wide && !done)
    os_set_errno();
  free(wide);
  return done;
}

static bool make_new_folder(char *path) {
  for (unsigned i = 0; i < TRIES; i++) {
    os_randomise_name(path);
    bool done = os_make_folder(path);
    if (done || errno != EEXIST)
      return done;
  }
  return false;
}

/* `path` is in the user's folder of temporary files, which is private. */
bool os_make_private_folder(char *path) { return make_new_folder(path); }

bool os_make_shared_folder(char *path, int *held) {
  *held = -1;
  return make_new_folder(path);
}

/* Do nothing. Windows cannot lock a folder, so leftover folders are not
 * removed. */
void os_unlock_folder(int held) { (void)held; }
void os_remove_unfinished(const char *target) { (void)target; }

bool os_list_folder(const char *folder,
                    bool (*each)(void *context, const char *path,
                                 bool is_folder),
                    void *context) {
  size_t size = strlen(folder) + 3;
  char *pattern = malloc(size);
  WIN32_FIND_DATAW found;
  if (!pattern)
    return false;
  snprintf(pattern, size, "%s/*", folder);
  wchar_t *wide = os_name_to_utf16(pattern);
  free(pattern);
  HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
  free(wide);
  if (search == INVALID_HANDLE_VALUE)
    return false;
  bool more = true;
  do {
    char *name = os_to_utf8(found.cFileName);
    size_t room = name ? strlen(folder) + strlen(name) + 2 : 0;
    char *path = name ? malloc(room) : NULL;
    if (path && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
      snprintf(path, room, "%s/%s", folder, name);
      more = each(context, path,
                  (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) &&
                      !(found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT));
    }
    free(path);
    free(name);
  } while (more && FindNextFileW(search, &found));
  FindClose(search);
  return more;
}

static bool remove_folder_entry(void *context, const char *path, bool folder) {
  (void)context;
  if (folder)
    os_remove_folder(path);
  else if (!os_remove(path)) {
    wchar_t *wide = os_name_to_utf16(path);
    if (wide) {
      SetFileAttributesW(wide, FILE_ATTRIBUTE_NORMAL);
      if (!DeleteFileW(wide))
        RemoveDirectoryW(wide); /* the entry is a link to a folder */
    }
    free(wide);
  }
  return true;
}

void os_remove_folder(const char *folder) {
  os_list_folder(folder, remove_folder_entry, NULL);
  wchar_t *wide = os_name_to_utf16(folder);
  if (wide)
    RemoveDirectoryW(wide);
  free(wide);
}

/* ---- memory ---- */

void *os_map_file(int file, size_t size) {
  HANDLE mapping = CreateFileMappingW((HANDLE)_get_osfhandle(file), NULL,
                                      PAGE_READONLY, 0, 0, NULL);
  if (!mapping)
    return NULL;
  void *bytes = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size);
  CloseHandle(mapping);
  return bytes;
}

void os_unmap(void *bytes, size_t size) {
  (void)size;
  UnmapViewOfFile(bytes);
}

void os_release_pages(const void *bytes, size_t size) {
  (void)bytes;
  (void)size;
}

void *os_use_large_pages(void *bytes, size_t size) {
  (void)size;
  return bytes;
}

FILE *os_open_memory_stream(char **text, size_t *size) {
  *text = NULL;
  *size = 0;
  return os_temporary_file();
}

bool os_close_memory_stream(FILE *stream, char **text, size_t *size) {
  bool right = !fflush(stream) && !ferror(stream);
  long long end = right ? _ftelli64(stream) : -1;
  if (end >= 0)
    *text = malloc((size_t)end + 1);
  if (*text) {
    rewind(stream);
    *size = fread(*text, 1, (size_t)end, stream);
    right = *size == (size_t)end;
    (*text)[*size] = 0;
  }
  fclose(stream);
  return right && *text;
}
