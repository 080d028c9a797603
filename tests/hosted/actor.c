/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program that does what its arguments say, one after the other, for
 * tests/hosted/run: count, write, fork, exit... Prints all results of the
 * runtime. It is linked twice, with compiler-rt's runtime and with ours.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void __llvm_profile_set_filename(const char *name);
const char *__llvm_profile_get_filename(void);
const char *__llvm_profile_get_path_prefix(void);
int __llvm_profile_write_file(void);
int __llvm_profile_dump(void);
void __llvm_profile_set_dumped(void);
void __llvm_profile_reset_counters(void);
void __llvm_profile_initialize_file(void);
void __llvm_profile_initialize(void);
int __llvm_profile_register_write_file_atexit(void);
void __llvm_profile_set_file_object(FILE *file, int merge);
uint64_t __llvm_profile_get_size_for_buffer(void);
int __llvm_profile_write_buffer(char *buffer);
int __llvm_profile_check_compatibility(const char *profile, uint64_t size);
int __llvm_profile_merge_from_buffer(const char *profile, uint64_t size);
int __llvm_profile_is_continuous_mode_enabled(void);
void __llvm_profile_recursive_mkdir(char *path);
void __llvm_profile_set_dir_mode(unsigned mode);
unsigned __llvm_profile_get_dir_mode(void);

/* What is counted. */
__attribute__((noinline)) static void second(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void counted(int times) {
  for (int i = 0; i < times; i++)
    if ((i & 1) && i < 100)
      second();
}

static char *buffer;
static uint64_t buffer_size;

static void say(const char *name, long value) {
  printf("%s %ld\n", name, value);
  fflush(stdout);
}

/* In the child the rest goes on; the parent waits for it first. */
static void do_fork(void) {
  pid_t child = fork();
  int status;
  if (child > 0) {
    waitpid(child, &status, 0);
    say("child", status);
  }
}

static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  void (*work)(int) = library ? (void (*)(int))dlsym(library, "work") : NULL;
  if (!work)
    abort();
  work(3);
}

static void unload(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  dlclose(library);
  dlclose(library);
}

static void set_object(const char *path, const char *mode, const char *merge) {
  FILE *file = fopen(path, mode);
  __llvm_profile_set_file_object(file, atoi(merge));
}

static void save(void) {
  buffer_size = __llvm_profile_get_size_for_buffer();
  buffer = calloc(1, buffer_size + 1);
  say("save", __llvm_profile_write_buffer(buffer));
}

static void keep(const char *path) {
  FILE *file = fopen(path, "wb");
  fwrite(buffer, 1, buffer_size, file);
  fclose(file);
}

static void merge(void) {
  say("check", __llvm_profile_check_compatibility(buffer, buffer_size));
  say("merge", __llvm_profile_merge_from_buffer(buffer, buffer_size));
}

static const char *pid_masked(const char *name) {
  static char masked[5000];
  char pid[32];
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  const char *at = strstr(name, pid);
  if (!at)
    return name;
  snprintf(masked, sizeof masked, "%.*sPID%s", (int)(at - name), name,
           at + strlen(pid));
  return masked;
}

/* Does what needs no argument; 0 if it knows what. */
static int simple(const char *what) {
  if (!strcmp(what, "write"))
    say(what, __llvm_profile_write_file());
  else if (!strcmp(what, "dump"))
    say(what, __llvm_profile_dump());
  else if (!strcmp(what, "reset"))
    __llvm_profile_reset_counters();
  else if (!strcmp(what, "dumped"))
    __llvm_profile_set_dumped();
  else if (!strcmp(what, "init-file"))
    __llvm_profile_initialize_file();
  else if (!strcmp(what, "init"))
    __llvm_profile_initialize();
  else if (!strcmp(what, "register"))
    say(what, __llvm_profile_register_write_file_atexit());
  else if (!strcmp(what, "name"))
    puts(pid_masked(__llvm_profile_get_filename()));
  else if (!strcmp(what, "free-name"))
    free((void *)(uintptr_t)__llvm_profile_get_filename());
  else if (!strcmp(what, "prefix"))
    puts(pid_masked(__llvm_profile_get_path_prefix()));
  else if (!strcmp(what, "continuous"))
    say(what, __llvm_profile_is_continuous_mode_enabled() != 0);
  else if (!strcmp(what, "save"))
    save();
  else if (!strcmp(what, "merge"))
    merge();
  else if (!strcmp(what, "fork"))
    do_fork();
  else if (!strcmp(what, "default"))
    __llvm_profile_set_filename(NULL);
  else if (!strcmp(what, "abort"))
    abort();
  else if (!strcmp(what, "kill"))
    kill(getpid(), SIGKILL);
  else
    return 1;
  return 0;
}

int main(int count, char **arguments) {
  (void)count;
  for (char **at = arguments + 1; *at; at++) {
    if (!simple(*at))
      continue;
    const char *value = *++at;
    if (!value)
      return 99;
    if (!strcmp(at[-1], "hit"))
      counted(atoi(value));
    else if (!strcmp(at[-1], "set"))
      __llvm_profile_set_filename(value);
    else if (!strcmp(at[-1], "exit"))
      exit(atoi(value));
    else if (!strcmp(at[-1], "_exit"))
      _exit(atoi(value));
    else if (!strcmp(at[-1], "cd"))
      say("cd", chdir(value));
    else if (!strcmp(at[-1], "env"))
      setenv("LLVM_PROFILE_FILE", value, 1);
    else if (!strcmp(at[-1], "load"))
      load(value);
    else if (!strcmp(at[-1], "unload"))
      unload(value);
    else if (!strcmp(at[-1], "object"))
      set_object(value, "w+b", *++at);
    else if (!strcmp(at[-1], "keep"))
      keep(value);
    else if (!strcmp(at[-1], "append"))
      set_object(value, "a+b", *++at);
    else if (!strcmp(at[-1], "mode"))
      __llvm_profile_set_dir_mode((unsigned)strtol(value, NULL, 8));
    else if (!strcmp(at[-1], "pool"))
      say("pool", (long)getpid() % atoi(value));
    else if (!strcmp(at[-1], "exec"))
      execl("/proc/self/exe", arguments[0], "hit", value, (char *)0);
    else
      return 98;
  }
  return 0;
}
