// First floor, llm: a token of Google Cloud for the account that a credentials file holds. Knows no model.
import { createSign } from 'node:crypto';
import { type InferOutput, literal, looseObject, nonEmpty, optional, pipe, safeParse, string, variant } from 'valibot';
import { Fault, messageOf } from '../../../../base/index.ts';
import type { Clock } from '../../../../contracts/index.ts';
import { httpFailure, malformed, ProviderFault } from '../../../http/failure.ts';
import { bounded } from '../../../http/post.ts';
import { watchedFile } from '../../../watched-file.ts';
import type { CloudFiles } from './aws-profile.ts';

export interface GoogleToken {
  readonly token: string;
  /** That of the file, where the environment names none. */
  readonly project?: string | undefined;
}

export interface GooglePorts {
  fetch: typeof fetch;
  clock: Pick<Clock, 'after' | 'now'>;
  files: CloudFiles;
}

const text = pipe(string(), nonEmpty());
const account = variant('type', [
  looseObject({
    type: literal('service_account'),
    client_email: text,
    private_key: text,
    private_key_id: optional(text),
    token_uri: optional(text),
    project_id: optional(text),
  }),
  /** What `gcloud auth application-default login` leaves. */
  looseObject({
    type: literal('authorized_user'),
    client_id: text,
    client_secret: text,
    refresh_token: text,
    token_uri: optional(text),
    quota_project_id: optional(text),
  }),
]);
type Account = InferOutput<typeof account>;

const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LIFE_S = 3600;
/** An answer may take minutes. */
const MARGIN_MS = 5 * 60_000;
const TIMEOUT_MS = 15_000;
const WAY_OUT =
  'put "!gcloud auth print-access-token" as the key of google-vertex into auth.json, or set GOOGLE_CLOUD_API_KEY';

/** One request at a time; everybody who comes meanwhile gets what it brings. */
export function googleAccount(ports: GooglePorts, path: string): () => Promise<GoogleToken> {
  const file = watchedFile(ports.files, path, async (content) => accountIn(content, path));
  let held: { account: Account; until: number; token: Promise<string> } | undefined;
  return async () => {
    const owner = await file.read();
    const project = owner.type === 'service_account' ? owner.project_id : owner.quota_project_id;
    if (held?.account !== owner || held.until <= ports.clock.now()) {
      const asking = ask(ports, owner);
      const fresh = { account: owner, until: Number.POSITIVE_INFINITY, token: asking.then(({ token }) => token) };
      held = fresh;
      await asking.then(
        ({ expires }) => (fresh.until = expires - MARGIN_MS),
        () => (held = held === fresh ? undefined : held),
      );
      return { token: await fresh.token, project };
    }
    return { token: await held.token, project };
  };
}

/** Says nothing of what stands in the file. */
function accountIn(content: string | undefined, path: string): Account {
  const named = `GOOGLE_APPLICATION_CREDENTIALS names ${path}`;
  if (content === undefined) throw locked(`${named}, which is not there`);
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw locked(`${named}, which is no JSON`);
  }
  const read = safeParse(account, value);
  if (read.success) return read.output;
  const type = (value as { type?: unknown } | null)?.type;
  const known = type === 'service_account' || type === 'authorized_user';
  const lack = read.issues[0]?.path?.map(({ key }) => String(key)).join('.');
  throw locked(
    known
      ? `${named}, where ${lack} is missing`
      : `${named}, an account of a kind that is not read here (${String(type)})`,
  );
}

function locked(why: string): ProviderFault {
  return new ProviderFault({ kind: 'auth' }, `Google Vertex AI cannot be opened: ${why}. Mend it, or ${WAY_OUT}`);
}

async function ask({ fetch, clock }: GooglePorts, owner: Account): Promise<{ token: string; expires: number }> {
  const secrets = owner.type === 'service_account' ? [owner.private_key] : [owner.client_secret, owner.refresh_token];
  const url = owner.token_uri ?? TOKEN_URI;
  const aborter = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => aborter.abort());
  try {
    const body = new URLSearchParams(grantOf(owner, url, clock.now())).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(url, { method: 'POST', headers, body, signal: aborter.signal, redirect: 'error' });
    const said = await bounded(response);
    if (!response.ok) throw refused(response, said, secrets);
    const { access_token: token, expires_in: seconds } = JSON.parse(said) as Record<string, unknown>;
    if (typeof token !== 'string' || token === '') throw malformed('Google gave no token where it was asked for one');
    return { token, expires: clock.now() + (Number(seconds) || LIFE_S) * 1000 };
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown;
    const reason = aborter.signal.aborted ? `nothing within ${TIMEOUT_MS / 1000} seconds` : messageOf(thrown);
    const kind = aborter.signal.aborted ? ('timeout' as const) : ('network' as const);
    throw new ProviderFault({ kind }, `No token for Google Cloud from ${new URL(url).host}: ${reason}`, thrown);
  } finally {
    cancel();
  }
}

/** A grant that is not accepted stays so; a server that is busy does not. */
function refused(response: Response, said: string, secrets: readonly string[]): ProviderFault {
  const { failure, message } = httpFailure(response.status, response.headers, said, secrets);
  const lasting = response.status < 500 && response.status !== 429;
  const sentence = `Google Cloud gave no token: ${message}`;
  return new ProviderFault(lasting ? { kind: 'auth', status: response.status } : failure, sentence);
}

function grantOf(owner: Account, url: string, now: number): Record<string, string> {
  if (owner.type === 'service_account') {
    const assertion = signed(owner, url, Math.floor(now / 1000));
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  }
  const { client_id, client_secret, refresh_token } = owner;
  return { grant_type: 'refresh_token', client_id, client_secret, refresh_token };
}

function signed(owner: Extract<Account, { type: 'service_account' }>, aud: string, iat: number): string {
  const { private_key_id: kid, private_key: key, client_email: iss } = owner;
  const head = { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) };
  const claims = { iss, scope: SCOPE, aud, iat, exp: iat + LIFE_S };
  const unsigned = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  try {
    return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(key, 'base64url')}`;
  } catch {
    // The error of the parser may quote the key.
    throw locked('the private_key of the account cannot be read');
  }
}
