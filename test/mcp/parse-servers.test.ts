// Definitions of MCP servers in files, and the names of tools and resources.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatResourceUri, parseMcpServers, parseResourceUri, toolNameFor } from '../../src/mcp/index.ts';

const parse = (servers: unknown, env: Record<string, string> = {}) =>
  parseMcpServers({ mcpServers: servers }, { source: 'mcp.json', env });
const parseOne = (entry: unknown, env?: Record<string, string>) => parse({ one: entry }, env);

describe('definitions', () => {
  test('a command is a stdio server', () => {
    expect(parseOne({ command: 'npx', args: ['-y', 'x'], env: { A: 'b', N: 1, T: true }, cwd: '/w' })).toEqual({
      problems: [],
      definitions: [
        {
          name: 'one',
          source: 'mcp.json',
          server: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'b', N: '1', T: 'true' }, cwd: '/w' },
        },
      ],
    });
    expect(parseOne({ command: 'x' }).definitions[0]?.server).toEqual({
      type: 'stdio',
      command: 'x',
      args: [],
      env: {},
    });
  });

  test.each([
    [undefined, 'http'],
    ['http', 'http'],
    ['streamable-http', 'http'],
    ['sse', 'sse'],
  ])('a URL with type %s is an %s server', (type, expected) => {
    const entry = { type, url: 'https://a.example/mcp', headers: { 'X-Key': 'k' } };
    expect(parseOne(entry).definitions[0]?.server).toEqual({
      type: expected,
      url: 'https://a.example/mcp',
      headers: { 'X-Key': 'k' },
    });
  });

  test('the scopes of oauth are a list or a text', () => {
    const url = 'https://a.example/mcp';
    const read = (oauth: unknown) => parseOne({ url, oauth }).definitions[0]?.server;
    expect(read({ clientId: 'c', scopes: ['a', 'b'] })).toMatchObject({ oauth: { clientId: 'c', scopes: ['a', 'b'] } });
    expect(read({ scopes: 'a b' })).toMatchObject({ oauth: { scopes: ['a', 'b'] } });
  });

  test('the key of VS Code is accepted, and disabled servers are left out', () => {
    const value = {
      servers: { one: { command: 'x' }, two: { command: 'y', disabled: true }, three: { disabled: true } },
    };
    const { definitions, problems } = parseMcpServers(value, { source: 's', env: {} });
    expect([definitions.map(({ name }) => name), problems]).toEqual([['one'], []]);
  });

  test('variables are expanded in every text', () => {
    const env = { CMD: 'run', KEY: 'k1', EMPTY: '' };
    expect(
      parseOne(
        {
          command: `\${CMD}`,
          args: [`a\${KEY}b`, `\${NONE:-d e}`, `\${EMPTY:-f}`],
          env: { K: `\${KEY}` },
          cwd: `/\${KEY}`,
        },
        env,
      ).definitions[0]?.server,
    ).toEqual({ type: 'stdio', command: 'run', args: ['ak1b', 'd e', 'f'], env: { K: 'k1' }, cwd: '/k1' });
    expect(
      parseOne({ url: `http://\${HOST:-localhost}/\${KEY}`, headers: { A: `Bearer \${KEY}` } }, env).definitions[0]
        ?.server,
    ).toMatchObject({ url: 'http://localhost/k1', headers: { A: 'Bearer k1' } });
  });

  test.each<[unknown, string]>([
    ['text', 'the definition must be an object'],
    [{}, '"command" or "url" is missing'],
    [{ command: 'a', url: 'http://b' }, '"command" and "url" exclude each other'],
    [{ command: '' }, '"command" must not be empty'],
    [{ command: 5 }, '"command" must be a string'],
    [{ command: 'a', args: 'b' }, '"args" must be an array of strings'],
    [{ command: 'a', args: ['b', 5] }, '"args[1]" must be a string'],
    [{ command: 'a', env: [] }, '"env" must be an object'],
    [{ command: 'a', env: { K: {} } }, '"env.K" must be a string'],
    [{ command: 'a', cwd: 3 }, '"cwd" must be a string'],
    [{ command: 'a\0' }, '"command" must not contain a NUL character'],
    [{ type: 'http' }, '"url" is missing'],
    [{ type: 'stdio', url: 'http://a' }, '"command" must not be empty'],
    [{ type: 'ws', url: 'ws://a' }, '"type" must be stdio, http, sse or streamable-http, not "ws"'],
    [{ url: 'ftp://a' }, '"url" must be an http or https URL'],
    [{ url: 'no url' }, '"url" must be an http or https URL'],
    [{ url: 'http://a', headers: { 'a b': 'c' } }, '"headers": "a b" is not a valid header'],
    [{ url: 'http://a', headers: { a: 'b\r\nc: d' } }, '"headers": "a" is not a valid header'],
    [{ url: 'http://a', oauth: 'x' }, '"oauth" must be an object'],
    [{ command: `\${NONE}` }, `the variable NONE is not set. Set it, or write a default: \${NONE:-default}`],
    [{ url: `http://a/\${NONE}` }, `the variable NONE is not set. Set it, or write a default: \${NONE:-default}`],
  ])('%j is left out, and the other servers are used', (entry, problem) => {
    const { definitions, problems } = parse({ bad: entry, good: { command: 'x' } });
    expect(problems).toEqual([`mcp.json: MCP server "bad": ${problem}.`]);
    expect(definitions.map(({ name }) => name)).toEqual(['good']);
  });

  test.each([
    ['', 'must have 1 to 100'],
    ['x'.repeat(101), 'must have 1 to 100'],
    ['a\nb', 'control characters'],
  ])('the name %j is refused', (name, problem) => {
    const { definitions, problems } = parse({ [name]: { command: 'x' } });
    expect([definitions, problems.length]).toEqual([[], 1]);
    expect(problems[0]).toContain(problem);
  });

  test.each([[null], [[]], ['x'], [{ mcpServers: [] }]])('%j is no list of servers', (value) => {
    const { definitions, problems } = parseMcpServers(value, { source: 'mcp.json', env: {} });
    expect([definitions, problems.length]).toEqual([[], 1]);
  });

  test('a file without servers has no problem', () => {
    expect(parseMcpServers({}, { source: 's', env: {} })).toEqual({ definitions: [], problems: [] });
  });
});

