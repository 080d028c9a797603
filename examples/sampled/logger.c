/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The logger of logger.h. It is written for reading; the profile finds the hot
 * parts.
 */
#include "logger.h"

/* ---- sensors ---- */

struct sensor {
  int32_t (*read)(struct sensor *sensor);
  uint32_t state;
};

static int32_t read_noise(struct sensor *sensor) {
  sensor->state = sensor->state * 1664525u + 1013904223u;
  return (int32_t)(sensor->state >> 12 & 0xFFFFF);
}

static int32_t read_ramp(struct sensor *sensor) {
  sensor->state += 37;
  return (int32_t)(sensor->state & 0xFFFF);
}

static int32_t read_nothing(struct sensor *sensor) {
  (void)sensor;
  return -1;
}

static struct sensor sensors[8] = {
    {read_noise, 1}, {read_noise, 2}, {read_noise, 3}, {read_ramp, 0},
    {read_noise, 5}, {read_noise, 6}, {read_noise, 7}, {read_nothing, 0},
};

/* ---- filters: programs of an interpreter ---- */

enum filter_op { ADD, SHIFT, EXCLUSIVE_OR, LIMIT, SKIP_SMALL, END };

struct filter_step {
  uint8_t op;
  int32_t number;
};

static const struct filter_step filter[] = {
    {ADD, -500},      {SHIFT, 2}, {SKIP_SMALL, 1000}, {ADD, 300},
    {LIMIT, 0x20000}, {ADD, 12},  {EXCLUSIVE_OR, 85}, {SKIP_SMALL, 9},
    {LIMIT, 0x1FFFF}, {END, 0},
};

static int32_t run_filter(const struct filter_step *step, int32_t value) {
  for (;; step++)
    switch (step->op) {
    case ADD:
      value += step->number;
      break;
    case SHIFT:
      value >>= step->number;
      break;
    case EXCLUSIVE_OR:
      value ^= step->number;
      break;
    case LIMIT:
      if (value > step->number)
        value = step->number;
      break;
    case SKIP_SMALL:
      if (value < step->number)
        step++;
      break;
    default:
      return value;
    }
}

static void measure(struct record *records, unsigned count, uint32_t round) {
  for (unsigned i = 0; i < count; i++) {
    struct sensor *sensor = &sensors[i & 7];
    records[i].sensor = (uint16_t)(i & 7);
    records[i].time = (uint16_t)(round + (i >> 3));
    records[i].value = run_filter(filter, sensor->read(sensor));
  }
}

/* ---- orders ---- */

typedef bool before(const struct record *a, const struct record *b);

static bool by_value(const struct record *a, const struct record *b) {
  return a->value < b->value;
}

static bool by_time(const struct record *a, const struct record *b) {
  return a->time < b->time || (a->time == b->time && a->sensor < b->sensor);
}

static bool by_sensor(const struct record *a, const struct record *b) {
  return a->sensor < b->sensor;
}

static before *const orders[8] = {by_value, by_value, by_value,  by_time,
                                  by_value, by_value, by_sensor, by_value};

/* Shell's sort. */
static void sort(struct record *records, unsigned count, before *is_before) {
  static const uint8_t gaps[] = {23, 10, 4, 1};
  for (unsigned g = 0; g < sizeof gaps; g++)
    for (unsigned gap = gaps[g], i = gap; i < count; i++) {
      struct record moved = records[i];
      unsigned at = i;
      for (; at >= gap && is_before(&moved, &records[at - gap]); at -= gap)
        records[at] = records[at - gap];
      records[at] = moved;
    }
}

/* ---- channels: send bytes, and receive them again ---- */

struct channel {
  void (*put)(struct channel *channel, uint8_t byte);
  int (*get)(struct channel *channel); /* -1 at the end */
  uint32_t (*check)(uint32_t sum, uint8_t byte);
  uint32_t put_at, get_at;
  uint32_t damaged; /* bytes since the last damaged one */
  uint8_t bytes[LOGGER_BYTES];
};

static void put_memory(struct channel *channel, uint8_t byte) {
  if (channel->put_at < LOGGER_BYTES)
    channel->bytes[channel->put_at++] = byte;
}

