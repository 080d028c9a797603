/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The anchor watch of monitor.h: first it checks the fix, then finds where the
 * boat is, then decides what to do. Distances are in decimetres, and squared to
 * avoid roots.
 */
#include "monitor.h"

enum {
  GOOD_SATELLITES = 5,
  GOOD_HDOP = 250,     /* 2.5 */
  GOOD_EPOCHS = 3,     /* from settling to tracking */
  BAD_EPOCHS = 4,      /* from coasting to searching */
  LONGEST_GAP = 30,    /* seconds between epochs */
  DAY = 86400,         /* seconds */
  REST_SPEED = 50,     /* 0.5 knots */
  REST_EPOCHS = 4,     /* so many epochs at rest: the anchor is down */
  SAIL_SPEED = 250,    /* 2.5 knots */
  SAIL_EPOCHS = 3,     /* so many epochs at SAIL_SPEED: the anchor is up */
  WATCH_RADIUS = 500,  /* 50 m */
  RETURN_RADIUS = 400, /* 40 m: inside this radius the alarm ends */
  PLACE_EPOCHS = 3,    /* a reflected signal does not last so many epochs */
  FARTHEST = 16000     /* 3 km as an angle; the square fits in 32 bits */
};

/* The cosine in 1/1024 for bands of latitude 2^21/10,000 minutes wide, in
 * the middle of each. */
static const uint16_t cosine[] = {
    1024, 1020, 1012, 1001, 986, 967, 945, 919, 889, 857, 821, 782, 740,
    696,  649,  599,  548,  494, 438, 381, 322, 262, 202, 140, 78,  16,
};

/* Converts a difference of angles to a length; scale is in 1/1024. 1/10,000
 * minute of a great circle is 1.852 decimetres. */
static uint32_t length_of(int32_t angle, uint32_t scale) {
  uint32_t size = angle < 0 ? 0u - (uint32_t)angle : (uint32_t)angle;
  if (size > FARTHEST)
    size = FARTHEST;
  size = (size * scale) >> 10;
  return (size * 1896) >> 10;
}

static uint32_t distance_squared(const struct nmea_position *from,
                                 const struct nmea_position *to) {
  int32_t latitude = from->latitude;
  uint32_t band = (uint32_t)(latitude < 0 ? -latitude : latitude) >> 21;
  uint32_t north = length_of(to->latitude - from->latitude, 1024);
  uint32_t east = length_of(to->longitude - from->longitude, cosine[band]);
  return north * north + east * east;
}

/* Counts how long a condition has held without a break. */
static void run(unsigned *length, bool condition) {
  *length = condition ? *length + 1 : 0;
}

/* Returns whether time went on, and not too far. At midnight, time wraps. */
static bool in_step(const struct monitor *monitor, uint32_t time) {
  if (monitor->epochs == 0)
    return true;
  if (time < monitor->time && monitor->time - time > DAY / 2)
    time += DAY;
  return time > monitor->time && time - monitor->time <= LONGEST_GAP;
}

/* An epoch counts if its sentences agree and the geometry is sound. */
static bool good_epoch(const struct monitor *monitor,
                       const struct nmea_rmc *rmc) {
  const struct nmea_gga *gga = &monitor->gga;
  bool whole = monitor->gga_fresh && gga->time == rmc->time &&
               in_step(monitor, rmc->time);
  return whole && rmc->valid && gga->quality != 0 &&
         gga->satellites >= GOOD_SATELLITES && gga->hdop <= GOOD_HDOP &&
         monitor->gsa.mode == 3;
}

static void judge_fix(struct monitor *monitor, bool good) {
  run(&monitor->good_run, good);
  run(&monitor->bad_run, !good);
  switch (monitor->fix) {
  case FIX_SEARCHING:
    if (good)
      monitor->fix = FIX_SETTLING;
    break;
  case FIX_SETTLING:
    if (!good)
      monitor->fix = FIX_SEARCHING;
    else if (monitor->good_run >= GOOD_EPOCHS)
      monitor->fix = FIX_TRACKING;
    break;
  case FIX_TRACKING:
    if (!good)
      monitor->fix = FIX_COASTING;
    break;
  case FIX_COASTING:
    if (good) {
      monitor->fix = FIX_TRACKING;
    } else if (monitor->bad_run >= BAD_EPOCHS) {
      monitor->fix = FIX_SEARCHING;
      ++monitor->losses;
    }
    break;
  }
}

static void raise_alarm(struct monitor *monitor, enum monitor_alarm alarm) {
  monitor->alarm = alarm;
  ++monitor->alarms;
}

/* A boat that rests for a while is at anchor. A boat that keeps going is not,
 * whatever the distance from the anchor. */
static void judge_anchor(struct monitor *monitor, const struct nmea_rmc *rmc) {
  run(&monitor->slow_run, rmc->speed <= REST_SPEED);
  run(&monitor->fast_run, rmc->speed >= SAIL_SPEED);
  if (!monitor->anchored && monitor->slow_run >= REST_EPOCHS) {
    monitor->anchored = true;
    monitor->anchor = rmc->position;
    monitor->outside_run = 0;
    monitor->inside_run = 0;
  } else if (monitor->anchored && monitor->fast_run >= SAIL_EPOCHS) {
    monitor->anchored = false;
    monitor->alarm = ALARM_NONE;
  }
}

static void judge_place(struct monitor *monitor, const struct nmea_rmc *rmc) {
  uint32_t square = distance_squared(&monitor->anchor, &rmc->position);
  bool outside = square > WATCH_RADIUS * WATCH_RADIUS;
  bool inside = square < RETURN_RADIUS * RETURN_RADIUS;
  run(&monitor->outside_run, outside);
  run(&monitor->inside_run, inside);

  if (monitor->alarm == ALARM_NONE && outside &&
      (monitor->outside_run >= PLACE_EPOCHS || rmc->speed >= SAIL_SPEED))
    raise_alarm(monitor, ALARM_DRAGGING);
  else if (monitor->alarm == ALARM_BLIND ||
           (monitor->alarm == ALARM_DRAGGING &&
            monitor->inside_run >= PLACE_EPOCHS))
    monitor->alarm = ALARM_NONE;
}

static void end_epoch(struct monitor *monitor, const struct nmea_rmc *rmc) {
  judge_fix(monitor, good_epoch(monitor, rmc));
  monitor->gga_fresh = false;
  monitor->time = rmc->time;
  ++monitor->epochs;
  if (monitor->fix == FIX_TRACKING) {
    judge_anchor(monitor, rmc);
    if (monitor->anchored)
      judge_place(monitor, rmc);
  } else if (monitor->fix == FIX_SEARCHING && monitor->anchored &&
             monitor->alarm == ALARM_NONE) {
    raise_alarm(monitor, ALARM_BLIND);
  }
}

void monitor_take(struct monitor *monitor, enum nmea_event event,
                  const struct nmea_message *message) {
  switch (event) {
  case NMEA_GGA:
    monitor->gga = message->gga;
    monitor->gga_fresh = true;
    break;
  case NMEA_GSA:
    monitor->gsa = message->gsa;
    break;
  case NMEA_RMC:
    end_epoch(monitor, &message->rmc);
    break;
  default:
    break;
  }
}
