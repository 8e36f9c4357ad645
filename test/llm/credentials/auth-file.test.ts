// auth.json: private, shared by many processes, and never lost to a second writer.
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
import { temporaryDirectory } from '../../support/temporary.ts';

const { files, clock, ids } = createSystemPorts();

function place(content?: string, mode = 0o600) {
  const directory = temporaryDirectory();
  const path = join(directory, 'auth.json');
  if (content !== undefined) writeFileSync(path, content, { mode });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const auth = createAuthFile({ files, clock, ids, directory, platform: 'linux', warn });
  return { directory, path, warnings, auth, read: () => JSON.parse(readFileSync(path, 'utf8')) };
}

describe('reading', () => {
  test('no file holds nothing', async () => {
    const { auth, warnings } = place();
    expect([...(await auth.read())]).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('keys and logins, with what else a login keeps', async () => {
    const entries = {
      anthropic: { type: 'api_key', key: 'sk-1' },
      'some-host': { type: 'oauth', access: 'a', refresh: 'r', expires: 5, accountId: 'x' },
    };
    const { auth, warnings } = place(JSON.stringify(entries));
    expect(Object.fromEntries(await auth.read())).toEqual(entries);
    expect(warnings).toEqual([]);
  });

  test('the file is read again when it has changed, and only then', async () => {
    const { auth, path } = place('{"a":{"type":"api_key","key":"one"}}');
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
    ['text that is no JSON', '{"anthropic": sk-canary-1234', 'does not hold a JSON object; no key is taken from it'],
    ['a list', '["sk-canary-1234"]', 'does not hold a JSON object; no key is taken from it'],
    ['an entry of no kind', '{"x":{"key":"sk-canary-1234"}}', '"x" is neither'],
    ['an empty key', '{"x":{"type":"api_key","key":""}}', '"x" is neither'],
  ])('%s is warned about without its words', async (_, content, sentence) => {
    const { auth, warnings, path } = place(content);
    expect([...(await auth.read())]).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(path);
    expect(warnings[0]).toContain(sentence);
    expect(warnings[0]).not.toContain('canary');
  });

  test('a directory in its place is a fault that says so', async () => {
    const { auth, path } = place();
    mkdirSync(path);
    await expect(auth.read()).rejects.toThrow(`${path} is a directory, not a file`);
  });

  test.each([0o640, 0o604, 0o660])('mode %o is warned about, once for each change', async (mode) => {
    const { auth, warnings, path } = place('{}');
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
  const key = (text: string) => async () => ({ type: 'api_key' as const, key: text });

  test('makes the directory and a file for its owner only', async () => {
    const directory = join(temporaryDirectory(), 'new');
    const auth = createAuthFile({ files, clock, ids, directory, platform: 'linux', warn: () => {} });
    await auth.change('anthropic', key('sk'));
    expect(statSync(auth.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect((await auth.read()).get('anthropic')).toEqual({ type: 'api_key', key: 'sk' });
  });

  test('keeps what it does not know, closes what stood open, and leaves nothing beside', async () => {
    const { auth, read, path, directory } = place('{"other":{"type":"future","x":1}}', 0o644);
    await auth.change('anthropic', key('sk'));
    expect(read()).toEqual({ other: { type: 'future', x: 1 }, anthropic: { type: 'api_key', key: 'sk' } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['auth.json']);
  });

  test('never overwrites what it cannot read', async () => {
    const { auth, path } = place('{ broken');
    await expect(auth.change('a', key('sk'))).rejects.toThrow('does not hold a JSON object');
    expect(readFileSync(path, 'utf8')).toBe('{ broken');
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('who has lost the lock meanwhile does not write', async () => {
    const { auth, path, read } = place('{"a":{"type":"api_key","key":"theirs"}}');
    const slow = auth.change('a', async () => {
      writeFileSync(`${path}.lock`, 'another process');
      return { type: 'api_key', key: 'late' };
    });
    await expect(slow).rejects.toMatchObject({ code: 'busy' });
    expect(read().a.key).toBe('theirs');
  });

  test('eight writers in one process lose nothing', async () => {
    const { auth, read } = place();
    const names = Array.from({ length: 8 }, (_, index) => `provider-${index}`);
    await Promise.all(names.map((name) => auth.change(name, key(`sk-${name}`))));
    expect(read()).toEqual(Object.fromEntries(names.map((name) => [name, { type: 'api_key', key: `sk-${name}` }])));
  });

  test('eight processes that write at once lose nothing', async () => {
    const { directory, read } = place();
    const script = join(temporaryDirectory(), 'save.mjs');
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
