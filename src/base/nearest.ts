// Ground floor: what someone probably meant. Knows words, not what they are for.

/** The known word nearest to `word`, if it is near enough to be a slip: a third of its letters at most. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({
    candidate,
    distance: editDistance(word, candidate),
    // Of two that are as near, the one of the same length: letters are swapped more often than lost.
    stretch: Math.abs(word.length - candidate.length),
  }));
  const best = ranked.sort((a, b) => a.distance - b.distance || a.stretch - b.stretch)[0];
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** How many letters must be added, dropped, changed or swapped with their neighbour to turn one word into the other. */
function editDistance(from: string, to: string): number {
  let above: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const changed = at(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const swaps = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(Math.min(changed, at(row, j) + 1, at(next, j - 1) + 1, swaps ? at(above, j - 2) + 1 : Infinity));
    }
    above = row;
    row = next;
  }
  return at(row, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
