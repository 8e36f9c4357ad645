// Parses the lines of a transcript.

/** One line of a transcript. */
export interface Step {
  lineNumber: number;
  keyword: string;
  argument: string;
  /** The lines between `<<WORD` and a line with that word. */
  body?: string;
}

/** A line that ends with `<<WORD` is followed by a body, up to a line with only that word. */
export function parseSteps(text: string): Step[] {
  const steps: Step[] = [];
  const lines = text.split('\n');
  for (let lineIndex = 0; lineIndex < lines.length; lineIndex++) {
    const line = (lines[lineIndex] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const [keyword = ''] = line.split(/\s/, 1);
    const step: Step = { lineNumber: lineIndex + 1, keyword, argument: line.slice(keyword.length).trim() };
    const heredocMatch = /^(.*)<<(\w+)$/.exec(step.argument);
    if (heredocMatch) {
      const bodyStart = lineIndex + 1;
      lineIndex = lines.findIndex((other, index) => index >= bodyStart && other.trim() === heredocMatch[2]);
      if (lineIndex < 0) throw new Error(`line ${step.lineNumber}: no line with ${heredocMatch[2]} follows`);
      steps.push({
        ...step,
        argument: (heredocMatch[1] ?? '').trim(),
        body: lines.slice(bodyStart, lineIndex).join('\n'),
      });
    } else steps.push(step);
  }
  return steps;
}
