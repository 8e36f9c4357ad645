// The system prompt and the tools are shown if they are known, without secrets.
import { expect, test } from 'vitest';
import { renderPlain, toSession, toText, user } from './export-session.ts';

const read = {
  name: 'read',
  description: 'Read a file.',
  parameters: {
    properties: { path: { type: 'string', description: 'Path of the file' }, mode: { enum: ['a', 'b'] } },
    required: ['path'],
  },
};

test('the prompt, the descriptions and the parameters of the tools are folded', async () => {
  const prefix = { systemPrompt: 'You are an agent.\nBe concise.', tools: [read] };
  const text = toText(await renderPlain({ ...toSession([user('hi')]), prefix }));
  expect(text).toContain('System prompt and tools · 2 lines · 1 tool');
  expect(text).toContain('You are an agent. Be concise.');
  expect(text).toContain('read Read a file.');
  expect(text).toContain('path string Path of the file mode a | b, optional');
});

test('keys and the user part of addresses are redacted', async () => {
  const systemPrompt = 'Key sk-very-secret-value, database https://admin:hunter22@db.example.com/x';
  const tools = [{ ...read, description: 'Uses sk-very-secret-value' }];
  const page = await renderPlain({
    ...toSession([user('hi')]),
    prefix: { systemPrompt, tools },
    secrets: ['sk-very-secret-value'],
  });
  expect(page).not.toMatch(/sk-very-secret-value|hunter22/);
  expect(page).toContain('Key [redacted], database https://[redacted]@db.example.com/x');
});

test('a key that is an ordinary word does not change the text', async () => {
  const prefix = { systemPrompt: 'Use all or none of them', tools: [] };
  const page = await renderPlain({ ...toSession([user('hi')]), prefix, secrets: ['none'] });
  expect(page).toContain('Use all or none of them');
});

test('the entry of another program is used', async () => {
  const init = { type: 'session_init', systemPrompt: 'Stored prompt', task: 't', tools: ['read', 'bash'] };
  const text = toText(await renderPlain(toSession([init, user('hi')])));
  expect(text).toContain('System prompt and tools · 1 line · 2 tools');
  expect(text).toContain('Stored prompt');
});

test('a page without them says so', async () => {
  const text = toText(await renderPlain(toSession([user('hi')])));
  expect(text).toContain('System prompt and tools · not in this file');
  expect(text).toContain('The session file does not contain them.');
});
