// The profile for sandbox-exec of macOS, as text: which rules there are, in which order, and that no path name can add a rule.
import { describe, expect, test } from 'vitest';
import type { MountKind } from '../../src/sandbox/planner.ts';
import { buildSeatbeltProfile, type SeatbeltRequest, spell } from '../../src/sandbox/seatbelt-profile.ts';

const TEMPORARY = '/private/var/folders/a/T/parley-1/tmp';

function build(mounts: Record<string, MountKind>, network: SeatbeltRequest['network'] = 'off') {
  const { text, parameters } = buildSeatbeltProfile({
    mounts: new Map(Object.entries(mounts)),
    temporary: TEMPORARY,
    network,
  });
  return { text, parameters, lines: text.trimEnd().split('\n') };
}

/** The decision about `operation` on `path`, found as the system does: the last rule that matches. */
function decide(profile: ReturnType<typeof build>, operation: string, path: string): string {
  let decision = 'deny';
  for (const line of profile.lines) {
    const [, action, operations, filters] = /^\((allow|deny) ([a-z*-]+(?: [a-z*-]+)*) ?(\(.*\))?\)$/.exec(line) ?? [];
    if (!action || !operations || operations === 'default') continue;
    const isMeant = operations.split(' ').some((name) => {
      const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
      return prefix === undefined ? name === operation : operation.startsWith(prefix);
    });
    if (isMeant && (filters === undefined || matches(profile, filters, path))) decision = action;
  }
  return decision;
}

