/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_running of a hosted module: the linked pieces, the build id, and the
 * module's place in memory. The program headers give the note of the build id,
 * because no linker script bounds it.
 */
#include <elf.h>
#include <link.h>

#include "image_sections.h"
#include "hosted.h"

struct bareprof_image bareprof_hosted_image;

extern const struct bareprof_image bareprof_running
    __attribute__((alias("bareprof_hosted_image")));

struct bareprof_slide bareprof_hosted_module;

/* The GNU build id's note among notes, as bareprof.ld would bound it. */
static struct bareprof_span
find_build_id(const unsigned char *at, const unsigned char *end, size_t align) {
  struct bareprof_span none = {0, 0};
  while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    __builtin_memcpy(&note, at, sizeof note);
    const unsigned char *name = at + sizeof note;
    size_t name_size = (note.n_namesz + align - 1) & -align;
    size_t left = (size_t)(end - name);
    /* Nothing need be behind the last one, not even padding. */
    if (name_size > left || note.n_descsz > left - name_size)
      return none;
    if (note.n_type == NT_GNU_BUILD_ID &&
        note.n_namesz == sizeof ELF_NOTE_GNU &&
        __builtin_memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0) {
      struct bareprof_span id = {at, name + name_size + note.n_descsz};
      return id;
    }
    size_t id_size = (note.n_descsz + align - 1) & -align;
    if (id_size > left - name_size)
      return none;
    at = name + name_size + id_size;
  }
  return none;
}

static void look_at(const ElfW(Phdr) * header, const unsigned char *bias) {
  struct bareprof_span *id = &bareprof_hosted_image.build_id;
  const unsigned char *begin = bias + header->p_vaddr;
  uintptr_t end = (uintptr_t)begin + header->p_memsz;
  if (header->p_type == PT_LOAD && end > bareprof_hosted_module.end)
    bareprof_hosted_module.end = end;
  if (header->p_type == PT_NOTE && id->begin == id->end)
    *id = find_build_id(begin, begin + header->p_memsz,
                        header->p_align == 8 ? 8 : 4);
}

/* In the order of the file: where it is loaded, then what is in it. */
static void find_identity(void) {
  const unsigned char *base = __ehdr_start;
  const ElfW(Ehdr) *header = (const void *)base;
  const ElfW(Phdr) *first = (const void *)(base + header->e_phoff);
  const ElfW(Phdr) *end = first + header->e_phnum;
  const unsigned char *bias = base;
  for (const ElfW(Phdr) *at = first; at != end; at++)
    if (at->p_type == PT_LOAD && at->p_offset == 0)
      bias = base - at->p_vaddr;
  bareprof_hosted_module.begin = (uintptr_t)base;
  for (const ElfW(Phdr) *at = first; at != end; at++)
    look_at(at, bias);
}

/* Before any other constructor of the module: those count, and may ask for a
 * profile. */
static void init(void) {
  static const struct bareprof_image linked = BAREPROF_LINKED_IMAGE;
  struct bareprof_image *image = &bareprof_hosted_image;
  *image = linked;
  if (!bareprof_hosted_has(image->guard))
    image->guard = NULL;
  if (__ehdr_start)
    find_identity();
}

static void (*const first)(void)
    __attribute__((section(".init_array.00000"), used)) = init;
