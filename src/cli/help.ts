// Formats the help text from the tables of commands and flags.
import { FLAG_DOCS } from '../settings/flags/flag-docs.ts';
import { FLAG_GROUPS, type Flag, type FlagName } from '../settings/index.ts';
import type { SubcommandName } from './subcommands.ts';

const USAGE = `Usage: parley [options] [@file...] [message...]
       parley --mode rpc [options]
       parley COMMAND [--help]

A coding agent: runs interactively in a terminal, answers a single message,
or serves a host program over JSON lines.

A command is the first argument. A first word that is a command of a similar program (install, run,
...) or a misspelled command is refused, not sent as a message: quote the message, or use -p.`;

type Command = SubcommandName | 'help';

const COMMANDS: Readonly<Record<Command, readonly [synopsis: string, summary: string]>> = {
  help: ['[COMMAND]', 'Print this text, or the help of a command'],
  acp: ['[options]', 'Serve an editor over the Agent Client Protocol'],
  serve: ['[--port N] [--open]', 'Serve many clients over HTTP and WebSockets, with a web page'],
  attach: [
    '[URL|SOCKET] [options]',
    'Open the terminal on a session of a running server, a socket, or an agent elsewhere',
  ],
  submit: ['[options] PROMPT', 'Let a worker run a prompt in a copy of a repository, and return a patch'],
  submissions: ['[list|status|cancel|patch]', 'Show and cancel submitted prompts, and print their changes'],
  worker: ['--queue NAME [options]', 'Take submitted prompts from queues of the database, and run them'],
  login: ['[PROVIDER]', 'Sign in to a provider, or store its API key; `login status` shows the credentials'],
  logout: ['PROVIDER', 'Remove stored credentials'],
  models: ['[list] [SEARCH] [--json]', 'List the models that can be used now'],
  sessions: ['[list|delete|prune]', 'List, delete and prune stored sessions'],
  config: ['[list|get|set|unset]', 'Show and change settings'],
  mcp: ['[list|add|remove|test|serve]', 'Show, change and test MCP servers, or serve Parley as one'],
  permissions: ['[list|add|remove|test]', 'Show, change and test the rules for tool calls'],
  trust: ['[PATH]', 'Trust the configuration of a project, or deny it'],
  export: ['SESSION [FILE]', 'Write a session as a web page'],
  doctor: ['[--json]', 'Check the installation'],
  schema: ['[--dialect NAME]', 'Print the JSON Schema of a dialect'],
  update: ['[--check]', 'Say how to update Parley, and whether there is a newer version'],
  version: ['[--json]', 'Print the version'],
};

const MAX_WIDTH = 100;

export function formatHelp(): string {
  const { accepted: _, ...listedGroups } = FLAG_GROUPS;
  const commands = Object.entries(COMMANDS).map(([name, [synopsis, doc]]) => [`${name} ${synopsis}`, doc] as const);
  const flagGroups = Object.entries<readonly Flag[]>(listedGroups).map(([group, flags]) => ({
    group,
    rows: flags.map((flag) => [formatFlag(flag), formatDoc(flag)] as const),
  }));
  const groups = [{ group: 'Commands', rows: commands }, ...flagGroups];
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

function formatDoc({ name, placeholder, choices }: Flag): string {
  const doc = FLAG_DOCS[name as FlagName];
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
