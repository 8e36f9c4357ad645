// Tools of MCP servers: names, effects, arguments, results, progress and aborts.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/index.ts';
import { createFakeClock } from '../../src/testing/fake-clock.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createToolFixture, getText } from '../tools/tool-fixture.ts';
import { createMcpFixture, defineScripted, defineTool, ports, type Script } from './mcp-fixture.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const lists = (...tools: unknown[]) => ({ lists: { tools: [tools] } });

async function connect(script: Script) {
  const fixture = createMcpFixture([defineScripted('files', script)]);
  await fixture.servers.connect();
  return fixture;
}

describe('definitions', () => {
  test('tools have the name, the description, the schema and the effect that the server declares', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const { servers } = await connect(
      lists(
        defineTool('look', { inputSchema, annotations: { readOnlyHint: true } }),
        defineTool('change', { annotations: { readOnlyHint: false } }),
        defineTool('other', { annotations: { readOnlyHint: 'yes' } }),
      ),
    );
    expect(servers.tools.map(({ name, effect }) => [name, effect])).toEqual([
      ['mcp__files__look', 'read'],
      ['mcp__files__change', 'execute'],
      ['mcp__files__other', 'execute'],
    ]);
    expect(servers.tools[0]).toMatchObject({ doc: 'The tool look', jsonSchema: inputSchema });
    expect(servers.getStatus()).toEqual([{ name: 'files', state: 'connected', toolCount: 3 }]);
  });

  test('arguments are checked against the schema before the call', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const { tool } = await connect(lists(defineTool('echo', { inputSchema })));
    await expect(tool('echo').validateInput?.({})).rejects.toThrow(Fault);
    await expect(tool('echo').validateInput?.({ a: 'x' })).rejects.toThrow('a must be a number');
    expect(await tool('echo').validateInput?.({ a: '5' })).toEqual({ a: 5 });
  });
});

describe('calls', () => {
  test('returns the text of the server', async () => {
    const { tool } = await connect(lists(defineTool('echo')));
    const result = await tool('echo').run({ a: 1 }, createToolFixture());
    expect(result).toEqual({
      content: [{ type: 'text', text: '{"a":1}' }],
      details: { server: 'files', tool: 'echo' },
    });
  });

  test('a long text is shown in part, with an artifact', async () => {
    const text = Array.from({ length: 5000 }, (_, line) => `line ${line + 1}`).join('\n');
    const { tool } = await connect({
      ...lists(defineTool('long')),
      results: { long: { content: [{ type: 'text', text }] } },
    });
    const result = await tool('long').run({}, createToolFixture());
    const { fullOutputPath } = result.details as { fullOutputPath: string };
    expect(getText(result)).toContain(`line 2000\n\n[Showing lines 1-2000 of 5000. Full output: ${fullOutputPath}]`);
    expect(existsSync(fullOutputPath) && readFileSync(fullOutputPath, 'utf8')).toBe(text);
  });
});

