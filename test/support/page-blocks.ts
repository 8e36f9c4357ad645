// Checks code blocks of the documents that are not run: JSON frames, settings, command lines and others.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseJsonc } from 'jsonc-parser';
import { expect } from 'vitest';
import { settingsSchema } from '../../scripts/pages/settings-page.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { isSubcommand, SUBCOMMANDS } from '../../src/cli/subcommands.ts';
import { validate } from '../../src/contracts/index.ts';
import { parseAgentDefinition } from '../../src/core/subagent/agent-definition.ts';
import { parseMcpServers } from '../../src/mcp/index.ts';
import { sessionEntry, sessionHeader } from '../../src/protocol/index.ts';
import { runScenario } from '../../src/testing/index.ts';
import { checkPermissionExchange } from './acp-permission-block.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { listFrameNames } from './wire-schema.ts';

const { name: packageName, scripts } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
);
const frames = new Set([...listFrameNames('omp', 'HostFrame'), ...listFrameNames('omp', 'AgentFrame'), 'response']);

const CHECKS: Readonly<Record<string, (code: string, page: string) => void | Promise<void>>> = {
  '': (code) => (code.startsWith('› ') ? checkPicture : checkTranscript)(code),
  json: checkJsonValues,
  jsonc: checkSettings,
  markdown: async (code) => expect((await parseAgentDefinition(code, 'user')).name).not.toBe(''),
  bash: checkCommandLines,
  toml: checkToml,
  transcript: checkScenario,
  dockerfile: checkDockerfile,
  lua: checkEditorConfiguration,
  elisp: checkEditorConfiguration,
};

/** Pages whose blocks are all used by another test. */
const OTHER_TESTS: Readonly<Record<string, string>> = {
  'docs/subagents.md': 'test/subagents-page.test.ts',
  'docs/models.md': 'test/models-page.test.ts',
  'docs/observability.md': 'test/observability-page.test.ts',
};

/** Rejects if the block is invalid. */
export async function checkBlock(page: string, language: string, code: string): Promise<void> {
  const otherTest = OTHER_TESTS[page];
  if (otherTest) {
    const text = readFileSync(fileURLToPath(new URL(`../../${otherTest}`, import.meta.url)), 'utf8');
    expect(text, `${otherTest} does not use the block in ${language}`).toContain(`block('${language}')`);
    return;
  }
  const check = CHECKS[language];
  expect(
    check,
    `${page}: no check for \`${language}\`: mark the fence \`run\`, or add a check to page-blocks.ts`,
  ).toBeDefined();
  await check?.(code, page);
}

/** `>` is a frame from the host, `<` a frame from the agent; `[…]` is an omitted list. */
function checkTranscript(code: string): void {
  for (const line of code.trimEnd().split('\n')) {
    expect(line).toMatch(/^[<>] /);
    expect([...frames]).toContain(JSON.parse(line.slice(2).replaceAll('[…]', '[]')).type);
  }
}

