/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef PLANT_H
#define PLANT_H

/* Limits of sensors, for all. */
extern const int limits[3];
extern const int *const heats;
enum { LIMIT_LEVEL, LIMIT_HEAT, LIMIT_PRESSURE };
int limit_known(int sensor);

int run_traffic(const char *events);
int run_vending(const char *events);
int run_tank(const char *events);
int run_lock(const char *events);
int run_lift(const char *events);
int run_date(const char *events);
int run_filter(const char *events);

#endif
