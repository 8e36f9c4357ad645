// Sizes of protocol version 2, in bytes of UTF-8. Hosts compare them with their own, so they must not change.

/** One line, including its newline. */
export const MAX_FRAME_BYTES = 1024 * 1024;
/** The JSON of a frame that is sent in chunks. */
export const MAX_REASSEMBLED_BYTES = 64 * 1024 * 1024;
