/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The recording in stream.nmea, as stream.S puts it into ROM: what a GPS
 * receiver on a boat has sent, an epoch every five seconds. The receiver starts
 * cold, the boat anchors, swings, drags and comes back, leaves, and passes
 * under a bridge; at times the link loses, adds and changes bytes. The
 * recording is synthetic: no boat was ever there.
 */
#ifndef STREAM_H
#define STREAM_H

extern const char stream_begin[];
extern const char stream_end[]; /* after the last byte */

#endif
