/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the functions of the operating system; no other file calls the
 * system directly. os_posix*.c or os_windows*.c implement these functions.
 * Names are UTF-8 on Windows. A function that fails sets errno, unless its
 * comment says otherwise.
 */
#ifndef BASE_OS_H
#define BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- the program ---- */

/* Must be the first call of main. Opens a substitute for each of the three
 * standard files that is closed; otherwise the system would give the free
 * number to a file that the tool opens later, and messages would go into that
 * file. The substitutes fail, as closed files do: standard input cannot be
 * read, the other two cannot be written. On Windows, also replaces the
 * arguments with UTF-8 text, and file patterns with the names of matching
 * files. */
void os_prepare_program(int *argc, char ***argv);

unsigned os_count_processors(void);

/* ---- names of files ---- */

bool os_is_separator(char c);

const char *os_base_name(const char *path);

/* Returns whether a path is independent of the current folder. */
bool os_is_absolute(const char *path);

/* Returns whether the file system treats the first `size` bytes of two paths as
 * equal. */
bool os_are_same_name(const char *a, const char *b, size_t size);

/* Returns the absolute name of an existing file, with links resolved. The
 * caller frees it. Returns NULL if the file does not exist. */
char *os_real_path(const char *name);

/* Writes the path of the current folder to room. Returns room or NULL. */
char *os_current_folder(char *room, size_t size);

/* The suffix of a program's file name: ".exe" or "". */
extern const char os_program_end[];

/* The name of the device that discards everything that is written to it. */
extern const char os_nowhere[];

const char *os_program_path(void);

/* os_temporary_folder returns the folder for temporary files with names.
 * os_temporary_files names the folder for temporary files without names. */
const char *os_temporary_folder(void);
extern const char os_temporary_files[];

/* Returns whether a name may denote an open file of the tool: a name in
 * /dev/fd/ or /proc/, or one such as /dev/stdout. False on Windows. */
bool os_is_open_file_name(const char *name);
bool os_is_standard_output_name(const char *name);

/* ---- files ---- */

enum os_kind { OS_NOTHING, OS_FILE, OS_FOLDER, OS_OTHER };

/* Facts about a file. If the device and number of two names or open files are
 * equal, they are the same file. */
struct os_file_info {
  enum os_kind kind;
  uint64_t device, number, size;
  int64_t seconds; /* the time of the last change */
  long nanoseconds;
};

/* Fill *facts. Links are followed. os_stat returns false if the file does not
 * exist or cannot be reached; then *facts is zero. */
bool os_stat(const char *name, struct os_file_info *facts);
bool os_stat_open(int file, struct os_file_info *facts);

bool os_exists(const char *name);
bool os_can_read(const char *name);
bool os_can_run(const char *name);
bool os_is_link(const char *name);

/* Open a file that child processes of the tool do not inherit. Both functions
 * return the file's number, or -1. os_open_to_append writes at the end of an
 * existing file. */
int os_open(const char *name);
int os_open_to_append(const char *name);

/* Reads at least one byte, unless the file has ended; continues after a signal.
 * Returns the number of bytes, 0 at the end, or -1 and errno. */
long os_read(int file, void *bytes, size_t size);

/* Like fopen, but never changes line ends. */
FILE *os_fopen(const char *name, const char *mode);

/* Maps an open file into memory for reading. Returns NULL if the file cannot be
 * mapped. */
void *os_map_file(int file, size_t size);
void os_unmap(void *bytes, size_t size);
/* Releases the memory of a part of a mapped file. A later read of the part
 * loads the part again. Does nothing on Windows. */
void os_release_pages(const void *bytes, size_t size);

/* The suffix of a file or folder that is unfinished. Random letters replace the
 * six letters X. */
#define OS_UNFINISHED ".bareprof.XXXXXX"
#define OS_REPLACED ".old" /* the second suffix of a replaced file */

/* Creates a new file; its path ends with OS_UNFINISHED. The file gets the
 * permissions of the file `like`, or the permissions of a new file if `like`
 * does not exist. os_remove_unfinished does not remove the file while it, or a
 * dup of it, is open. Returns the file's number, or -1. */
int os_make_temporary_file(char *path, const char *like);

/* Removes the unfinished files for `target` that killed runs have left. */
void os_remove_unfinished(const char *target);

/* Gives an open file the permissions of another file. A failure is ignored. */
void os_copy_mode(FILE *to, const char *like);

