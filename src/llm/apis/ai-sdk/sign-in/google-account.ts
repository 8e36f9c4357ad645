// First floor, llm: a token of Google Cloud for the account that a credentials file holds. Knows no model.
import { createSign } from 'node:crypto';
import { type InferOutput, literal, looseObject, nonEmpty, optional, pipe, safeParse, string, variant } from 'valibot';
import { malformed, ProviderFault } from '../../../http/failure.ts';
import { watchedFile } from '../../../watched-file.ts';
import type { CloudFiles } from './aws-files.ts';
import { exchange, fieldsIn, type Good, type KeeperPorts, keeping } from './exchange.ts';

export interface GoogleToken {
  readonly token: string;
  /** That of the file, where the environment names none. */
  readonly project?: string | undefined;
}

export interface GooglePorts extends KeeperPorts {
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
const WAY_OUT =
  'put "!gcloud auth print-access-token" as the key of google-vertex into auth.json, or set GOOGLE_CLOUD_API_KEY';

export function googleAccount(ports: GooglePorts, path: string): () => Promise<GoogleToken> {
  const file = watchedFile(ports.files, path, async (content) => accountIn(content, path));
  const kept = keeping<string>(ports.clock);
  return async () => {
    const owner = await file.read();
    const project = owner.type === 'service_account' ? owner.project_id : owner.quota_project_id;
    return { token: await kept(owner, () => ask(ports, owner)), project };
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

async function ask(ports: GooglePorts, owner: Account): Promise<Good<string>> {
  const secrets = owner.type === 'service_account' ? [owner.private_key] : [owner.client_secret, owner.refresh_token];
  const url = owner.token_uri ?? TOKEN_URI;
  const body = new URLSearchParams(grantOf(owner, url, ports.clock.now())).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const keeper = { name: 'Google Cloud', gift: 'token', secrets };
  const said = await exchange(ports, url, { method: 'POST', headers, body }, keeper);
  const { access_token: value, expires_in: seconds } = fieldsIn(said);
  if (typeof value !== 'string' || value === '') throw malformed('Google gave no token where it was asked for one');
  return { value, expires: ports.clock.now() + (Number(seconds) || LIFE_S) * 1000 };
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
