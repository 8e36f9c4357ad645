// Small functions of pi's packages: ids, JSON, retries, diffs, images, skill blocks, system messages.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSystemPorts } from '../../src/app/system-ports/index.ts';
import { expandSkillCommand } from '../../src/core/resources/skills.ts';
import { createAgentHelpers } from '../../src/extensions/compat/agent-helpers.ts';
import { createAiHelpers } from '../../src/extensions/compat/ai-helpers.ts';
import { readImageSize } from '../../src/extensions/compat/image-size.ts';
import { transcriptFunctions } from '../../src/extensions/compat/transcript-functions.ts';

type Functions = Record<string, (...args: unknown[]) => unknown>;

const ports = createSystemPorts();
const agent = createAgentHelpers(ports) as Functions;
const ai = createAiHelpers(ports) as Functions;
const call = (functions: Functions, name: string, ...args: unknown[]) => functions[name]?.(...args);

test('uuidv7 contains the time, so that ids are ordered', () => {
  const [early, late] = [1_700_000_000_000, 1_700_000_000_001].map((time) => String(call(ai, 'uuidv7', time)));
  expect(early).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect((late as string) > (early as string)).toBe(true);
});

test('thinking levels, JSON and diagnostics', () => {
  const plain = { reasoning: false };
  expect(call(ai, 'getSupportedThinkingLevels', plain)).toEqual(['off']);
  expect(call(ai, 'clampThinkingLevel', plain, 'high')).toBe('off');
  expect(call(ai, 'parseJsonWithRepair', '{"a":[1,2]')).toEqual({ a: [1, 2] });
  expect(call(ai, 'parseToolCallArguments', '[1]')).toMatchObject({ arguments: {}, argumentsError: 'not an object' });
  expect(call(ai, 'extractDiagnosticError', new TypeError('bad'))).toEqual({ name: 'TypeError', message: 'bad' });
});

test('retryAssistantCall repeats temporary failures up to the limit', async () => {
  const failed = { stopReason: 'error', errorMessage: '503 service unavailable' };
  const answers = [failed, failed, { stopReason: 'stop' }];
  const finished: unknown[] = [];
  const policy = { enabled: true, maxRetries: 2, baseDelayMs: 1 };
  const callbacks = { onRetryFinished: (...args: unknown[]) => finished.push(args) };
  const produce = async () => answers.shift();
  expect(await call(ai, 'retryAssistantCall', produce, policy, undefined, callbacks)).toEqual({ stopReason: 'stop' });
  expect(finished).toEqual([[true, 2, undefined]]);
  const refused = { stopReason: 'error', errorMessage: 'invalid request' };
  expect(await call(ai, 'retryAssistantCall', async () => refused, policy)).toBe(refused);
});

test('parseSkillBlock reads what /skill:name inserts', () => {
  const skill = { name: 'pdf', path: '/s/pdf/SKILL.md', directory: '/s/pdf', description: '', isHidden: false };
  const text = expandSkillCommand({ ...skill, level: 'user' }, 'Use pdftotext.', 'Read a.pdf');
  expect(call(agent, 'parseSkillBlock', text)).toEqual({
    name: 'pdf',
    location: '/s/pdf/SKILL.md',
    content: 'References are relative to /s/pdf.\n\nUse pdftotext.',
    userMessage: 'Read a.pdf',
  });
  expect(call(agent, 'parseSkillBlock', 'Hello')).toBeNull();
});

test('paths of the program', () => {
  expect(existsSync(String(call(agent, 'getReadmePath')))).toBe(true);
  expect(existsSync(String(call(agent, 'getDocsPath')))).toBe(true);
});

test('diffs and line ranges', () => {
  expect(call(agent, 'generateDiffString', 'a\nb\n', 'a\nc\n')).toEqual({
    diff: ' 1 a\n-2 b\n+2 c',
    firstChangedLine: 2,
  });
  expect(call(agent, 'generateUnifiedPatch', 'x.txt', 'a\n', 'b\n')).toContain('--- x.txt');
  expect(call(agent, 'formatReadLineRange', 5, 10)).toBe(':5-14');
  expect(call(agent, 'formatReadLineRange', undefined, undefined)).toBe('');
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('the size of images; an image within the limits is returned as it is', async () => {
  expect(readImageSize(PNG)).toEqual({ width: 1, height: 1 });
  expect(readImageSize(PNG.subarray(0, 12))).toBeUndefined();
  const gif = Buffer.from('474946383961020003008000', 'hex');
  expect(readImageSize(gif)).toEqual({ width: 2, height: 3 });
  const jpeg = Buffer.from('ffd8ffe000040000ffc00011080007000903', 'hex');
  expect(readImageSize(jpeg)).toEqual({ width: 9, height: 7 });
  expect(await call(agent, 'resizeImage', PNG, 'image/png')).toMatchObject({ width: 1, wasResized: false });
  expect(await call(agent, 'resizeImage', PNG, 'image/png', { maxBytes: 10 })).toBeNull();
});

test('system messages: the tools and sections after all of them', () => {
  const { normalizeContext, collapseSystemMessages, getToolStateChanges, hasNonAdditiveToolChanges } =
    transcriptFunctions;
  const [a, b] = ['a', 'b'].map((name) => ({ name, description: '', parameters: {} }));
  const tools = [a, b].flatMap((tool) => tool ?? []);
  const context = normalizeContext({ systemPrompt: 'P', tools, messages: [{ role: 'user' }] });
  const change = { role: 'system', content: 'Q', toolsRemoved: [{ name: 'a' }], sections: { s: 'S' }, timestamp: 1 };
  const messages = [...context.messages, change];
  expect(collapseSystemMessages({ messages }).messages).toEqual([
    { role: 'system', content: 'P\n\nQ', sections: { s: 'S' }, toolsAdded: [b], timestamp: 0 },
    { role: 'user' },
  ]);
  expect(hasNonAdditiveToolChanges(messages)).toBe(true);
  expect(getToolStateChanges(tools.slice(0, 1), tools.slice(1))).toEqual({
    toolsAdded: [b],
    toolsRemoved: [{ name: 'a' }],
  });
});
