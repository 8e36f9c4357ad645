// Writes the result of the parser in one line, for tables of expectations.
import { parseShellCommand, type ShellWord } from '../../../src/permissions/shell/index.ts';

/**
 * Calls are separated by ` ; `. A call that another program makes begins with `caller> `. `<?>` is an unknown word, `<*>` one that can become
 * several. Words with unusual characters are written as JSON. Redirections follow as `{write file}`. With a problem, the line ends with ` !`.
 */
export function formatCalls(command: string, shell = '/bin/bash'): string {
  const { commands, redirections, problems } = parseShellCommand(command, shell);
  const calls = commands.map(({ caller, words }) => `${caller ? `${caller}> ` : ''}${words.map(formatWord).join(' ')}`);
  const files = redirections.map(({ access, target }) => `{${access} ${formatWord(target)}}`);
  return [calls.join(' ; '), ...files, ...(problems.length > 0 ? ['!'] : [])].join(' ').trim();
}

function formatWord({ value, canSplit }: ShellWord): string {
  if (value === undefined) return canSplit ? '<*>' : '<?>';
  return /^[\w./:=@%+,{}[\]^~#$!?*-]+$/.test(value) ? value : JSON.stringify(value);
}
