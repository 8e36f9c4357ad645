// Overrides git settings that would start a program. Pure.
import { Fault } from '../../base/index.ts';

/** Applied to every repository: git starts no helper, does not prompt and does not use the network. */
const FIXED_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.editor': ':',
  'core.askPass': '',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'core.alternateRefsCommand': 'false',
  'sequence.editor': ':',
  'credential.helper': '',
  'diff.external': '',
  'interactive.diffFilter': '',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'log.showSignature': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  // The code that removes worktree entries compares absolute paths.
  'worktree.useRelativePaths': 'false',
  'protocol.ext.allow': 'never',
  // A folder of the project that looks like a bare repository must not be used as one.
  'safe.bareRepository': 'explicit',
  // git-lfs may only use objects on disk, because the repository configures the servers. A missing object stays a pointer file.
  'lfs.url': 'file:///dev/null',
  'lfs.skipdownloaderrors': 'true',
};

/** How git reaches other machines. */
const NETWORK_KEYS = ['core.sshCommand', 'core.gitProxy', 'credential.helper'];

/** Without the overrides that prevent the use of the network. */
export function allowNetwork(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !NETWORK_KEYS.includes(key)));
}

/** Keys with a subsection name, and their value when only the repository defines them. */
const NAMED_OVERRIDES: readonly (readonly [RegExp, string])[] = [
  [/^filter\..*\.(clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^diff\..*\.(command|textconv)$/s, ''],
  // An empty driver would count as a successful merge.
  [/^merge\..*\.driver$/s, 'false'],
  [/^submodule\..*\.update$/s, 'none'],
  [/^(trailer\..*\.(cmd|command)|tar\..*\.command)$/s, 'false'],
  // A failing hook would reject a reference update.
  [/^hook\..*\.command$/s, 'true'],
  [/^remote\..*\.(uploadpack|receivepack|proxy|vcs)$/s, 'false'],
  [/^credential\..*\.helper$/s, ''],
  [/^gpg\.(.*\.)?(program|defaultkeycommand)$/s, 'false'],
  // Read by git-lfs, which runs when the user has defined its filter. A failing extension stops the call, so that no content passes partly filtered.
  [/^lfs\.(extension\..*\.(clean|smudge)|customtransfer\..*\.path)$/s, 'false'],
  [/^lfs\.(.*\.)?standalonetransferagent$/s, ''],
];

/** Argument of `git config --show-scope -z --get-regexp`: the section names of the keys above. */
export const NAMED_SECTIONS_PATTERN = '^(filter|diff|merge|submodule|trailer|tar|hook|remote|credential|gpg|lfs)\\.';

/** Scopes that the author of the repository controls. */
const REPOSITORY_SCOPES = new Set(['local', 'worktree']);

/**
 * Builds the settings that override all others from git's configuration listing (bytes as latin1). Keys that the user defines
 * for all repositories, such as the git-lfs filter, keep the user's value. Throws a Fault when a key cannot be overridden.
 */
export function buildSafeConfig(listing: string): Record<string, string> {
  const safe: Record<string, string> = { ...FIXED_SETTINGS };
  const userValues = new Map<string, string>();
  const repositoryKeys = new Set<string>();
  const fields = listing.split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n');
    if (REPOSITORY_SCOPES.has(fields[at] ?? '')) repositoryKeys.add(key);
    else userValues.set(key, value.join('\n'));
  }
  for (const key of repositoryKeys) {
    const replacement = NAMED_OVERRIDES.find(([pattern]) => pattern.test(key))?.[1];
    if (replacement === undefined || key in FIXED_SETTINGS) continue;
    const value = userValues.get(key);
    safe[decodeKey(key)] = value === undefined ? replacement : Buffer.from(value, 'latin1').toString('utf8');
  }
  return safe;
}

/** Environment variables are passed as UTF-8: a key with other bytes could not be overridden. */
function decodeKey(key: string): string {
  const bytes = Buffer.from(key, 'latin1');
  const name = bytes.toString('utf8');
  if (Buffer.from(name, 'utf8').equals(bytes)) return name;
  throw new Fault('refused', `The git configuration of the repository has a key that is not UTF-8: ${name}`);
}
