// Imports of extensions for pi in the built program: every name that pi exports, a second agent, model requests, resources.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import piExports from '../extensions/pi-exports.json' with { type: 'json' };
import { createDirectories, type ProgramDirectories, startRpc } from '../support/program.ts';

/** The command `run` of the extension calls `report` with its result. */
async function runExtension(code: string, directories: ProgramDirectories = createDirectories()): Promise<unknown> {
  writeFileSync(join(directories.cwd, 'own.ts'), `${code}\n${REPORT}`);
  const program = startRpc(['-e', 'own.ts'], { directories });
  program.send({ type: 'prompt', message: '/run' });
  const frame: Record<string, unknown> = await program.nextFrame({ method: 'notify' });
  return JSON.parse(String(frame.message));
}

const REPORT = 'const report = (ctx, value) => ctx.ui.notify(JSON.stringify(value));';

/** A provider whose model calls the tool `add` once and then repeats its result. */
const SCRIPTED_PROVIDER = `pi.registerProvider('scripted', {
  models: [{ id: 'one', contextWindow: 8000, maxTokens: 1000 }],
  async *streamSimple(model, { messages, systemPrompt }, { apiKey }) {
    const result = messages.findLast(({ role }) => role === 'toolResult');
    const isCall = messages.at(-1).role === 'user' && JSON.stringify(messages.at(-1)).includes('add');
    const text = { type: 'text', text: result ? 'Sum: ' + result.content[0].text : 'Hello from ' + systemPrompt };
    const content = isCall ? [{ type: 'toolCall', id: 'c1', name: 'add', arguments: { a: 2, b: '3' } }] : [text];
    const message = { role: 'assistant', content, stopReason: isCall ? 'toolUse' : 'stop' };
    yield { type: 'start', partial: { ...message, content: [] } };
    yield { type: 'done', reason: message.stopReason, message };
  },
});
const model = { provider: 'scripted', id: 'one', api: 'scripted', baseUrl: '', reasoning: false, input: ['text'], contextWindow: 8000, maxTokens: 1000, cost: {}, name: 'One' };
const add = {
  name: 'add', label: 'Add', description: 'Adds.',
  parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  async execute(id, { a, b }) { return { content: [{ type: 'text', text: String(a + b) }], details: {} }; },
};`;

