// Finds the known name that is most similar to a misspelled one, for suggestions in error messages.

/** The known word with the smallest edit distance to `word`; undefined when the distance is more than a third of its letters. */
export function findClosestMatch(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({
    candidate,
    distance: computeEditDistance(word, candidate),
    // Among equal distances the candidate of similar length wins: letters are swapped more often than lost.
    lengthDifference: Math.abs(word.length - candidate.length),
  }));
  const best = ranked.sort((a, b) => a.distance - b.distance || a.lengthDifference - b.lengthDifference)[0];
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbouring letters. */
export function computeEditDistance(from: string, to: string): number {
  let previousRow: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const substitution = getDistance(row, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      next.push(
        Math.min(
          substitution,
          getDistance(row, j) + 1,
          getDistance(next, j - 1) + 1,
          isSwap ? getDistance(previousRow, j - 2) + 1 : Infinity,
        ),
      );
    }
    previousRow = row;
    row = next;
  }
  return getDistance(row, to.length);
}

function getDistance(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