/** A picture of the terminal: its fixed texts must exist in the source. */
function checkPicture(code: string): void {
  const folder = fileURLToPath(new URL('../../src/terminal', import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const source = names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  const texts = ['›', '●', 'Working', 'Esc to stop', '↳', 'next', 'thinking ', '/help'];
  expect(texts.filter((text) => !code.includes(text) || !source.includes(text))).toEqual([]);
}

/** The configuration of an editor, in any language: the brackets are balanced, and the command line is one that Parley knows. */
async function checkEditorConfiguration(code: string): Promise<void> {
  const brackets = code.replaceAll(/"[^"]*"/g, '').replaceAll(/[^()[\]{}]/g, '');
  let rest = brackets;
  while (/\(\)|\[\]|\{\}/.test(rest)) rest = rest.replaceAll(/\(\)|\[\]|\{\}/g, '');
  expect(rest, 'unbalanced brackets').toBe('');
  const words = [...code.matchAll(/"([^"]*)"/g)].map(([, word]) => word);
  expect(words).toEqual(expect.arrayContaining(['parley', 'acp']));
  await checkArguments(['acp']);
}

/** A sequence of JSON values, each on one or more lines. */
async function checkJsonValues(code: string, page: string): Promise<void> {
  if (page.endsWith('mcp-server.md')) return checkServerDefinition(JSON.parse(code));
  if (page.endsWith('docs/acp.md')) {
    if (code.includes('"jsonrpc"')) return checkPermissionExchange(code);
    JSON.parse(code);
    return checkEditorConfiguration(code);
  }
  let text = '';
  for (const line of code.split('\n')) {
    text += `${line}\n`;
    const value = tryParse(text);
    if (value === undefined) continue;
    text = '';
    if ('mcpServers' in value) {
      const env = Object.fromEntries([...code.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => [name, 'x']));
      expect(parseMcpServers(value, { source: page, env }).problems).toEqual([]);
    } else if (page.endsWith('session-format.md'))
      validate(value.type === 'session' ? sessionHeader : sessionEntry, value);
    else expect([...frames]).toContain(value.type);
  }
  expect(text.trim(), 'not JSON').toBe('');
}

/** The configuration of an MCP client with this program as its only server: `{ KEY: { NAME: { command, args } } }`. */
async function checkServerDefinition(value: Record<string, Record<string, { command: string; args: string[] }>>) {
  const [servers] = Object.values(value);
  const [server] = Object.values(servers ?? {});
  expect(server?.command).toBe('parley');
  await checkArguments(server?.args ?? []);
}

/** Like `checkServerDefinition`, for Codex. */
async function checkToml(code: string): Promise<void> {
  const [, list = ''] = /^args = (.*)$/m.exec(code) ?? [];
  expect(code).toContain('command = "parley"\n');
  await checkArguments(JSON.parse(list));
}

function tryParse(text: string): { type: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checkSettings(code: string): void {
  const problems: [] = [];
  const values = parseJsonc(code, problems, { allowTrailingComma: true });
  expect(problems).toEqual([]);
  const known = Object.keys(settingsSchema().properties ?? {});
  expect(known).toEqual(expect.arrayContaining(Object.keys(values)));
}

/** Commands that need a key, a network or another program: the shell must parse them, and Parley must know flags and subcommands. */
async function checkCommandLines(code: string): Promise<void> {
  const plain = code.replaceAll('…', 'x');
  expect(spawnSync('bash', ['-nc', plain], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  for (const line of plain.replaceAll('\\\n', ' ').split('\n')) {
    for (const part of line.replace(/\s#.*$/, '').split(/&&|\|\||[;|]/)) await checkCommand(part.trim());
  }
}

async function checkCommand(part: string): Promise<void> {
  const [program, ...words] = (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replace(/^["']|["']$/g, ''),
  );
  if (program === 'npm') {
    const script = words[0] === 'run' ? words.find((word, at) => at > 0 && !word.startsWith('-')) : words[0];
    expect(['ci', 'install', 'link', ...Object.keys(scripts)]).toContain(script);
  }
  const at = words.lastIndexOf('parley');
  if (program === 'parley' || at >= 0) await checkArguments(words.slice(at + 1));
}

/** A subcommand prints its help after it has checked its flags. */
async function checkArguments(argv: readonly string[]): Promise<void> {
  const [name, ...rest] = argv;
  if (isSubcommand(name)) expect(await (await SUBCOMMANDS[name]())([...rest, '--help'], () => {})).toMatch(/^Usage: /);
  else if (name !== 'help') expect(Object.keys(parseArguments(argv).unknown)).toEqual([]);
}

/** Checks `parley …` in the text of a page, outside of code blocks. Brackets mark optional arguments. */
export async function checkInlineCommands(page: string): Promise<void> {
  const text = page.replace(/^```.*?^```$/gms, '');
  for (const [, command = ''] of text.matchAll(/`(parley [^`\n]+)`/g)) {
    await checkCommand(
      command
        .replaceAll('…', 'x')
        .replaceAll(/[[\]\\]/g, '')
        .replaceAll('|', ' '),
    );
  }
}

async function checkScenario(code: string): Promise<void> {
  await runScenario(code, { directory: createTemporaryDirectory(), dialect: 'omp' });
}

function checkDockerfile(code: string): void {
  const instructions = code
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(['FROM', 'RUN', 'USER', 'ENV', 'WORKDIR', 'ENTRYPOINT']).toEqual(expect.arrayContaining(instructions));
  expect(code).toContain(`npm install -g ${packageName}\n`);
  expect(code).toContain('USER node\n');
}
