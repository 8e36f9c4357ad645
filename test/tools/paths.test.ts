// A path from a model is one place, found by following every link before anything is checked.
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { existingPlace, placeOf } from '../../src/tools/paths.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { ports, surroundings } from './surroundings.ts';

describe('spelling', () => {
  const at = async (given: string, home = '/home/someone') =>
    (await placeOf(given, { cwd: '/project', ports: { ...ports, toolEnv: { HOME: home } } })).absolute;

  test.each([
    ['relative to the working directory', 'src/a.ts', '/project/src/a.ts'],
    ['absolute', '/etc/hosts', '/etc/hosts'],
    ['upwards', '../a', '/a'],
    ['with the @ that hosts put before files', '@src/a.ts', '/project/src/a.ts'],
    ['with unusual spaces', 'a\u00a0b\u202fc\u3000d', '/project/a b c d'],
    ['home', '~', '/home/someone'],
    ['below home', '~/notes/x', '/home/someone/notes/x'],
    ["somebody else's home is a name like any other", '~root/x', '/project/~root/x'],
    ['itself', '.', '/project'],
  ])('%s', async (_, given, absolute) => {
    expect(await at(given)).toBe(absolute);
  });

  test('a NUL byte is refused', async () => {
    await expect(at('a\0b')).rejects.toThrow('Path contains a NUL byte: "a\\u0000b"');
  });
});

describe('links', () => {
  test.each([
    ['a leaf link', 'leaf', 'target/file'],
    ['a folder link', 'folder/file', 'target/file'],
    ['a link and back up', 'folder/../other', 'other'],
    ['a dangling link', 'dangling', 'target/new'],
    ['a chain', 'chain', 'target/file'],
  ])('%s leads to its end', async (_, given, real) => {
    const here = surroundings();
    const outside = temporaryDirectory();
    mkdirSync(join(outside, 'target'));
    await ports.files.write(join(outside, 'target/file'), Buffer.from('x'));
    symlinkSync(join(outside, 'target/file'), here.path('leaf'));
    symlinkSync(join(outside, 'target'), here.path('folder'));
    symlinkSync(join(outside, 'target/new'), here.path('dangling'));
    symlinkSync('leaf', here.path('chain'));
    expect((await placeOf(given, here)).real).toBe(join(outside, real));
  });

  test('/proc/self/root is the root', async () => {
    expect((await placeOf('/proc/self/root/etc', surroundings())).real).toBe('/etc');
  });

  test('a hard link is a file of its own', async () => {
    const here = surroundings();
    here.put({ a: 'x' });
    linkSync(here.path('a'), here.path('b'));
    expect((await placeOf('b', here)).real).toBe(here.path('b'));
  });
});

describe('files that are there under another spelling', () => {
  test.each([
    ['narrow space before PM', 'Shot at 3.05.01\u202fPM.png', 'Shot at 3.05.01 PM.png'],
    ['decomposed accents', 'cafe\u0301.txt', 'caf\u00e9.txt'],
    ['composed accents', 'caf\u00e9.txt', 'cafe\u0301.txt'],
    ['curly apostrophe', 'it\u2019s.txt', "it's.txt"],
    ['decomposed and curly', 'l\u2019e\u0301te\u0301.txt', "l'\u00e9t\u00e9.txt"],
    ['a name that really begins with @', '@scope', '@scope'],
    ['a name that really has a no-break space', 'a\u00a0b', 'a\u00a0b'],
  ])('%s', async (_, name, given) => {
    const here = surroundings();
    here.put({ [name]: 'x' });
    const place = await existingPlace(given, here);
    expect(place.info?.kind).toBe('file');
    expect(place.given).toBe(given);
  });
});
