// Resolves paths of the model: spelling, symbolic links and name variants.
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveExistingPath, resolvePath } from '../../src/tools/resolve-path.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { createToolFixture, ports } from './tool-fixture.ts';

describe('spelling', () => {
  const getAbsolute = async (path: string, home = '/home/user') =>
    (await resolvePath(path, { cwd: '/project', ports: { ...ports, toolEnv: { HOME: home } } })).absolute;

  test.each([
    ['relative to the working directory', 'src/a.ts', '/project/src/a.ts'],
    ['absolute', '/etc/hosts', '/etc/hosts'],
    ['upwards', '../a', '/a'],
    ['with the @ prefix of file mentions', '@src/a.ts', '/project/src/a.ts'],
    ['with unusual spaces', 'a\u00a0b\u202fc\u3000d', '/project/a b c d'],
    ['home', '~', '/home/user'],
    ['below home', '~/notes/x', '/home/user/notes/x'],
    ['the home of another user is not expanded', '~root/x', '/project/~root/x'],
    ['the working directory', '.', '/project'],
  ])('%s', async (_, requested, absolute) => {
    expect(await getAbsolute(requested)).toBe(absolute);
  });

  test('a NUL byte is rejected', async () => {
    await expect(getAbsolute('a\0b')).rejects.toThrow('Path contains a NUL byte: "a\\u0000b"');
  });
});

describe('links', () => {
  test.each([
    ['a link to a file', 'leaf', 'target/file'],
    ['a link to a folder', 'folder/file', 'target/file'],
    ['a link followed by ..', 'folder/../other', 'other'],
    ['a dangling link', 'dangling', 'target/new'],
    ['a chain', 'chain', 'target/file'],
  ])('%s is resolved', async (_, requested, real) => {
    const fixture = createToolFixture();
    const outside = createTemporaryDirectory();
    mkdirSync(join(outside, 'target'));
    await ports.files.write(join(outside, 'target/file'), Buffer.from('x'));
    symlinkSync(join(outside, 'target/file'), fixture.path('leaf'));
    symlinkSync(join(outside, 'target'), fixture.path('folder'));
    symlinkSync(join(outside, 'target/new'), fixture.path('dangling'));
    symlinkSync('leaf', fixture.path('chain'));
    expect((await resolvePath(requested, fixture)).real).toBe(join(outside, real));
  });

  test('/proc/self/root is the root', async () => {
    expect((await resolvePath('/proc/self/root/etc', createToolFixture())).real).toBe('/etc');
  });

  test('a hard link is a separate file', async () => {
    const fixture = createToolFixture();
    fixture.writeFiles({ a: 'x' });
    linkSync(fixture.path('a'), fixture.path('b'));
    expect((await resolvePath('b', fixture)).real).toBe(fixture.path('b'));
  });
});

describe('name variants', () => {
  test.each([
    ['narrow space before PM', 'Shot at 3.05.01\u202fPM.png', 'Shot at 3.05.01 PM.png'],
    ['decomposed accents', 'cafe\u0301.txt', 'caf\u00e9.txt'],
    ['composed accents', 'caf\u00e9.txt', 'cafe\u0301.txt'],
    ['curly apostrophe', 'it\u2019s.txt', "it's.txt"],
    ['decomposed and curly', 'l\u2019e\u0301te\u0301.txt', "l'\u00e9t\u00e9.txt"],
    ['a name that starts with @', '@scope', '@scope'],
    ['a name with a no-break space', 'a\u00a0b', 'a\u00a0b'],
  ])('%s', async (_, name, requested) => {
    const fixture = createToolFixture();
    fixture.writeFiles({ [name]: 'x' });
    const resolved = await resolveExistingPath(requested, fixture);
    expect(resolved.info?.kind).toBe('file');
    expect(resolved.requested).toBe(requested);
  });
});
