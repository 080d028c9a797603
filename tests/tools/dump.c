/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tools/base as a program, so that the script can compare its results with
 * other tools':
 *   dump md5 FILE...            lines of md5sum
 *   dump sha256 FILE...         lines of sha256sum
 *   dump elf FILE               sections, segments, symbols, build id
 *   dump contents FILE SECTION  the section, decompressed
 *   dump profile ELF PROFRAW    lines of -text, the places by the ELF
 *   dump copy IN OUT LIMIT commit|abandon
 *   dump report FILE TEXT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/program.h"
#include "error.h"
#include "file.h"
#include "image/dumpfile.h"
#include "image_layout.h"
#include "digest.h"

/* The first half is that of many messages side by side, the second that of one
 * alone. */
static int print_md5(char **names) {
  enum { MOST = 1024 };
  static struct bytes list[MOST];
  static uint64_t sums[MOST];
  size_t count = 0;
  for (; names[count] && count < MOST; count++) {
    struct file file;
    if (file_read(&file, names[count], SIZE_MAX))
      return 1;
    list[count] = file.bytes;
  }
  md5_low64_all(list, count, sums);
  for (size_t i = 0; i < count; i++) {
    unsigned char digest[16];
    md5(digest, list[i].data, list[i].size);
    for (unsigned j = 0; j < 8; j++)
      printf("%02x", (unsigned)(sums[i] >> 8 * j & 0xFF));
    for (unsigned j = 8; j < 16; j++)
      printf("%02x", digest[j]);
    printf("  %s\n", names[i]);
    free((void *)(uintptr_t)list[i].data);
  }
  return 0;
}

static int print_sha256(char **names) {
  for (; *names; names++) {
    struct file file;
    unsigned char digest[SHA256_SIZE];
    if (file_read(&file, *names, SIZE_MAX))
      return 1;
    sha256(digest, file.bytes.data, file.bytes.size);
    for (unsigned i = 0; i < SHA256_SIZE; i++)
      printf("%02x", digest[i]);
    printf("  %s\n", *names);
    file_close(&file);
  }
  return 0;
}

static int open_elf(struct elf *elf, struct file *file, const char *name) {
  if (file_map(file, name, 1 << 30))
    return 1;
  const char *error = elf_open(elf, file->bytes);
  return error ? report(name, "%s", error) : 0;
}

/* Numbers as llvm-readobj prints them. */
#define HEX " 0x%" PRIX64
#define DEC " %" PRIu64

static void print_elf(const struct elf *elf) {
  for (uint64_t i = 0; i < elf->section_count; i++) {
    struct elf_section s = elf_section(elf, i);
    printf("section" DEC " %s 0x%" PRIX32 HEX HEX HEX DEC DEC DEC DEC DEC "\n",
           i, s.name, s.type, s.flags, s.address, s.offset, s.size,
           (uint64_t)s.link, (uint64_t)s.info, s.align, s.entry_size);
  }
  for (uint64_t i = 0; i < elf->segment_count; i++) {
    struct elf_segment s = elf_segment(elf, i);
    printf("segment 0x%" PRIX32 HEX HEX HEX DEC DEC DEC "\n", s.type, s.offset,
           s.address, s.physical, s.file_size, s.memory_size, s.align);
  }
  for (uint64_t i = 0; i < elf->symbol_count; i++) {
    struct elf_symbol s = elf_symbol(elf, i);
    /* The names of sections' symbols are what a tool makes of them. */
    printf("symbol %s" HEX DEC " 0x%X 0x%X 0x%X\n", s.type == 3 ? "-" : s.name,
           s.value, s.size, s.binding, s.type, s.section);
  }
  struct bytes id;
  if (!elf_find_build_id(elf, &id))
    return;
  printf("id ");
  for (size_t i = 0; i < id.size; i++)
    printf("%02x", id.data[i]);
  printf("\n");
}

static int print_contents(const struct elf *elf, const char *file,
                          const char *name) {
  struct elf_section section;
  struct bytes contents;
  unsigned char *memory;
  if (!elf_find_section(elf, name, &section))
    return report(file, "no section %s", name);
  const char *error =
      elf_read_contents(elf, &section, 1 << 28, &contents, &memory);
  if (error)
    return report(file, "%s", error);
  fwrite(contents.data, 1, contents.size, stdout);
  free(memory);
  return 0;
}

/* ---- a profile, its counters found by the ELF ---- */

struct profile {
  struct bytes file;
  bool big;
  uint64_t version;
  uint64_t counters, bitmap; /* offsets in the file */
};

