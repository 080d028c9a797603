/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file decodes 32-bit and 64-bit x86. An instruction has prefixes, an
 * opcode, ModRM, a displacement and an immediate.
 */
#include "code.h"

/* The bytes that follow an opcode: a ModRM byte and one kind of immediate. */
enum {
  NONE,
  BYTE = 1,
  WORD = 2,  /* 16 bits */
  FULL = 4,  /* 32 bits, or 16 bits with the prefix 66 */
  ENTER = 8, /* 16 bits and 8 bits */
  MODRM = 16
};

struct x86_decoder {
  const unsigned char *at, *end;
  bool wide, short_operand, short_address, rex_w;
  unsigned map; /* 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A */
  unsigned char opcode, modrm;
};

static bool read_byte(struct x86_decoder *of, unsigned char *byte) {
  if (of->at == of->end)
    return false;
  *byte = *of->at++;
  return true;
}

/* The bytes that follow each opcode, for the one-byte map and for the 0F map,
 * with 32 opcodes on each line. The letters stand for m: MODRM, i: MODRM and
 * BYTE, z: MODRM and FULL, b: BYTE, w: WORD, f: FULL, e: ENTER, '.':
 * nothing. */
static const char first_map[] = "mmmmbf..mmmmbf..mmmmbf..mmmmbf.."
                                "mmmmbf..mmmmbf..mmmmbf..mmmmbf.."
                                "................................"
                                "...m....fzbi....bbbbbbbbbbbbbbbb"
                                "iziimmmmmmmmmmmm................"
                                "........bf......bbbbbbbbffffffff"
                                "iiw.mmize.w..b..mmmmbb..mmmmmmmm"
                                "bbbbbbbbff.b..........mm......mm";
static const char second_map[] = "mmmm......m..m.immmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmm................"
                                 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmmiiiimmm.mmmmmmmm"
                                 "ffffffffffffffffmmmmmmmmmmmmmmmm"
                                 "...mimmm...mimmmmmmmmmmmmmimmmmm"
                                 "mmimiiim........mmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";

static const unsigned char map_letters[] = {
    ['m'] = MODRM, ['i'] = MODRM | BYTE, ['z'] = MODRM | FULL, ['b'] = BYTE,
    ['w'] = WORD,  ['f'] = FULL,         ['e'] = ENTER,        ['.'] = NONE};

/* Stores the effect of a prefix. Returns false if the byte is not a prefix. */
static bool apply_prefix(struct x86_decoder *of, unsigned char byte) {
  if (byte == 0x66)
    of->short_operand = true;
  else if (byte == 0x67)
    of->short_address = true;
  else if (byte != 0xF0 && byte != 0xF2 && byte != 0xF3 && byte != 0x2E &&
           byte != 0x36 && byte != 0x3E && byte != 0x26 && byte != 0x64 &&
           byte != 0x65)
    return false;
  return true;
}

/* C5, C4 and 62 are VEX and EVEX prefixes. In 32-bit mode, they are prefixes
 * only if the next byte is at least C0. */
static bool is_vex_prefix(const struct x86_decoder *of) {
  return (of->opcode == 0xC5 || of->opcode == 0xC4 || of->opcode == 0x62) &&
         (of->wide || (of->at != of->end && *of->at >= 0xC0));
}

static bool read_vex_prefix(struct x86_decoder *of) {
  unsigned more = of->opcode == 0xC5 ? 0 : of->opcode == 0xC4 ? 1 : 2;
  unsigned char byte;
  if (!read_byte(of, &byte))
    return false;
  of->map = more ? byte & (more == 1 ? 31 : 7) : 1;
  while (more--)
    if (!read_byte(of, &byte))
      return false;
  return read_byte(of, &of->opcode) && of->map >= 1;
}

static bool read_opcode(struct x86_decoder *of) {
  unsigned char byte;
  do
    if (!read_byte(of, &byte))
      return false;
  while (apply_prefix(of, byte));
  if (of->wide && (byte & 0xF0) == 0x40) {
    of->rex_w = byte & 8;
    if (!read_byte(of, &byte))
      return false;
  }
  of->opcode = byte;
  if (is_vex_prefix(of))
    return read_vex_prefix(of);
  if (byte != 0x0F)
    return true;
  if (!read_byte(of, &of->opcode))
    return false;
  of->map = of->opcode == 0x38 ? 2 : of->opcode == 0x3A ? 3 : 1;
  return of->map == 1 || read_byte(of, &of->opcode);
}

