/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Files to profiles and back.
 */
#include "load.h"

#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "image_build_id.h"

const char *mip_elf_map(const struct elf *elf, struct bytes *map,
                        unsigned char **memory) {
  struct elf_section section;
  *memory = NULL;
  if (elf->type == ELF_REL)
    return "it is an object; give the linked image";
  if (!elf_find_section(elf, "__llvm_mipmap", &section))
    return "it has no section __llvm_mipmap: it was patched, and its map is "
           "apart, or not instrumented, or stripped; give the map, or the "
           "image "
           "as it was linked";
  if (!section.bytes)
    return "its map has no contents; link it with bareprof-mip.ld";
  const char *error = elf_contents(elf, &section, MIP_FILE_LIMIT, map, memory);
  struct mip_header header;
  if (!error && mip_header_read(&header, *map))
    error = "its section __llvm_mipmap does not begin with a header; link it "
            "with bareprof-mip.ld";
  return error;
}

uint32_t mip_build_of(const struct elf *elf) {
  struct bytes id;
  return elf_build_id(elf, &id) ? bareprof_build_hash(id.data, id.size) : 0;
}

static const char *load_elf(struct mip_profile *profile, struct bytes file) {
  struct elf elf;
  struct bytes map;
  unsigned char *memory;
  mip_new(profile);
  const char *error = elf_open(&elf, file);
  if (error)
    return error;
  error = mip_elf_map(&elf, &map, &memory);
  if (!error)
    error = mip_map_read(profile, map);
  if (!error)
    profile->build = mip_build_of(&elf);
  free(memory);
  return error;
}

const char *mip_load_bytes(struct mip_profile *profile, struct bytes file) {
  struct mip_header header;
  mip_new(profile);
  if (file.size >= 4 && !memcmp(file.data, "\177ELF", 4))
    return load_elf(profile, file);
  const char *error = mip_header_read(&header, file);
  if (error)
    return error;
  if (header.kind == MIP_MAP)
    return mip_map_read(profile, file);
  if (header.kind == MIP_PROFILE)
    return mip_profile_read(profile, file);
  return "it is what a target has sent, which needs its map; give a .mip that "
         "`bareprof mip merge` made of it";
}

int mip_load(struct mip_profile *profile, const char *name) {
  struct file file;
  *profile = (struct mip_profile){0};
  if (file_map(&file, name, MIP_FILE_LIMIT))
    return 1;
  const char *error = mip_load_bytes(profile, file.bytes);
  file_close(&file);
  return error ? report(name, "%s", error) : 0;
}

int mip_save_bytes(const struct buffer *buffer, const char *error,
                   const char *name) {
  struct output output;
  if (error)
    return report(name, "%s", error);
  if (output_open(&output, name))
    return 1;
  fwrite(buffer->data, 1, buffer->size, output.stream);
  return output_commit(&output);
}

int mip_save(const struct mip_profile *profile, const char *name) {
  struct buffer buffer = {.limit = (size_t)4 << 30};
  const char *error = mip_profile_write(profile, &buffer);
  int status = mip_save_bytes(&buffer, error, name);
  buffer_free(&buffer);
  return status;
}
