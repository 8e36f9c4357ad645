import { expect, test } from 'vitest';
import { createDeniedPaths } from '../../src/permissions/index.ts';

const findRule = createDeniedPaths(
  ['read(.env)', 'edit(src/generated/**)', 'read(~/.ssh/**)', 'bash(rm)', 'write', 'read(/etc/shadow)'],
  [{ cwd: '/w', home: '/home/u' }],
);

test.each([
  ['/w/.env', 'read', 'read(.env)'],
  ['/w/a/b/.env', 'read', 'read(.env)'],
  ['/w/.ENV', 'read', 'read(.env)'],
  ['/elsewhere/.env', 'read', 'read(.env)'],
  ['/w/.env', 'write', 'read(.env)'],
  ['/w/.env.example', 'read', undefined],
  ['/w/src/generated/a.ts', 'write', 'edit(src/generated/**)'],
  ['/w/src/generated/a.ts', 'read', undefined],
  ['/w/src/a.ts', 'write', undefined],
  ['/home/u/.ssh/id_rsa', 'read', 'read(~/.ssh/**)'],
  ['/etc/shadow', 'read', 'read(/etc/shadow)'],
  ['/etc/passwd', 'read', undefined],
  ['/w/rm', 'write', undefined],
] as const)('%s, %s: %s', (path, access, rule) => {
  expect(findRule(path, access)).toBe(rule);
});

test('names of files are not denied', () => {
  expect([findRule('/w/.env', 'inspect'), findRule('/w/.env', 'list')]).toEqual([undefined, undefined]);
});
