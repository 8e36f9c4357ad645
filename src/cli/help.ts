// Formats the help text from the table of flags.
import { FLAG_GROUPS, type Flag } from '../settings/index.ts';

const USAGE = `Usage: parley [options]
       parley [options] [@file...] [message...]
       parley --mode rpc [options]
       parley sessions [--help]
       parley config [KEY] [--help]
       parley trust [PATH] [--help]
       parley schema [--dialect NAME] [--types]
       parley doctor [--json]
       parley export SESSION [FILE] [--branch] [--force]

A coding agent: runs interactively in a terminal, answers a single message,
or serves a host program over JSON lines.`;

const MAX_WIDTH = 100;

export function formatHelp(): string {
  const { accepted: _, ...listedGroups } = FLAG_GROUPS;
  const groups = Object.entries<readonly Flag[]>(listedGroups).map(([group, flags]) => ({
    group,
    rows: flags.map((flag) => [formatFlag(flag), formatDoc(flag)] as const),
  }));
  const column = Math.max(...groups.flatMap(({ rows }) => rows.map(([flag]) => flag.length))) + 4;
  const sections = groups.map(({ group, rows }) =>
    [`${group}:`, ...rows.map(([flag, doc]) => `  ${flag.padEnd(column - 2)}${wrapText(doc, column)}`)].join('\n'),
  );
  return `${[USAGE, ...sections].join('\n\n')}\n`;
}

function formatFlag({ name, short, alias, choices, placeholder }: Flag): string {
  const names = [short ?? alias, name].filter((n) => n !== undefined).map((n) => (n === name ? `--${n}` : `-${n}`));
  const valueText = placeholder ?? choices?.join('|');
  return `${names.join(', ')}${valueText === undefined ? '' : ` ${valueText}`}`;
}

function formatDoc({ doc, placeholder, choices }: Flag): string {
  return placeholder && choices ? `${doc}: ${choices.join(', ')}` : doc;
}

function wrapText(doc: string, indent: number): string {
  const lines = [''];
  for (const word of doc.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + word.length >= MAX_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