test('every name that pi exports can be imported; a name that is not provided says so when it is used', async () => {
  const modules = Object.entries(piExports);
  const imports = modules.map(([name], at) => `import * as m${at} from '@earendil-works/${name}';`).join('\n');
  const named = modules.map(([name, names], at) => {
    const list = names.map((one) => `${one} as n${at}_${one}`);
    return `import { ${list.join(', ')} } from '@mariozechner/${name}';\nconst v${at} = [${names.map((one) => `n${at}_${one}`)}];`;
  });
  const checks = modules.map(
    ([name, names], at) => `check(${JSON.stringify(name)}, m${at}, v${at}, ${JSON.stringify(names)})`,
  );
  const result = await runExtension(`${imports}
${named.join('\n')}
import { nothingLikeThis } from '@oh-my-pi/pi-coding-agent';
class Extended extends nothingLikeThis {}
const attempt = (act) => { try { act(); return 'worked'; } catch (error) { return error.message; } };
function check(name, module, values, names) {
  const wrong = [];
  const provided = new Set(Object.keys(module));
  names.forEach((one, at) => {
    const value = module[one];
    if (value === undefined || value === null || values[at] === undefined) wrong.push(name + ' ' + one + ' is missing');
    if (provided.has(one)) return;
    for (const act of [() => value(), () => new value(), () => value.member(), () => String(value)]) {
      const message = attempt(act);
      if (!message.startsWith('Parley does not provide ' + one + ' of ' + name + '.')) wrong.push(name + ' ' + one + ': ' + message);
    }
  });
  return { wrong, provided: names.filter((one) => provided.has(one)).length };
}
export default (pi) => pi.registerCommand('run', { handler(_, ctx) {
  report(ctx, { all: [${checks.join(', ')}], other: attempt(() => new Extended()) });
} });`);
  const { all, other } = result as { all: { wrong: string[]; provided: number }[]; other: string };
  expect(all.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(other).toBe('Parley does not provide nothingLikeThis of pi-coding-agent.');
  for (const [at, [name, names]] of modules.entries()) {
    const share = (all[at]?.provided ?? 0) / names.length;
    if (name === 'pi-coding-agent' || name === 'pi-tui') expect(share).toBeGreaterThan(0.6);
  }
});

test('Agent: prompt, tools, events, queues, abort and state', async () => {
  const result = await runExtension(`import { Agent, agentLoop } from '@earendil-works/pi-agent-core';
export default (pi) => {
  ${SCRIPTED_PROVIDER}
  pi.registerCommand('run', { async handler(_, ctx) {
    const events = [];
    const agent = new Agent({ initialState: { systemPrompt: 'inner', model: ctx.modelRegistry.find('scripted', 'one'), tools: [add] } });
    agent.subscribe((event) => void events.push(event.type));
    agent.followUp({ role: 'user', content: [{ type: 'text', text: 'Again' }], timestamp: 1 });
    await agent.prompt('Please add');
    const roles = agent.state.messages.map(({ role }) => role);
    const last = agent.state.messages.at(-1).content[0].text;
    const seen = [...new Set(events)];
    // A stream of its own, which is aborted.
    const slow = new Agent({ initialState: { model }, streamFn: async function* (model, context, { signal }) {
      yield { type: 'start', partial: { role: 'assistant', content: [] } };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield { type: 'error', reason: 'aborted', error: { role: 'assistant', content: [], stopReason: 'aborted' } };
    } });
    slow.subscribe(({ type }) => { if (type === 'message_start' && slow.state.messages.length > 0) slow.abort(); });
    const running = slow.prompt('Wait');
    const isStreaming = slow.state.isStreaming;
    const busy = await slow.prompt('Second').catch((error) => error.message);
    await slow.waitForIdle();
    await running;
    const blocked = new Agent({
      initialState: { model: ctx.modelRegistry.find('scripted', 'one'), tools: [add] },
      beforeToolCall: async ({ toolCall, args }) => ({ block: true, reason: 'No ' + toolCall.name + ' of ' + args.a }),
    });
    await blocked.prompt('Please add');
    const loop = agentLoop([{ role: 'user', content: 'Hi', timestamp: 1 }], { messages: [], systemPrompt: 'loop', tools: [] }, { model: ctx.modelRegistry.find('scripted', 'one') });
    const loopEvents = [];
    for await (const { type } of loop) loopEvents.push(type);
    report(ctx, { roles, last, seen, isStreaming, busy, stopReason: slow.state.messages.at(-1).stopReason, idle: slow.state.isStreaming,
      blocked: blocked.state.messages.find(({ role }) => role === 'toolResult').content[0].text,
      loop: [(await loop.result()).at(-1).content[0].text, loopEvents.at(-1)] });
  } });
};`);
  expect(result).toEqual({
    roles: ['user', 'assistant', 'toolResult', 'assistant', 'user', 'assistant'],
    last: 'Sum: 5',
    seen: expect.arrayContaining([
      'agent_start',
      'turn_start',
      'message_end',
      'tool_execution_end',
      'turn_end',
      'agent_end',
    ]),
    isStreaming: true,
    busy: expect.stringContaining('already processing'),
    stopReason: 'aborted',
    idle: false,
    blocked: 'No add of 2',
    loop: ['Hello from loop', 'agent_end'],
  });
});

test('createAgentSession and DefaultResourceLoader: an inner session in memory, with its own tools and prompt', async () => {
  const directories = createDirectories();
  const skill = join(directories.home, 'skills', 'plan');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: plan\ndescription: Plans.\n---\nPlan.');
  mkdirSync(join(directories.cwd, '.parley', 'prompts'), { recursive: true });
  writeFileSync(join(directories.cwd, '.parley', 'prompts', 'greet.md'), 'Greet');
  const result = await runExtension(
    `import { createAgentSession, DefaultResourceLoader, SessionManager } from '@earendil-works/pi-coding-agent';
export default (pi) => {
  ${SCRIPTED_PROVIDER}
  pi.registerCommand('run', { async handler(_, ctx) {
    const loader = new DefaultResourceLoader({ cwd: ctx.cwd, systemPromptOverride: () => 'You are inside', extensionFactories: [() => {}] });
    await loader.reload();
    const { session, extensionsResult } = await createAgentSession({
      model: ctx.modelRegistry.find('scripted', 'one'), resourceLoader: loader, customTools: [add], tools: ['read'], sessionManager: SessionManager.inMemory(),
    });
    const events = [];
    session.subscribe((event) => void events.push(event.type));
    await session.prompt('Please add');
    const { messages, model, isStreaming, sessionFile } = session;
    const requested = await ctx.modelRegistry.complete(model, { systemPrompt: 'asked', messages: [{ role: 'user', content: 'Hi', timestamp: 1 }] });
    const stream = ctx.modelRegistry.stream(model, { messages: [{ role: 'system', content: 'streamed', timestamp: 1 }, { role: 'user', content: 'Hi', timestamp: 1 }] });
    const types = [];
    for await (const { type } of stream) types.push(type);
    session.setSessionName('Inner');
    report(ctx, {
      roles: messages.map(({ role }) => role), last: session.getLastAssistantText(), id: model.id, isStreaming, sessionFile: sessionFile ?? null,
      prompt: session.systemPrompt.startsWith('You are inside'), ended: events.at(-1), name: session.sessionName, errors: extensionsResult.errors.length,
      skills: loader.getSkills().skills.map(({ name, sourceInfo }) => [name, sourceInfo.scope]), prompts: loader.getPrompts().prompts.map(({ name }) => name),
      complete: requested.content[0].text, stream: [types, (await stream.result()).content[0].text], outer: ctx.sessionManager.getEntries().filter(({ type }) => type === 'message').length,
    });
    session.dispose();
  } });
};`,
    directories,
  );
  expect(result).toEqual({
    roles: ['user', 'assistant', 'toolResult', 'assistant'],
    last: 'Sum: 5',
    id: 'one',
    isStreaming: false,
    sessionFile: null,
    prompt: true,
    ended: 'agent_settled',
    name: 'Inner',
    errors: 1,
    skills: [['plan', 'user']],
    prompts: [],
    complete: 'Hello from asked',
    stream: [['start', 'done'], 'Hello from streamed'],
    outer: 0,
  });
});
