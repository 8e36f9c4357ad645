// Uses the subcommands and flags without a conversation: help, settings, models, sessions, trust.
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHAT_MODEL_FLAGS } from '../../support/chat-provider.ts';
import { startCopilot } from '../../support/copilot.ts';
import { createDirectories } from '../../support/program.ts';
import { createSession, OFFLINE, runProgram, writeFiles } from './feature-program.ts';

export function trySubcommands(): void {
  describe('subcommands and flags', () => {
    test.each([
      [['--help'], '--mode text|json|rpc'],
      [['schema'], 'The omp dialect of Parley'],
      [['schema', '--openapi'], '"openapi": "3.1'],
      [['config'], 'retry.enabled'],
      [['doctor'], 'ripgrep'],
      [['models'], 'offline'],
      [['version', '--json'], '"platform"'],
      [['acp', '--help'], 'Agent Client Protocol'],
      [['update'], 'To update: '],
    ])('%j', async (args, expected) => {
      expect((await runProgram(args)).stdout).toContain(expected);
    });

    test('an unknown command', async () => {
      const { code, stderr } = await runProgram(['install', 'x']);
      expect(code).toBe(2);
      expect(stderr).toContain('Unknown command "install"');
    });

    test('an unknown flag', async () => {
      expect(await runProgram(['--colour', 'x'])).toMatchObject({ code: 2, stderr: 'Error: Unknown flag: --colour\n' });
    });

    test('config set writes the settings file', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, { 'settings.json': '{\n  // comment\n  "theme": "dark"\n}\n' });
      expect(await runProgram(['config', 'set', 'retry.maxRetries', '1'], '', { directories })).toMatchObject({
        code: 0,
      });
      expect(readFileSync(join(directories.home, 'settings.json'), 'utf8')).toContain('// comment');
      expect((await runProgram(['config', 'retry.maxRetries'], '', { directories })).stdout).toContain('1');
    });

    test('list-models requests a local server, and runs a command for a key', async () => {
      const directories = createDirectories();
      const own = {
        baseUrl: 'http://127.0.0.1:9',
        api: 'openai-completions',
        apiKey: '!echo k',
        models: [{ id: 'm' }],
      };
      writeFiles(directories.home, { 'models.json': JSON.stringify({ providers: { own } }) });
      const env = { OLLAMA_HOST: '127.0.0.1:9', OPENROUTER_API_KEY: 'k' };
      const { code, stdout } = await runProgram(['--list-models'], '', { directories, env });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^own +m /m);
      expect(stdout).toContain('openrouter');
      const asked = await runProgram(['--list-models', '--provider', 'ollama'], '', { directories, env });
      expect(`${asked.stdout}${asked.stderr}`).toContain('127.0.0.1:9');
      const used = await runProgram(['--set', 'retry.enabled=false', ...CHAT_MODEL_FLAGS, 'hi'], '', { directories });
      expect(used.stderr).toContain('ECONNREFUSED');
    });

    test('an empty key variable', async () => {
      const { code, stderr } = await runProgram(['hi'], '', { env: { ANTHROPIC_API_KEY: '' } });
      expect(code).toBe(1);
      expect(stderr).toContain('ANTHROPIC_API_KEY is set but empty');
    });

    test('a user directory that cannot be read', async () => {
      const directories = createDirectories();
      const home = join(directories.home, 'loop');
      symlinkSync('loop', home);
      const { code, stderr } = await runProgram(['sessions'], '', { directories: { ...directories, home } });
      expect(code).toBe(1);
      expect(stderr).toContain('set PARLEY_DIR to another directory');
    });

    test('sessions, export and delete', async () => {
      const directories = createDirectories();
      const { id, file } = await createSession(directories);
      expect((await runProgram(['sessions'], '', { directories })).stdout).toContain('Say hello');
      expect(await runProgram(['export', id, 'page.html'], '', { directories })).toMatchObject({ code: 0 });
      expect(readFileSync(join(directories.cwd, 'page.html'), 'utf8')).toContain('Say hello');
      expect(await runProgram(['sessions', 'delete', id], '', { directories })).toMatchObject({ code: 0 });
      expect(existsSync(file)).toBe(false);
    });

    test('login and logout', async () => {
      const directories = createDirectories();
      expect(await runProgram(['login', 'groq'], 'sk-x', { directories })).toMatchObject({ code: 0 });
      const copilot = await startCopilot();
      copilot.polls = [{ access_token: 'long-lived' }];
      const env = { OPAL_COPILOT_DOMAIN: copilot.url };
      expect(await runProgram(['login', 'github-copilot'], '', { directories, env })).toMatchObject({ code: 0 });
      expect((await runProgram(['login', 'status'], '', { directories })).stdout).toContain('groq');
      expect(await runProgram(['logout', '--all'], '', { directories })).toMatchObject({ code: 0 });
    });

    test('mcp serve answers a call', async () => {
      const call = (id: number, method: string, params: object) =>
        JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const input = [
        call(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {} }),
        call(2, 'tools/call', { name: 'agent', arguments: { prompt: 'say `hello`' } }),
      ];
      const { code, stdout } = await runProgram(['mcp', 'serve', ...OFFLINE], `${input.join('\n')}\n`);
      expect(code).toBe(0);
      expect(stdout).toContain('"status":"completed"');
    });

    test('permissions are added, tested, listed and removed', async () => {
      const directories = createDirectories();
      const run = (...args: string[]) => runProgram(['permissions', ...args], '', { directories });
      expect(await run('list', '--set', 'sandbox.allowedHosts=["a.example"]')).toMatchObject({ code: 0 });
      expect(await run('add', 'deny', 'bash(git push)')).toMatchObject({ code: 0 });
      const { stdout } = await run('test', 'bash(ls && git push)', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ decision: 'deny', rule: 'bash(git push)', scope: 'user' });
      expect((await run()).stdout).toMatch(/^deny +bash\(git push\) +user /m);
      expect(await run('remove', 'bash(git push)')).toMatchObject({ code: 0 });
      expect((await run('list')).stdout).toContain('There are no rules.');
    });

    test('trust is stored', async () => {
      const directories = createDirectories();
      writeFiles(directories.cwd, { '.parley/settings.json': '{"retry.maxRetries":2}' });
      expect(await runProgram(['trust'], '', { directories })).toMatchObject({ code: 0 });
      expect((await runProgram(['config', 'retry.maxRetries'], '', { directories })).stdout).toContain('2');
    });
  });
}
