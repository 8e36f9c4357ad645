// Parses a transcript into steps. docs/testing.md describes the format.

/** Every keyword of a transcript, with what it does. */
export const KEYWORDS = {
  '>': 'send a frame',
  '>>': 'send the characters of a JSON string, with no newline added',
  '<': 'the next frame, complete',
  '<~': 'skip frames until one has these fields',
  '<!': 'no frame so far has these fields',
  option: 'options of the agent, before it starts',
  'setup-file': 'write a file before the agent starts',
  extension: 'the source of an extension, up to a line with the end word',
  tool: 'declare a scripted tool',
  'available-model': 'declare a model, by the fields in which it differs from the default model',
  'scoped-models': 'ids of the models that cycle_model chooses from',
  model: 'the next answer of the model',
  release: 'continue an answer or a tool that waits for this name',
  'advance-clock': 'advance the time by this many milliseconds',
  shell: 'run a shell command in the project directory; it must exit with 0',
  'write-file': 'write a file',
  'expect-file': 'the content of a file',
  'expect-log': 'a line of the session log has these fields',
  'expect-request': 'the last request to the model has these fields',
  'wait-idle': 'wait until the agent is idle',
  'expect-no-more-frames': 'wait until the agent is idle; then no frame is unread',
  'close-input': 'close the input and wait until the agent exits',
  'wait-exit': 'wait until the agent exits by itself',
} as const;

export type Keyword = keyof typeof KEYWORDS;

/** One line of a transcript, with its body if it has one. */
export interface TranscriptStep {
  lineNumber: number;
  keyword: Keyword;
  argument: string;
  /** The lines between `<<WORD` and a line with only that word. */
  body?: string;
}

/** Throws for a line with an unknown keyword. `file` is the name of the transcript in the error message. */
export function parseTranscript(text: string, file = 'transcript'): TranscriptStep[] {
  const steps: TranscriptStep[] = [];
  const lines = text.split('\n');
  for (let lineIndex = 0; lineIndex < lines.length; lineIndex++) {
    const line = (lines[lineIndex] ?? '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const lineNumber = lineIndex + 1;
    const [keyword = ''] = line.split(/\s/, 1);
    if (!isKeyword(keyword)) {
      const known = Object.keys(KEYWORDS).join('  ');
      throw new Error(`${file}:${lineNumber}: unknown keyword "${keyword}". The keywords are: ${known}`);
    }
    const argument = line.slice(keyword.length).trim();
    const bodyStart = /^(.*)<<(\w+)$/.exec(argument);
    if (!bodyStart) {
      steps.push({ lineNumber, keyword, argument });
      continue;
    }
    const [, name = '', endWord] = bodyStart;
    lineIndex = lines.findIndex((other, index) => index >= lineNumber && other.trim() === endWord);
    if (lineIndex < 0) throw new Error(`${file}:${lineNumber}: no line with ${endWord} follows`);
    steps.push({ lineNumber, keyword, argument: name.trim(), body: lines.slice(lineNumber, lineIndex).join('\n') });
  }
  return steps;
}

/** Parses a JSON object whose fields are all listed, so that a misspelt field is not ignored. */
export function parseFields<T extends object>(json: string, fields: Readonly<Record<keyof T, true>>): T {
  const value = JSON.parse(json) as T;
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
  if (unknown !== undefined)
    throw new Error(`unknown field "${unknown}". The fields are: ${Object.keys(fields).join(', ')}`);
  return value;
}

function isKeyword(text: string): text is Keyword {
  return Object.hasOwn(KEYWORDS, text);
}
