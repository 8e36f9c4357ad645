// First floor, llm: the offline model's own sentences. Says only what it is and what it was told; decides nothing.
import { brief, countLines, fenced, head, plural, withoutLastBreaks } from './cutting.ts';
import { COUNT_LIMIT, type Errand, type Hint } from './intent.ts';
import type { CommandNote } from './notes.ts';

export const INTRODUCTION =
  "I am Parley's offline model: a small rule-based stand-in, not a language model. I follow a few plain English requests with real tools; I cannot reason, write code or hold a conversation.";

export const ABILITIES = `I understand requests like these, also several in one sentence:

- list \`src\` / what files are here?
- find all \`*.test.ts\` files / where is \`package.json\`?
- search for \`TODO\` in \`src\`
- show me \`README.md\` / read lines 10-20 of \`src/index.ts\`
- summarise \`README.md\`
- run \`npm test\` (the command in backticks)
- replace \`foo\` with \`bar\` in \`a.txt\`
- create \`hello.txt\` with the content \`hi\` / append \`more\` to \`hello.txt\`
- what did the command print?
- say \`hello\`, think about tests, count to 10`;

export const WITHOUT_REQUEST = `Your message was empty, so there is nothing to do. ${ABILITIES}`;
export const GREETING = 'Hello.';
export const WELCOME = 'You are welcome.';
export const STOPPED = 'I stopped. Nothing more will be done until you ask.';
export const NOTHING_LEFT = 'There is nothing left to go on with.';
export const NO_COMMAND = 'No command was run in this conversation, so there is no output to show.';

const HINTS: Readonly<Record<Hint, string>> = {
  'quote-command': 'To have a command run, write it in backticks, for example: run `npm test`.',
  'name-file': 'To have text replaced, say in which file: replace `old` with `new` in `a.txt`.',
  'no-delete': 'I have no tool that deletes files. To have it done by a command, write it out: run `rm a.txt`.',
  'count-limit': `I count from 1 to at most ${COUNT_LIMIT}.`,
};

export function notUnderstood(words: string, hint: Hint | undefined): string {
  return `I did not understand “${words}”.${hint ? ` ${HINTS[hint]}` : ''}`;
}

/** Names the model, because hosts show it without the answer. */
export function cannot(why: string): string {
  return `The offline model cannot carry this out. ${why} Set the key of a provider, for example ANTHROPIC_API_KEY, to use a real model.`;
}

export function leftOver(said: string): string {
  return `Left undone from before, because I did not understand it: “${said}”.`;
}

export function aboutThinking(topic: string): string {
  return `I have no thoughts of my own about ${brief(topic, 200)}: I only follow rules. This answer shows how thinking is streamed.`;
}

export function cannotSee(images: number): string {
  return `Your message has ${plural(images, 'image')}. I cannot see images; I read text only.`;
}

export function lastOutput(note: CommandNote | undefined): string {
  if (!note) return NO_COMMAND;
  const ending = note.ending ? ` It ended with: ${note.ending.replace(/^\(|\)$/g, '')}.` : '';
  if (note.output === undefined) return `${code(note.command)} printed nothing.${ending}`;
  return `${code(note.command)} printed ${quotation(note.output)}${ending && `\n\n${ending.trim()}`}`;
}

/** An errand in the words of a sentence: "I will …", "I could not …". */
export function describe(errand: Errand): string {
  switch (errand.kind) {
    case 'list':
      return errand.path === '.' ? 'list this directory' : `list ${code(errand.path)}`;
    case 'find':
      return `find files that match ${code(errand.pattern)}${inPlace(errand.path)}`;
    case 'search':
      return `search for ${code(errand.pattern)}${inPlace(errand.path ?? errand.glob)}`;
    case 'read':
      return `read ${rangeOf(errand)}${code(errand.path)}`;
    case 'summarise':
      return `read ${code(errand.path)} to summarise it`;
    case 'run':
      return `run ${code(errand.command)}`;
    case 'replace':
      return errand.newText === ''
        ? `remove ${code(errand.oldText)} from ${code(errand.path)}`
        : `replace ${code(errand.oldText)} with ${code(errand.newText)} in ${code(errand.path)}`;
    case 'create':
      return `write ${code(errand.path)}`;
    case 'append':
      return `append ${code(errand.content)} to ${code(errand.path)}`;
  }
}

export function inPlace(path: string | undefined): string {
  return path === undefined ? '' : ` in ${code(path)}`;
}

function rangeOf({ from, to }: Errand & { kind: 'read' }): string {
  if (from === undefined) return '';
  if (to === undefined) return `from line ${from} of `;
  return from === to ? `line ${from} of ` : `lines ${from}-${to} of `;
}

/** "a, b and c". */
export function series(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

export function code(text: string): string {
  const short = brief(text);
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
}

const QUOTED = { lines: 40, chars: 3000 };

/** The end of a sentence and, under it, the text it speaks of: its head only when it is long. */
export function below(text: string): string {
  const shown = head(text, QUOTED);
  return `${shown.whole ? ':' : '. It begins:'}\n\n${fenced(shown.text)}`;
}

/** The same, beginning with the number of lines. */
export function quotation(text: string): string {
  return `${plural(countLines(withoutLastBreaks(text)), 'line')}${below(text)}`;
}
