// First floor, llm: the region and the keys that a profile of Amazon's stands for, as if somebody had exported them.
import { type AwsBook, awsFiles, type Env } from './aws-files.ts';
import type { AwsKeys } from './aws-keys.ts';
import { type AwsPorts, keysOfProfile, keysOfSurroundings, type Search } from './aws-sources.ts';
import { type Good, keeping } from './exchange.ts';

/** Where nobody names one. */
const USUAL_REGION = 'us-east-1';

/** The environment, and under it what the profile says. */
export function awsProfile(env: Env, ports: AwsPorts): () => Promise<Env> {
  const open = awsFiles(env, ports.files);
  const kept = keeping<AwsKeys | undefined>(ports.clock);
  const name = env.AWS_PROFILE || 'default';
  return async () => {
    const book = await open();
    const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || book.profile(name)?.get('region');
    if (env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY) return { ...env, AWS_REGION: region };
    const search = { ports, env, book, region: region ?? USUAL_REGION };
    const keys = await kept(book, () => keysFor(search, name));
    return {
      ...env,
      AWS_REGION: region,
      ...(keys && {
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_SESSION_TOKEN: keys.sessionToken,
      }),
    };
  };
}

/** Without a name nobody promised that the usual profile holds any. */
async function keysFor(search: Search, name: string): Promise<Good<AwsKeys | undefined>> {
  if (search.env.AWS_PROFILE || saysMoreThanPlace(search.book, name)) return keysOfProfile(search, name);
  return keysOfSurroundings(search);
}

function saysMoreThanPlace(book: AwsBook, name: string): boolean {
  const ways = ['aws_access_key_id', 'role_arn', 'credential_process', 'sso_session', 'sso_start_url'];
  return ways.some((key) => book.profile(name)?.has(key));
}