describe('names of tools', () => {
  test('a legal name is kept', () => {
    expect(toolNameFor('git-hub', 'list_issues')).toBe('mcp__git-hub__list_issues');
  });

  test('every name is legal, stable and unique', () => {
    const text = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.constantFrom('a', 'a_', '_b', 'b', 'a__b', 'b__c', 'c', 'ä', 'a b'),
    );
    fc.assert(
      fc.property(text, text, text, text, (s1, t1, s2, t2) => {
        const [one, two] = [toolNameFor(s1, t1), toolNameFor(s2, t2)];
        expect(one).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
        expect(one === two).toBe(s1 === s2 && t1 === t2);
      }),
    );
  });

  test('a changed or long name ends with a hash', () => {
    expect(toolNameFor('my server', 'do it')).toMatch(/^mcp__my_server__do_it_[0-9a-f]{8}$/);
    expect(toolNameFor('s', 'x'.repeat(100))).toMatch(/^mcp__s__x{47}_[0-9a-f]{8}$/);
  });
});

test('the URI of a resource names its server', () => {
  const uri = formatResourceUri('a/b c', 'file:///x?y=/z');
  expect(uri).toBe('mcp://a%2Fb%20c/file:///x?y=/z');
  expect(parseResourceUri(uri)).toEqual({ server: 'a/b c', uri: 'file:///x?y=/z' });
  expect(['mcp://a', 'mcp://a/', 'http://a/b', ''].map(parseResourceUri)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
