// Lists and resolves slash commands of extensions.
import { Fault } from '../../base/index.ts';
import type { InputHookResult, SlashCommand, SubmittedInput } from '../../contracts/index.ts';
import type { Extension } from './extension.ts';

export function listCommands(extensions: readonly Extension[]): SlashCommand[] {
  return extensions.flatMap(({ commands, path, location, baseDir }) =>
    [...commands].map(([name, { description }]) => ({
      name,
      ...(description === undefined ? {} : { description }),
      source: 'extension' as const,
      location,
      path,
      ...(baseDir === undefined ? {} : { baseDir }),
    })),
  );
}

export interface CommandExecutor {
  /** Runs the command and reports its failure. */
  execute(owner: Extension, name: string, args: string): Promise<void>;
}

/** Messages sent by extensions are not resolved, because an extension could call its own command recursively. */
export function resolveCommand(
  extensions: readonly Extension[],
  { text, via, source }: SubmittedInput,
  { execute }: CommandExecutor,
): InputHookResult | undefined {
  if (!text.startsWith('/') || source === 'extension') return undefined;
  const [name = ''] = text.slice(1).split(/\s/, 1);
  const owner = extensions.find(({ commands }) => commands.has(name));
  if (!owner) return undefined;
  if (via !== 'prompt') {
    const remedy = 'Use prompt() or execute the command when not streaming.';
    throw new Fault('refused', `Extension command "/${name}" cannot be queued. ${remedy}`);
  }
  const args = text.slice(name.length + 1).trim();
  return { handled: true, runAfterAccept: () => execute(owner, name, args) };
}
