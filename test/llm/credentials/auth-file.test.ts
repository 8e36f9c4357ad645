// auth.json: private, shared by several processes, and safe for concurrent writers.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test, vi } from 'vitest';
import { createSystemPorts } from '../../../src/app/system-ports/index.ts';
import { createAuthFile } from '../../../src/llm/credentials/auth-file.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const { files, clock, ids } = createSystemPorts();

function setUp(content?: string, mode = 0o600) {
  const directory = createTemporaryDirectory();
  const path = join(directory, 'auth.json');
  if (content !== undefined) writeFileSync(path, content, { mode });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const auth = createAuthFile({ files, clock, ids, directory, platform: 'linux', warn });
  return { directory, path, warnings, auth, read: () => JSON.parse(readFileSync(path, 'utf8')) };
}

describe('reading', () => {
  test('a missing file has no entries', async () => {
    const { auth, warnings } = setUp();
    expect([...(await auth.read())]).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('returns keys and logins, with all fields of a login', async () => {
    const entries = {
      anthropic: { type: 'api_key', key: 'sk-1' },
      'some-host': { type: 'oauth', access: 'a', refresh: 'r', expires: 5, accountId: 'x' },
    };
    const { auth, warnings } = setUp(JSON.stringify(entries));
    expect(Object.fromEntries(await auth.read())).toEqual(entries);
    expect(warnings).toEqual([]);
  });

  test('the file is read again only when it has changed', async () => {
    const { auth, path } = setUp('{"a":{"type":"api_key","key":"one"}}');
    const spy = vi.spyOn(files, 'read');
    await auth.read();
    await auth.read();
    expect(spy).toHaveBeenCalledTimes(1);
    writeFileSync(path, '{"a":{"type":"api_key","key":"two"}}');
    utimesSync(path, new Date(1000), new Date(1000));
    expect((await auth.read()).get('a')).toEqual({ type: 'api_key', key: 'two' });
    spy.mockRestore();
  });

  test.each([
    ['invalid JSON', '{"anthropic": sk-canary-1234', 'does not contain a JSON object; the file is ignored'],
    ['a list', '["sk-canary-1234"]', 'does not contain a JSON object; the file is ignored'],
    ['an entry without a type', '{"x":{"key":"sk-canary-1234"}}', '"x" is neither'],
    ['an empty key', '{"x":{"type":"api_key","key":""}}', '"x" is neither'],
  ])('warns about %s without quoting it', async (_, content, sentence) => {
    const { auth, warnings, path } = setUp(content);
    expect([...(await auth.read())]).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(path);
    expect(warnings[0]).toContain(sentence);
    expect(warnings[0]).not.toContain('canary');
  });

  test('a directory instead of the file throws', async () => {
    const { auth, path } = setUp();
    mkdirSync(path);
    await expect(auth.read()).rejects.toThrow(`${path} is a directory, not a file`);
  });

  test.each([0o640, 0o604, 0o660])('warns about mode %o once per change', async (mode) => {
    const { auth, warnings, path } = setUp('{}');
    chmodSync(path, mode);
    await auth.read();
    await auth.read();
    expect(warnings).toEqual([`${path} can be read by others; make it private: chmod 600 ${path}`]);
    chmodSync(path, 0o600);
    await auth.read();
    expect(warnings).toHaveLength(1);
  });
});

describe('writing', () => {
  const createKeyEntry = (text: string) => async () => ({ type: 'api_key' as const, key: text });

  test('creates the directory and a file for the owner only', async () => {
    const directory = join(createTemporaryDirectory(), 'new');
    const auth = createAuthFile({ files, clock, ids, directory, platform: 'linux', warn: () => {} });
    await auth.update('anthropic', createKeyEntry('sk'));
    expect(statSync(auth.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect((await auth.read()).get('anthropic')).toEqual({ type: 'api_key', key: 'sk' });
  });

  test('keeps unknown entries, restricts the mode, and leaves no other files', async () => {
    const { auth, read, path, directory } = setUp('{"other":{"type":"future","x":1}}', 0o644);
    await auth.update('anthropic', createKeyEntry('sk'));
    expect(read()).toEqual({ other: { type: 'future', x: 1 }, anthropic: { type: 'api_key', key: 'sk' } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['auth.json']);
  });

  test('removes entries, also invalid ones, and keeps the others', async () => {
    const { auth, read, path } = setUp(
      '{"a":{"type":"future"},"b":{"type":"api_key","key":"k"},"__proto__":{"x":1}}',
      0o644,
    );
    expect(await auth.remove((provider) => provider === 'a')).toEqual(['a']);
    expect(Object.keys(read())).toEqual(['b', '__proto__']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await auth.remove((provider) => provider === 'a')).toEqual([]);
    expect(await auth.remove(() => true)).toEqual(['b', '__proto__']);
    expect(read()).toEqual({});
  });

  test('removing from a missing file creates no file', async () => {
    const { auth, directory } = setUp();
    expect(await auth.remove(() => true)).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('never overwrites a file that it cannot parse', async () => {
    const { auth, path } = setUp('{ broken');
    await expect(auth.update('a', createKeyEntry('sk'))).rejects.toThrow('does not contain a JSON object');
    expect(readFileSync(path, 'utf8')).toBe('{ broken');
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('does not write after losing the lock', async () => {
    const { auth, path, read } = setUp('{"a":{"type":"api_key","key":"theirs"}}');
    const update = auth.update('a', async () => {
      writeFileSync(`${path}.lock`, 'another process');
      return { type: 'api_key', key: 'late' };
    });
    await expect(update).rejects.toMatchObject({ code: 'busy' });
    expect(read().a.key).toBe('theirs');
  });

  test('eight concurrent writers in one process lose no entries', async () => {
    const { auth, read } = setUp();
    const names = Array.from({ length: 8 }, (_, index) => `provider-${index}`);
    await Promise.all(names.map((name) => auth.update(name, createKeyEntry(`sk-${name}`))));
    expect(read()).toEqual(Object.fromEntries(names.map((name) => [name, { type: 'api_key', key: `sk-${name}` }])));
  });

  test('eight concurrent processes lose no entries', async () => {
    const { directory, read } = setUp();
    const script = join(createTemporaryDirectory(), 'save.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./save-key-fixture.ts', import.meta.url))],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['jsonc-parser'],
      // The packages inside are CommonJS and call require().
      banner: {
        js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
      },
    });
    const writers = Array.from({ length: 8 }, (_, index) =>
      promisify(execFile)(process.execPath, [script, directory, `p${index}`, '5']),
    );
    await Promise.all(writers);
    const names = Array.from({ length: 8 }, (_, writer) =>
      Array.from({ length: 5 }, (__, n) => `p${writer}-${n}`),
    ).flat();
    expect(Object.keys(read()).sort()).toEqual(names.sort());
    expect(readdirSync(directory)).toEqual(['auth.json']);
  });
});
