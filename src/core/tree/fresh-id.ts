// First floor, core: ids that are not taken. Eight digits are few enough to come twice in a long session.

/** What is not among the known ones is not looked for: a log finds a parent as the nearest entry before its child. */
export function freshIds(known: Iterable<string>, next: () => string): () => string {
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
