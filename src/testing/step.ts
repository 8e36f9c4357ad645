// The hall, testing: the lines of a transcript.

/** One line of a transcript; `number` is its place in the file. */
export interface Step {
  number: number;
  word: string;
  rest: string;
  /** What follows up to a given word. */
  text?: string;
}

/** A line that ends with `<<WORD` is followed by a text, up to a line with that word alone. */
export function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const [word = ''] = line.split(/\s/, 1);
    const step: Step = { number: at + 1, word, rest: line.slice(word.length).trim() };
    const end = /^(.*)<<(\w+)$/.exec(step.rest);
    if (end) {
      const from = at + 1;
      at = lines.findIndex((other, index) => index >= from && other.trim() === end[2]);
      if (at < 0) throw new Error(`line ${step.number}: no line with ${end[2]} follows`);
      steps.push({ ...step, rest: (end[1] ?? '').trim(), text: lines.slice(from, at).join('\n') });
    } else steps.push(step);
  }
  return steps;
}
