// Uses the blocks of docs/subagents.md: agent file, settings, tool call, flags and events.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentSession } from '../src/app/sdk.ts';
import { parseArguments } from '../src/cli/parse-arguments.ts';
import type { AgentEvent, SubagentResult } from '../src/protocol/index.ts';
import { createScriptedModels, type ScriptStep } from '../src/testing/index.ts';

const page = readFileSync(fileURLToPath(new URL('../docs/subagents.md', import.meta.url)), 'utf8');
const block = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-page-'));
  mkdirSync(join(directory, 'home/agents'), { recursive: true });
  mkdirSync(join(directory, 'project'));
  writeFileSync(join(directory, 'home/agents/translator.md'), block('markdown'));
  writeFileSync(join(directory, 'home/settings.json'), block('jsonc'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: join(directory, 'project') });
  for (const name of ['README.md', 'guide.md']) writeFileSync(join(directory, 'project', name), 'Hello.\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'state');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes the file, then answers with the JSON that the agent file requires. */
const translator: ScriptStep = ({ messages, systemPrompt }) => {
  const path = /Translate (\S+\.md)/.exec(JSON.stringify(messages[0]?.content))?.[1] ?? '';
  if (!systemPrompt.startsWith('You translate documentation.')) return { text: 'All done.' };
  if (messages.at(-1)?.role === 'toolResult') return { text: JSON.stringify({ files: [path], remarks: '' }) };
  return { calls: [{ name: 'write', arguments: { path, content: 'Hei.\n' } }] };
};

test('the tool call of the page succeeds with the agent file and the settings, and sends the listed events', async () => {
  const problems: string[] = [];
  const agent = await createAgentSession({
    cwd: join(directory, 'project'),
    agentDirectory: join(directory, 'home'),
    models: createScriptedModels([
      { calls: [{ name: 'task', arguments: JSON.parse(block('json')) }] },
      ...Array.from({ length: 5 }, () => translator),
    ]),
    onProblem: (sentence) => problems.push(sentence),
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => void events.push(event));
  const messages = await agent.prompt('go');
  await agent.close();
  expect(problems).toEqual([]);
  const answer = messages.find((message) => message.role === 'toolResult');
  const { results } = (answer?.role === 'toolResult' ? answer.details : {}) as { results: SubagentResult[] };
  expect(results).toMatchObject([
    {
      id: 'Readme',
      agent: 'translator',
      agentSource: 'user',
      exitCode: 0,
      verification: { status: 'passed', profile: 'ci' },
    },
    { id: 'Guide', exitCode: 0, extractedToolData: { answer: { files: ['guide.md'], remarks: '' } } },
  ]);
  for (const name of ['README.md', 'guide.md']) {
    expect(readFileSync(join(directory, 'project', name), 'utf8')).toBe('Hei.\n');
  }
  const eventTypes = events.flatMap((event) => ('id' in event && event.id === 'Readme' ? [event.type] : []));
  expect([...new Set(eventTypes)].filter((type) => type !== 'subagent_session')).toEqual(
    block('text').trim().split('\n'),
  );
  // Two verification commands, so their two events are sent twice.
  expect(eventTypes).toHaveLength(9);
});

test('the flags of the page are valid', () => {
  const [program, ...argv] =
    block('sh')
      .trim()
      .match(/"[^"]*"|\S+/g) ?? [];
  expect(program).toBe('parley');
  expect(parseArguments(argv)).toMatchObject({
    maxCost: 2.5,
    maxTime: 600,
    maxTokens: 200_000,
    maxToolCalls: 100,
    maxSubagents: 10,
    maxTurns: 40,
    unknown: {},
  });
});