/* Returns which bytes follow the opcode, as bits such as MODRM. */
static unsigned operand_kinds(const struct x86_decoder *of) {
  if (of->map == 0 && (of->opcode == 0x9A || of->opcode == 0xEA))
    return of->wide ? NONE : FULL | WORD;
  if (of->map <= 1)
    return map_letters[(unsigned char)(of->map ? second_map
                                               : first_map)[of->opcode]];
  return of->map == 3 ? MODRM | BYTE : MODRM;
}

static bool skip_bytes(struct x86_decoder *of, size_t size) {
  if ((size_t)(of->end - of->at) < size)
    return false;
  of->at += size;
  return true;
}

static bool read_modrm(struct x86_decoder *of) {
  unsigned char base = 0;
  if (!read_byte(of, &of->modrm))
    return false;
  unsigned mode = of->modrm >> 6, rm = of->modrm & 7;
  if (mode == 3)
    return true;
  if (!of->wide && of->short_address)
    return skip_bytes(of, mode == 0 ? (rm == 6 ? 2 : 0) : mode);
  if (rm == 4 && !read_byte(of, &base))
    return false;
  if (mode == 0)
    return skip_bytes(of, rm == 5 || (rm == 4 && (base & 7) == 5) ? 4 : 0);
  return skip_bytes(of, mode == 1 ? 1 : 4);
}

static size_t immediate_size(const struct x86_decoder *of, unsigned what) {
  size_t size = (what & BYTE) + (what & WORD) + (what & ENTER ? 3 : 0);
  size_t full = of->short_operand && !of->rex_w ? 2 : 4;
  if (of->map == 0 && (of->opcode & 0xF8) == 0xB8 && of->rex_w)
    full = 8;
  if (of->map == 0 && (of->opcode & 0xFC) == 0xA0) /* an address */
    return of->wide ? (of->short_address ? 4 : 8) : (of->short_address ? 2 : 4);
  if (of->map == 0 && (of->opcode & 0xFE) == 0xF6 && !(of->modrm & 0x30))
    size += of->opcode & 1 ? full : 1; /* the instruction test */
  return size + (what & FULL ? full : 0);
}

static void classify_branch(struct instruction *to,
                            const struct x86_decoder *of, uint64_t next) {
  unsigned char code = of->opcode, reg = of->modrm >> 3 & 7;
  to->conditional = of->map == 1 && (code & 0xF0) == 0x80;
  if (to->conditional)
    instruction_set_branch(
        to, next + code_sign_extend(load32(of->at - 4, false), 32));
  if (of->map)
    return;
  if (code == 0xE8 || code == 0xE9)
    instruction_set_target(
        to, code == 0xE8 ? INSTRUCTION_CALL : INSTRUCTION_BRANCH,
        next + code_sign_extend(load32(of->at - 4, false), 32));
  else if ((code & 0xF0) == 0x70 || (code & 0xFC) == 0xE0 || code == 0xEB)
    instruction_set_branch(to, next + code_sign_extend(of->at[-1], 8));
  else if ((code & 0xF6) == 0xC2) {
    to->kind = INSTRUCTION_BRANCH;
    to->returns = true;
  } else if (code == 0xFF && (reg == 2 || reg == 3))
    to->kind = INSTRUCTION_CALL;
  else if (code == 0xFF && (reg == 4 || reg == 5))
    to->kind = INSTRUCTION_BRANCH;
  to->conditional = (code & 0xF0) == 0x70 || (code & 0xFC) == 0xE0;
}

bool instruction_decode_x86(struct instruction *to,
                            const struct instruction_set *set,
                            struct bytes code, uint64_t address) {
  struct x86_decoder of = {.at = code.data,
                           .end = code.data + (code.size < 15 ? code.size : 15),
                           .wide = set->wide};
  if (!read_opcode(&of))
    return false;
  unsigned what = operand_kinds(&of);
  if (what & MODRM && !read_modrm(&of))
    return false;
  if (!skip_bytes(&of, immediate_size(&of, what)))
    return false;
  *to = (struct instruction){.length = (unsigned)(of.at - code.data)};
  if (of.at - code.data >= 5 || of.map == 0)
    classify_branch(to, &of, address + to->length);
  if (!set->wide && to->direct)
    to->target &= UINT32_MAX;
  return true;
}
