// Uses every model API with a lazily loaded file, with loopback providers.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { KEY as ANTHROPIC_KEY, startAnthropicMessages } from '../../llm/servers/anthropic-messages.ts';
import { startBedrock } from '../../llm/servers/bedrock.ts';
import { BEARER } from '../../llm/servers/bedrock-auth.ts';
import { KEY as GEMINI_KEY, PROJECT, startGemini, TOKEN } from '../../llm/servers/gemini.ts';
import { KEY as OPENAI_KEY, startOpenAiResponses } from '../../llm/servers/openai-responses.ts';
import { CHAT_MODEL_FLAGS, startChatProvider } from '../../support/chat-provider.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { createDirectories } from '../../support/program.ts';
import { closeProgram, runProgram, startRpc, writeFiles } from './feature-program.ts';

export function tryModelApis(): void {
  describe('model APIs', () => {
    type Reply = { answer: { parts: readonly object[] }; lax?: true };
    interface Wire {
      readonly server: { readonly url: string; reply(...replies: Reply[]): void; close(): Promise<void> };
      readonly path?: string;
      readonly id: string;
      readonly apiKey: string;
      readonly env?: Record<string, string>;
      /** A call of `bash` in the format of this provider. */
      call(input: Record<string, unknown>): object;
      readonly lax?: true;
    }
    const bash = (id: string) => (input: Record<string, unknown>) => ({ call: id, name: 'bash', input });
    const gemini = (input: Record<string, unknown>) => ({ call: 'bash', input, signed: true });
    const wires: Record<string, () => Promise<Wire>> = {
      'anthropic-messages': async () => ({
        ...{
          server: (await startAnthropicMessages()) as Wire['server'],
          id: 'claude-sonnet-4-5',
          apiKey: ANTHROPIC_KEY,
        },
        call: bash('toolu_1'),
      }),
      'openai-responses': async () => ({
        ...{ server: (await startOpenAiResponses()) as Wire['server'], id: 'gpt-4.1', apiKey: OPENAI_KEY },
        call: bash('call_1'),
      }),
      'azure-openai-responses': async () => ({
        ...{ server: (await startOpenAiResponses()) as Wire['server'], id: 'gpt-4.1', apiKey: 'azure' },
        call: bash('call_1'),
        lax: true,
      }),
      'google-generative-ai': async () => ({
        ...{
          server: (await startGemini()) as Wire['server'],
          path: '/v1beta',
          id: 'gemini-2.5-flash',
          apiKey: GEMINI_KEY,
        },
        call: gemini,
      }),
      'google-vertex': async () => ({
        ...{ server: (await startGemini()) as Wire['server'], id: 'gemini-2.5-flash', apiKey: TOKEN, call: gemini },
        env: { GOOGLE_VERTEX_PROJECT: PROJECT, GOOGLE_VERTEX_LOCATION: 'europe-west1' },
      }),
      'bedrock-converse-stream': async () => ({
        ...{ server: (await startBedrock()) as Wire['server'], apiKey: BEARER, env: { AWS_REGION: 'us-east-1' } },
        id: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
        call: bash('tooluse_1'),
      }),
    };

    test.each(Object.keys(wires))('%s: a tool call and an answer', async (api) => {
      const wire = await wires[api]!();
      onTestFinished(() => wire.server.close());
      const lax = wire.lax ? { lax: wire.lax } : {};
      wire.server.reply(
        { answer: { parts: [wire.call({ command: 'echo from-the-tool > made' })] }, ...lax },
        { answer: { parts: [{ text: ['The ', 'answer.'] }] }, ...lax },
      );
      const directories = createDirectories();
      const own = {
        baseUrl: `${wire.server.url}${wire.path ?? ''}`,
        api,
        apiKey: wire.apiKey,
        models: [{ id: wire.id }],
      };
      writeFiles(directories.home, { 'models.json': JSON.stringify({ providers: { own } }) });
      const flags = ['--no-session', '--thinking', 'off', '--set', 'retry.enabled=false'];
      const args = [...flags, '--provider', 'own', '--model', wire.id, 'Hello'];
      const outcome = await runProgram(args, '', { directories, env: wire.env ?? {} });
      expect(outcome).toMatchObject({ code: 0, stdout: 'The answer.\n', stderr: '' });
      expect(readFileSync(join(directories.cwd, 'made'), 'utf8')).toBe('from-the-tool\n');
    });

    test('a provider of an extension that throws', async () => {
      const directories = createDirectories();
      writeFiles(directories.home, {
        'extensions/broken.ts': `export default (pi) => pi.registerProvider('broken', {
        baseUrl: 'http://127.0.0.1:9', api: 'broken', apiKey: 'none', models: [{ id: 'one' }],
        streamSimple() { throw new Error('out of order'); },
      });`,
      });
      const outcome = await runProgram(['--set', 'retry.enabled=false', '--model', 'broken/one', 'Hello'], '', {
        directories,
      });
      expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: 'Error: out of order\n' });
    });

    test('images and a header of models.json are sent to the provider', async () => {
      const provider = await startChatProvider();
      provider.add({ calls: [{ name: 'read', arguments: { path: 'dot.png' } }] });
      const directories = provider.createDirectories({ input: ['text', 'image'], headers: { 'x-team': 'TEAM_NAME' } });
      const program = startRpc([...CHAT_MODEL_FLAGS, '--no-session'], { directories, env: { TEAM_NAME: 'blue' } });
      const data = 'iVBORw0KGgo=';
      writeFileSync(join(directories.cwd, 'dot.png'), Buffer.from(data, 'base64'));
      program.send({
        type: 'prompt',
        message: 'What is this?',
        images: [{ type: 'image', data, mimeType: 'image/png' }],
      });
      await program.nextFrame({ type: 'agent_settled' });
      await closeProgram(program);
      expect(JSON.stringify(provider.requests)).toContain(`data:image/png;base64,${data}`);
      expect(provider.headers[0]).toMatchObject({ 'x-team': 'blue' });
    });

    test('through a proxy', async () => {
      const provider = await startChatProvider();
      provider.add({ text: 'Through the proxy.' });
      const port = Number(new URL(provider.url).port);
      const proxy = await startForwardProxy({ ports: { [port]: port } });
      const env = { HTTP_PROXY: proxy.url, PARLEY_PROXY_LOOPBACK: '1' };
      const { stdout } = await runProgram([...CHAT_MODEL_FLAGS, 'Hello'], '', {
        directories: provider.createDirectories(),
        env,
      });
      expect(stdout).toBe('Through the proxy.\n');
      expect(proxy.forwarded).toHaveLength(1);
    });
  });
}
