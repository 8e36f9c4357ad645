// First floor, llm: the keys of a role, from Amazon's token service: for keys that may take it on, or for a token of another house.
import { createHash, createHmac } from 'node:crypto';
import type { Env } from './aws-files.ts';
import { type AwsKeys, keysIn } from './aws-keys.ts';
import { exchange, type Good, type KeeperPorts } from './exchange.ts';

export interface Role {
  readonly arn: string;
  readonly sessionName: string | undefined;
  readonly externalId?: string | undefined;
  readonly seconds?: string | undefined;
}

interface TokenDesk {
  readonly ports: KeeperPorts;
  readonly env: Env;
  readonly region: string;
}

const FORM = 'application/x-www-form-urlencoded; charset=utf-8';

/** Signed with the keys of somebody who may. */
export function assumeRole(desk: TokenDesk, role: Role, keys: AwsKeys): Promise<Good<AwsKeys>> {
  const secrets = [keys.secretAccessKey, ...(keys.sessionToken ? [keys.sessionToken] : [])];
  const more = { ExternalId: role.externalId, DurationSeconds: role.seconds };
  return askFor(desk, role, { Action: 'AssumeRole', ...more }, { secrets, keys });
}

export function assumeRoleWithToken(desk: TokenDesk, role: Role, token: string): Promise<Good<AwsKeys>> {
  const query = { Action: 'AssumeRoleWithWebIdentity', WebIdentityToken: token };
  return askFor(desk, role, query, { secrets: [token] });
}

async function askFor(
  { ports, env, region }: TokenDesk,
  role: Role,
  query: Readonly<Record<string, string | undefined>>,
  { secrets, keys }: { secrets: readonly string[]; keys?: AwsKeys },
): Promise<Good<AwsKeys>> {
  const asked = { Version: '2011-06-15', RoleArn: role.arn, RoleSessionName: role.sessionName || 'parley', ...query };
  const said = Object.entries(asked).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const body = new URLSearchParams(said).toString();
  const url = new URL(env.AWS_ENDPOINT_URL_STS || addressIn(region));
  const plain = { 'content-type': FORM };
  const headers = keys ? signed({ url, body, headers: plain, region, keys, now: ports.clock.now() }) : plain;
  const keeper = { name: 'Amazon', gift: `keys for the role ${role.arn}`, secrets };
  return keysIn(elementsIn(await exchange(ports, url.href, { method: 'POST', headers, body }, keeper)), url.host);
}

function addressIn(region: string): string {
  return `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Elements without children, by name: the answer is flat enough for that. */
function elementsIn(xml: string): Record<string, string> {
  const found = [...xml.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  return Object.fromEntries(found.map(([, name, text = '']) => [name, text.replaceAll('&amp;', '&')]));
}

interface Unsigned {
  readonly url: URL;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly region: string;
  readonly keys: AwsKeys;
  readonly now: number;
}

/** Signature Version 4 of a POST without a query. */
function signed({ url, body, headers, region, keys, now }: Unsigned): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = { ...headers, host: url.host, 'x-amz-date': time };
  if (keys.sessionToken) all['x-amz-security-token'] = keys.sessionToken;
  const names = Object.keys(all).sort();
  const lines = names.map((name) => `${name}:${all[name]}`);
  const canonical = ['POST', url.pathname, '', ...lines, '', names.join(';'), sha256(body)].join('\n');
  const scope = [day, region, 'sts', 'aws4_request'];
  const key = scope.reduce<Buffer>((secret, part) => hmac(secret, part), Buffer.from(`AWS4${keys.secretAccessKey}`));
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n')).toString(
    'hex',
  );
  const { host: _, ...sent } = all;
  const credential = `${keys.accessKeyId}/${scope.join('/')}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...sent, authorization };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
