// Uses the commands of the protocol that front ends call: settings, models, stored sessions and artifacts.
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../../support/chat-provider.ts';
import { createDirectories } from '../../support/program.ts';
import { closeProgram, OFFLINE, promptAndSettle, startRpc, writeFiles } from './feature-program.ts';

export function tryHostCommands(): void {
  describe('commands for front ends', () => {
    test('settings', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, { 'settings.json': JSON.stringify({ 'retry.maxRetries': 4 }) });
      const program = startRpc([...OFFLINE, '--trust', '--set', 'retry.baseDelayMs=5', '--stream', 'delta'], {
        directories,
      });
      const { data: schema } = await program.call({ type: 'get_settings_schema' });
      expect((schema as { settings: { name: string }[] }).settings).toContainEqual(
        expect.objectContaining({
          name: 'retry.maxRetries',
          default: 3,
          schema: expect.objectContaining({ minimum: 0 }),
        }),
      );
      const save = (scope: string, settings: object) => program.call({ type: 'set_settings', scope, settings });
      expect(await save('session', { 'retry.maxRetries': 1 })).toMatchObject({ success: true });
      expect(await save('project', { 'todo.enabled': true })).toMatchObject({ success: true });
      expect(await save('user', { 'todo.reminders': false })).toMatchObject({ success: true });
      expect(await save('user', { 'todo.nothing': false })).toMatchObject({ success: false });
      expect(await program.call({ type: 'get_settings' })).toMatchObject({
        data: {
          user: { settings: { 'retry.maxRetries': 4, 'todo.reminders': false } },
          project: { trusted: true, settings: { 'todo.enabled': true } },
          effective: {
            'retry.maxRetries': { value: 1, source: 'session' },
            'retry.baseDelayMs': { value: 5, source: 'flag' },
            'rpc.stream': { value: 'delta', source: 'flag' },
            'todo.enabled': { value: false, source: 'default', nextValue: true },
            'todo.reminders': { value: true, source: 'default', nextValue: false },
          },
        },
      });
      await closeProgram(program);
    });

    test('stored sessions', async () => {
      const provider = await startChatProvider();
      const directories = provider.createDirectories();
      const program = startRpc(CHAT_MODEL_FLAGS, { directories });
      provider.add({ text: 'A needle in a haystack.' });
      await promptAndSettle(program, 'Hello');
      const { data } = await program.call({ type: 'list_sessions', query: 'NEEDLE' });
      const [session] = (data as { sessions: { id: string; match: string }[] }).sessions;
      expect(session?.match).toBe('A needle in a haystack.');
      expect(await program.call({ type: 'find_session', session: session?.id.slice(0, 8) })).toMatchObject({
        data: { session: { id: session?.id, messageCount: 2 } },
      });
      await program.call({ type: 'new_session' });
      const moved = await program.call({ type: 'move_session', sessionId: session?.id, cwd: directories.home });
      expect(moved).toMatchObject({ success: true, data: { cwd: directories.home, reopened: false } });
      const { path } = moved.data as { path: string };
      expect(await program.call({ type: 'switch_session', sessionPath: path })).toMatchObject({ success: true });
      expect(await program.call({ type: 'get_messages' })).toMatchObject({ data: { messages: [{}, {}] } });
      await closeProgram(program);
    });

    test('artifacts', async () => {
      const program = startRpc(OFFLINE, { directories: createDirectories() });
      await program.call({ type: 'bash', command: 'seq 1 20000' });
      expect(await program.call({ type: 'list_artifacts' })).toMatchObject({ data: { artifacts: [{ id: '0' }] } });
      expect(await program.call({ type: 'read_artifact', artifactId: '0', limit: 4 })).toMatchObject({
        data: { text: '1\n2\n', nextOffset: 4 },
      });
      await closeProgram(program);
    });

    test('models', async () => {
      const directories = createDirectories();
      const program = startRpc(OFFLINE, { directories, env: { GROQ_API_KEY: 'gsk-test' } });
      const { data } = await program.call({ type: 'list_models', query: 'groq' });
      const { models } = data as { models: { provider: string; usable: boolean }[] };
      expect(models).toContainEqual(expect.objectContaining({ provider: 'groq', usable: true }));
      expect(JSON.stringify(data)).not.toContain('gsk-test');
      expect(await program.call({ type: 'get_available_thinking_levels' })).toMatchObject({ success: true });
      await closeProgram(program);
    });
  });
}
