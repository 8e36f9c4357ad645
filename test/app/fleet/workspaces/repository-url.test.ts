// Which repositories clients may name, and what is refused.
import { describe, expect, test } from 'vitest';
import {
  encodeName,
  getRepositoryName,
  hideCredentials,
  isAllowedRepository,
  parseRepository,
  removeCredentials,
} from '../../../../src/app/fleet/workspaces/repository-url.ts';

describe('the form of a repository', () => {
  test.each([
    ['https://example.org/team/app.git', 'https://example.org/team/app.git'],
    ['ssh://git@example.org/team/app', 'ssh://git@example.org/team/app'],
    ['git@example.org:team/app.git', 'git@example.org:team/app.git'],
    ['/srv/git/../git/app.git/', '/srv/git/app.git'],
    ['file:///srv/git/app.git', '/srv/git/app.git'],
    ['https://example.org/team/../other', 'https://example.org/other'],
  ])('%s', (given, parsed) => {
    expect(parseRepository(given)).toBe(parsed);
  });

  test.each([
    '--upload-pack=touch x',
    '-oProxyCommand=touch',
    'ext::sh -c touch% x',
    'git://example.org/app',
    'http://example.org/app',
    'fd::17',
    'relative/path',
    'ssh://-oProxyCommand=x/path',
    'git@-oProxyCommand=x:path',
    'git@example.org:--upload-pack=x',
    'https://example.org/a%2e%2e/b',
    'file://other-host/path',
    '/srv/a\nb',
    '',
  ])('%j is refused', (given) => {
    expect(() => parseRepository(given)).toThrow('The repository must have the form');
  });

  test('credentials are refused, and are not in the message', () => {
    for (const url of [
      'https://me:s3cret@example.org/app',
      'https://s3cret@example.org/app',
      'ssh://me:s3cret@example.org/a',
    ])
      expect(() => parseRepository(url)).toThrow(/^(?!.*s3cret).*contains credentials/);
  });
});

test.each([
  ['/srv/git/app', ['/srv/git'], true],
  ['/srv/git', ['/srv/git'], true],
  ['/srv/gitlab', ['/srv/git'], false],
  ['/srv', ['/srv/git'], false],
  ['https://h/team/app', ['https://h/team/'], true],
  ['https://h/team/app', ['https://h/team'], true],
  ['https://h/team.git', ['https://h/team'], true],
  ['https://h/team-of-others/app', ['https://h/team'], false],
  ['https://h.evil.example/team', ['https://h'], false],
  ['git@h:team/app', ['git@h:'], true],
  ['git@h:team/../other', ['git@h:team/'], false],
  ['https://h/x', [], false],
] as const)('%s with %j is allowed: %s', (repository, allowed, expected) => {
  expect(isAllowedRepository(repository, allowed)).toBe(expected);
});

test('names of directories and refs', () => {
  expect(['/a/b.git/', 'git@h:x', 'https://h/a/.git', '/', '/a/..b'].map(getRepositoryName)).toEqual([
    ...['b', 'x', 'a', 'repository', 'b'],
  ]);
  expect(encodeName('a.b/../c')).toBe('a=2eb=2f=2e=2e=2fc');
  expect(encodeName('x'.repeat(500))).toHaveLength(120);
  expect(encodeName('x'.repeat(500))).not.toBe(encodeName('x'.repeat(501)));
});

test('credentials are removed', () => {
  expect(removeCredentials('https://me:s3cret@h/a@b')).toBe('https://h/a@b');
  expect(removeCredentials('ssh://git:s3cret@h/a')).toBe('ssh://git@h/a');
  expect(removeCredentials('git@h:a')).toBe('git@h:a');
  expect(hideCredentials("unable to access 'https://me:s3cret@h/a/': failed")).toBe(
    "unable to access 'https://h/a/': failed",
  );
});
