// Uses the session features of the protocol.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../../support/chat-provider.ts';
import { startCopilot } from '../../support/copilot.ts';
import { createDirectories } from '../../support/program.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  closeProgram,
  createSession,
  OFFLINE,
  promptAndAnswer,
  promptAndSettle,
  runProgram,
  startRpc,
  writeFiles,
} from './feature-program.ts';

export function trySessions(): void {
  describe('session features', () => {
    test('approval, todos, tasks, questions and host tools', async () => {
      const provider = await startChatProvider();
      const settings = { approval: 'on-write', 'ask.enabled': true, 'todo.enabled': true, 'tasks.enabled': true };
      const directories = provider.createDirectories();
      writeFiles(directories.home, { 'settings.json': JSON.stringify({ ...settings, 'todo.reminders': false }) });
      const program = startRpc([...CHAT_MODEL_FLAGS, '--log-file', join(directories.home, 'log')], { directories });
      const phases = [{ name: 'Docs', tasks: [{ content: 'Write them', status: 'pending' }] }];
      expect(await program.call({ type: 'set_todos', phases })).toMatchObject({ data: { todoPhases: phases } });
      const tools = [{ name: 'open_tab', description: 'Opens a file', parameters: { type: 'object', properties: {} } }];
      expect(await program.call({ type: 'set_host_tools', tools })).toMatchObject({
        data: { toolNames: ['open_tab'] },
      });
      provider.add(
        { calls: [{ name: 'write', arguments: { path: 'a.txt', content: 'A' } }] },
        { calls: [{ name: 'edit', arguments: { path: 'a.txt', oldText: 'A', newText: 'B' } }] },
        { calls: [{ name: 'todo_write', arguments: { todos: [{ content: 'Ship it', status: 'completed' }] } }] },
        { calls: [{ name: 'tasks', arguments: { operations: [{ action: 'insert', label: 'Read' }] } }] },
        { calls: [{ name: 'ask', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } }] },
        { calls: [{ name: 'open_tab', arguments: {} }] },
      );
      program.send({ type: 'prompt', message: 'Go' });
      const asked = await promptAndAnswer(program, ({ type, title }) => {
        if (type === 'host_tool_call')
          return { type: 'host_tool_result', result: { content: [{ type: 'text', text: 'opened' }] } };
        return { type: 'extension_ui_response', value: title === 'Which colour?' ? 'blue' : 'allow' };
      });
      expect(asked).toEqual(expect.arrayContaining(['Allow write?', 'Allow edit?', 'Which colour?', 'open_tab']));
      expect(await program.call({ type: 'bash', command: 'cat a.txt' })).toMatchObject({ data: { output: 'B' } });
      const ends = program.frames.filter(({ type }) => type === 'tool_execution_end');
      expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual(
        ['write', 'edit', 'todo_write', 'tasks', 'ask', 'open_tab'].map((name) => [name, false]),
      );
      expect(readFileSync(join(directories.cwd, 'a.txt'), 'utf8')).toBe('B');
      await closeProgram(program);
      expect(readFileSync(join(directories.home, 'log'), 'utf8')).toContain('run ended');
    });

    test('protocol version 2, schema, fast mode, host URIs, handoff, other directories and shutdown', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const program = startRpc([...CHAT_MODEL_FLAGS, '--deny', 'read(secret.txt)'], { directories });
      expect(await program.call({ type: 'set_fast_mode', enabled: false })).toMatchObject({ data: { active: false } });
      expect(await program.call({ type: 'set_permission_mode', mode: 'full' })).toMatchObject({ success: true });
      const schemes = [{ scheme: 'db' }];
      expect(await program.call({ type: 'set_host_uri_schemes', schemes })).toMatchObject({
        data: { schemes: ['db'] },
      });
      const calls = [
        { name: 'read', arguments: { path: 'db://row' } },
        { name: 'ls', arguments: {} },
      ];
      provider.add({ calls }, { text: 'read' });
      program.send({ type: 'prompt', message: 'Go' });
      const { id } = await program.nextFrame({ type: 'host_uri_request' });
      program.send({ type: 'host_uri_result', id, content: 'x'.repeat(40_000) });
      await program.nextFrame({ type: 'session_settled' });
      expect(await program.call({ type: 'get_schema' })).toMatchObject({ data: { dialect: 'omp' } });
      expect(await program.call({ type: 'negotiate_protocol', protocolVersion: 2 })).toMatchObject({ success: true });
      await program.call({ type: 'steer', message: 'one' });
      const { data: queue } = await program.call({ type: 'get_queue' });
      const [{ id: messageId }] = (queue as { items: [{ id: string }] }).items;
      expect(await program.call({ type: 'move_queued_message', messageId, kind: 'followUp' })).toMatchObject({
        success: true,
      });
      await program.call({ type: 'steer', message: 'a'.repeat(1_200_000) });
      program.send({ id: 'large', type: 'clear_queue' });
      const { count } = await program.nextFrame({ type: 'rpc_chunk', index: 0 });
      expect(count).toBe(5);
      provider.add({ text: 'The document.' }, { text: 'The last turn.' });
      expect(await program.call({ type: 'handoff' })).toMatchObject({ data: { savedPath: expect.any(String) } });
      const opened = await program.call({ type: 'open_session', sessionDir: 'other' });
      expect(opened).toMatchObject({ data: { resumed: false } });
      program.send({ id: 'end', type: 'shutdown' });
      expect((await program.exited).code).toBe(0);
    });

    test('an interrupted run is continued', async () => {
      const directories = createDirectories();
      const killed = startRpc(OFFLINE, { directories });
      killed.send({ type: 'prompt', message: 'run `sleep 1000`' });
      await killed.nextFrame({ type: 'tool_execution_start' });
      killed.kill('SIGKILL');
      await killed.exited;
      const { stdout } = await runProgram(['sessions', '--json'], '', { directories });
      expect(JSON.parse(stdout)).toMatchObject({ messages: 2, interrupted: true });
      const program = startRpc([...OFFLINE, '--continue'], { directories });
      expect(await program.call({ type: 'continue_run' })).toMatchObject({ success: true });
      expect(await program.nextFrame({ type: 'prompt_result' })).toMatchObject({ status: 'completed' });
      await closeProgram(program);
    });

    test('compaction, branches, pages and export', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const program = startRpc([...CHAT_MODEL_FLAGS, '--set', 'compaction.keepRecentTokens=1'], { directories });
      provider.add({ text: '# One\n\n```js\nlet a = 1;\n```' }, { text: 'Two' }, { text: 'The summary' });
      await promptAndSettle(program, 'First');
      await promptAndSettle(program, 'Second');
      expect(await program.call({ type: 'get_messages_page', limit: 1 })).toMatchObject({ data: { totalMessages: 4 } });
      expect(await program.call({ type: 'get_available_commands' })).toMatchObject({ success: true });
      expect(await program.call({ type: 'set_auto_retry', enabled: false })).toMatchObject({ success: true });
      expect(await program.call({ type: 'get_tree' })).toMatchObject({ success: true });
      expect(await program.call({ type: 'compact' })).toMatchObject({
        success: true,
        data: { summary: expect.stringContaining('The summary') },
      });
      expect(await program.call({ type: 'export_html', outputPath: 'page.html' })).toMatchObject({ success: true });
      const { data: state } = await program.call({ type: 'get_state' });
      const { sessionFile: sessionPath } = state as { sessionFile: string };
      expect(await program.call({ type: 'switch_session', sessionPath })).toMatchObject({ success: true });
      expect(await program.call({ type: 'export_html', outputPath: 'page.html/below' })).toMatchObject({
        success: false,
        error: expect.stringContaining('The page cannot be written'),
      });
      expect(readFileSync(join(directories.cwd, 'page.html'), 'utf8')).toContain('hljs');
      const { data } = await program.call({ type: 'get_branch_messages' });
      const [{ entryId }] = (data as { messages: [{ entryId: string }] }).messages;
      expect(await program.call({ type: 'branch', entryId })).toMatchObject({ success: true });
      expect(await program.call({ type: 'clone' })).toMatchObject({ success: true });
      await closeProgram(program);
    });

    test('an exported page has the transcripts of subagents, and the prompt and tools of an open session', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const program = startRpc(CHAT_MODEL_FLAGS, { directories });
      const task = { agent: 'task', tasks: [{ id: 'Docs', assignment: 'Write the docs' }] };
      provider.add(
        { calls: [{ name: 'task', arguments: task }] },
        { text: 'The docs are written' },
        { text: 'All done' },
      );
      await promptAndSettle(program, 'Delegate');
      expect(await program.call({ type: 'export_html', outputPath: 'live.html' })).toMatchObject({ success: true });
      const { data } = await program.call({ type: 'get_state' });
      await closeProgram(program);
      const { sessionFile } = data as { sessionFile: string };
      expect(await runProgram(['export', sessionFile, 'stored.html'], '', { directories })).toMatchObject({ code: 0 });
      const [live, stored] = ['live.html', 'stored.html'].map((name) =>
        readFileSync(join(directories.cwd, name), 'utf8'),
      );
      for (const page of [live, stored]) {
        expect(page).toMatch(/Subagent Docs · task · completed .*<div class="transcript">.*The docs are written/s);
      }
      expect(live).toContain('You are Parley, a coding agent');
      expect(live).toMatch(/System prompt and tools · \d+ lines · \d+ tools/);
      expect(stored).toContain('System prompt and tools · not in this file');
    });

    test('a session is continued, forked and selected by its id', async () => {
      const directories = createDirectories();
      const { id, file } = await createSession(directories);
      const again = startRpc(['--continue'], { directories });
      await promptAndSettle(again, 'Say more');
      expect(await again.call({ type: 'get_messages' })).toMatchObject({ success: true });
      await closeProgram(again);
      const named = startRpc(['--session', id.slice(0, 8)], { directories });
      expect(await named.call({ type: 'get_entries' })).toMatchObject({ success: true });
      expect(await named.call({ type: 'get_state' })).toMatchObject({ data: { sessionFile: file, messageCount: 4 } });
      await closeProgram(named);
      const forked = startRpc(['--fork', id.slice(0, 8)], { directories });
      expect(await forked.call({ type: 'get_state' })).toMatchObject({ data: { messageCount: 4 } });
      await closeProgram(forked);
      const own = startRpc(['--session-id', 'chosen-by-the-host'], { directories });
      expect(await own.call({ type: 'get_state' })).toMatchObject({ data: { sessionId: 'chosen-by-the-host' } });
      await closeProgram(own);
    });

    test('a long session has a digest', async () => {
      const directories = createDirectories();
      const file = join(directories.home, 'long.jsonl');
      const id = (n: number) => n.toString(16).padStart(8, '0');
      const timestamp = '2026-01-02T03:04:05.000Z';
      const entry = (n: number) => ({
        ...{ type: 'message', id: id(n), parentId: n === 0 ? null : id(n - 1), timestamp },
        message: { role: 'user', content: `question ${n} ${'and more '.repeat(40)}`, timestamp: n },
      });
      const header = { type: 'session', version: 3, id: 'long', timestamp, cwd: directories.cwd };
      const lines = [header, ...Array.from({ length: 900 }, (_, n) => entry(n))];
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const program = startRpc(['--session', file], { directories });
      expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { messageCount: 900 } });
      await closeProgram(program);
      expect(existsSync(`${file}.digest`)).toBe(true);
    });

    test('subagents: events, isolation, a schema and a budget', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
          cwd: directories.cwd,
          encoding: 'utf8',
        });
      writeFiles(directories.cwd, { 'a.txt': 'one\n' });
      git('init', '-q');
      git('add', '-A');
      git('commit', '-qm', 'state');
      const program = startRpc([...CHAT_MODEL_FLAGS, '--set', 'task.budget.maxToolCalls=100'], { directories });
      expect(await program.call({ type: 'set_subagent_subscription', level: 'events' })).toMatchObject({
        success: true,
      });
      const schema = {
        type: 'object',
        properties: { code: { type: 'string', pattern: '^[A-Z]+$' } },
        required: ['code'],
      };
      const task = (fields: object) => ({ calls: [{ name: 'task', arguments: { agent: 'task', ...fields } }] });
      provider.add(
        task({ schema, tasks: [{ id: 'Look', assignment: 'Name it' }] }),
        { text: '{"code":"abc"}' },
        { text: '{"code":"ABC"}' },
        { text: 'Named.' },
      );
      await promptAndSettle(program, 'Name it');
      const { result } = program.frames.findLast(({ type }) => type === 'tool_execution_end') as Record<string, object>;
      expect(result).toMatchObject({ details: { results: [{ extractedToolData: { answer: { code: 'ABC' } } }] } });
      provider.add(
        task({ isolated: true, tasks: [{ id: 'Fix', assignment: 'Fix it' }] }),
        { calls: [{ name: 'bash', arguments: { command: 'echo two > b.txt' } }] },
        { text: 'Fixed.' },
        { text: 'All done.' },
      );
      await promptAndSettle(program, 'Fix it');
      expect(readFileSync(join(directories.cwd, 'b.txt'), 'utf8')).toBe('two\n');
      const transcript = await program.call({ type: 'get_subagent_messages', subagentId: 'Look' });
      expect(transcript).toMatchObject({ data: { messages: expect.arrayContaining([expect.anything()]) } });
      provider.add({ text: 'Found.' }, { text: 'Found again.' });
      const { data: started } = await program.call({ type: 'start_subagent', agent: 'explore', assignment: 'Find' });
      expect(started).toEqual({ subagentId: 'explore' });
      await program.nextFrame({ type: 'subagent_end', id: 'explore' });
      const resumed = { type: 'resume_subagent', subagentId: 'explore', message: 'Again' };
      // The record is written before the last event of the subagent.
      await program.nextFrame(({ payload }) => (payload as { status?: string })?.status === 'completed');
      expect(await program.call(resumed)).toMatchObject({ success: true });
      await program.nextFrame(({ payload }) => (payload as { status?: string })?.status === 'completed');
      expect(await program.call({ type: 'get_subagents', includeEnded: true })).toMatchObject({
        data: { subagents: [{ id: 'Look' }, { id: 'Fix', applied: true }, { id: 'explore', status: 'completed' }] },
      });
      provider.add(task({ isolated: true, tasks: [{ id: 'Stay', assignment: 'Stay' }] }), {
        calls: [{ name: 'bash', arguments: { command: 'sleep 600' } }],
      });
      program.send({ type: 'prompt', message: 'Stay' });
      await program.nextFrame(
        ({ payload }) => (payload as { event?: { toolName?: string } })?.event?.toolName === 'bash',
      );
      program.kill('SIGKILL');
      await program.exited;
      expect(git('worktree', 'list').trim().split('\n')).toHaveLength(2);
      const next = startRpc(CHAT_MODEL_FLAGS, { directories });
      await waitUntil(() => git('worktree', 'list').trim().split('\n').length === 1);
      await closeProgram(next);
    });

    test('a project is trusted at run time, and its rules and settings are used', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      writeFiles(directories.cwd, {
        '.parley/settings.json': '{"ttsr.contextMode":"keep"}',
        '.parley/rules/no-bad.md': '---\nttsr_trigger: bad\n---\nNot bad.\n',
        '.parley/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: >-\n  Read PDFs\n---\nUse pdftotext.\n',
      });
      const program = startRpc(CHAT_MODEL_FLAGS, { directories });
      const { id } = await program.nextFrame({ type: 'extension_ui_request', method: 'confirm' });
      program.send({ type: 'extension_ui_response', id, confirmed: true });
      await program.nextFrame({ type: 'notice', source: 'trust' });
      provider.add({ text: 'This is bad.' }, { text: 'Better.' });
      program.send({ type: 'prompt', message: 'Say something' });
      await program.nextFrame({ type: 'ttsr_triggered' });
      await program.nextFrame({ type: 'agent_settled' });
      expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'Better.' } });
      await closeProgram(program);
    });

    test('an extension with a flag navigates in the session tree', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, {
        'extensions/moves.ts': `export default (pi) => {
        pi.registerFlag('plan', { type: 'boolean' });
        pi.registerCommand('back', { async handler(_, ctx) {
          const first = ctx.sessionManager.getEntries().find((entry) => entry.type === 'message');
          ctx.ui.notify(JSON.stringify(await ctx.navigateTree(first.id, { summarize: true })));
        } });
      };`,
      });
      const program = startRpc([...OFFLINE, '--plan'], { directories });
      await promptAndSettle(program, 'Say hello');
      program.send({ type: 'prompt', message: '/back' });
      expect(await program.nextFrame({ method: 'notify' })).toMatchObject({
        message: expect.stringContaining('"cancelled":false'),
      });
      await closeProgram(program);
    });

    test('an extension with an inner session continues a run before it settles', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, {
        'extensions/inner.ts': `import { createAgentSession } from '@earendil-works/pi-coding-agent';
        export default (pi) => {
        let isDone = false;
        pi.on('agent_before_settle', async () => {
          if (isDone) return;
          isDone = true;
          const { session } = await createAgentSession();
          await session.prompt('say \`from inside\`');
          const content = 'say \`' + session.getLastAssistantText() + '\`';
          session.dispose();
          return { entries: [{ type: 'custom_message', customType: 'inner', content, display: true }], continue: true };
        });
      };`,
      });
      const program = startRpc(OFFLINE, { directories });
      await promptAndSettle(program, 'Say hello');
      expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'from inside' } });
      await closeProgram(program);
    });

    test('an extension that uses TypeBox', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, {
        'extensions/types.ts': `import { Type } from 'typebox';
        import { Value } from 'typebox/value';
        import { Compile } from 'typebox/compile';
        export default (pi) => pi.registerCommand('check', { handler(_, ctx) {
          const schema = Type.Object({ n: Type.Number() });
          ctx.ui.notify(JSON.stringify([Value.Check(schema, {}), Compile(schema).Check({ n: 1 })]));
        } });`,
      });
      const program = startRpc(OFFLINE, { directories });
      program.send({ type: 'prompt', message: '/check' });
      expect(await program.nextFrame({ method: 'notify' })).toMatchObject({ message: '[false,true]' });
      await closeProgram(program);
    });

    test('a login, and its models', async () => {
      const copilot = await startCopilot();
      copilot.polls = [{ access_token: 'long-lived' }];
      // Already expired, so that the first prompt requests another token.
      copilot.expiresAt = 1;
      const program = startRpc([], { env: { OPAL_COPILOT_DOMAIN: copilot.url } });
      const { data } = await program.call({ type: 'get_login_providers' });
      expect(data).toMatchObject({
        providers: ['github-copilot', 'openai', 'openrouter', 'xai'].map((id) => ({ id, authenticated: false })),
      });
      expect(await program.call({ type: 'login', providerId: 'github-copilot' })).toMatchObject({ success: true });
      const { data: listed } = await program.call({ type: 'get_available_models' });
      expect(JSON.stringify(listed)).toContain('claude-sonnet-4.6');
      const choice = { type: 'set_model', provider: 'github-copilot', modelId: 'claude-sonnet-4.6' };
      expect(await program.call(choice)).toMatchObject({ success: true });
      await promptAndSettle(program, 'Hello');
      expect(copilot.count('/copilot_internal/v2/token')).toBeGreaterThan(1);
      expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({
        data: { text: 'Hello from Copilot.' },
      });
      await closeProgram(program);
    });
  });

  describe('dialects', () => {
    test.each(['pi', 'pi-legacy'])('%s', async (dialect) => {
      const program = startRpc([...OFFLINE, '--dialect', dialect, '--no-session']);
      program.send({ type: 'prompt', message: 'Say hello' });
      await program.nextFrame({ type: 'agent_end' });
      await closeProgram(program);
    });

    test('acp opens a session, answers a prompt and loads the session again', async () => {
      const program = startRpc(['--dialect', 'acp']);
      const call = async (id: number, method: string, params: Record<string, unknown>) => {
        program.send({ jsonrpc: '2.0', id, method, params });
        return (await program.nextFrame({ id })).result;
      };
      expect(await call(1, 'initialize', { protocolVersion: 1 })).toMatchObject({ protocolVersion: 1 });
      const project = { cwd: program.cwd, mcpServers: [] };
      const { sessionId } = (await call(2, 'session/new', project)) as { sessionId: string };
      const prompt = [{ type: 'text', text: 'say `hello`' }];
      expect(await call(3, 'session/prompt', { sessionId, prompt })).toEqual({ stopReason: 'end_turn' });
      await call(4, 'session/close', { sessionId });
      program.send({ jsonrpc: '2.0', id: 5, method: 'session/load', params: { ...project, sessionId } });
      const replayed = await program.nextFrame({ method: 'session/update' });
      expect(replayed.params).toMatchObject({ update: { sessionUpdate: 'user_message_chunk', content: prompt[0] } });
      await program.nextFrame({ id: 5 });
      await closeProgram(program);
    });

    test('opal saves settings and opens sessions', async () => {
      const program = startRpc(['--dialect', 'opal']);
      writeFiles(program.cwd, { 'AGENTS.md': 'Be brief.' });
      const call = async (id: number, method: string, params: Record<string, unknown>) => {
        program.send({ jsonrpc: '2.0', id, method, params });
        return (await program.nextFrame({ id })).result;
      };
      const settings = { theme: 'dark', openai_api_key: 'sk-secret' };
      expect(await call(1, 'settings/save', { settings })).toMatchObject({ settings: { theme: 'dark' } });
      expect(readFileSync(join(program.home, 'auth.json'), 'utf8')).toContain('sk-secret');
      expect(await call(2, 'session/start', { session_id: 's' })).toMatchObject({
        context_files: [join(program.cwd, 'AGENTS.md')],
      });
      await closeProgram(program);
    });
  });
}
