/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Images with probes that no compiler here makes, by encode.h.
 *
 *   made image OUT BITS ORDER ENCODING   what tests/probes/made.expected tells;
 *                                        BITS 32 or 64, ORDER little or big
 *   made big OUT FUNCTIONS BYTES         50 probes in each function, and so
 *                                        many bytes that are no code
 *   made again ELF ENCODING              reads, writes, reads: the same?
 *
 * ENCODING is a number of enum probe_encoding.
 */
#include <inttypes.h>

#include "composed.h"
#include "base/buffer.h"
#include "elf_write.h"
#include "file.h"

/* ---- to a file ---- */

/* A loaded segment, which elf_write does not make, at the end. */
static void add_segment(unsigned char **file, size_t *size,
                        const struct elf *elf, const struct elf_section *text) {
  unsigned entry = elf->wide ? 56 : 32, word = elf->wide ? 8 : 4;
  size_t at = (*size + 7) / 8 * 8;
  const uint64_t values[] = {text->offset, text->address, text->address,
                             text->size,   text->size,    4};
  *file = realloc(*file, at + entry);
  need(*file != NULL, "memory");
  memset(*file + *size, 0, at + entry - *size);
  unsigned char *to = *file + at;
  store32(to, 1, elf->big);
  if (elf->wide)
    store32(to + 4, 5, elf->big);
  else
    store32(to + 24, 5, elf->big);
  to += elf->wide ? 8 : 4;
  for (unsigned i = 0; i < 6; i++, to += word) {
    if (!elf->wide && i == 5)
      to += 4;
    store_number(to, values[i], word, elf->big);
  }
  unsigned char *header = *file;
  store_number(header + (elf->wide ? 32 : 28), at, word, elf->big);
  store16(header + (elf->wide ? 54 : 42), (uint16_t)entry, elf->big);
  store16(header + (elf->wide ? 56 : 44), 1, elf->big);
  *size = at + entry;
}

static unsigned char *code_of(const struct image *image, size_t size) {
  unsigned char *code = malloc(size + 1);
  need(code != NULL, "memory");
  for (size_t i = 0; i + NOP_SIZE <= size; i += NOP_SIZE)
    store32(code + i, image->wide ? 0xD503201F : 0x13, false);
  return code;
}

static void write_image(struct image *image, FILE *stream) {
  const struct probes *probes = &image->probes;
  const struct probe_layout layout = {image->encoding, image->wide ? 8 : 4,
                                      image->big};
  struct buffer section = {.limit = SIZE_MAX}, described = {.limit = SIZE_MAX};
  need(!probes_encode(probes, &layout, &section), "encodes");
  need(!probes_encode_functions(probes, image->big, &described), "describes");
  uint64_t low = UINT64_MAX, high = 0;
  struct elf_symbol *symbols =
      calloc(probes->symbol_count + 1, sizeof *symbols);
  for (size_t i = 0; i < probes->symbol_count; i++) {
    const struct code_symbol *from = &probes->symbols[i];
    symbols[i] =
        (struct elf_symbol){from->name, from->address, from->size, 1, 1, 2, 0};
    low = from->address < low ? from->address : low;
    high =
        from->address + from->size > high ? from->address + from->size : high;
  }
  unsigned char *code =
      image->again ? NULL : code_of(image, (size_t)(high - low));
  unsigned char *padding = calloc(image->padding + 1, 1);
  const struct elf_section sections[] = {{.name = ".text",
                                          .type = code ? 1 : ELF_SHT_NOBITS,
                                          .flags = ELF_ALLOC | EXECUTES,
                                          .address = low,
                                          .size = high - low,
                                          .align = 4,
                                          .bytes = code},
                                         {.name = ".pseudo_probe_desc",
                                          .type = 1,
                                          .size = described.size,
                                          .align = 1,
                                          .bytes = described.data},
                                         {.name = ".pseudo_probe",
                                          .type = 1,
                                          .size = section.size,
                                          .align = 1,
                                          .bytes = section.data},
                                         {.name = ".other",
                                          .type = 1,
                                          .size = image->padding,
                                          .align = 1,
                                          .bytes = padding}};
  const struct elf_draft draft = {
      image->wide, image->big, 2,       image->wide ? AARCH64 : RISCV, 0,
      sections,    4,          symbols, probes->symbol_count};
  need(!elf_write(&draft, stream), "writes");
  free(code);
  free(padding);
  free(symbols);
  buffer_free(&section);
  buffer_free(&described);
}

