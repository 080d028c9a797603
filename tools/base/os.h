/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The system that the tool runs on: the only place that knows it. os_posix*.c
 * or os_windows*.c implement these functions. Names are UTF-8 on Windows. A
 * function that fails sets errno, unless its comment says otherwise.
 */
#ifndef BASE_OS_H
#define BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the program ---- */

/* main calls it first. Occupies those of the three standard files that are
 * closed. Otherwise a file that is opened takes such a number, and messages go
 * into it. They still fail: standard input cannot be read, the others not
 * written. May replace the arguments by a better form of the same. */
void os_begin(int *argc, char ***argv);

unsigned os_processors(void);

/* ---- names of files ---- */

bool os_is_separator(char c);

/* The part of a path behind its last separator. */
const char *os_base(const char *path);

/* Whether a path does not depend on the current folder. */
bool os_is_absolute(const char *path);

/* Whether so many bytes of two paths are the same for the file system. */
bool os_same_name(const char *a, const char *b, size_t size);

/* The absolute name of an existing file, with links followed. The caller frees
 * it. NULL: there is none. */
char *os_real_path(const char *name);

/* The current folder. Returns room, or NULL. */
char *os_here(char *room, size_t size);

/* What the names of programs end in. */
extern const char os_program_end[];

/* The device that drops everything. */
extern const char os_nowhere[];

/* The tool's own program. */
const char *os_own_name(void);

/* The folder for temporary files with names, and for those without. */
const char *os_temporary(void);
extern const char os_temporary_files[];

/* Names that stand for the tool's own open files, for example /dev/stdout. */
bool os_names_open_file(const char *name);
bool os_names_standard_output(const char *name);

/* ---- files ---- */

enum os_kind { OS_NOTHING, OS_FILE, OS_FOLDER, OS_OTHER };

/* Two names or open files are the same file if device and number are equal. */
struct os_facts {
  enum os_kind kind;
  uint64_t device, number, size;
  int64_t seconds; /* the last change */
  long nanoseconds;
};

/* Links are followed. false: there is no such file; *facts is zero. */
bool os_look(const char *name, struct os_facts *facts);
bool os_look_open(int file, struct os_facts *facts);

bool os_exists(const char *name);
bool os_can_read(const char *name);
bool os_can_run(const char *name);
bool os_is_link(const char *name);

/* Open files are not for programs that the tool starts. Returns the file, or
 * -1. os_append writes at the end of an existing file. */
int os_open(const char *name);
int os_append(const char *name);

/* Reads without an end before the first byte, also after a signal. */
long os_read(int file, void *bytes, size_t size);

/* As fopen, without any change of line ends. */
FILE *os_fopen(const char *name, const char *mode);

/* Memory of the open file, to be read; NULL: it cannot be mapped. */
void *os_map(int file, size_t size);
void os_unmap(void *bytes, size_t size);
/* A part of it takes no memory until it is read again. */
void os_forget(const void *bytes, size_t size);

/* What a file or folder is called until it is finished: its later name, and
 * this behind it, of which the last six letters get replaced. */
#define OS_UNFINISHED ".bareprof.XXXXXX"
#define OS_REPLACED ".old" /* of one that it has replaced, behind that */

/* Makes a new file with such a path. It has the mode of the file `like`, or of
 * any new file if that does not exist. As long as it is open, also by dup, no
 * os_remove_unfinished removes it. */
int os_make_file(char *path, const char *like);

/* Removes what killed runs have left of that name. */
void os_remove_unfinished(const char *target);

/* Gives an open file the mode of another one. No harm if that fails. */
void os_copy_mode(FILE *to, const char *like);

/* A file without a name, which is gone when it is closed. */
FILE *os_temporary_file(void);
bool os_shorten(FILE *file); /* to 0 bytes */

/* Gives the file, or the folder, another name. os_replace first removes a file
 * that has the name. */
bool os_replace(const char *from, const char *to);
bool os_remove(const char *file);

/* Folders. The path of a new one ends in XXXXXX; os_make_shared gives it the
 * mode of any new folder, and *held keeps os_remove_unfinished away until
 * os_let_go; os_make_private gives it that of the user alone. os_make_folder
 * takes the name as it is. */
bool os_make_private(char *path);
bool os_make_shared(char *path, int *held);
void os_let_go(int held);
bool os_make_folder(const char *path);
/* Calls each for what is in a folder, until it returns false, which os_list
 * then does, as for what is no folder. */
bool os_list(const char *folder,
             bool (*each)(void *context, const char *path, bool is_folder),
             void *context);
void os_remove_all(const char *folder); /* with all that is in it */

/* Random bytes that nobody can guess. false: there are none. */
bool os_random(void *bytes, size_t size);

/* What an error of these functions means. */
const char *os_error(int error);

/* ---- memory ---- */

/* Asks for large pages in memory from malloc, calloc or realloc that is not in
 * use yet: the system takes long to hand out small ones. Does nothing if the
 * memory is small, NULL, or of more than 32 MB: a virtual machine may have to
 * fetch each large page from its host, which takes longer. Returns bytes. */
void *os_large_pages(void *bytes, size_t size);

/* A stream that writes to memory. os_memory_end closes it and gives the text,
 * which ends in a zero. The caller frees the text. false: out of memory. */
FILE *os_memory_begin(char **text, size_t *size);
bool os_memory_end(FILE *stream, char **text, size_t *size);

/* ---- terminals ---- */

/* Files by their numbers, 0 to 2. A screen also obeys escape sequences. */
bool os_is_terminal(int file);
bool os_is_screen(int file);

