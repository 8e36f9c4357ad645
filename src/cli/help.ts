// The hall: the help text, written from the table of flags. Knows nothing about what the flags do.
import { FLAGS, type Flag, GROUPS } from './flags.ts';

const INTRODUCTION = `Usage: parley [options]
       parley [options] [@file...] [message...]
       parley --mode rpc [options]
       parley sessions [--help]
       parley config [KEY] [--help]
       parley trust [PATH] [--help]
       parley schema [--dialect NAME] [--types]
       parley doctor [--json]
       parley export SESSION [FILE] [--branch] [--force]

A coding agent: converses at a terminal, answers a message, or serves a host in lines of JSON.`;

const WIDTH = 100;

export function helpText(): string {
  const groups = GROUPS.filter((group) => group !== 'accepted').map((group) => {
    const rows = FLAGS.filter((flag) => flag.group === group).map(
      (flag: Flag) => [spelled(flag), explained(flag)] as const,
    );
    return { group, rows };
  });
  const column = Math.max(...groups.flatMap(({ rows }) => rows.map(([flag]) => flag.length))) + 4;
  const sections = groups.map(({ group, rows }) =>
    [`${group}:`, ...rows.map(([flag, doc]) => `  ${flag.padEnd(column - 2)}${wrapped(doc, column)}`)].join('\n'),
  );
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

function spelled({ name, short, alias, choices, value }: Flag): string {
  const names = [short ?? alias, name].filter((n) => n !== undefined).map((n) => (n === name ? `--${n}` : `-${n}`));
  const what = value ?? choices?.join('|');
  return `${names.join(', ')}${what === undefined ? '' : ` ${what}`}`;
}

function explained({ doc, value, choices }: Flag): string {
  return value && choices ? `${doc}: ${choices.join(', ')}` : doc;
}

function wrapped(doc: string, indent: number): string {
  const lines = [''];
  for (const word of doc.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && indent + line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
