// The access tokens of the server: the main token in its own file, and named tokens of which only the hash is stored.
import { join } from 'node:path';
import { array, is, number, object, string } from 'valibot';
import { Fault } from '../base/index.ts';
import { tryParseJson } from '../base/json.ts';
import type { Clock, Files, IdGenerator } from '../contracts/index.ts';
import { clientAccess } from '../protocol/index.ts';
import { digestText, isSameDigest } from '../support/digest.ts';
import { checkNotWritable, isOwnFile, makePrivateDirectory } from './private-files.ts';
import type { StoredTokens } from './stored-tokens.ts';
import type { TokenOwner } from './token-owner.ts';

const storedToken = object({ name: string(), access: clientAccess, hash: string(), createdMs: number() });
const storedTokens = array(storedToken);

export interface TokenFileOptions {
  readonly files: Files;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  /** The directory of the files of the server. */
  readonly directory: string;
}

type StoredToken = TokenOwner & { readonly hash: string; readonly createdMs: number };

const PRIVATE_FILE = 0o600;
const OTHER_USERS = 0o077;
const TOKENS_FILE = 'tokens.json';
/** A shorter text in the file is damaged. */
const MIN_LENGTH = 32;
/** The owner of the main token. */
const MAIN_NAME = 'owner';
const VALID_NAME = /^[\w.-]{1,64}$/;

/** Compares by hashes of equal length, so that the time does not depend on how much of a token is right. */
export class AccessTokens {
  readonly main: string;
  readonly #named: readonly StoredToken[];
  readonly #stored: StoredTokens | undefined;
  #owners: readonly { readonly hash: Buffer; readonly owner: TokenOwner }[] | undefined;

  constructor(main: string, named: readonly StoredToken[], stored?: StoredTokens) {
    this.main = main;
    this.#named = named;
    this.#stored = stored;
  }

  /** Those of the database only after `load`. */
  find(token: string | undefined): TokenOwner | undefined {
    if (token === undefined || token === '') return undefined;
    this.#owners ??= [
      { hash: digestText(this.main), owner: { name: MAIN_NAME, access: 'full' } },
      ...this.#named.map(({ name, access, hash }) => ({ hash: Buffer.from(hash, 'hex'), owner: { name, access } })),
    ];
    const hash = digestText(token);
    let found: TokenOwner | undefined;
    for (const { hash: known, owner } of this.#owners) if (isSameDigest(known, hash)) found = owner;
    return found ?? this.#stored?.find(token);
  }

  /** Looks a token up in the database, if there is one. */
  async load(token: string): Promise<void> {
    if (this.#stored && !this.find(token)) await this.#stored.load(token);
  }
}

/** `main` replaces the token of the file, which is created when it is needed and absent. */
export async function loadAccessTokens(
  options: TokenFileOptions,
  main?: string,
  stored?: StoredTokens,
): Promise<AccessTokens> {
  await makePrivateDirectory(options.files, options.directory);
  return new AccessTokens(main ?? (await loadMainToken(options)), await readNamedTokens(options), stored);
}

async function loadMainToken(options: TokenFileOptions): Promise<string> {
  const stored = await readMainToken(options);
  if (stored !== undefined) return stored;
  return lockFile(options, 'token', async () => {
    // Another server that was started at the same time may have created it.
    const created = await readMainToken(options);
    if (created !== undefined) return created;
    const token = createToken(options);
    await writePrivate(options, 'token', `${token}\n`);
    return token;
  });
}

async function readMainToken({ files, directory }: TokenFileOptions): Promise<string | undefined> {
  const path = join(directory, 'token');
  const text = (await readText(files, path))?.trim();
  return text !== undefined && text.length >= MIN_LENGTH && (await isPrivate(files, path)) ? text : undefined;
}

async function lockFile<T>(options: TokenFileOptions, name: string, act: () => Promise<T>): Promise<T> {
  const { withFileLock } = await import('../support/file-lock.ts');
  await makePrivateDirectory(options.files, options.directory);
  return withFileLock(options, join(options.directory, name), act);
}

/** A token that other users could read is replaced. */
async function isPrivate(files: Files, path: string): Promise<boolean> {
  const info = await files.info(path);
  // Windows has no modes.
  return files.userId === undefined || ((info?.mode ?? 0) & OTHER_USERS) === 0;
}

export async function readNamedTokens({ files, directory }: TokenFileOptions): Promise<readonly StoredToken[]> {
  const path = join(directory, TOKENS_FILE);
  const text = await readText(files, path);
  if (text === undefined) return [];
  await checkNotWritable(files, path);
  const tokens = tryParseJson(text);
  if (is(storedTokens, tokens)) return tokens;
  throw new Fault('config', `${path} is not valid. Remove it, and add the tokens again.`);
}

/** Throws a Fault for a name that a named token cannot have. */
export function checkTokenName(name: string): void {
  if (name === MAIN_NAME) throw new Fault('config', `${name} is the name of the main token. Choose another name.`);
  if (!VALID_NAME.test(name))
    throw new Fault('config', `Invalid name: ${name}. Use letters, digits, dots, dashes and underscores, at most 64.`);
}

/** Returns the token. It is not stored and cannot be shown again. */
export async function addNamedToken(options: TokenFileOptions, { name, access }: TokenOwner): Promise<string> {
  checkTokenName(name);
  const token = createToken(options);
  const added = { name, access, hash: digestText(token).toString('hex'), createdMs: options.clock.now() };
  await changeNamedTokens(options, (named) => {
    if (named.some((one) => one.name === name))
      throw new Fault('config', `There is a token with the name ${name} already. Remove it first.`);
    return [...named, added];
  });
  return token;
}

export async function removeNamedToken(options: TokenFileOptions, name: string): Promise<void> {
  await changeNamedTokens(options, (named) => {
    if (!named.some((one) => one.name === name)) throw new Fault('config', `There is no token with the name ${name}.`);
    return named.filter((one) => one.name !== name);
  });
}

async function changeNamedTokens(
  options: TokenFileOptions,
  change: (named: readonly StoredToken[]) => readonly StoredToken[],
): Promise<void> {
  await lockFile(options, TOKENS_FILE, async () => {
    const changed = change(await readNamedTokens(options));
    await writePrivate(options, TOKENS_FILE, `${JSON.stringify(changed, null, 2)}\n`);
  });
}

async function writePrivate({ files, directory }: TokenFileOptions, name: string, text: string): Promise<void> {
  await makePrivateDirectory(files, directory);
  await files.replace(join(directory, name), new TextEncoder().encode(text), { mode: PRIVATE_FILE });
}

async function readText(files: Files, path: string): Promise<string | undefined> {
  return (await isOwnFile(files, path)) ? new TextDecoder().decode(await files.read(path)) : undefined;
}

/** 244 random bits. */
export function createToken({ ids }: Pick<TokenFileOptions, 'ids'>): string {
  return `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');
}