describe('results', () => {
  async function call(result: unknown) {
    const { tool } = await connect({ ...lists(defineTool('t')), results: { t: result } });
    return tool('t').run({}, createToolFixture());
  }

  test('images are images, and bad ones become notes', async () => {
    const { content } = await call({
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'image', data: 'A'.repeat(5_000_000), mimeType: 'image/png' },
      ],
    });
    expect(content).toEqual([
      {
        type: 'text',
        text:
          'a\n\n[An image is left out: it is not a PNG, JPEG, GIF or WebP image]\n\n' +
          '[An image is left out: it has 4.8MB in base64, and the limit is 4.5MB]',
      },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ]);
  });

  test('audio and binary resources are saved', async () => {
    const result = await call({
      content: [
        { type: 'audio', data: Buffer.from('sound').toString('base64'), mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'x://z', blob: Buffer.from('zip').toString('base64') } },
      ],
    });
    const [audio, zip] = [...getText(result).matchAll(/saved to (\S+)\]/g)].map(([, path]) => path ?? '');
    expect(getText(result)).toBe(
      `[Audio: audio/wav, 5B, saved to ${audio}]\n\n[Resource x://z: application/octet-stream, 3B, saved to ${zip}]`,
    );
    expect([audio, zip].map((path) => readFileSync(path ?? '', 'utf8'))).toEqual(['sound', 'zip']);
  });

  test('resources are shown as text, images and links', async () => {
    const result = await call({
      content: [
        { type: 'resource', resource: { uri: 'x://t', text: 'inside' } },
        { type: 'resource', resource: { uri: 'x://i', blob: PNG, mimeType: 'image/png' } },
        { type: 'resource_link', uri: 'file:///a b', name: 'A', description: 'a file' },
      ],
    });
    expect(result.content).toEqual([
      { type: 'text', text: '[Resource x://t]\ninside\n\n[Resource A mcp://files/file:///a b: a file]' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
    ]);
  });

  test('structured content is shown as JSON unless a text contains it', async () => {
    const structuredContent = { b: [1, 2], a: 'x' };
    const text = (value: string) => ({ content: [{ type: 'text', text: value }], structuredContent });
    expect(getText(await call({ content: [], structuredContent }))).toBe(
      JSON.stringify(structuredContent, undefined, 2),
    );
    expect(getText(await call(text('{"a":"x","b":[1,2]}')))).toBe('{"a":"x","b":[1,2]}');
    const other = await call(text('two numbers'));
    expect(getText(other)).toBe(`two numbers\n\n${JSON.stringify(structuredContent, undefined, 2)}`);
    expect(other.details).toEqual({ server: 'files', tool: 't', structuredContent });
  });

  test('errors of the tool stay errors, and an empty result is shown', async () => {
    expect(await call({ content: [{ type: 'text', text: 'bad' }], isError: true })).toMatchObject({ isError: true });
    expect(getText(await call({ content: [] }))).toBe('(no output)');
  });

  test('one long line is shown in part', async () => {
    const result = await call({ content: [{ type: 'text', text: 'é'.repeat(100_000) }] });
    expect(getText(result)).toMatch(/^é+\n\n\[Showing the first 50.0KB of 195.3KB. Full output: \S+\]$/);
  });

  test.each([
    ['a wrong type', { content: 'text' }],
    ['an unknown block', { content: [{ type: 'video', data: 5 }] }],
  ])('a result with %s fails with the name of the server', async (_, result) => {
    await expect(call(result)).rejects.toThrow('MCP server "files": Invalid result for tools/call');
  });
});

describe('running calls', () => {
  test('progress becomes updates', async () => {
    const { tool } = await connect(lists(defineTool('progress')));
    const fixture = createToolFixture();
    await tool('progress').run({ messages: ['first', 'second', 'third'] }, fixture);
    const texts = fixture.updates.map(getText);
    expect([texts[0], texts.at(-1)]).toEqual(['first (1/3)', 'third (3/3)']);
  });

  test('frequent progress is reported rarely', async () => {
    const { tool } = await connect(lists(defineTool('progress')));
    const fixture = createToolFixture();
    await tool('progress').run({ messages: Array.from({ length: 3000 }, (_, index) => `step ${index}`) }, fixture);
    expect(fixture.updates.length).toBeLessThan(100);
  });

  test('an abort returns at once and cancels the call at the server', async () => {
    const record = `${createTemporaryDirectory()}/messages`;
    const { tool } = await connect({ ...lists(defineTool('never')), record });
    const fixture = createToolFixture();
    const readMessages = () =>
      readFileSync(record, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const call = expect(tool('never').run({}, fixture)).rejects.toMatchObject({ code: 'aborted' });
    await waitUntil(() => readMessages().some(({ method }) => method === 'tools/call'));
    fixture.abort();
    await call;
    const request = readMessages().find(({ method }) => method === 'tools/call');
    await waitUntil(() => readMessages().some(({ method }) => method === 'notifications/cancelled'));
    expect(readMessages().at(-1)).toMatchObject({ params: { requestId: request?.id } });
  });

  test('a silent call ends after ten minutes', async () => {
    const clock = createFakeClock();
    const fixture = createMcpFixture([defineScripted('files', lists(defineTool('never')))], { ports: { clock } });
    await fixture.servers.connect();
    const failed = expect(
      fixture.tool('never').run({}, createToolFixture({ ports: { ...ports, clock } })),
    ).rejects.toThrow('The tool never sent nothing for 10 minutes');
    await clock.advance(9 * 60_000);
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(61_000);
    await failed;
  });
});