static struct bytes finish(struct image *image) {
  char *file;
  size_t size;
  FILE *stream = open_memstream(&file, &size);
  struct elf elf;
  struct elf_section text;
  write_image(image, stream);
  fclose(stream);
  struct bytes bytes = {(unsigned char *)file, size};
  need(!elf_open(&elf, bytes), "opens");
  elf_find_section(&elf, ".text", &text);
  add_segment((unsigned char **)&file, &size, &elf, &text);
  return (struct bytes){(unsigned char *)file, size};
}

static void save(struct image *image, const char *name) {
  struct bytes bytes = finish(image);
  FILE *stream = fopen(name, "wb");
  need(stream && fwrite(bytes.data, 1, bytes.size, stream) == bytes.size &&
           !fclose(stream),
       "saves");
  free((void *)bytes.data);
}

/* ---- again ---- */

static bool same_frames(const struct probe_inlining *a,
                        const struct probe_inlining *b) {
  for (; a && b; a = a->parent, b = b->parent)
    if (a->guid != b->guid || a->site != b->site ||
        a->discriminator != b->discriminator)
      return false;
  return a == b;
}

static bool same_probe(const struct probe *a, const struct probe *b, bool rfc) {
  return a->address == b->address && a->guid == b->guid &&
         a->index == b->index && a->type == b->type &&
         a->attributes == b->attributes &&
         (rfc || a->discriminator == b->discriminator) &&
         same_frames(a->inlining, b->inlining);
}

/* What is old is in the order of its compiler, by GUID and site here. */
static void compare(const struct probes *a, const struct probes *b, bool rfc) {
  need(a->count == b->count && a->lost_count == b->lost_count, "as many");
  need(a->record_count == b->record_count, "as many records");
  need(a->function_count == b->function_count, "as many functions");
  for (size_t i = 0; i < a->count; i++)
    need(same_probe(&a->list[i], &b->list[i], rfc), "the same probes");
  for (size_t i = 0; i < a->function_count; i++)
    need(a->functions[i].guid == b->functions[i].guid &&
             a->functions[i].hash == b->functions[i].hash &&
             !strcmp(a->functions[i].name, b->functions[i].name),
         "the same functions");
}

static void do_again(const char *name, unsigned encoding) {
  struct file file;
  struct elf elf, other;
  struct probes read_again;
  struct image image = {.encoding = encoding, .again = true};
  need(!file_read(&file, name, (size_t)1 << 30), "reads");
  need(!elf_open(&elf, file.bytes), "opens");
  const char *error = probes_read(&image.probes, &elf, PROBE_AUTO);
  need(!error, error);
  image.wide = elf.wide;
  image.big = elf.big;
  struct bytes bytes = finish(&image);
  need(!elf_open(&other, bytes), "opens what it made");
  error = probes_read(&read_again, &other, encoding);
  need(!error, error);
  compare(&image.probes, &read_again, encoding >= PROBE_RFC);
  printf("%zu\n", read_again.count);
  probes_free(&read_again);
  probes_free(&image.probes);
  free((void *)bytes.data);
  file_close(&file);
}

int main(int argc, char **argv) {
  need(argc > 3, "usage: see the top of tests/probes/made.c");
  struct image image = {.wide = true};
  if (!strcmp(argv[1], "again")) {
    do_again(argv[2], (unsigned)atoi(argv[3]));
    return 0;
  }
  need(argc > 4, "usage: see the top of tests/probes/made.c");
  if (!strcmp(argv[1], "big")) {
    image.encoding = PROBE_DELTA;
    image.padding = (size_t)atoll(argv[4]);
    compose_big(&image, (size_t)atoll(argv[3]));
  } else {
    need(argc > 5, "usage: see the top of tests/probes/made.c");
    image.wide = !strcmp(argv[3], "64");
    image.big = !strcmp(argv[4], "big");
    image.encoding = (unsigned)atoi(argv[5]);
    compose(&image);
  }
  save(&image, argv[2]);
  return 0;
}
