// Generates unique entry ids. Ids have eight hex digits, so collisions are possible in a long session.

/**
 * Avoids only the `known` ids of the current path. A collision with another branch is harmless: a parent is looked up as
 * the nearest entry with that id before its child.
 */
export function createIdGenerator(known: Iterable<string>, next: () => string): () => string {
  const taken = new Set(known);
  return () => {
    for (;;) {
      const id = next();
      if (taken.has(id)) continue;
      taken.add(id);
      return id;
    }
  };
}
