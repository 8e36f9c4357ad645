// The files of the tokens, and how a token is compared.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createFiles } from '../../src/app/system-ports/files.ts';
import { createIds } from '../../src/app/system-ports/ids.ts';
import {
  AccessTokens,
  addNamedToken,
  loadAccessTokens,
  readNamedTokens,
  removeNamedToken,
} from '../../src/http/access-tokens.ts';
import { createFakeClock } from '../../src/testing/index.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

function createOptions() {
  const directory = join(createTemporaryDirectory(), 'serve');
  return { directory, files: createFiles(), ids: createIds(), clock: createFakeClock() };
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the main token', () => {
  test('is random, stored for the user only, and the same at the next start', async () => {
    const options = createOptions();
    const { main } = await loadAccessTokens(options);
    expect(main).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(options.directory, 'token'), 'utf8')).toBe(`${main}\n`);
    expect([modeOf(options.directory), modeOf(join(options.directory, 'token'))]).toEqual(['700', '600']);
    expect((await loadAccessTokens(options)).main).toBe(main);
    expect((await loadAccessTokens(createOptions())).main).not.toBe(main);
  });

  test('is the same for servers that start at the same time', async () => {
    const options = { ...createOptions(), clock: createClock() };
    const tokens = await Promise.all(Array.from({ length: 8 }, () => loadAccessTokens(options)));
    const stored = readFileSync(join(options.directory, 'token'), 'utf8').trim();
    expect(tokens.map(({ main }) => main)).toEqual(Array(8).fill(stored));
    expect(readdirSync(options.directory)).toEqual(['token']);
  });

  test('is replaced when other users could read it, or when the file is damaged', async () => {
    const options = createOptions();
    const path = join(options.directory, 'token');
    const { main } = await loadAccessTokens(options);
    chmodSync(path, 0o640);
    const second = (await loadAccessTokens(options)).main;
    expect(second).not.toBe(main);
    expect(modeOf(path)).toBe('600');
    writeFileSync(path, 'short');
    expect((await loadAccessTokens(options)).main).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is not stored when it comes from the environment', async () => {
    const options = createOptions();
    const tokens = await loadAccessTokens(options, 'a-token-of-the-environment');
    expect(tokens.find('a-token-of-the-environment')).toEqual({ name: 'owner', access: 'full' });
    expect(existsSync(join(options.directory, 'token'))).toBe(false);
    expect(modeOf(options.directory)).toBe('700');
  });
});

describe('named tokens', () => {
  test('are stored as hashes, for the user only', async () => {
    const options = createOptions();
    const read = await addNamedToken(options, { name: 'dashboard', access: 'read' });
    const full = await addNamedToken(options, { name: 'bot', access: 'full' });
    const path = join(options.directory, 'tokens.json');
    expect(modeOf(path)).toBe('600');
    expect(readFileSync(path, 'utf8')).not.toContain(read);
    expect(readFileSync(path, 'utf8')).not.toContain(full);
    const tokens = await loadAccessTokens(options);
    expect(tokens.find(read)).toEqual({ name: 'dashboard', access: 'read' });
    expect(tokens.find(full)).toEqual({ name: 'bot', access: 'full' });
    await removeNamedToken(options, 'bot');
    expect((await loadAccessTokens(options)).find(full)).toBeUndefined();
    expect((await readNamedTokens(options)).map(({ name }) => name)).toEqual(['dashboard']);
  });

  test.each(['owner', 'dashboard', '', 'a b', 'a\nb', '../x', 'x'.repeat(65)])(
    'the name %j is refused',
    async (name) => {
      const options = createOptions();
      await addNamedToken(options, { name: 'dashboard', access: 'read' });
      await expect(addNamedToken(options, { name, access: 'full' })).rejects.toMatchObject({ code: 'config' });
      expect(await readNamedTokens(options)).toHaveLength(1);
    },
  );

  test.each(['{', '{}', '[{"name":"x"}]', '[{"name":"x","access":"all","hash":"","createdMs":0}]'])(
    'the file %s prevents the start',
    async (text) => {
      const options = createOptions();
      await loadAccessTokens(options);
      writeFileSync(join(options.directory, 'tokens.json'), text);
      await expect(loadAccessTokens(options)).rejects.toMatchObject({ code: 'config' });
    },
  );

  test('the hash in the file is not a token, and an empty or short hash fits no token', async () => {
    const hash = 'ab'.repeat(32);
    const named = ['', 'ab', hash].map((value, index) => ({
      ...{ name: `n${index}`, access: 'full' as const, hash: value, createdMs: 0 },
    }));
    const tokens = new AccessTokens('main', named);
    for (const token of ['', 'ab', hash, undefined]) expect(tokens.find(token)).toBeUndefined();
  });
});

