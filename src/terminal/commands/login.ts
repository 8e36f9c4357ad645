// Runs /login and /logout: sign-in flows of the agent, and keys in auth.json.
import { Fault, findClosestMatch } from '../../base/index.ts';
import { SearchDialog } from '../dialogs/search-dialog.ts';
import { SecretDialog } from '../dialogs/secret-dialog.ts';
import type { CommandContext, CredentialPorts } from './slash-command.ts';

interface LoginChoice {
  readonly id: string;
  readonly name: string;
  readonly method: 'sign-in' | 'API key';
  readonly hasCredential: boolean;
}

/** Returns the provider, or `undefined` when the user has dismissed the dialog. */
export async function runLogin(args: string, context: CommandContext): Promise<string | undefined> {
  if (/\s/.test(args))
    throw new Fault(
      'invalid_params',
      '/login takes only the name of a provider. It asks for the key, which is not shown.',
    );
  const choices = await listChoices(context);
  const matches = args === '' ? choices : findChoices(args, choices);
  const choice = matches.length === 1 ? matches[0] : await chooseProvider(matches, context);
  if (!choice) return undefined;
  return choice.method === 'sign-in' ? signIn(choice, context) : enterKey(choice, context);
}

export async function runLogout(args: string, context: CommandContext): Promise<void> {
  const { dialogs, notify } = context;
  const credentials = requireCredentials(context);
  const stored = (await credentials.listProviders()).filter(({ isStored }) => isStored);
  if (stored.length === 0) throw new Fault('not_found', 'No credentials are stored in auth.json.');
  const columns = stored.map(({ id, name }) => ({ value: id, columns: [id, name] }));
  const id = args || (await dialogs.choose(new SearchDialog('Remove the credentials of which provider?', columns)));
  if (id === undefined) return;
  if (!stored.some((provider) => provider.id === id))
    throw new Fault(
      'not_found',
      `auth.json has no credentials of ${id}. It has those of ${stored.map((provider) => provider.id).join(', ')}.`,
    );
  await credentials.remove(id);
  const isLeft = (await credentials.listProviders()).some((provider) => provider.id === id && provider.hasCredential);
  notify(
    `Removed the credentials of ${id} from auth.json.${isLeft ? ' It still has a key from another source, such as a variable.' : ''}`,
  );
}

/** A provider that has both methods is listed once for each. */
async function listChoices({ client, credentials }: CommandContext): Promise<LoginChoice[]> {
  const [{ providers: signIns }, keyProviders] = await Promise.all([
    client.call('get_login_providers'),
    credentials?.listProviders() ?? [],
  ]);
  return [
    ...signIns.map(({ id, name, authenticated }) => ({
      id,
      name,
      method: 'sign-in' as const,
      hasCredential: authenticated,
    })),
    ...keyProviders
      .filter(({ acceptsKey }) => acceptsKey)
      .map(({ id, name, hasCredential }) => ({ id, name, method: 'API key' as const, hasCredential })),
  ];
}

async function chooseProvider(
  choices: readonly LoginChoice[],
  { dialogs }: CommandContext,
): Promise<LoginChoice | undefined> {
  const columns = choices.map(({ id, name, method, hasCredential }, at) => ({
    value: String(at),
    columns: [id, name, method, hasCredential ? 'has credentials' : ''],
  }));
  const answer = await dialogs.choose(new SearchDialog('Log in to which provider?', columns));
  return answer === undefined ? undefined : choices[Number(answer)];
}

/** Two if the provider has both methods. */
function findChoices(id: string, choices: readonly LoginChoice[]): readonly LoginChoice[] {
  const found = choices.filter((choice) => choice.id === id);
  if (found.length > 0) return found;
  const similar = findClosestMatch(
    id,
    choices.map((choice) => choice.id),
  );
  throw new Fault(
    'not_found',
    `Unknown provider: ${id}${similar ? ` (did you mean ${similar}?)` : ''}. Run /login to list all providers.`,
  );
}

/** The agent sends the URL and the code as a display, which the conversation prints, and may ask for the URL of the last page. */
async function signIn({ id, name }: LoginChoice, context: CommandContext): Promise<string> {
  const { client, notify } = context;
  notify(`Signing in to ${name}. You can continue to work meanwhile. Esc cancels the sign-in.`);
  context.setCancelAction(() => client.call('cancel_login', { providerId: id }));
  await client.call('login', { providerId: id }).finally(() => context.setCancelAction(undefined));
  notify(`Signed in to ${name}.`);
  return id;
}

async function enterKey({ id, name }: LoginChoice, context: CommandContext): Promise<string | undefined> {
  const { dialogs, notify, canHideInput } = context;
  const credentials = requireCredentials(context);
  if (!canHideInput)
    throw new Fault(
      'refused',
      `This terminal shows what you type, so a key cannot be entered here. Add it to auth.json.`,
    );
  const key = await dialogs.choose(new SecretDialog(`API key of ${name}`));
  if (key === undefined) return undefined;
  await credentials.saveKey(id, key);
  notify(`The key of ${name} is stored in auth.json, which only you can read.`);
  return id;
}

/** The keys of this machine are not those of an agent that runs elsewhere. */
function requireCredentials({ credentials }: CommandContext): CredentialPorts {
  if (credentials) return credentials;
  throw new Fault('refused', 'The keys are stored where the agent runs. Use `parley login` and `parley logout` there.');
}
