// Texts of the offline model's answers.

import type { CommandRecord } from './host-message.ts';
import { COUNT_LIMIT, type Hint, type ToolIntent } from './intent.ts';
import { abbreviate, countLines, formatCodeBlock, formatCount, takeHead, trimTrailingNewlines } from './text-format.ts';

export const INTRODUCTION =
  "I am Parley's offline model: a small rule-based substitute, not a language model. I carry out a few simple English requests with real tools; I cannot reason, write code or hold a conversation.";

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

export const EMPTY_REQUEST = `Your message was empty, so there is nothing to do. ${ABILITIES}`;
export const GREETING = 'Hello.';
export const THANKS_ANSWER = 'You are welcome.';
export const STOPPED_ANSWER = 'I stopped. Nothing more will be done until you ask.';
export const NOTHING_TO_CONTINUE = 'There is nothing to continue.';
export const NO_COMMAND_OUTPUT = 'No command was run in this conversation, so there is no output to show.';

const HINT_TEXTS: Readonly<Record<Hint, string>> = {
  'quote-command': 'To have a command run, write it in backticks, for example: run `npm test`.',
  'name-file': 'To have text replaced, say in which file: replace `old` with `new` in `a.txt`.',
  'no-delete': 'I have no tool that deletes files. To have it done by a command, write it out: run `rm a.txt`.',
  'count-limit': `I count from 1 to at most ${COUNT_LIMIT}.`,
};

export function formatNotUnderstood(request: string, hint: Hint | undefined): string {
  return `I did not understand “${request}”.${hint ? ` ${HINT_TEXTS[hint]}` : ''}`;
}

/** Names the model, because hosts show this text without the answer. */
export function formatFailure(reason: string): string {
  return `The offline model cannot carry this out. ${reason} Set the key of a provider, for example ANTHROPIC_API_KEY, to use a real model.`;
}

export function formatUnanswered(request: string): string {
  return `Not done from an earlier request, because I did not understand it: “${request}”.`;
}

export function formatThinkingAnswer(topic: string): string {
  return `I have no thoughts of my own about ${abbreviate(topic, 200)}: I only follow rules. This answer shows how thinking is streamed.`;
}

export function formatImagesUnsupported(images: number): string {
  return `Your message has ${formatCount(images, 'image')}. I cannot see images; I read text only.`;
}

export function formatCommandOutput(record: CommandRecord | undefined): string {
  if (!record) return NO_COMMAND_OUTPUT;
  const ending = record.ending ? ` It ended with: ${record.ending.replace(/^\(|\)$/g, '')}.` : '';
  if (record.output === undefined) return `${formatCode(record.command)} printed nothing.${ending}`;
  return `${formatCode(record.command)} printed ${formatQuotation(record.output)}${ending && `\n\n${ending.trim()}`}`;
}

/** The intent as part of a sentence: "I will …", "I could not …". */
export function describeIntent(intent: ToolIntent): string {
  switch (intent.kind) {
    case 'list':
      return intent.path === '.' ? 'list this directory' : `list ${formatCode(intent.path)}`;
    case 'find':
      return `find files that match ${formatCode(intent.pattern)}${formatLocation(intent.path)}`;
    case 'search':
      return `search for ${formatCode(intent.pattern)}${formatLocation(intent.path ?? intent.glob)}`;
    case 'read':
      return `read ${formatLineRange(intent)}${formatCode(intent.path)}`;
    case 'summarise':
      return `read ${formatCode(intent.path)} to summarise it`;
    case 'run':
      return `run ${formatCode(intent.command)}`;
    case 'replace':
      return intent.newText === ''
        ? `remove ${formatCode(intent.oldText)} from ${formatCode(intent.path)}`
        : `replace ${formatCode(intent.oldText)} with ${formatCode(intent.newText)} in ${formatCode(intent.path)}`;
    case 'create':
      return `write ${formatCode(intent.path)}`;
    case 'append':
      return `append ${formatCode(intent.content)} to ${formatCode(intent.path)}`;
  }
}

export function formatLocation(path: string | undefined): string {
  return path === undefined ? '' : ` in ${formatCode(path)}`;
}

function formatLineRange({ from, to }: ToolIntent & { kind: 'read' }): string {
  if (from === undefined) return '';
  if (to === undefined) return `from line ${from} of `;
  return from === to ? `line ${from} of ` : `lines ${from}-${to} of `;
}

/** "a, b and c". */
export function formatList(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

export function formatCode(text: string): string {
  const short = abbreviate(text);
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
}

const EXCERPT_LIMITS = { lines: 40, chars: 3000 };

/** The end of a sentence and the text below it; only its first lines if it is long. */
export function formatExcerpt(text: string): string {
  const head = takeHead(text, EXCERPT_LIMITS);
  return `${head.whole ? ':' : '. It begins:'}\n\n${formatCodeBlock(head.text)}`;
}

/** Like formatExcerpt, but starts with the number of lines. */
export function formatQuotation(text: string): string {
  return `${formatCount(countLines(trimTrailingNewlines(text)), 'line')}${formatExcerpt(text)}`;
}