/* Opens a file without a name, which disappears when the file is closed. */
FILE *os_temporary_file(void);
bool os_truncate_file(FILE *file); /* truncates the file to 0 bytes */

/* Renames a file or folder. A file replaces an existing file that has the new
 * name. */
bool os_rename(const char *from, const char *to);
bool os_remove(const char *file);

/* Creates folders. A path passed to the first two ends with XXXXXX.
 * os_make_private_folder makes a folder that only the user can read.
 * os_make_shared_folder makes a folder with the usual permissions; *held
 * protects it from os_remove_unfinished until os_unlock_folder. os_make_folder
 * takes the name unchanged. */
bool os_make_private_folder(char *path);
bool os_make_shared_folder(char *path, int *held);
void os_unlock_folder(int held);
bool os_make_folder(const char *path);
/* Calls `each` for each entry of a folder until `each` returns false. The
 * entries are in the order of their names; on Windows, of the file system.
 * os_list_folder returns false if `each` did, or if the folder cannot be
 * listed. */
bool os_list_folder(const char *folder,
                    bool (*each)(void *context, const char *path,
                                 bool is_folder),
                    void *context);
void os_remove_folder(const char *folder); /* removes its contents, too */

/* Fills bytes with unpredictable random data. Returns false if the system
 * cannot provide any. */
bool os_fill_random_bytes(void *bytes, size_t size);

const char *os_error_text(int error);

/* ---- memory ---- */

/* Requests large pages for memory from malloc, calloc or realloc that is not in
 * use yet, because the system takes long to provide small pages. Does nothing
 * on Windows, or if the memory is small, NULL, or larger than 32 MB: a virtual
 * machine may have to fetch each large page from its host, which takes longer.
 * Returns `bytes`. */
void *os_use_large_pages(void *bytes, size_t size);

/* Opens a stream that writes to memory. os_close_memory_stream closes the
 * stream and returns the zero-terminated text, which the caller frees.
 * os_close_memory_stream returns false if memory ran out. */
FILE *os_open_memory_stream(char **text, size_t *size);
bool os_close_memory_stream(FILE *stream, char **text, size_t *size);

/* ---- terminals ---- */

/* Both functions take the number of a standard file, 0 to 2. A screen is a
 * terminal that obeys escape sequences. */
bool os_is_terminal(int file);
bool os_is_ansi_terminal(int file);

bool os_is_reader_gone(void);

/* ---- the end through a signal, such as Ctrl-C ---- */

/* Calls `clean` from now on before a signal ends the program. `clean` may call
 * only os_remove. Writing to a closed pipe becomes an error. */
void os_catch_signals(void (*clean)(void));

/* Signals that arrive between these two calls wait for the second one. The
 * calls do not nest. */
void os_delay_signals(void);
void os_resume_signals(void);

/* os_is_signal_pending returns whether a signal is waiting. os_discard_signal
 * returns the same, and discards a waiting Ctrl-C, so that the program
 * continues. */
bool os_is_signal_pending(void);
bool os_discard_signal(void);

/* Calls `explain` with the address if the program reads mapped memory that is
 * gone because its file became shorter. `explain` does not return if it knows
 * the address. */
void os_catch_mapped_file_fault(void (*explain)(uintptr_t at));

/* os_write_error prints a text to standard error, os_exit_now ends the program.
 * Signal handlers may call both functions. */
void os_write_error(const char *text);
_Noreturn void os_exit_now(int status);

/* After os_catch_stop_signals, the first signal makes os_is_stop_requested
 * true, and the second one ends the program. A SIGHUP that the caller ignores,
 * such as nohup, stays ignored. */
void os_catch_stop_signals(void);
bool os_is_stop_requested(void);

/* ---- other programs ---- */

/* Returns the path of a program in PATH, or the name itself if it contains a
 * separator. Returns NULL if the program is not found. The caller frees the
 * path. */
char *os_find_program(const char *name);

/* Runs list[0], a path or a name in PATH, and waits for its end. If input is
 * NULL, the program's input is empty. If signals are delayed, a signal to the
 * tool ends the program first. Returns a status for the two functions below, or
 * -1 and errno. */
int os_run_program(char *const *list, FILE *input, FILE *out, FILE *messages);

/* os_end_signal returns the signal that ended the program, or 0. os_exit_status
 * returns the program's exit status. */
int os_end_signal(int status);
int os_exit_status(int status);

/* Replaces the tool with another program, which then gets all signals. Returns
 * only after an error. */
void os_exec_program(char *const *list);

