// Checks the repositories that clients name, and formats names for paths and refs. Credentials never leave this file.
import { isAbsolute, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from '../../../base/index.ts';
import { digestText } from '../../../support/digest.ts';
import { isInside } from '../../../support/path-checks.ts';

const SCP_FORM = /^[\w.-]+@[A-Za-z\d][\w.-]*:[^-].*$/;
const MAX_NAME = 120;

/** A path for a repository on this machine, otherwise a URL. Throws a Fault for what git could take for an option or a program. */
export function parseRepository(text: string): string {
  if (/\p{Cc}/u.test(text) || text.startsWith('-')) throw createFormFault(text);
  if (isAbsolute(text)) return removeTrailingSlash(normalize(text));
  if (text.startsWith('file://')) return parseRepository(parseFileUrl(text));
  if (SCP_FORM.test(text)) return text;
  const url = /^(?:https|ssh):\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === '' || url.hostname.startsWith('-') || url.pathname.includes('%'))
    throw createFormFault(text);
  const hasSecret = url.password !== '' || (url.protocol === 'https:' && url.username !== '');
  if (!hasSecret) return url.href;
  const remedy = 'Leave them out, and configure a credential helper of git on the nodes.';
  throw new Fault(
    'invalid_params',
    `The URL of the repository ${hideCredentials(text)} contains credentials. ${remedy}`,
  );
}

/** The URL of a remote in the configuration of a repository may contain a password. */
export function removeCredentials(url: string): string {
  return url.replace(/^(https:\/\/)[^/]*@/, '$1').replace(/^(ssh:\/\/[^/@:]*):[^/]*@/, '$1@');
}

/** For messages of git. */
export function hideCredentials(text: string): string {
  return text.replace(/:\/\/[^/@\s]+@/g, '://');
}

export function isPath(repository: string): boolean {
  return isAbsolute(repository);
}

/** `allowed` are paths and beginnings of URLs. Paths have all links resolved. */
export function isAllowedRepository(repository: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => {
    if (isPath(repository) || isPath(one)) return repository === one || (isPath(one) && isInside(one, repository));
    if (repository.split(/[/:]/).includes('..') || !repository.startsWith(one)) return false;
    // `https://host/team` does not allow `https://host/team-of-others`.
    return repository === one || /[/:]$/.test(one) || /^(?:\/|\.git$)/.test(repository.slice(one.length));
  });
}

/** A normalized path has at most one. */
function removeTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** The name of the directory that a clone would have. */
export function getRepositoryName(repository: string): string {
  const parts = repository.split(/[/:]/).filter((part) => part !== '');
  const last = (parts.at(-1) === '.git' ? parts.at(-2) : parts.at(-1)) ?? '';
  const name = last
    .replace(/\.git$/, '')
    .replace(/[^\w.-]/g, '-')
    .replace(/^[.-]+/, '');
  return name === '' ? 'repository' : name.slice(0, MAX_NAME);
}

/** Different texts have different names, which are valid in paths and in refs. */
export function encodeName(text: string): string {
  const encode = (character: string) => `=${Buffer.from(character).toString('hex')}`;
  const name = text.replace(/[^A-Za-z\d_-]/gu, encode);
  if (name.length <= MAX_NAME && name !== '') return name;
  return `${name.slice(0, MAX_NAME - 34)}==${digestText(text).toString('hex').slice(0, 32)}`;
}

function parseFileUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw createFormFault(text);
  }
}

function createFormFault(text: string): Fault {
  const forms = 'https://HOST/PATH, ssh://HOST/PATH, git@HOST:PATH, or an absolute path';
  return new Fault(
    'invalid_params',
    `The repository must have the form ${forms} (got ${JSON.stringify(hideCredentials(text))})`,
  );
}
