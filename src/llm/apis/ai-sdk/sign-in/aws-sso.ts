// First floor, llm: keys for whoever has signed in with `aws sso login`: its token is on the disk, a portal gives keys for it.
import { createHash } from 'node:crypto';
import { type AwsBook, awsHome, type CloudFiles, type Env, type Section } from './aws-files.ts';
import { type AwsKeys, keysInJson, locked } from './aws-keys.ts';
import { exchange, fieldsIn, type Good, type KeeperPorts } from './exchange.ts';

interface Reception {
  readonly ports: KeeperPorts & { readonly files: CloudFiles };
  readonly env: Env;
  readonly book: AwsBook;
}

export async function keysOfSignIn(at: Reception, name: string, profile: Section): Promise<Good<AwsKeys>> {
  const { ports, env, book } = at;
  const session = profile.get('sso_session');
  const described = session === undefined ? profile : book.session(session);
  if (!described) throw locked(`the profile ${name} names the sso_session ${session}, which is not there`);
  const need = (section: Section, key: string): string => {
    const value = section.get(key);
    if (value === undefined) throw locked(`the profile ${name} lacks ${key}`);
    return value;
  };
  const [account, role] = [need(profile, 'sso_account_id'), need(profile, 'sso_role_name')];
  const region = need(described, 'sso_region');
  const token = await tokenOf(at, name, session ?? need(described, 'sso_start_url'));
  const url = new URL('federation/credentials', slashed(env.AWS_ENDPOINT_URL_SSO || addressIn(region)));
  url.search = new URLSearchParams({ role_name: role, account_id: account }).toString();
  const keeper = { name: 'Amazon', gift: `keys for the role ${role}`, secrets: [token] };
  const headers = { accept: 'application/json', 'x-amz-sso_bearer_token': token };
  return keysInJson(await exchange(ports, url.href, { headers }, keeper), url.host, 'roleCredentials');
}

/** Read anew every time: the way to mend it changes this file and no other. */
async function tokenOf({ ports, env }: Reception, name: string, owner: string): Promise<string> {
  const file = `${awsHome(env)}/sso/cache/${createHash('sha1').update(owner).digest('hex')}.json`;
  const again = `Sign in with: aws sso login --profile ${name}`;
  const info = await ports.files.info(file);
  if (info?.kind !== 'file') throw locked(`nobody has signed in to the profile ${name}. ${again}`);
  const { accessToken, expiresAt } = fieldsIn(new TextDecoder().decode(await ports.files.read(file)));
  if (typeof accessToken !== 'string' || !(Date.parse(String(expiresAt)) > ports.clock.now())) {
    throw locked(`the sign-in to the profile ${name} is over. ${again}`);
  }
  return accessToken;
}

function addressIn(region: string): string {
  return `https://portal.sso.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

function slashed(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
