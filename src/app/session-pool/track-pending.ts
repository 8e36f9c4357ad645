// Work on single sessions that other requests wait for.

/** `pending` contains the id until the work has ended. What waits for it does not see its failure. */
export async function trackPending<T>(
  pending: Map<string, Promise<unknown>>,
  id: string,
  work: Promise<T>,
): Promise<T> {
  pending.set(
    id,
    work.catch(() => {}),
  );
  try {
    return await work;
  } finally {
    pending.delete(id);
  }
}
