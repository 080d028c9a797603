/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The bytes of stream.nmea, unchanged, between the symbols of stream.h.
 * Assemble it with -I to this folder.
 */
        .section .rodata.stream, "a"
        .global stream_begin
        .global stream_end
stream_begin:
        .incbin "stream.nmea"
stream_end:
        .byte 0

/* Without this section GNU ld warns of an executable stack. */
        .section .note.GNU-stack, "", %progbits
