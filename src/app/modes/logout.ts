// `parley logout`: removes stored credentials from auth.json.
import { parseArgs } from 'node:util';
import { Fault } from '../../base/index.ts';
import { withCredentials } from './credential-status.ts';
import { parseWithHelp } from './parse-with-help.ts';

const LOGOUT_HELP = `Usage: parley logout PROVIDER...   remove the stored credentials of these providers
       parley logout --all         remove all stored credentials

Removes keys and logins from auth.json. Variables and models.json are not changed.

Examples:
  parley logout openai
  parley logout --all
`;

const OPTIONS = { all: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** Returns the text to print. */
export async function runLogout(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parseWithHelp(LOGOUT_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  if (values.help) return LOGOUT_HELP;
  if (values.all && positionals.length > 0)
    throw new Fault('config', `Unexpected argument: ${positionals[0]}\n\n${LOGOUT_HELP}`);
  return withCredentials(warn, async ({ authFile, credentials }) => {
    const stored = [...(await authFile.read()).keys()];
    if (!values.all && positionals.length === 0) {
      const choices = stored.length > 0 ? `Stored: ${stored.join(', ')}.` : 'No credentials are stored.';
      throw new Fault('config', `Name a provider, or use --all. ${choices}`);
    }
    const missing = positionals.find((provider) => !stored.includes(provider));
    if (missing !== undefined) throw new Fault('not_found', `${authFile.path} has no credentials of ${missing}.`);
    const removed = await authFile.remove((provider) => values.all === true || positionals.includes(provider));
    if (removed.length === 0) return 'No credentials are stored.\n';
    const { findSource } = await credentials.readSnapshot();
    return removed.map((provider) => describeRemoval(provider, findSource(provider)?.location)).join('');
  });
}

/** Other sources of a key, such as variables, stay in use. */
function describeRemoval(provider: string, location: string | undefined): string {
  return `Removed the credentials of ${provider}.${location ? ` It still has a key from ${location}.` : ''}\n`;
}