function matches({ parameters }: ReturnType<typeof build>, filters: string, path: string): boolean {
  if (filters.startsWith('(require-all') || filters.startsWith('(target') || filters.startsWith('(remote'))
    return false;
  const found = filters.matchAll(/\((subpath|literal|regex) (?:\(param "(\w+)"\)|#?"([^"]*)")\)/g);
  return [...found].some(([, kind, name, text]) => {
    const value = name === undefined ? (text ?? '') : (parameters.get(name) ?? '');
    if (kind === 'regex') return new RegExp(value, 'u').test(path);
    return path === value || (kind === 'subpath' && path.startsWith(`${value}/`));
  });
}

const WORKSPACE: Record<string, MountKind> = {
  '/Users/ann/work': 'writable',
  '/Users/ann/work/.git': 'mount-point',
  '/Users/ann/work/.git/config': 'read-only',
  '/Users/ann/work/.git/hooks': 'read-only',
  '/Users/ann/work/.claude': 'placeholder',
  '/Users/ann/work/.vscode': 'placeholder',
  '/Users/ann/.ssh': 'hidden-directory',
  '/Users/ann/.netrc': 'hidden-file',
};

describe('files', () => {
  const profile = build(WORKSPACE);
  test.each([
    ['allow', 'file-write-create', '/Users/ann/work/src/a.ts'],
    ['allow', 'file-write-data', '/Users/ann/work/.git/index'],
    ['allow', 'file-write-create', `${TEMPORARY}/x`],
    ['allow', 'file-read-data', '/usr/lib/libSystem.dylib'],
    ['allow', 'file-write-data', '/dev/null'],
    ['allow', 'file-write-unlink', '/Users/ann/work/src'],
    ['deny', 'file-write-data', '/Users/ann/other/a.ts'],
    ['deny', 'file-write-create', '/Users/ann/work2/a'],
    ['deny', 'file-write-create', '/private/tmp/x'],
    ['deny', 'file-write-data', '/dev/disk0'],
    ['deny', 'file-write-data', '/dev/ttys001'],
    ['deny', 'file-link', '/Users/ann/work/a'],
    ['deny', 'file-write-data', '/Users/ann/work/.git/config'],
    ['deny', 'file-write-create', '/Users/ann/work/.git/hooks/pre-commit'],
    ['deny', 'file-write-create', '/Users/ann/work/.git/hooks/a\nb'],
    ['deny', 'file-write-create', '/Users/ann/work/.GIT/Hooks/pre-commit'],
    ['deny', 'file-write-create', '/Users/ann/work/.claude'],
    ['deny', 'file-write-create', '/Users/ann/work/.Claude/settings.json'],
    ['deny', 'file-write-create', '/Users/ann/work/.v\u017fcode/tasks.json'],
    ['deny', 'file-write-unlink', '/Users/ann/work/.git'],
    ['deny', 'file-write-unlink', '/Users/ann/work'],
    ['deny', 'file-read-data', '/Users/ann/.ssh/id_ed25519'],
    ['deny', 'file-read-data', '/Users/ann/.SSH/id_ed25519'],
    ['deny', 'file-read-metadata', '/Users/ann/.netrc'],
    ['deny', 'network-outbound', '/Users/ann/.ssh/agent.sock'],
    ['allow', 'file-read-data', '/Users/ann/.zsh/x'],
  ])('%s %s %s', (decision, operation, path) => {
    expect(decide(profile, operation, path)).toBe(decision);
  });

  test('a workspace in a hidden directory is visible, and so are the properties of the directories above it', () => {
    const inner = build({
      '/Users/ann/.parley': 'hidden-directory',
      '/Users/ann/.parley/trees/w': 'writable',
      '/Users/ann/.parley/trees/w/.mcp.json': 'read-only',
    });
    expect(decide(inner, 'file-read-data', '/Users/ann/.parley/auth.json')).toBe('deny');
    expect(decide(inner, 'file-read-data', '/Users/ann/.parley/trees')).toBe('deny');
    expect(decide(inner, 'file-read-metadata', '/Users/ann/.parley/trees')).toBe('allow');
    expect(decide(inner, 'file-write-create', '/Users/ann/.parley/trees/w/a')).toBe('allow');
    expect(decide(inner, 'file-write-data', '/Users/ann/.parley/trees/w/.mcp.json')).toBe('deny');
  });

  test('no directory between nested writable directories or above a secret can be renamed', () => {
    const nested = build({
      '/Users/ann': 'writable',
      '/Users/ann/a/b': 'writable',
      '/Users/ann/a/b/.git': 'placeholder',
      '/Users/ann/.config/gcloud': 'hidden-directory',
    });
    for (const path of ['/Users/ann/a', '/Users/ann/a/b', '/Users/ann/.config', '/Users/ann/.CONFIG'])
      expect(decide(nested, 'file-write-unlink', path)).toBe('deny');
    expect(decide(nested, 'file-write-unlink', '/Users/ann/a/c')).toBe('allow');
  });

  test('read-only: only the temporary directory is writable', () => {
    const allows = build({}).lines.filter((line) => line.startsWith('(allow') && line.includes('file-write*'));
    expect(allows).toEqual(['(allow file-read* file-write* (subpath (param "PATH_0")))']);
  });
});

describe('network', () => {
  const listRules = (network: SeatbeltRequest['network']) =>
    build({ '/private/var/run': 'hidden-directory' }, network).lines.filter((line) =>
      /network|socket|trustd/.test(line),
    );

  test('off: no rule allows anything', () => {
    expect(listRules('off').filter((line) => line.startsWith('(allow'))).toEqual([]);
  });

  test('allow-list: one port of this machine, no service that connects to hosts itself', () => {
    const allowed = listRules({ port: 4123 }).filter((line) => line.startsWith('(allow'));
    expect(allowed).toEqual(['(allow network-outbound (remote tcp "localhost:4123"))']);
  });

  test('on: everything except hidden sockets; names can be resolved', () => {
    const profile = build({ '/private/var/run': 'hidden-directory' }, 'on');
    expect(profile.text).toContain('(allow network* system-socket)');
    expect(decide(profile, 'network-outbound', '/private/var/run/docker.sock')).toBe('deny');
    expect(decide(profile, 'network-outbound', '/private/var/run/mDNSResponder')).toBe('allow');
  });
});

test('services that start programs outside, and the keychain, are not reachable', () => {
  const { text } = build(WORKSPACE, 'on');
  expect(text).not.toMatch(
    /launchservices|xpc\.launchd|SecurityServer|securityd|pasteboard|cfprefsd|appleevent|\(allow default/,
  );
});

describe('hostile path names', () => {
  const NAMES = [
    '/w/a"b',
    '/w/")) (allow default) ((literal "',
    '/w/a\\',
    '/w/a\\"b',
    '/w/a\n(allow default)\n',
    '/w/.*',
    '/w/[a-z]+(x|y)?{2}^$',
    '/w/#"x"',
    '/w/caf\u00e9',
    '/w/cafe\u0301',
    '/w/\u0000\u0007\u001b',
    '/w/=a=b',
    '/w/;x',
  ];

  test.each(NAMES)('%j cannot add a rule, as an allowed or a denied path', (path) => {
    const plain = build({ '/w/x': 'writable', '/h/x': 'hidden-directory', '/p/x': 'read-only' });
    const hostile = build({ [path]: 'writable', [`/h${path}`]: 'hidden-directory', [`/p${path}`]: 'read-only' });
    expect(hostile.lines).toHaveLength(plain.lines.length);
    expect([...hostile.parameters.values()]).toContain(path);
    expect(hostile.text).not.toContain('(allow default');
    for (const line of hostile.lines) expect(line.split('"').length % 2, line).toBe(1);
    expect(decide(hostile, 'file-read-data', `/h${path}/x`)).toBe('deny');
    expect(decide(hostile, 'file-write-create', `/p${path}/x`)).toBe('deny');
    expect(decide(hostile, 'file-write-create', `${path}/x`)).toBe('allow');
  });

  test.each(NAMES)('%j is matched in both compositions, and its expression is valid', (path) => {
    const expression = new RegExp(`^${spell(path)}$`, 'u');
    expect(expression.test(path.normalize('NFC'))).toBe(true);
    expect(expression.test(path.normalize('NFD'))).toBe(true);
    expect(spell(path)).toMatch(/^[^"\\\n]*$/);
  });
});
