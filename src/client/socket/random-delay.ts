// Shortens a delay at random, so that the clients of a server that was restarted do not all come back at the same instant.

/** Between a half and the whole of it. */
export function shortenAtRandom(ms: number): number {
  return ms * (1 - Math.random() / 2);
}
