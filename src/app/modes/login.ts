// `parley login`: signs in to a provider or stores its key, and shows which providers have credentials.
import { parseArgs } from 'node:util';
import { Fault, findClosestMatch } from '../../base/index.ts';
import { LOGIN_FLOWS, type LoginFlow } from '../../llm/credentials/login-flows.ts';
import { createAgentAuth } from '../agent-auth.ts';
import { openTerminalPrompt } from './choose-session.ts';
import { type CredentialStore, listProviderStatus, type ProviderStatus, withCredentials } from './credential-status.ts';
import { formatTable } from './format-table.ts';
import { parseWithHelp } from './parse-with-help.ts';
import { readSecret } from './read-secret.ts';

const LOGIN_HELP = `Usage: parley login [PROVIDER]        sign in, or enter an API key, which is not shown
       parley login status [--json]    show which providers have credentials, and where these come from

Some providers have a sign-in in the browser (${Object.keys(LOGIN_FLOWS).join(', ')}). Others need
an API key. A key can be piped to stdin. Credentials are stored in auth.json, which only you can read.

  --key       enter an API key, even if the provider has a sign-in
  --browser   sign in, even if stdin is not a terminal
  --list      the same as status

Examples:
  parley login
  parley login github-copilot
  echo "$KEY" | parley login openai
  parley login status --json
`;

const OPTIONS = {
  key: { type: 'boolean' },
  browser: { type: 'boolean' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Returns the text to print. */
export async function runLogin(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parseWithHelp(LOGIN_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  if (values.help) return LOGIN_HELP;
  const [first, extra] = positionals;
  const isStatus = values.list || first === 'status';
  const misplaced = extra ?? (values.json && !isStatus ? '--json' : values.list ? first : undefined);
  if (misplaced !== undefined) throw new Fault('config', `Unexpected argument: ${misplaced}\n\n${LOGIN_HELP}`);
  if (values.key && values.browser) throw new Fault('config', 'Use only one of --key and --browser.');
  return withCredentials(warn, async (store) => {
    const providers = await listProviderStatus(store);
    if (isStatus) return values.json ? `${JSON.stringify({ providers }, null, 2)}\n` : formatStatus(providers);
    const provider = first === undefined ? await chooseProvider(providers) : findProvider(first, providers);
    const flow = chooseFlow(provider, values);
    return flow ? signIn(provider, flow, store, warn) : storeEnteredKey(provider, store);
  });
}

function formatStatus(providers: readonly ProviderStatus[]): string {
  const known = providers.filter(({ source, problem }) => source ?? problem);
  if (known.length === 0) return 'No provider has credentials. Add some with `parley login`.\n';
  return formatTable(
    ['provider', 'credentials from', ''],
    known.map(({ id, source, problem }) => [id, source ?? '', problem ?? '']),
  );
}

async function chooseProvider(providers: readonly ProviderStatus[]): Promise<ProviderStatus> {
  const prompt = openTerminalPrompt();
  if (!prompt) throw new Fault('config', `Name a provider: ${listIds(providers)}`);
  const rows = providers.map(({ id, name, methods, source }, at) => {
    const account = methods.includes('api_key') ? 'API key' : '';
    const signInName = LOGIN_FLOWS[id] ? `sign-in with ${LOGIN_FLOWS[id].account}` : '';
    return [String(at + 1), id, name, [signInName, account].filter(Boolean).join(' or '), source ? 'yes' : ''];
  });
  prompt.show(formatTable(['', 'provider', 'name', 'needs', 'present'], rows));
  const typed = (await prompt.ask('Number or provider: '))?.trim();
  if (!typed) throw new Fault('config', 'No provider was chosen.');
  return providers[/^\d+$/.test(typed) ? Number(typed) - 1 : -1] ?? findProvider(typed, providers);
}

function findProvider(id: string, providers: readonly ProviderStatus[]): ProviderStatus {
  const found = providers.find((provider) => provider.id === id);
  if (found) return found;
  const ids = providers.map((provider) => provider.id);
  const similar = findClosestMatch(id, ids) ?? ids.find((other) => other.includes(id));
  const hint = similar ? ` (did you mean ${similar}?)` : '';
  throw new Fault('config', `Unknown provider: ${id}${hint}. Known: ${listIds(providers)}`);
}

function listIds(providers: readonly ProviderStatus[]): string {
  return providers.map(({ id }) => id).join(', ');
}

/** `undefined` when a key is to be read. */
function chooseFlow({ id }: ProviderStatus, flags: { key?: boolean; browser?: boolean }): LoginFlow | undefined {
  const flow = Object.hasOwn(LOGIN_FLOWS, id) ? LOGIN_FLOWS[id] : undefined;
  if (!flow && flags.browser) throw new Fault('config', `${id} has no sign-in. Store an API key: parley login ${id}`);
  if (flow?.hasNoKeys && flags.key) throw new Fault('config', `${id} has no API keys. Sign in: parley login ${id}`);
  const isPreferred = flags.browser || flow?.hasNoKeys || process.stdin.isTTY;
  return isPreferred && !flags.key ? flow : undefined;
}

async function signIn(
  { id, name }: ProviderStatus,
  flow: LoginFlow,
  store: CredentialStore,
  warn: (line: string) => void,
): Promise<string> {
  const prompt = openTerminalPrompt();
  await createAgentAuth(store, store.credentials).signIn(id, {
    showUrl(url, userCode) {
      const code = userCode === undefined ? '' : ` and enter the code ${userCode}`;
      warn(`Sign in with ${flow.account}: open ${url}${code}`);
      if (!flow.hasNoKeys && prompt) warn(`To use an API key instead: parley login ${id} --key`);
    },
    readLine: prompt && ((question, signal) => prompt.ask(question, signal)),
  });
  return `Signed in to ${name}. The credentials are in ${store.authFile.path}.\n`;
}

async function storeEnteredKey({ id, name }: ProviderStatus, store: CredentialStore): Promise<string> {
  const { credentials, authFile } = store;
  const key = await readSecret(`API key of ${name} (not shown): `);
  if (key === '') {
    const source = process.stdin.isTTY ? 'No key was entered' : 'stdin contains no key';
    throw new Fault('config', `${source}. Nothing was stored.`);
  }
  await credentials.saveKey(id, key);
  const { location } = (await credentials.readSnapshot()).findSource(id) ?? {};
  const what = key.startsWith('!') ? 'The command that prints the key' : 'The key';
  const note = location === authFile.path ? '' : ` ${name} still uses ${location}.`;
  return `${what} of ${name} is stored in ${authFile.path}.${note}\n`;
}
