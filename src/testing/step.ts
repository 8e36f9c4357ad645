// The hall, testing: the lines of a transcript.

/** One line of a transcript; `number` is its place in the file. */
export interface Step {
  number: number;
  word: string;
  rest: string;
}

export function parseSteps(text: string): Step[] {
  return text
    .split('\n')
    .map((line, index) => ({ number: index + 1, line: line.trim() }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ number, line }) => {
      const [word = ''] = line.split(/\s/, 1);
      return { number, word, rest: line.slice(word.length).trim() };
    });
}
