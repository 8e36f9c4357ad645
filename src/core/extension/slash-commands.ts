// First floor, core: the words with a slash that extensions registered: which there are, and what calling one does.
import { Fault } from '../../base/index.ts';
import type { InputVerdict, Said, SlashCommand } from '../../contracts/index.ts';
import type { Extension } from './extension.ts';

export function commandsOf(extensions: readonly Extension[]): SlashCommand[] {
  return extensions.flatMap(({ commands, path, location }) =>
    [...commands].map(([name, { description }]) => ({
      name,
      ...(description === undefined ? {} : { description }),
      source: 'extension' as const,
      location,
      path,
    })),
  );
}

export interface Caller {
  /** Carries it out, and reports what goes wrong. */
  carryOut(owner: Extension, word: string, args: string): Promise<void>;
}

/** Extensions' own words are not commands: they would otherwise call themselves. */
export function commandCalled(
  extensions: readonly Extension[],
  { text, via, source }: Said,
  { carryOut }: Caller,
): InputVerdict | undefined {
  if (!text.startsWith('/') || source === 'extension') return undefined;
  const [word = ''] = text.slice(1).split(/\s/, 1);
  const owner = extensions.find(({ commands }) => commands.has(word));
  if (!owner) return undefined;
  if (via !== 'prompt') {
    const wayOut = 'Use prompt() or execute the command when not streaming.';
    throw new Fault('refused', `Extension command "/${word}" cannot be queued. ${wayOut}`);
  }
  const args = text.slice(word.length + 1).trim();
  return { handled: true, work: () => carryOut(owner, word, args) };
}
