/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The computer of machine.h: the bus with memory and devices, operands,
 * operations, the loop. It is written for reading; the profile finds the hot
 * parts.
 */
#include "machine.h"

static uint16_t fail(struct machine *machine, enum machine_fault fault) {
  if (machine->fault == FAULT_NONE)
    machine->fault = fault;
  return 0;
}

static uint16_t next_random(struct machine *machine) {
  uint16_t bits = machine->random;
  bits ^= (uint16_t)(bits << 7);
  bits ^= (uint16_t)(bits >> 9);
  bits ^= (uint16_t)(bits << 8);
  machine->random = bits;
  return bits;
}

static uint16_t read_ram(struct machine *machine, uint16_t address) {
  return machine->ram[address];
}

static void write_ram(struct machine *machine, uint16_t address,
                      uint16_t word) {
  machine->ram[address] = word;
}

static uint16_t read_device(struct machine *machine, uint16_t address) {
  switch (address) {
  case MACHINE_RANDOM:
    return next_random(machine);
  case MACHINE_CLOCK:
    return (uint16_t)machine->instructions;
  case MACHINE_LAMPS:
    return machine->lamps;
  default:
    return fail(machine, FAULT_ADDRESS);
  }
}

static void write_device(struct machine *machine, uint16_t address,
                         uint16_t word) {
  switch (address) {
  case MACHINE_CONSOLE:
    machine->console(word);
    break;
  case MACHINE_RANDOM:
    machine->random = word;
    break;
  case MACHINE_LAMPS:
    machine->lamps ^= word;
    break;
  default:
    fail(machine, FAULT_ADDRESS);
  }
}

static uint16_t read_nothing(struct machine *machine, uint16_t address) {
  (void)address;
  return fail(machine, FAULT_ADDRESS);
}

static void write_nothing(struct machine *machine, uint16_t address,
                          uint16_t word) {
  (void)address, (void)word;
  fail(machine, FAULT_ADDRESS);
}

#define NOTHING {read_nothing, write_nothing}
static const struct machine_page bus[MACHINE_PAGES] = {
    {read_ram, write_ram}, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
    NOTHING,               NOTHING, NOTHING, NOTHING, NOTHING, NOTHING,
    NOTHING,               NOTHING, NOTHING, {read_device, write_device},
};

static uint16_t read_word(struct machine *machine, uint16_t address) {
  return bus[MACHINE_PAGE(address)].read(machine, address);
}

static void write_word(struct machine *machine, uint16_t address,
                       uint16_t word) {
  bus[MACHINE_PAGE(address)].write(machine, address, word);
}

static void copy_words(struct machine *machine, uint16_t to, uint16_t from,
                       uint16_t words) {
  uint16_t higher = to > from ? to : from;
  uint16_t lower = to > from ? from : to;
  if (higher > MACHINE_RAM || words > MACHINE_RAM - higher ||
      words > higher - lower) {
    fail(machine, FAULT_ADDRESS);
    return;
  }
  __builtin_memcpy(&machine->ram[to], &machine->ram[from],
                   words * sizeof machine->ram[0]);
}

/* Returns the address of an operand in memory. */
static uint16_t address_of(struct machine *machine,
                           const struct machine_instruction *i) {
  uint16_t *base = &machine->reg[i->b & 7];
  if (i->mode == MODE_MEMORY_DOWN)
    --*base;
  uint16_t address = (uint16_t)(*base + i->immediate);
  if (i->mode == MODE_MEMORY_UP)
    ++*base;
  return address;
}

static uint16_t operand(struct machine *machine,
                        const struct machine_instruction *i) {
  switch (i->mode) {
  case MODE_REGISTER:
    return machine->reg[i->b & 7];
  case MODE_IMMEDIATE:
    return i->immediate;
  case MODE_MEMORY:
  case MODE_MEMORY_UP:
  case MODE_MEMORY_DOWN:
    return read_word(machine, address_of(machine, i));
  default:
    return fail(machine, FAULT_INSTRUCTION);
  }
}

static uint16_t set_flags(struct machine *machine, uint16_t result) {
  machine->zero = result == 0;
  machine->negative = result >> 15;
  return result;
}

static uint16_t add(struct machine *machine, uint16_t a, uint16_t b) {
  uint32_t sum = (uint32_t)a + b;
  machine->carry = sum >> 16;
  machine->overflow = ((a ^ sum) & (b ^ sum)) >> 15 & 1;
  return set_flags(machine, (uint16_t)sum);
}

static uint16_t subtract(struct machine *machine, uint16_t a, uint16_t b) {
  uint32_t difference = (uint32_t)a - b;
  machine->carry = a < b;
  machine->overflow = ((a ^ b) & (a ^ difference)) >> 15 & 1;
  return set_flags(machine, (uint16_t)difference);
}

static void call(struct machine *machine, uint16_t target) {
  write_word(machine, --machine->reg[7], machine->pc);
  machine->pc = target;
}

/* Returns whether a jump is taken, from the flags of the last result. */
static bool jumps(struct machine *machine, uint8_t op) {
  switch (op) {
  case OP_JUMP:
    return true;
  case OP_JUMP_ZERO:
    return machine->zero;
  case OP_JUMP_NOT_ZERO:
    return !machine->zero;
  case OP_JUMP_BELOW:
    return machine->carry;
  case OP_JUMP_LESS:
    return machine->negative != machine->overflow;
  default:
    return fail(machine, FAULT_INSTRUCTION);
  }
}

/* Returns false to halt. */
static bool step(struct machine *m, const struct machine_instruction *i) {
  uint16_t *a = &m->reg[i->a & 7];
  switch (i->op) {
  case OP_HALT:
    return false;
  case OP_LOAD:
    *a = set_flags(m, operand(m, i));
    break;
  case OP_STORE:
    write_word(m, address_of(m, i), *a);
    break;
  case OP_ADD:
    *a = add(m, *a, operand(m, i));
    break;
  case OP_SUBTRACT:
    *a = subtract(m, *a, operand(m, i));
    break;
  case OP_MULTIPLY:
    *a = set_flags(m, (uint16_t)((uint32_t)*a * operand(m, i)));
    break;
  case OP_AND:
    *a = set_flags(m, *a & operand(m, i));
    break;
  case OP_OR:
    *a = set_flags(m, *a | operand(m, i));
    break;
  case OP_EXCLUSIVE_OR:
    *a = set_flags(m, *a ^ operand(m, i));
    break;
  case OP_SHIFT_LEFT:
    *a = set_flags(m, (uint16_t)(*a << (operand(m, i) & 15)));
    break;
  case OP_SHIFT_RIGHT:
    *a = set_flags(m, *a >> (operand(m, i) & 15));
    break;
  case OP_COMPARE:
    subtract(m, *a, operand(m, i));
    break;
  case OP_CALL:
    call(m, operand(m, i));
    break;
  case OP_RETURN:
    m->pc = read_word(m, m->reg[7]++);
    break;
  case OP_COPY:
    copy_words(m, *a, m->reg[i->b & 7], i->immediate);
    break;
  default:
    if (jumps(m, i->op))
      m->pc = operand(m, i);
  }
  return true;
}

enum machine_fault machine_run(struct machine *machine) {
  while (machine->fault == FAULT_NONE) {
    if (machine->pc >= machine->length) {
      fail(machine, FAULT_ADDRESS);
      break;
    }
    ++machine->instructions;
    if (!step(machine, &machine->program[machine->pc++]))
      break;
  }
  return machine->fault;
}
