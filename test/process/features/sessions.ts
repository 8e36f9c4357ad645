// Uses the session features of the protocol.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_MODEL, startChatProvider } from '../../support/chat-provider.ts';
import { startCopilot } from '../../support/copilot.ts';
import { newPlace } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { answered, ended, OFFLINE, settled, startRpc, withSession, write } from './started.ts';

export function trySessions(): void {
  describe('session features', () => {
    test('approval, todos, tasks, questions and host tools', async () => {
      const provider = await startChatProvider();
      const settings = { approval: 'on-write', 'ask.enabled': true, 'todo.enabled': true, 'tasks.enabled': true };
      const place = provider.place();
      write(place.home, { 'settings.json': JSON.stringify({ ...settings, 'todo.reminders': false }) });
      const program = startRpc([...OWN_MODEL, '--log-file', join(place.home, 'log')], { place });
      const phases = [{ name: 'Docs', tasks: [{ content: 'Write them', status: 'pending' }] }];
      expect(await program.ask({ type: 'set_todos', phases })).toMatchObject({ data: { todoPhases: phases } });
      const tools = [{ name: 'open_tab', description: 'Opens a file', parameters: { type: 'object', properties: {} } }];
      expect(await program.ask({ type: 'set_host_tools', tools })).toMatchObject({ data: { toolNames: ['open_tab'] } });
      provider.add(
        { calls: [{ name: 'write', arguments: { path: 'a.txt', content: 'A' } }] },
        { calls: [{ name: 'edit', arguments: { path: 'a.txt', oldText: 'A', newText: 'B' } }] },
        { calls: [{ name: 'todo_write', arguments: { todos: [{ content: 'Ship it', status: 'completed' }] } }] },
        { calls: [{ name: 'tasks', arguments: { operations: [{ action: 'insert', label: 'Read' }] } }] },
        { calls: [{ name: 'ask', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } }] },
        { calls: [{ name: 'open_tab', arguments: {} }] },
      );
      program.send({ type: 'prompt', message: 'Go' });
      const asked = await answered(program, ({ type, title }) => {
        if (type === 'host_tool_call')
          return { type: 'host_tool_result', result: { content: [{ type: 'text', text: 'opened' }] } };
        return { type: 'extension_ui_response', value: title === 'Which colour?' ? 'blue' : 'allow' };
      });
      expect(asked).toEqual(expect.arrayContaining(['Allow write?', 'Allow edit?', 'Which colour?', 'open_tab']));
      expect(await program.ask({ type: 'bash', command: 'cat a.txt' })).toMatchObject({ data: { output: 'B' } });
      const ends = program.frames.filter(({ type }) => type === 'tool_execution_end');
      expect(ends.map(({ toolName, isError }) => [toolName, isError])).toEqual(
        ['write', 'edit', 'todo_write', 'tasks', 'ask', 'open_tab'].map((name) => [name, false]),
      );
      expect(readFileSync(join(place.cwd, 'a.txt'), 'utf8')).toBe('B');
      await ended(program);
      expect(readFileSync(join(place.home, 'log'), 'utf8')).toContain('run ended');
    });

    test('compaction, branches, pages and export', async () => {
      const provider = await startChatProvider();
      const place = provider.place();
      const program = startRpc([...OWN_MODEL, '--set', 'compaction.keepRecentTokens=1'], { place });
      provider.add({ text: '# One\n\n```js\nlet a = 1;\n```' }, { text: 'Two' }, { text: 'The summary' });
      await settled(program, 'First');
      await settled(program, 'Second');
      expect(await program.ask({ type: 'get_messages_page', limit: 1 })).toMatchObject({ data: { totalMessages: 4 } });
      expect(await program.ask({ type: 'get_available_commands' })).toMatchObject({ success: true });
      expect(await program.ask({ type: 'get_tree' })).toMatchObject({ success: true });
      expect(await program.ask({ type: 'compact' })).toMatchObject({
        success: true,
        data: { summary: expect.stringContaining('The summary') },
      });
      expect(await program.ask({ type: 'export_html', outputPath: 'page.html' })).toMatchObject({ success: true });
      expect(await program.ask({ type: 'export_html', outputPath: 'page.html/below' })).toMatchObject({
        success: false,
        error: expect.stringContaining('The page cannot be written'),
      });
      expect(readFileSync(join(place.cwd, 'page.html'), 'utf8')).toContain('hljs');
      const { data } = await program.ask({ type: 'get_branch_messages' });
      const [{ entryId }] = (data as { messages: [{ entryId: string }] }).messages;
      expect(await program.ask({ type: 'branch', entryId })).toMatchObject({ success: true });
      expect(await program.ask({ type: 'clone' })).toMatchObject({ success: true });
      await ended(program);
    });

    test('a session is continued, forked and selected by its id', async () => {
      const place = newPlace();
      const { id, file } = await withSession(place);
      const again = startRpc(['--continue'], { place });
      await settled(again, 'Say more');
      expect(await again.ask({ type: 'get_messages' })).toMatchObject({ success: true });
      await ended(again);
      const named = startRpc(['--session', id.slice(0, 8)], { place });
      expect(await named.ask({ type: 'get_entries' })).toMatchObject({ success: true });
      expect(await named.ask({ type: 'get_state' })).toMatchObject({ data: { sessionFile: file, messageCount: 4 } });
      await ended(named);
      const forked = startRpc(['--fork', id.slice(0, 8)], { place });
      expect(await forked.ask({ type: 'get_state' })).toMatchObject({ data: { messageCount: 4 } });
      await ended(forked);
      const own = startRpc(['--session-id', 'chosen-by-the-host'], { place });
      expect(await own.ask({ type: 'get_state' })).toMatchObject({ data: { sessionId: 'chosen-by-the-host' } });
      await ended(own);
    });

    test('a long session has a digest', async () => {
      const place = newPlace();
      const file = join(place.home, 'long.jsonl');
      const id = (n: number) => n.toString(16).padStart(8, '0');
      const timestamp = '2026-01-02T03:04:05.000Z';
      const entry = (n: number) => ({
        ...{ type: 'message', id: id(n), parentId: n === 0 ? null : id(n - 1), timestamp },
        message: { role: 'user', content: `question ${n} ${'and more '.repeat(40)}`, timestamp: n },
      });
      const header = { type: 'session', version: 3, id: 'long', timestamp, cwd: place.cwd };
      const lines = [header, ...Array.from({ length: 900 }, (_, n) => entry(n))];
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const program = startRpc(['--session', file], { place });
      expect(await program.ask({ type: 'get_state' })).toMatchObject({ data: { messageCount: 900 } });
      await ended(program);
      expect(existsSync(`${file}.digest`)).toBe(true);
    });

    test('subagents: events, isolation, a schema and a budget', async () => {
      const provider = await startChatProvider();
      const place = provider.place();
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], {
          cwd: place.cwd,
          encoding: 'utf8',
        });
      write(place.cwd, { 'a.txt': 'one\n' });
      git('init', '-q');
      git('add', '-A');
      git('commit', '-qm', 'state');
      const program = startRpc([...OWN_MODEL, '--set', 'task.budget.maxToolCalls=100'], { place });
      expect(await program.ask({ type: 'set_subagent_subscription', level: 'events' })).toMatchObject({
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
      await settled(program, 'Name it');
      const { result } = program.frames.findLast(({ type }) => type === 'tool_execution_end') as Record<string, object>;
      expect(result).toMatchObject({ details: { results: [{ extractedToolData: { answer: { code: 'ABC' } } }] } });
      provider.add(
        task({ isolated: true, tasks: [{ id: 'Fix', assignment: 'Fix it' }] }),
        { calls: [{ name: 'bash', arguments: { command: 'echo two > b.txt' } }] },
        { text: 'Fixed.' },
        { text: 'All done.' },
      );
      await settled(program, 'Fix it');
      expect(readFileSync(join(place.cwd, 'b.txt'), 'utf8')).toBe('two\n');
      const transcript = await program.ask({ type: 'get_subagent_messages', subagentId: 'Look' });
      expect(transcript).toMatchObject({ data: { messages: expect.arrayContaining([expect.anything()]) } });
      provider.add(task({ isolated: true, tasks: [{ id: 'Stay', assignment: 'Stay' }] }), {
        calls: [{ name: 'bash', arguments: { command: 'sleep 600' } }],
      });
      program.send({ type: 'prompt', message: 'Stay' });
      await program.frame(({ payload }) => (payload as { event?: { toolName?: string } })?.event?.toolName === 'bash');
      program.kill('SIGKILL');
      await program.ended;
      expect(git('worktree', 'list').trim().split('\n')).toHaveLength(2);
      const next = startRpc(OWN_MODEL, { place });
      await until(() => git('worktree', 'list').trim().split('\n').length === 1);
      await ended(next);
    });

    test('a project is trusted at run time, and its rules and settings are used', async () => {
      const provider = await startChatProvider();
      const place = provider.place();
      write(place.cwd, {
        '.parley/settings.json': '{"ttsr.contextMode":"keep"}',
        '.parley/rules/no-bad.md': '---\nttsr_trigger: bad\n---\nNot bad.\n',
        '.parley/skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Read PDFs\n---\nUse pdftotext.\n',
      });
      const program = startRpc(OWN_MODEL, { place });
      const { id } = await program.frame({ type: 'extension_ui_request', method: 'confirm' });
      program.send({ type: 'extension_ui_response', id, confirmed: true });
      await program.frame({ type: 'notice', source: 'trust' });
      provider.add({ text: 'This is bad.' }, { text: 'Better.' });
      program.send({ type: 'prompt', message: 'Say something' });
      await program.frame({ type: 'ttsr_triggered' });
      await program.frame({ type: 'agent_settled' });
      expect(await program.ask({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'Better.' } });
      await ended(program);
    });

    test('an extension with a flag navigates in the session tree', async () => {
      const place = newPlace();
      write(place.home, {
        'extensions/moves.ts': `export default (pi) => {
        pi.registerFlag('plan', { type: 'boolean' });
        pi.registerCommand('back', { async handler(_, ctx) {
          const first = ctx.sessionManager.getEntries().find((entry) => entry.type === 'message');
          ctx.ui.notify(JSON.stringify(await ctx.navigateTree(first.id, { summarize: true })));
        } });
      };`,
      });
      const program = startRpc([...OFFLINE, '--plan'], { place });
      await settled(program, 'Say hello');
      program.send({ type: 'prompt', message: '/back' });
      expect(await program.frame({ method: 'notify' })).toMatchObject({
        message: expect.stringContaining('"cancelled":false'),
      });
      await ended(program);
    });

    test('an extension that uses TypeBox', async () => {
      const place = newPlace();
      write(place.home, {
        'extensions/types.ts': `import { Type } from 'typebox';
        import { Value } from 'typebox/value';
        import { Compile } from 'typebox/compile';
        export default (pi) => pi.registerCommand('check', { handler(_, ctx) {
          const schema = Type.Object({ n: Type.Number() });
          ctx.ui.notify(JSON.stringify([Value.Check(schema, {}), Compile(schema).Check({ n: 1 })]));
        } });`,
      });
      const program = startRpc(OFFLINE, { place });
      program.send({ type: 'prompt', message: '/check' });
      expect(await program.frame({ method: 'notify' })).toMatchObject({ message: '[false,true]' });
      await ended(program);
    });

    test('a login, and its models', async () => {
      const copilot = await startCopilot();
      copilot.polls = [{ access_token: 'long-lived' }];
      // Already expired, so that the first prompt requests another token.
      copilot.expiresAt = 1;
      const program = startRpc([], { env: { OPAL_COPILOT_DOMAIN: copilot.url } });
      const { data } = await program.ask({ type: 'get_login_providers' });
      expect(data).toMatchObject({ providers: [{ id: 'github-copilot', authenticated: false }] });
      expect(await program.ask({ type: 'login', providerId: 'github-copilot' })).toMatchObject({ success: true });
      const { data: listed } = await program.ask({ type: 'get_available_models' });
      expect(JSON.stringify(listed)).toContain('claude-sonnet-4.6');
      const choice = { type: 'set_model', provider: 'github-copilot', modelId: 'claude-sonnet-4.6' };
      expect(await program.ask(choice)).toMatchObject({ success: true });
      await settled(program, 'Hello');
      expect(copilot.count('/copilot_internal/v2/token')).toBeGreaterThan(1);
      expect(await program.ask({ type: 'get_last_assistant_text' })).toMatchObject({
        data: { text: 'Hello from Copilot.' },
      });
      await ended(program);
    });
  });

  describe('dialects', () => {
    test.each(['pi', 'pi-legacy'])('%s', async (dialect) => {
      const program = startRpc([...OFFLINE, '--dialect', dialect, '--no-session']);
      program.send({ type: 'prompt', message: 'Say hello' });
      await program.frame({ type: 'agent_end' });
      await ended(program);
    });

    test('opal saves settings and opens sessions', async () => {
      const program = startRpc(['--dialect', 'opal']);
      write(program.cwd, { 'AGENTS.md': 'Be brief.' });
      const call = async (id: number, method: string, params: Record<string, unknown>) => {
        program.send({ jsonrpc: '2.0', id, method, params });
        return (await program.frame({ id })).result;
      };
      const settings = { theme: 'dark', openai_api_key: 'sk-secret' };
      expect(await call(1, 'settings/save', { settings })).toMatchObject({ settings: { theme: 'dark' } });
      expect(readFileSync(join(program.home, 'auth.json'), 'utf8')).toContain('sk-secret');
      expect(await call(2, 'session/start', { session_id: 's' })).toMatchObject({
        context_files: [join(program.cwd, 'AGENTS.md')],
      });
      await ended(program);
    });
  });
}