/* Whether the reader of standard output, a pipe, has gone. */
bool os_reader_gone(void);

/* ---- the end by a signal, or by Ctrl-C and the like ---- */

/* From now on `clean` runs before a signal ends the program; clean may not call
 * anything but os_remove. A closed pipe becomes an error of write. */
void os_catch_end(void (*clean)(void));

/* Signals wait between these calls, which do not nest. */
void os_delay_end(void);
void os_resume_end(void);

/* Whether a signal waits. os_take_end takes a Ctrl-C away, so that the program
 * goes on. */
bool os_end_waits(void);
bool os_take_end(void);

/* If mapped memory breaks because its file became shorter, `explain` is called
 * with the address. It does not return if it knows the address. */
void os_catch_broken(void (*explain)(uintptr_t at));

/* Text to standard error, also in a handler; and the end there. */
void os_say(const char *text);
_Noreturn void os_leave(int status);

/* After os_catch_stop, the first signal makes os_stopped true, and the second
 * one ends the program. */
void os_catch_stop(void);
bool os_stopped(void);

/* ---- other programs ---- */

/* The path of a program in PATH, unless the name has a separator. NULL: not
 * found. The caller frees it. */
char *os_find_program(const char *name);

/* Runs list[0], a path or a name in PATH, and waits. input NULL: nothing. If
 * signals are delayed, a signal that ends the tool ends the program first.
 * Returns a status for the functions below, or -1 and errno. */
int os_run(char *const *list, FILE *input, FILE *out, FILE *messages);

/* Of a status: whether a signal ended the program, and which; or its exit
 * status. */
int os_signal(int status);
int os_exit_status(int status);

/* Continues as another program, which gets all signals. Returns only after an
 * error. */
void os_become(char *const *list);

/* A program whose output, also that of standard error, is read as it comes. It
 * and all its child processes end with the tool, whatever ends that. NULL: it
 * cannot be started. */
struct os_child;
struct os_child *os_child_start(char *const *list);

/* Waits for output. Returns its size; 0: none came in so many milliseconds; -1:
 * no more will come. */
long os_child_read(struct os_child *child, void *bytes, size_t size,
                   int milliseconds);

/* Whether it has ended; then *status is set. */
bool os_child_ended(struct os_child *child, int *status);

/* Asks it, with its child processes, to end; or ends them. */
void os_child_ask(struct os_child *child);
void os_child_end(struct os_child *child, int *status);
void os_child_free(struct os_child *child);

/* ---- ports: serial devices, connections, files, pipes ---- */

void os_wait(int milliseconds);

struct os_port;

/* Opens a device for reading, and for writing if that is allowed; or a file or
 * a pipe for reading; "-" is standard input. NULL: *error says why. */
struct os_port *os_port_open(const char *name, const char **error);

/* The addresses of a server. NULL: *error says why. */
struct os_server;
struct os_server *os_server_find(const char *host, const char *service,
                                 const char **error);
void os_server_free(struct os_server *server);

/* Connects to the first address that answers. NULL: *error says why; *refused:
 * nobody listens. */
struct os_port *os_server_connect(const struct os_server *server, bool *refused,
                                  const char **error);

/* Connects to a server whose address is a name in the file system. NULL: *error
 * says why. */
extern const bool os_has_local_servers; /* not on Windows */

/* The program that shows a link in the user's browser, and its first word or
 * NULL. */
extern const char *const os_opener[2];
struct os_port *os_port_local(const char *path, const char **error);

/* Listens for connections of this machine alone, to 127.0.0.1; *number: the
 * port, 0 for any, which is set. NULL: *error says why; on Windows always.
 * os_port_accept returns the next connection, or NULL: there is none now. */
struct os_port *os_port_listen(unsigned *number, const char **error);
struct os_port *os_port_accept(const struct os_port *listener);

bool os_port_writes(const struct os_port *port);
bool os_port_is_serial(const struct os_port *port);

/* What the port is, if it is a file. */
bool os_port_look(const struct os_port *port, struct os_facts *facts);
int os_port_file(const struct os_port *port); /* -1: it is none */

/* Sets a serial device: raw, 8N1, no flow control. Returns 0, or reports the
 * error with this name and returns 1; then nothing has changed. os_port_close
 * sets it back. */
int os_port_set(struct os_port *port, const char *name, unsigned long baud);

/* Bytes that a serial device's driver has lost since it was set. */
struct os_losses {
  unsigned long overrun; /* came too fast */
  unsigned long framing; /* invalid: noise, another rate */
};
struct os_losses os_port_losses(const struct os_port *port);

/* The user's keyboard or script, standard input: from now on os_port_wait waits
 * for it too. A terminal then gives single keys without echo. */
void os_port_keys(struct os_port *port);

/* Waits for bytes, or until a signal comes. Returns OS_BYTES, OS_KEYS, both, or
 * 0. */
enum { OS_BYTES = 1, OS_KEYS = 2 };
unsigned os_port_wait(struct os_port *port, int milliseconds);

/* Returns the number of bytes, 0 if there are none now, -1 at the end. */
long os_port_read(struct os_port *port, void *bytes, size_t size);
long os_port_read_keys(struct os_port *port, void *bytes, size_t size);

/* Returns how many bytes the port has taken; 0: none in so many milliseconds,
 * or a signal came; -1: an error. */
long os_port_write(struct os_port *port, const void *bytes, size_t size,
                   int milliseconds);

/* Closes and frees it, and gives terminals their settings back. */
void os_port_close(struct os_port *port);

#endif
