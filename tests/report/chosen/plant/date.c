/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "plant.h"

#include <stdio.h>
#include <stdlib.h>

static const int month_days[12] = {
    31, 28, 31,
    30, 31, 30,
    31, 31, 30,
    31, 30, 31,
};

static const char *const day_names[7] = {
    "Monday", "Tuesday",
    "Wednesday", "Thursday",
    "Friday", "Saturday",
    "Sunday",
};

static int is_leap(int year) {
  if (year % 400 == 0)
    return 1;
  if (year % 100 == 0)
    return 0;
  return year % 4 == 0;
}

static int days_of(int year, int month) {
  int days = month_days[month - 1];
  if (month == 2 && is_leap(year))
    days++;
  return days;
}

/* YYYYMMDD */
int run_date(const char *events) {
  long number = atol(events);
  int year = (int)(number / 10000), month = (int)(number / 100 % 100);
  int day = (int)(number % 100);
  if (month < 1 || month > 12 || day < 1 || day > days_of(year, month) ||
      year < 1900 || year > 2100) {
    puts("no date");
    return 1;
  }
  long days = 0;
  for (int i = 1900; i < year; i++)
    days += is_leap(i) ? 366 : 365;
  for (int i = 1; i < month; i++)
    days += days_of(year, i);
  days += day - 1;
  printf("%s, day %ld\n", day_names[days % 7], days);
  return 0;
}