describe('files that another user could have written', () => {
  async function createFilled() {
    const options = createOptions();
    await addNamedToken(options, { name: 'bot', access: 'full' });
    await loadAccessTokens(options);
    return options;
  }

  test.each(['token', 'tokens.json'])('%s prevents the start as a link or a directory', async (name) => {
    const options = await createFilled();
    const path = join(options.directory, name);
    const target = join(options.directory, '..', 'target');
    renameSync(path, target);
    const before = readFileSync(target, 'utf8');
    symlinkSync(target, path);
    await expect(loadAccessTokens(options)).rejects.toMatchObject({
      ...{ code: 'config', message: `${path} is not a regular file. Remove it.` },
    });
    expect(readFileSync(target, 'utf8')).toBe(before);
    unlinkSync(path);
    mkdirSync(path);
    await expect(loadAccessTokens(options)).rejects.toMatchObject({ message: expect.stringContaining(path) });
  });

  test('a file or a directory of another user prevents the start', async () => {
    const { directory, ...options } = await createFilled();
    const userId = (options.files.userId ?? 0) + 1;
    const files = { ...options.files, userId };
    await expect(loadAccessTokens({ ...options, directory, files })).rejects.toMatchObject({
      ...{ code: 'config', message: `${directory} belongs to another user. Remove it, or change its owner.` },
    });
    const info: typeof files.info = async (path, how) => {
      const found = await options.files.info(path, how);
      return found && (path === directory ? { ...found, owner: userId } : found);
    };
    await expect(loadAccessTokens({ ...options, directory, files: { ...files, info } })).rejects.toMatchObject({
      message: expect.stringContaining(`${join(directory, 'token')} belongs to another user`),
    });
  });

  test.each([0o770, 0o707, 0o777])('a directory with the mode %o prevents the start', async (mode) => {
    const options = await createFilled();
    chmodSync(options.directory, mode);
    await expect(loadAccessTokens(options)).rejects.toMatchObject({
      ...{ code: 'config', message: expect.stringContaining(`run: chmod 700 ${options.directory}`) },
    });
    await expect(addNamedToken(options, { name: 'x', access: 'full' })).rejects.toMatchObject({ code: 'config' });
  });

  test('a list of tokens that others can change prevents the start', async () => {
    const options = await createFilled();
    const path = join(options.directory, 'tokens.json');
    chmodSync(path, 0o666);
    await expect(loadAccessTokens(options)).rejects.toMatchObject({
      ...{ code: 'config', message: expect.stringContaining(`run: chmod 600 ${path}`) },
    });
  });
});

test('tokens are compared with timingSafeEqual on digests, in all of them, and nowhere with an operator', () => {
  const parse = (path: string) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const calls: string[] = [];
  const comparisons: string[] = [];
  const returnsInLoops: string[] = [];
  const visit = (node: ts.Node, isInLoop: boolean) => {
    if (ts.isCallExpression(node) && /timingSafeEqual$|^isSameDigest$/.test(node.expression.getText()))
      calls.push(node.getText());
    const operators = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.EqualsEqualsToken];
    if (ts.isBinaryExpression(node) && operators.includes(node.operatorToken.kind)) comparisons.push(node.getText());
    if (isInLoop && (ts.isReturnStatement(node) || ts.isBreakStatement(node))) returnsInLoops.push(node.getText());
    ts.forEachChild(node, (child) => visit(child, isInLoop || ts.isForOfStatement(node)));
  };
  for (const path of ['src/http/access-tokens.ts', 'src/support/digest.ts']) visit(parse(path), false);
  expect(calls).toEqual(['isSameDigest(known, hash)', 'loadCrypto().timingSafeEqual(one, other)']);
  // Of the length of a public hash, of empty values, of names and of modes; never of a token.
  expect(comparisons.filter((text) => /token|\bmain\b/i.test(text))).toEqual(['token === undefined', "token === ''"]);
  expect(comparisons).toContain('one.length === other.length');
  expect(returnsInLoops).toEqual([]);
});

test('named tokens that are added at the same time are all stored', async () => {
  const options = { ...createOptions(), clock: createClock() };
  const names = ['a', 'b', 'c', 'd', 'e'];
  await Promise.all(names.map((name) => addNamedToken(options, { name, access: 'read' })));
  expect((await readNamedTokens(options)).map(({ name }) => name).sort()).toEqual(names);
});
