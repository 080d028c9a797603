/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The program of machine.h's computer: fills a table with random numbers, sorts
 * it by insertion and writes the keys to the console; then computes the primes
 * below 2,000 by the sieve of Eratosthenes. Jumps name the number of an
 * instruction.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "machine.h"

#define ENTRIES 160 /* entries of the table */
#define ENTRY 4     /* words; the first one is the key */
#define NUMBERS 2000
#define PRIMES 303 /* primes below NUMBERS */

#define SPARE 8    /* address; room for an entry */
#define TABLE 16   /* address; register 0 stays 0 to be its base */
#define SIEVE 1024 /* address; a word a number, 0 if it is prime */
#define TABLE_END (TABLE + ENTRIES * ENTRY)

/* Each line has operation, mode, register, base, immediate. */
static const struct machine_instruction program[] = {
    /* The table. r1 counts down, r2 points. */
    /*  0 */ {OP_LOAD, MODE_IMMEDIATE, 0, 0, 0},
    /*  1 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, ENTRIES * ENTRY},
    /*  2 */ {OP_LOAD, MODE_IMMEDIATE, 2, 0, TABLE},
    /*  3 */ {OP_LOAD, MODE_MEMORY, 3, 0, MACHINE_RANDOM},
    /*  4 */ {OP_SHIFT_RIGHT, MODE_IMMEDIATE, 3, 0, 1},
    /*  5 */ {OP_STORE, MODE_MEMORY_UP, 3, 2, 0},
    /*  6 */ {OP_SUBTRACT, MODE_IMMEDIATE, 1, 0, 1},
    /*  7 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 3},

    /* The sort. r1 points to the entry to insert, r2 to its possible place, r6
     * to the entry before that place, r5 to the copy of the entry. */
    /*  8 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, TABLE + ENTRY},
    /*  9 */ {OP_LOAD, MODE_IMMEDIATE, 5, 0, SPARE},
    /* 10 */ {OP_COPY, MODE_IMMEDIATE, 5, 1, ENTRY},
    /* 11 */ {OP_LOAD, MODE_MEMORY, 3, 5, 0},
    /* 12 */ {OP_LOAD, MODE_REGISTER, 2, 1, 0},
    /* 13 */ {OP_LOAD, MODE_REGISTER, 6, 2, 0},
    /* 14 */ {OP_SUBTRACT, MODE_IMMEDIATE, 6, 0, ENTRY},
    /* 15 */ {OP_LOAD, MODE_MEMORY, 4, 6, 0},
    /* 16 */ {OP_COMPARE, MODE_REGISTER, 4, 3, 0},
    /* 17 */ {OP_JUMP_LESS, MODE_IMMEDIATE, 0, 0, 22},
    /* 18 */ {OP_COPY, MODE_IMMEDIATE, 2, 6, ENTRY},
    /* 19 */ {OP_LOAD, MODE_REGISTER, 2, 6, 0},
    /* 20 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, TABLE},
    /* 21 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 13},
    /* 22 */ {OP_COPY, MODE_IMMEDIATE, 2, 5, ENTRY},
    /* 23 */ {OP_ADD, MODE_IMMEDIATE, 1, 0, ENTRY},
    /* 24 */ {OP_COMPARE, MODE_IMMEDIATE, 1, 0, TABLE_END},
    /* 25 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 10},

    /* Writes the keys to the console. */
    /* 26 */ {OP_LOAD, MODE_IMMEDIATE, 2, 0, TABLE},
    /* 27 */ {OP_LOAD, MODE_MEMORY, 3, 2, 0},
    /* 28 */ {OP_STORE, MODE_MEMORY, 3, 0, MACHINE_CONSOLE},
    /* 29 */ {OP_ADD, MODE_IMMEDIATE, 2, 0, ENTRY},
    /* 30 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, TABLE_END},
    /* 31 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 27},

    /* The sieve. r1 is a number, r2 its multiples. */
    /* 32 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, 2},
    /* 33 */ {OP_LOAD, MODE_MEMORY, 3, 1, SIEVE},
    /* 34 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 42},
    /* 35 */ {OP_STORE, MODE_MEMORY, 1, 0, MACHINE_CONSOLE},
    /* 36 */ {OP_LOAD, MODE_REGISTER, 2, 1, 0},
    /* 37 */ {OP_JUMP, MODE_IMMEDIATE, 0, 0, 39},
    /* 38 */ {OP_STORE, MODE_MEMORY, 1, 2, SIEVE},
    /* 39 */ {OP_ADD, MODE_REGISTER, 2, 1, 0},
    /* 40 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, NUMBERS},
    /* 41 */ {OP_JUMP_BELOW, MODE_IMMEDIATE, 0, 0, 38},
    /* 42 */ {OP_ADD, MODE_IMMEDIATE, 1, 0, 1},
    /* 43 */ {OP_COMPARE, MODE_IMMEDIATE, 1, 0, NUMBERS},
    /* 44 */ {OP_JUMP_BELOW, MODE_IMMEDIATE, 0, 0, 33},
    /* 45 */ {OP_HALT, MODE_REGISTER, 0, 0, 0},
};

#endif