static uint64_t field(const struct profile *profile, unsigned at) {
  return load64(profile->file.data + at, profile->big);
}

/* By the header alone. */
static void open_profile(struct profile *profile, const struct elf *elf) {
  profile->big = elf->big;
  profile->version = field(profile, 8);
  unsigned raw = (uint8_t)profile->version;
  struct bareprof_image image = {.version = &profile->version,
                                 .pointer_size = elf->wide ? 8 : 4};
  unsigned width = 1u << bareprof_counter_shift(&image);
  profile->counters =
      (raw < 9    ? 88
       : raw == 9 ? 112
                  : 128) +
      field(profile, 16) +
      field(profile, 24) * bareprof_layout_find(&image)->record_size +
      field(profile, 32);
  profile->bitmap =
      profile->counters + field(profile, 40) * width + field(profile, 48);
}

static void print_function(const struct profile *profile,
                           const struct image_function *f, unsigned width) {
  /* A timestamp is the first counter, or the first eight. */
  uint32_t skipped = profile->version >> 63 ? 8 / width : 0;
  printf("%s %" PRIu64 " %" PRIu32, f->name, f->hash,
         f->counter_count - skipped);
  for (uint32_t i = skipped; i < f->counter_count; i++) {
    const unsigned char *at =
        profile->file.data + profile->counters + f->counters + i * width;
    printf(DEC, width == 8 ? load64(at, profile->big) : *at == 0);
  }
  if (f->bitmap_size)
    printf(" $%" PRIu32, f->bitmap_size);
  for (uint32_t i = 0; i < f->bitmap_size; i++)
    printf(" 0x%x", profile->file.data[profile->bitmap + f->bitmap + i]);
  printf("\n");
}

static int print_profile(const struct elf *elf, const char *elf_name,
                         const char *name) {
  struct file file;
  struct image_functions functions;
  if (file_read(&file, name, 1 << 28))
    return 1;
  struct profile profile = {.file = file.bytes};
  open_profile(&profile, elf);
  const char *error = functions_read(&functions, elf, profile.version);
  if (error)
    return report(elf_name, "%s", error);
  for (size_t i = 0; i < functions.count; i++)
    print_function(&profile, &functions.list[i], functions.counter_size);
  functions_free(&functions);
  file_close(&file);
  return 0;
}

/* ---- */

static int copy(char **arguments) {
  struct file file;
  struct output_file output;
  int status = file_read(&file, arguments[0], strtoul(arguments[2], NULL, 10));
  if (!status)
    status = output_open(&output, arguments[1]);
  if (!status)
    fwrite(file.bytes.data, 1, file.bytes.size, output.stream);
  file_close(&file);
  if (status)
    return status;
  if (!strcmp(arguments[3], "commit"))
    return output_commit(&output);
  output_abandon(&output);
  return 0;
}

/* Opens an output, and waits for a signal. */
static int wait_for_signal(const char *name) {
  struct output_file output;
  interrupt_catch_signals();
  if (output_open(&output, name))
    return 1;
  return pause();
}

/* Cuts a file while it is mapped, and looks at what was its end. */
static int shrink(const char *name) {
  struct file file;
  if (file_map(&file, name, 1 << 28) || truncate(name, 1))
    return 1;
  int last = file.bytes.data[file.bytes.size - 1];
  file_close(&file);
  return last;
}

int main(int count, char **arguments) {
  const char *command = count > 1 ? arguments[1] : "";
  if (!strcmp(command, "wait"))
    return wait_for_signal(arguments[2]);
  if (!strcmp(command, "shrink"))
    return shrink(arguments[2]);
  if (!strcmp(command, "md5"))
    return print_md5(arguments + 2);
  if (!strcmp(command, "sha256"))
    return print_sha256(arguments + 2);
  if (!strcmp(command, "copy") && count == 6)
    return copy(arguments + 2);
  if (!strcmp(command, "report") && count == 4)
    return report(arguments[2], "%s", arguments[3]);
  struct elf elf;
  struct file file;
  if (count < 3)
    return report(NULL, "a command is missing");
  if (open_elf(&elf, &file, arguments[2]))
    return 1;
  int status = 0;
  if (!strcmp(command, "elf"))
    print_elf(&elf);
  else if (count == 4)
    status = strcmp(command, "contents")
                 ? print_profile(&elf, arguments[2], arguments[3])
                 : print_contents(&elf, arguments[2], arguments[3]);
  file_close(&file);
  return status;
}
