// First floor, core: which of git's settings would start a program, and what stands in their place. Pure; runs nothing.
import { Fault } from '../../base/index.ts';

/** For every repository: nothing of git's own starts a helper, asks anybody, or reaches the network. */
const ALWAYS: Readonly<Record<string, string>> = {
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
  // Where a worktree is, is looked for word by word.
  'worktree.useRelativePaths': 'false',
  'protocol.ext.allow': 'never',
  // A folder of the project that looks like a bare repository is not one.
  'safe.bareRepository': 'explicit',
  // The user's git-lfs takes objects from the disk only: servers are named by the repository. One that is missing stays a pointer.
  'lfs.url': 'file:///dev/null',
  'lfs.skipdownloaderrors': 'true',
};

/** Keys with a name in the middle, and what each is set to when only the repository defines it. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^filter\..*\.(clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^diff\..*\.(command|textconv)$/s, ''],
  // An empty driver would count as a merge that went well.
  [/^merge\..*\.driver$/s, 'false'],
  [/^submodule\..*\.update$/s, 'none'],
  [/^(trailer\..*\.(cmd|command)|tar\..*\.command)$/s, 'false'],
  // A hook that fails would refuse the change of a reference.
  [/^hook\..*\.command$/s, 'true'],
  [/^remote\..*\.(uploadpack|receivepack|proxy|vcs)$/s, 'false'],
  [/^credential\..*\.helper$/s, ''],
  [/^gpg\.(.*\.)?(program|defaultkeycommand)$/s, 'false'],
  // Read by git-lfs, which runs when the user has defined its filter. One that fails stops the call; nothing passes half filtered.
  [/^lfs\.(extension\..*\.(clean|smudge)|customtransfer\..*\.path)$/s, 'false'],
  [/^lfs\.(.*\.)?standalonetransferagent$/s, ''],
];

/** What `git config --show-scope -z --get-regexp` is asked for: the beginnings of the keys above. */
export const NAMED_SECTIONS = '^(filter|diff|merge|submodule|trailer|tar|hook|remote|credential|gpg|lfs)\\.';

/** Scopes that belong to the repository, and with it to whoever wrote it. */
const ITS_OWN = new Set(['local', 'worktree']);

/**
 * The settings to lay over all others, from what git says it has read (its bytes as latin1). What the user defined for all
 * repositories, such as the filter of large files, keeps the user's value. Throws a Fault when one cannot be overruled.
 */
export function quietSettings(listing: string): Record<string, string> {
  const quiet: Record<string, string> = { ...ALWAYS };
  const users = new Map<string, string>();
  const repositorys = new Set<string>();
  const fields = listing.split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n');
    if (ITS_OWN.has(fields[at] ?? '')) repositorys.add(key);
    else users.set(key, value.join('\n'));
  }
  for (const key of repositorys) {
    const instead = NAMED.find(([pattern]) => pattern.test(key))?.[1];
    if (instead === undefined || key in ALWAYS) continue;
    const value = users.get(key);
    quiet[nameOf(key)] = value === undefined ? instead : Buffer.from(value, 'latin1').toString('utf8');
  }
  return quiet;
}

/** Variables of a child are UTF-8: a key with other bytes would stay as the repository set it. */
function nameOf(key: string): string {
  const bytes = Buffer.from(key, 'latin1');
  const name = bytes.toString('utf8');
  if (Buffer.from(name, 'utf8').equals(bytes)) return name;
  throw new Fault('refused', `The git configuration of the repository has a key that is not UTF-8: ${name}`);
}
