/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: tools/probe. The input chooses probes for an ELF, of any
 * encoding, and edits; or it is a section; or assembly. What holds: unedited
 * input is read; probes are in order; probes that were read are written, read
 * again unchanged, and written with the same bytes.
 */
#include "probe/probe.h"
#include "base/buffer.h"
#include "probe_made.h"

/* ---- what is done with it ---- */

static FILE *nowhere;

static void show(const struct probes *probes, const struct elf *elf) {
  static const char text[] =
      "main:\n  1000:\tnop\n 1004: nop\n1020:\n\n  102c:\t"
      "ret\n00001030 <twin>:\n    10ff: nop\n  zz: no";
  probes_print_text(nowhere, probes);
  probes_print_json(nowhere, probes);
  probes_print_faults(nowhere, probes, elf);
  struct annotation_state so_far = {0};
  for (int i = 0; i < 2; i++)
    probes_annotate_lines(
        nowhere, probes,
        (struct bytes){(const unsigned char *)text, sizeof text - 1}, &so_far);
  rewind(nowhere);
}

static struct bytes bytes_of(const struct buffer *buffer) {
  return (struct bytes){buffer->data, buffer->size};
}

static void write_again(const struct made *made, const struct probes *probes,
                        struct buffer *section) {
  const struct probe_layout layout = {PROBE_AUTO, made->wide ? 8 : 4,
                                      made->big};
  *section = (struct buffer){.limit = 1 << 24};
  must(!probes_encode(probes, &layout, section), "what is read is written");
}

/* That of all records with probes, or PROBE_AUTO: they differ. */
static unsigned encoding_of(const struct probes *probes) {
  unsigned encoding = PROBE_AUTO;
  for (size_t i = 0; i < probes->record_count; i++) {
    const struct probe_record *record = &probes->records[i];
    if (!record->count || record->encoding == encoding)
      continue;
    if (encoding != PROBE_AUTO)
      return PROBE_AUTO;
    encoding = record->encoding;
  }
  return encoding;
}

/* What counts from a symbol that several have is not told by a record. */
static void check_again(const struct made *made, const struct probes *probes,
                        struct bytes described) {
  struct buffer first, second;
  struct probes again;
  struct elf elf;
  size_t size;
  unsigned encoding = encoding_of(probes);
  /* An address of 4 bytes may look like one of 8 there. */
  if (encoding == PROBE_AUTO && made->big && !made->wide)
    return;
  write_again(made, probes, &first);
  char *file = write_elf(made, bytes_of(&first), described, &size);
  must(!elf_open(&elf, (struct bytes){(unsigned char *)file, size}), "opens");
  const char *error = probes_read(&again, &elf, encoding);
  must(!error || !probes->record_count || !probes->count,
       "what is written is read");
  if (!error) {
    must(again.count + again.lost_count == probes->count + probes->lost_count,
         "as many probes");
    write_again(made, &again, &second);
    must(first.size == second.size, "as many bytes");
    buffer_free(&second);
  }
  probes_free(&again);
  free(file);
  buffer_free(&first);
}

static void read_it(const struct made *made, struct bytes section,
                    struct bytes described, bool whole) {
  struct probes probes;
  struct elf elf;
  size_t size;
  char *file = write_elf(made, section, described, &size);
  unsigned encoding =
      made->encoding >= PROBE_RFC ? made->encoding : (unsigned)PROBE_AUTO;
  must(!elf_open(&elf, (struct bytes){(unsigned char *)file, size}), "opens");
  const char *error = probes_read(&probes, &elf, encoding);
  must(!whole || !error || !made->probes.symbol_count,
       "what is not edited is read");
  if (!error) {
    for (size_t i = 1; i < probes.count; i++)
      must(probes.list[i - 1].address <= probes.list[i].address, "in order");
    must(!whole || probes.count + probes.lost_count == made->probes.count,
         "all probes");
    show(&probes, &elf);
    check_again(made, &probes, described);
  }
  probes_free(&probes);
  free(file);
}

static bool edit(struct buffer *buffer, struct input *input) {
  bool any = false;
  for (unsigned i = 0; i < EDITS_MOST && more(input) && buffer->size; i++) {
    unsigned what = take(input);
    if (what % 4 == 3)
      buffer->size -= take(input) % (buffer->size + 1) % 16 % buffer->size;
    else
      edit_byte(input, &buffer->data[take(input) % buffer->size], what);
    any = true;
  }
  return any;
}