static int get_memory(struct channel *channel) {
  if (channel->get_at == channel->put_at)
    return -1;
  return channel->bytes[channel->get_at++];
}

/* Damages every hundredth byte, like a bad link. */
static void put_damaged(struct channel *channel, uint8_t byte) {
  if (++channel->damaged == 100) {
    channel->damaged = 0;
    byte ^= 4;
  }
  put_memory(channel, byte);
}

static uint32_t check_crc(uint32_t crc, uint8_t byte) {
  static const uint32_t nibbles[16] = {
      0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
      0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
      0x9B64C2D8, 0x86D3D2B4, 0xA00AE278, 0xBDBDF21C};
  crc ^= byte;
  crc = crc >> 4 ^ nibbles[crc & 15];
  return crc >> 4 ^ nibbles[crc & 15];
}

/* Old receivers expect this check: the XOR of all bytes. */
static uint32_t check_parity(uint32_t sum, uint8_t byte) { return sum ^ byte; }

/* ---- telegrams: hexadecimal numbers, each followed by a space; the last
 * number is the check of the others; then a line end ---- */

static void put_number(struct channel *channel, uint32_t *sum,
                       uint32_t number) {
  static const char digits[] = "0123456789abcdef";
  unsigned shift = 28;
  while (shift > 0 && number >> shift == 0)
    shift -= 4;
  for (;; shift -= 4) {
    uint8_t digit = (uint8_t)digits[number >> shift & 15];
    *sum = channel->check(*sum, digit);
    channel->put(channel, digit);
    if (shift == 0)
      break;
  }
  *sum = channel->check(*sum, ' ');
  channel->put(channel, ' ');
}

static void put_telegram(struct channel *channel, const struct record *records,
                         unsigned count) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < count; i++) {
    put_number(channel, &sum, records[i].sensor);
    put_number(channel, &sum, records[i].time);
    put_number(channel, &sum, (uint32_t)records[i].value);
  }
  put_number(channel, &sum, sum);
  channel->put(channel, '\n');
}

/* Returns the value of a digit, or -1. */
static int digit_of(int byte) {
  if (byte >= '0' && byte <= '9')
    return byte - '0';
  if (byte >= 'a' && byte <= 'f')
    return byte - 'a' + 10;
  return -1;
}

/* Returns the number of numbers received, including the check; 0 if the check
 * is wrong. total grows by each number. */
static unsigned get_telegram(struct channel *channel, uint32_t *total) {
  uint32_t number = 0, last = 0, sum = 0, sum_of_number = 0, sum_of_last = 0;
  unsigned numbers = 0;
  for (;;) {
    int byte = channel->get(channel);
    int digit = digit_of(byte);
    if (digit >= 0) {
      number = number << 4 | (uint32_t)digit;
      sum = channel->check(sum, (uint8_t)byte);
    } else if (byte == ' ') {
      *total += number;
      numbers++;
      last = number;
      sum_of_last = sum_of_number;
      sum_of_number = sum = channel->check(sum, ' ');
      number = 0;
    } else {
      return byte == '\n' && last == sum_of_last ? numbers : 0;
    }
  }
}

/* The second channel is a bad link to an old receiver. */
static struct channel channels[2] = {
    {.put = put_memory, .get = get_memory, .check = check_crc},
    {.put = put_damaged, .get = get_memory, .check = check_parity},
};

struct logger_result logger_run(unsigned rounds) {
  static struct record records[LOGGER_RECORDS];
  struct logger_result result = {0, 0, 0, 0};
  for (unsigned round = 0; round < rounds; round++) {
    struct channel *channel = &channels[(round & 15) == 13];
    channel->put_at = channel->get_at = 0;
    measure(records, LOGGER_RECORDS, round);
    sort(records, LOGGER_RECORDS, orders[round & 7]);
    put_telegram(channel, records, LOGGER_RECORDS);
    if (get_telegram(channel, &result.checksum) == 3 * LOGGER_RECORDS + 1)
      result.records += LOGGER_RECORDS;
    else
      result.errors++;
    result.telegrams++;
    result.checksum = result.checksum << 1 ^ result.checksum >> 31;
  }
  return result;
}
