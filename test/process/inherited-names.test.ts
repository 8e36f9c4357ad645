// Names of inherited object members, such as __proto__, are treated like any other name in external input.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDirectories, runProgram, startRpc } from '../support/program.ts';
import { startScriptedProvider } from '../support/scripted-provider.ts';
import { listSessionFiles, readEntries } from '../support/session-files.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
/** Error texts that show that an inherited member was used by mistake. */
const MISUSE = /is not a function|native code|Cannot read|is not iterable|Internal error|\[object Object\]/;

test.each(['omp', 'pi', 'pi-legacy', 'opal'])('as the type of a command in %s', async (dialect) => {
  const program = startRpc(['--dialect', dialect, '--model', 'parley/offline']);
  for (const name of NAMES) {
    program.send({ jsonrpc: '2.0', id: name, type: name, method: name, params: {} });
    const reply = await program.nextFrame((frame) => frame.type !== 'ready');
    expect(JSON.stringify(reply)).toMatch(/Unknown command|Unknown type|Method not found/);
    expect(JSON.stringify(reply)).toContain(name);
  }
});

test('as a model, a provider, a level, a session, an entry, a login and a slash command', async () => {
  const program = startRpc();
  for (const name of NAMES) {
    const refusals = [
      { type: 'set_model', provider: name, modelId: name },
      { type: 'set_model', provider: 'parley', modelId: name },
      { type: 'set_thinking_level', level: name },
      { type: 'switch_session', sessionPath: name },
      { type: 'branch', entryId: name },
      { type: 'login', providerId: name },
    ];
    for (const call of refusals) {
      const reply = await program.call(call);
      expect(reply, JSON.stringify(call)).toMatchObject({ success: false, error: expect.not.stringMatching(MISUSE) });
    }
    expect(await program.call({ type: 'prompt', message: `/${name}` })).toMatchObject({ success: true });
    await program.nextFrame({ type: 'agent_settled' });
  }
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
});

test('as the name of a tool that the model calls', async () => {
  const calls = NAMES.map((name) => ({ name, arguments: '{}' }));
  const { flags, directories } = await startScriptedProvider([{ calls }, { text: 'Done.' }]);
  const program = startRpc(flags, { directories });
  program.send({ id: 'p', type: 'prompt', message: 'go' });
  for (const name of NAMES) {
    const end = await program.nextFrame({ type: 'tool_execution_end' });
    expect(end).toMatchObject({ toolName: name, isError: true });
    expect(JSON.stringify(end.result)).not.toMatch(MISUSE);
  }
  await program.nextFrame({ type: 'agent_settled' });
  expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'Done.' } });
});

test.each(['__proto__', 'constructor'])('%s on the command line', async (name) => {
  const refused: [args: string[], reason: string][] = [
    [['--set', `${name}=1`, 'hi'], `unknown setting ${name}`],
    [['--dialect', name, '--mode', 'rpc'], `Unknown dialect: ${name}`],
    [['--mode', name, 'hi'], name],
    [['--provider', name, 'hi'], name],
    [['config', 'get', name], name],
    [[`--${name}`, 'x', 'hi'], `--${name}`],
  ];
  for (const [args, reason] of refused) {
    const { code, stderr } = await runProgram(args, '');
    expect({ args, stderr }).toEqual({ args, stderr: expect.stringContaining(reason) });
    expect({ args, stderr }).toEqual({ args, stderr: expect.not.stringMatching(MISUSE) });
    expect(code, args.join(' ')).not.toBe(0);
  }
  // The first word of a prompt is not a subcommand.
  const { stderr } = await runProgram([name], '');
  expect(stderr).not.toMatch(MISUSE);
});

test('as a setting, a provider of models.json and one of auth.json', async () => {
  const directories = createDirectories();
  const object = (value: string) => `{ ${NAMES.map((name) => `"${name}": ${value}`).join(', ')} }`;
  const ids = NAMES.map((id) => `{ "id": "${id}" }`);
  const provider = `{ "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions", "models": [${ids}] }`;
  writeFileSync(join(directories.home, 'settings.json'), object('{ "approval": "always" }'));
  writeFileSync(join(directories.home, 'models.json'), `{ "providers": ${object(provider)} }`, { mode: 0o600 });
  writeFileSync(join(directories.home, 'auth.json'), object('{ "type": "api_key", "key": "toString" }'), {
    mode: 0o600,
  });
  const program = startRpc(['--provider', 'parley'], { directories });
  expect(await program.call({ type: 'get_available_models' })).toMatchObject({ success: true });
  program.send({ id: 'p', type: 'prompt', message: 'say `hello`' });
  await program.nextFrame({ type: 'agent_settled' });
  expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'hello' } });
  program.stdin.end();
  const { code, stderr } = await program.exited;
  expect(code).toBe(0);
  expect(stderr).not.toMatch(MISUSE);
});

test('as the type of an entry and of a custom entry, and as an id', async () => {
  const directories = createDirectories();
  const first = startRpc(['--model', 'parley/offline'], { directories });
  first.send({ id: 'p', type: 'prompt', message: 'say `hello`' });
  await first.nextFrame({ type: 'agent_settled' });
  first.stdin.end();
  await first.exited;
  const [file = ''] = listSessionFiles(directories.home);
  const timestamp = new Date(0).toISOString();
  let parentId = readEntries(file).at(-1)?.id;
  const more = NAMES.flatMap((name) => {
    const before = parentId;
    parentId = name;
    return [
      { type: name, id: `${name}-1`, parentId: before, timestamp, data: 1 },
      { type: 'custom', id: `${name}-2`, parentId: `${name}-1`, timestamp, customType: name, data: { op: name } },
      { type: 'label', id: name, parentId: `${name}-2`, timestamp, targetId: name, label: name },
    ];
  });
  writeFileSync(file, more.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { flag: 'a' });
  const program = startRpc(['--session', file, '--model', 'parley/offline'], { directories });
  expect(await program.call({ type: 'get_state' })).toMatchObject({ data: { messageCount: 2 } });
  expect(await program.call({ type: 'get_tree' })).toMatchObject({ success: true });
  program.send({ id: 'q', type: 'prompt', message: 'say `more`' });
  await program.nextFrame({ type: 'agent_settled' });
  expect(await program.call({ type: 'get_last_assistant_text' })).toMatchObject({ data: { text: 'more' } });
  expect(await program.call({ type: 'export_html' })).toMatchObject({ success: true });
  program.stdin.end();
  expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
  expect(program.frames.filter(({ type }) => type === 'notice')).toEqual([]);
});

test('as provider, setting and model of the opal dialect', async () => {
  const program = startRpc(['--dialect', 'opal']);
  let calls = 0;
  const call = async (method: string, params: string) => {
    calls += 1;
    program.stdin.write(`{"jsonrpc":"2.0","id":${calls},"method":"${method}","params":${params}}\n`);
    const reply = await program.nextFrame({ id: calls });
    expect(JSON.stringify(reply), method).not.toMatch(MISUSE);
    return reply;
  };
  for (const name of NAMES) {
    await call('auth/set_key', `{"provider":"${name}","api_key":"sk-canary"}`);
    await call('settings/save', `{"settings":{"${name}":"kept ${name}"}}`);
    await call('settings/get', '{}');
    await call('session/start', `{"model":{"id":"${name}","provider":"${name}"}}`);
  }
  program.stdin.end();
  expect((await program.exited).code).toBe(0);
});
