// First floor, core: which of git's settings would start a program, and what stands in their place. Pure; runs nothing.

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
};

/** Keys with a name in the middle, and what each is set to when only the repository defines it. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^filter\..*\.(clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^diff\..*\.(command|textconv)$/s, ''],
  // An empty driver would count as a merge that went well.
  [/^merge\..*\.driver$/s, 'false'],
  [/^submodule\..*\.update$/s, 'none'],
  [/^(trailer\..*\.(cmd|command)|tar\..*\.command|hook\..*\.command)$/s, 'false'],
  [/^remote\..*\.(uploadpack|receivepack|proxy|vcs)$/s, 'false'],
  [/^credential\..*\.helper$/s, ''],
  [/^gpg\.(.*\.)?program$/s, 'false'],
];

/** What `git config --show-scope -z --get-regexp` is asked for: the beginnings of the keys above. */
export const NAMED_SECTIONS = '^(filter|diff|merge|submodule|trailer|tar|hook|remote|credential|gpg)\\.';

/** Scopes that belong to the repository, and with it to whoever wrote it. */
const ITS_OWN = new Set(['local', 'worktree']);

/**
 * The settings to lay over all others, from what git says it has read. What the user defined for all repositories, such
 * as the filter of large files, keeps the user's value.
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
    if (instead !== undefined && !(key in ALWAYS)) quiet[key] = users.get(key) ?? instead;
  }
  return quiet;
}
