// Generates the page of the command-line flags from src/settings/flags.
import { FLAG_DOCS } from '../../src/settings/flags/flag-docs.ts';
import { FLAG_GROUPS, type Flag, type FlagName } from '../../src/settings/index.ts';
import { page, section } from './markdown.ts';
import { inCell, tableOf } from './type-text.ts';

export function flagsPage(): string {
  const { accepted, ...listed } = FLAG_GROUPS;
  const groups = Object.entries<readonly Flag[]>(listed);
  return page(
    '# Flags',
    'The flags of `parley`, as `parley --help` lists them. A flag that sets a [setting](settings.md) overrides it for this run. A flag that sets an option has the same effect as that option of `createAgentSession` in the [library](../embedding.md).',
    ...groups.map(([group, flags]) => section(`## ${group}`, table(flags))),
    section(
      '## Flags of other programs',
      'Accepted for hosts of pi, oh-my-pi and Claude Code. They have no effect, unless they stand for another flag or set a setting.',
      table(accepted),
    ),
  );
}

function table(flags: readonly Flag[]): string {
  return tableOf(
    ['flag', 'sets', ''],
    flags.map((flag) => [spellings(flag), target(flag), inCell(FLAG_DOCS[flag.name as FlagName])]),
  );
}

function spellings({ name, short, alias, choices, placeholder, kind }: Flag): string {
  const values = choices?.join('|') ?? placeholder;
  const value = values === undefined ? '' : ` ${kind === 'search' ? `[${values}]` : values}`;
  const shortForm = short ?? alias;
  return [`\`--${name}${inCell(value)}\``, ...(shortForm ? [`\`-${shortForm}\``] : [])].join(', ');
}

function target({ setting, option }: Flag): string {
  if (setting) return `setting \`${setting}\``;
  return option ? `option \`${option}\`` : '';
}
