/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the computer of machine.h runs: fills a table with random numbers,
 * sorts it by insertion and writes it to the console; then writes the primes
 * below 2,000 there, by the sieve of Eratosthenes. Jumps name the number of
 * an instruction.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "machine.h"

#define ENTRIES 160 /* of the table */
#define NUMBERS 2000
#define PRIMES 303 /* among them */

#define TABLE 16   /* address; register 0 stays 0 to be its base */
#define SIEVE 1024 /* address; a word a number, 0 if it is prime */

/* In each: operation, mode, register, base, immediate. */
static const struct machine_instruction program[] = {
    /* The table. r1 counts down, r2 points. */
    /*  0 */ {OP_LOAD, MODE_IMMEDIATE, 0, 0, 0},
    /*  1 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, ENTRIES},
    /*  2 */ {OP_LOAD, MODE_IMMEDIATE, 2, 0, TABLE},
    /*  3 */ {OP_LOAD, MODE_MEMORY, 3, 0, MACHINE_RANDOM},
    /*  4 */ {OP_SHIFT_RIGHT, MODE_IMMEDIATE, 3, 0, 1},
    /*  5 */ {OP_STORE, MODE_MEMORY_UP, 3, 2, 0},
    /*  6 */ {OP_SUBTRACT, MODE_IMMEDIATE, 1, 0, 1},
    /*  7 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 3},

    /* The sort. r1 points to the entry to insert, r2 to where it may go. */
    /*  8 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, TABLE + 1},
    /*  9 */ {OP_LOAD, MODE_MEMORY, 3, 1, 0},
    /* 10 */ {OP_LOAD, MODE_REGISTER, 2, 1, 0},
    /* 11 */ {OP_LOAD, MODE_MEMORY, 4, 2, 0xFFFF},
    /* 12 */ {OP_COMPARE, MODE_REGISTER, 4, 3, 0},
    /* 13 */ {OP_JUMP_LESS, MODE_IMMEDIATE, 0, 0, 18},
    /* 14 */ {OP_STORE, MODE_MEMORY, 4, 2, 0},
    /* 15 */ {OP_SUBTRACT, MODE_IMMEDIATE, 2, 0, 1},
    /* 16 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, TABLE},
    /* 17 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 11},
    /* 18 */ {OP_STORE, MODE_MEMORY, 3, 2, 0},
    /* 19 */ {OP_ADD, MODE_IMMEDIATE, 1, 0, 1},
    /* 20 */ {OP_COMPARE, MODE_IMMEDIATE, 1, 0, TABLE + ENTRIES},
    /* 21 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 9},

    /* The table goes out. */
    /* 22 */ {OP_LOAD, MODE_IMMEDIATE, 2, 0, TABLE},
    /* 23 */ {OP_LOAD, MODE_MEMORY_UP, 3, 2, 0},
    /* 24 */ {OP_STORE, MODE_MEMORY, 3, 0, MACHINE_CONSOLE},
    /* 25 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, TABLE + ENTRIES},
    /* 26 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 23},

    /* The sieve. r1 is a number, r2 its multiples. */
    /* 27 */ {OP_LOAD, MODE_IMMEDIATE, 1, 0, 2},
    /* 28 */ {OP_LOAD, MODE_MEMORY, 3, 1, SIEVE},
    /* 29 */ {OP_JUMP_NOT_ZERO, MODE_IMMEDIATE, 0, 0, 37},
    /* 30 */ {OP_STORE, MODE_MEMORY, 1, 0, MACHINE_CONSOLE},
    /* 31 */ {OP_LOAD, MODE_REGISTER, 2, 1, 0},
    /* 32 */ {OP_JUMP, MODE_IMMEDIATE, 0, 0, 34},
    /* 33 */ {OP_STORE, MODE_MEMORY, 1, 2, SIEVE},
    /* 34 */ {OP_ADD, MODE_REGISTER, 2, 1, 0},
    /* 35 */ {OP_COMPARE, MODE_IMMEDIATE, 2, 0, NUMBERS},
    /* 36 */ {OP_JUMP_BELOW, MODE_IMMEDIATE, 0, 0, 33},
    /* 37 */ {OP_ADD, MODE_IMMEDIATE, 1, 0, 1},
    /* 38 */ {OP_COMPARE, MODE_IMMEDIATE, 1, 0, NUMBERS},
    /* 39 */ {OP_JUMP_BELOW, MODE_IMMEDIATE, 0, 0, 28},
    /* 40 */ {OP_HALT, MODE_REGISTER, 0, 0, 0},
};

#endif
