// Refuses a first word that looks like a command and is none, so that it is not sent to a model as a prompt.
import { computeEditDistance } from '../base/find-closest-match.ts';
import { Fault } from '../base/index.ts';
import { SUBCOMMANDS } from './subcommands.ts';

const OWN_COMMANDS = ['help', ...Object.keys(SUBCOMMANDS)];

const EXTENSION_ADVICE =
  'Parley installs no packages. Load an extension with -e PATH, or list its path in the setting "extensions".';
const LIST_ADVICE = 'Did you mean `parley models`, `parley sessions` or `parley config`?';
const NO_ADVICE = '`parley help` lists the commands.';

/** Commands of similar programs, with what to use instead. */
const FOREIGN_COMMANDS: Readonly<Record<string, string>> = {
  ...withAdvice(EXTENSION_ADVICE, 'install uninstall remove plugin plugins package packages extension extensions'),
  ...withAdvice(LIST_ADVICE, 'list ls'),
  ...withAdvice('Did you mean `parley update`?', 'upgrade self-update'),
  ...withAdvice('Did you mean `parley login`?', 'auth signin sign-in setup-token token'),
  ...withAdvice('Did you mean `parley logout`?', 'signout sign-out'),
  ...withAdvice('Did you mean `parley config`?', 'settings setup'),
  ...withAdvice('Did you mean `parley sessions`?', 'history stats usage'),
  ...withAdvice('Did you mean `parley --resume` or `parley --continue`?', 'resume continue'),
  ...withAdvice('Did you mean `parley --fork SESSION`?', 'fork'),
  ...withAdvice('Did you mean `parley -p MESSAGE`?', 'run exec'),
  ...withAdvice('Did you mean `parley --mode rpc`?', 'rpc app-server'),
  ...withAdvice('Did you mean `parley serve`?', 'server web'),
  ...withAdvice('Did you mean `parley mcp serve`?', 'mcp-server'),
  ...withAdvice(NO_ADVICE, 'init agent agents skill skills completion completions worktree import'),
};

/** For `parley WORD …`. `message` is the whole message, of which `word` is the first argument. */
export function refuseUnknownCommand(word: string, message: readonly string[]): void {
  const advice = OWN_COMMANDS.includes(word)
    ? `\`parley ${word}\` must come before all flags.`
    : (getForeignAdvice(word) ?? (message.length <= MAX_MISSPELLED_WORDS ? suggestCommand(word) : undefined));
  if (advice === undefined) return;
  const remedy = `To send it as a prompt: parley -p ${quoteArgument(message.join(' '))}`;
  throw new Fault('config', `Unknown command "${word}". ${advice} ${remedy}`);
}

/** For `parley help WORD`. */
export function createUnknownTopicFault(word: string): Fault {
  return new Fault(
    'config',
    `Unknown command "${word}". ${getForeignAdvice(word) ?? suggestCommand(word) ?? NO_ADVICE}`,
  );
}

/** A longer message whose first word only resembles a command is a prompt: `parley rust or go for this`. */
const MAX_MISSPELLED_WORDS = 2;

function suggestCommand(word: string): string | undefined {
  const similar = OWN_COMMANDS.find((name) => computeEditDistance(word, name) <= 1);
  return similar && `Did you mean \`parley ${similar}\`?`;
}

function getForeignAdvice(word: string): string | undefined {
  return Object.hasOwn(FOREIGN_COMMANDS, word) ? FOREIGN_COMMANDS[word] : undefined;
}

function withAdvice(advice: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, advice]));
}

/** As a POSIX shell reads it. */
function quoteArgument(text: string): string {
  return /["$`\\!\n]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