/* Starts a program whose standard output and error the tool reads as they come.
 * The program and all its child processes end with the tool, however the tool
 * ends. Returns NULL if the program cannot be started. */
struct os_child;
struct os_child *os_child_start(char *const *list);

/* Waits for output of the program. Returns the number of bytes read, 0 if no
 * output came in time, or -1 if no more output will come. */
long os_child_read(struct os_child *child, void *bytes, size_t size,
                   int milliseconds);

/* Returns whether the program has ended. If so, sets *status. */
bool os_child_has_ended(struct os_child *child, int *status);

/* os_child_terminate asks the program and its child processes to end;
 * os_child_kill forces them. */
void os_child_terminate(struct os_child *child);
void os_child_kill(struct os_child *child, int *status);
void os_child_free(struct os_child *child);

/* ---- ports: serial devices, connections, files, pipes ---- */

void os_sleep(int milliseconds);

struct os_port;

/* Opens a device, a file or a pipe for reading. A device is also opened for
 * writing if that is permitted. The name "-" is standard input. Returns NULL
 * and *error on failure. */
struct os_port *os_port_open(const char *name, const char **error);

/* The addresses of a server. os_server_resolve returns NULL and *error on
 * failure. */
struct os_server_address;
struct os_server_address *
os_server_resolve(const char *host, const char *service, const char **error);
void os_server_free(struct os_server_address *server);

/* Connects to the first address that answers. Returns NULL and *error on
 * failure. Sets *refused if no program listens at the address. */
struct os_port *os_server_connect(const struct os_server_address *server,
                                  bool *refused, const char **error);

extern const bool os_has_local_servers; /* false on Windows */

/* Connects to the local socket with this path. Returns NULL and *error on
 * failure. */
struct os_port *os_port_open_local(const char *path, const char **error);

/* The program that shows a link in the user's browser, and the program's first
 * argument or NULL. */
extern const char *const os_opener[2];

/* Listens for connections from this machine (127.0.0.1) on port *number. If
 * *number is 0, any free port is used, and *number becomes its number. Returns
 * NULL and *error on failure, and always on Windows. os_port_accept returns the
 * next connection, or NULL if no connection is waiting. */
struct os_port *os_port_listen(unsigned *number, const char **error);
struct os_port *os_port_accept(const struct os_port *listener);

bool os_port_can_write(const struct os_port *port);
bool os_port_is_serial(const struct os_port *port);

/* os_port_stat sets *facts. os_port_descriptor returns the number of the open
 * file. On Windows, a serial device or connection lacks a number: os_port_stat
 * returns false, os_port_descriptor -1. */
bool os_port_stat(const struct os_port *port, struct os_file_info *facts);
int os_port_descriptor(const struct os_port *port);

/* Configures a serial device: raw bytes, 8N1, no flow control. os_port_close
 * restores the settings. Returns 0. If that fails, reports the error under this
 * name and returns 1; then no setting has changed. */
int os_port_set_baud(struct os_port *port, const char *name,
                     unsigned long baud);

/* The numbers of bytes that the driver of a serial device has lost since
 * os_port_set_baud. */
struct os_port_losses {
  unsigned long overrun; /* bytes that came faster than the driver read them */
  unsigned long framing; /* bytes damaged by noise or another baud rate */
};
struct os_port_losses os_port_count_losses(const struct os_port *port);

/* Makes os_port_wait also wait for standard input, the user's keyboard or
 * script. A terminal then delivers single keys without echo. */
void os_port_add_keys(struct os_port *port);

/* Waits for bytes, a signal or the end of the time. Returns OS_BYTES, OS_KEYS,
 * both, or 0. */
enum { OS_BYTES = 1, OS_KEYS = 2 };
unsigned os_port_wait(struct os_port *port, int milliseconds);

/* os_port_read returns the number of bytes read, 0 if there are none, or -1 at
 * the end or after an error. os_port_read_keys returns at most 0 if there are
 * none, and no longer waits for keys if no more will come. */
long os_port_read(struct os_port *port, void *bytes, size_t size);
long os_port_read_keys(struct os_port *port, void *bytes, size_t size);

/* Returns how many bytes the port has accepted. Returns 0 if the port accepted
 * no byte in time, or after a signal; returns -1 after an error. */
long os_port_write(struct os_port *port, const void *bytes, size_t size,
                   int milliseconds);

/* Restores the terminal's settings, closes the port and frees it. */
void os_port_close(struct os_port *port);

#endif