static void run_made(struct made *made, struct input *input) {
  struct buffer section = {.limit = 1 << 20}, described = {.limit = 1 << 20};
  const struct probe_layout layout = {made->encoding, made->wide ? 8 : 4,
                                      made->big};
  compose(made, input);
  must(!probes_encode(&made->probes, &layout, &section), "it is encoded");
  must(!probes_encode_functions(&made->probes, made->big, &described),
       "functions are encoded");
  bool whole = !edit(&section, input) && !edit(&described, input);
  read_it(made, bytes_of(&section), bytes_of(&described), whole);
  buffer_free(&section);
  buffer_free(&described);
}

/* ---- assembly ---- */

enum { WORD = 64 };

static const char *const words[] = {"\t.pseudoprobe\t",
                                    "12345 ",
                                    "1 ",
                                    "0 ",
                                    "2 ",
                                    " @ ",
                                    "777:3 ",
                                    "main\n",
                                    "\n",
                                    "\t.type\tmain,@function\n",
                                    "main:\n",
                                    "\t.section\t.text.main,",
                                    "\"axG\",@progbits,main,comdat\n",
                                    "\"ax\",@progbits\n",
                                    ".pushsection ",
                                    ".popsection\n",
                                    ".previous\n",
                                    ".text\n",
                                    ";",
                                    "\"quo\\\"ted\"",
                                    ",",
                                    "\t.attribute\t5, \"rv32i\"\n",
                                    "\t.attribute\t5, \"rv64i\"\n",
                                    "\t.syntax unified\n",
                                    "\t.type\ttwin,%function\n",
                                    "twin:",
                                    "4 ",
                                    "\\",
                                    "\"aMGo\",@progbits,4,x,main\n",
                                    "7 ",
                                    "18446744073709551615 ",
                                    "@5:",
                                    "\t.pseudoprobe\t9 1 0 0 main\n",
                                    "# no\n",
                                    "\t.pseudoprobe\t9 1 0 0 5 @ 7:8 @ 6:2\n",
                                    "\t.type\t\"odd\",@function\n",
                                    "\"odd\":\n"};

/* Of words, a byte as it is, or a probe of a function with a number. */
static const char *next_word(struct input *input, char room[WORD]) {
  unsigned what = take(input) % 64, byte = take(input);
  if (what < sizeof words / sizeof *words)
    return words[what];
  if (what == 63)
    snprintf(room, WORD, "\t.pseudoprobe\t9 1 0 0 f%u\n", byte);
  else
    snprintf(room, WORD, "%c", (int)byte);
  return room;
}

static void run_assembly(struct input *input) {
  char text[MOST], room[WORD];
  size_t size = 0, line;
  enum probe_lowering_mode how = (enum probe_lowering_mode)(take(input) % 3);
  while (more(input)) {
    const char *word = next_word(input, room);
    if (size + strlen(word) >= sizeof text)
      break;
    memcpy(text + size, word, strlen(word));
    size += strlen(word);
  }
  probes_lower_assembly(nowhere, (struct bytes){(unsigned char *)text, size},
                        how, &line);
  rewind(nowhere);
}

/* Inlined as deep as nothing is. */
static void run_deep(struct made *made, struct input *input) {
  struct buffer section = {.limit = 1 << 20};
  unsigned depth = take(input) % 2 ? PROBE_DEPTH_MOST + 3 : 900;
  unsigned char body[] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 1};
  for (unsigned i = 0; i < depth; i++)
    must(!buffer_append_bytes(&section, body, sizeof body), "it is made");
  body[9] = 0;
  must(!buffer_append_bytes(&section, body, 10), "it is made");
  read_it(made, bytes_of(&section), (struct bytes){NULL, 0}, false);
  buffer_free(&section);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  static struct made made;
  static const uint16_t machines[] = {243, 40, 183, 62};
  unsigned what = take(&input), how = take(&input);
  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  if (what % 4 == 0) {
    run_assembly(&input);
    return 0;
  }
  memset(&made, 0, sizeof made);
  made.wide = how & 1;
  made.big = how & 2;
  made.machine = machines[how / 4 % 4];
  made.encoding = 1 + how / 16 % (PROBE_ENCODINGS - 1);
  if (made.wide && made.encoding == PROBE_ABSOLUTE4)
    made.encoding = PROBE_ABSOLUTE8;
  made.probes.functions = made.functions;
  made.probes.symbols = made.symbols;
  made.probes.records = made.records;
  made.probes.list = made.list;
  compose_symbols(&made, &input);
  if (what % 64 == 1)
    run_deep(&made, &input);
  else if (what % 4 == 1)
    read_it(&made, (struct bytes){input.at, (size_t)(input.end - input.at)},
            (struct bytes){NULL, 0}, false);
  else
    run_made(&made, &input);
  return 0;
}
