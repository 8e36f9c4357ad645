// Prompts of MCP servers as slash commands: their arguments, and errors that say how to use them.
import { describe, expect, test } from 'vitest';
import { expandPromptCommand, listPromptCommands } from '../../../src/app/mcp/prompt-commands.ts';
import type { McpPrompt, SubmittedInput } from '../../../src/contracts/index.ts';

const review: McpPrompt = {
  server: 'git',
  name: 'review',
  description: 'Reviews a change.',
  arguments: [
    { name: 'change', required: true },
    { name: 'tone', required: false },
  ],
};
const ask: McpPrompt = { server: 'git', name: 'ask', arguments: [{ name: 'question', required: true }] };

async function expand(text: string, prompts: readonly McpPrompt[] = [review, ask]) {
  const requested: unknown[] = [];
  const servers = {
    prompts,
    getStatus: () => [
      { name: 'git', state: 'connected', toolCount: 0 } as const,
      { name: 'slow', state: 'waiting', toolCount: 0 } as const,
    ],
    async getPrompt(server: string, name: string, args: Readonly<Record<string, string>>) {
      requested.push(server, name, args);
      return { text: 'expanded', images: [] };
    },
  };
  const input: SubmittedInput = {
    text,
    images: [],
    via: 'prompt',
    source: 'rpc',
    signal: new AbortController().signal,
  };
  const result = await expandPromptCommand(servers, input);
  return { result, requested };
}

test('commands are listed with their arguments', () => {
  expect(listPromptCommands([review, ask])).toEqual([
    { name: 'mcp__git__review', description: 'Reviews a change. <change> [tone]', source: 'prompt' },
    { name: 'mcp__git__ask', description: '<question>', source: 'prompt' },
  ]);
});

describe('arguments', () => {
  test.each([
    ['/mcp__git__review HEAD', { change: 'HEAD' }],
    ['/mcp__git__review HEAD "very kind"', { change: 'HEAD', tone: 'very kind' }],
    ['/mcp__git__review tone=kind HEAD', { tone: 'kind', change: 'HEAD' }],
    ['/mcp__git__review change="a b" kind', { change: 'a b', tone: 'kind' }],
    ['/mcp__git__review x=1', { change: 'x=1' }],
  ])('%s', async (text, args) => {
    const { result, requested } = await expand(text);
    expect(requested).toEqual(['git', 'review', args]);
    expect(result).toEqual({ text: 'expanded', images: [] });
  });

  test('a single argument gets all words', async () => {
    expect((await expand('/mcp__git__ask what is this?')).requested).toEqual([
      'git',
      'ask',
      { question: 'what is this?' },
    ]);
  });
});

test.each([
  ['/mcp__git__review', '/mcp__git__review needs change. Usage: /mcp__git__review <change> [tone]'],
  ['/mcp__git__review a b c', '/mcp__git__review has 2 open arguments, not 3. Usage: '],
  [
    '/mcp__git__other',
    'There is no MCP prompt /mcp__git__other. Available: /mcp__git__review, /mcp__git__ask. Not connected: slow.',
  ],
])('%s is refused', async (text, message) => {
  await expect(expand(text)).rejects.toThrow(message);
});
