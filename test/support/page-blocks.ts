// What a block of a page must be that is not run: JSON of the right shape, settings that count, a command line that would be understood.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseJsonc } from 'jsonc-parser';
import { expect } from 'vitest';
import { settingsSchema } from '../../scripts/pages/settings-page.ts';
import { parseArguments } from '../../src/cli/args.ts';
import { SUBCOMMANDS } from '../../src/cli/subcommands.ts';
import { check } from '../../src/contracts/index.ts';
import { parseAgent } from '../../src/core/subagent/definition.ts';
import { sessionEntry, sessionHeader } from '../../src/protocol/index.ts';
import { wordsOf } from './wire-schema.ts';

const { name: packageName, scripts } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'),
);
const frames = new Set([...wordsOf('omp', 'HostFrame'), ...wordsOf('omp', 'AgentFrame'), 'response']);

const CHECKS: Readonly<Record<string, (code: string, page: string) => void>> = {
  '': (code) => (code.startsWith('› ') ? picture : transcript)(code),
  json: jsonValues,
  jsonc: settings,
  markdown: (code) => expect(parseAgent(code, 'user').name).not.toBe(''),
  bash: commandLines,
  dockerfile,
};

/** Pages whose blocks another test puts to use, all of them. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'docs/subagents.md': 'test/subagents-page.test.ts' };

/** Throws what is wrong with it. */
export function checkBlock(page: string, language: string, code: string): void {
  const elsewhere = ELSEWHERE[page];
  if (elsewhere) {
    const text = readFileSync(fileURLToPath(new URL(`../../${elsewhere}`, import.meta.url)), 'utf8');
    expect(text, `${elsewhere} does not take the block in ${language}`).toContain(`block('${language}')`);
    return;
  }
  const held = CHECKS[language];
  expect(
    held,
    `${page}: nothing runs or checks \`${language}\`: let its fence say \`run\`, or teach page-blocks.ts`,
  ).toBeDefined();
  held?.(code, page);
}

/** `>` is what a host sends, `<` what it gets; an ellipsis stands for more of the same. */
function transcript(code: string): void {
  for (const line of code.trimEnd().split('\n')) {
    expect(line).toMatch(/^[<>] /);
    expect([...frames]).toContain(JSON.parse(line.slice(2).replaceAll('[…]', '[]')).type);
  }
}

/** A terminal as it looks: what stands there whatever is said is what the terminal has words for. */
function picture(code: string): void {
  const folder = fileURLToPath(new URL('../../src/terminal', import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const words = names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  const drawn = ['›', '●', 'Working', 'Esc stops', '↳', 'next', 'thinking ', '/help'];
  expect(drawn.filter((word) => !code.includes(word) || !words.includes(word))).toEqual([]);
}

/** One value after another, each on as many lines as it needs. */
function jsonValues(code: string, page: string): void {
  let text = '';
  for (const line of code.split('\n')) {
    text += `${line}\n`;
    const value = parsed(text);
    if (value === undefined) continue;
    text = '';
    if (page.endsWith('session-format.md')) check(value.type === 'session' ? sessionHeader : sessionEntry, value);
    else expect([...frames]).toContain(value.type);
  }
  expect(text.trim(), 'not JSON').toBe('');
}

function parsed(text: string): { type: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function settings(code: string): void {
  const problems: [] = [];
  const values = parseJsonc(code, problems, { allowTrailingComma: true });
  expect(problems).toEqual([]);
  const known = Object.keys(settingsSchema().properties ?? {});
  expect(known).toEqual(expect.arrayContaining(Object.keys(values)));
}

/** For what needs a key, a network or another program: the shell takes it, and Parley knows the flags and words. */
function commandLines(code: string): void {
  const plain = code.replaceAll('…', 'x');
  expect(spawnSync('bash', ['-nc', plain], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  for (const line of plain.replaceAll('\\\n', ' ').split('\n')) {
    for (const part of line.replace(/\s#.*$/, '').split(/&&|\|\||[;|]/)) callOf(part.trim());
  }
}

function callOf(part: string): void {
  const [program, ...words] = (part.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
    word.replace(/^["']|["']$/g, ''),
  );
  if (program === 'npm') {
    const script = words[0] === 'run' ? words.find((word, at) => at > 0 && !word.startsWith('-')) : words[0];
    expect(['ci', 'install', 'link', ...Object.keys(scripts)]).toContain(script);
  }
  const at = words.lastIndexOf('parley');
  if (program === 'parley' || at >= 0) understood(words.slice(at + 1));
}

function understood(argv: readonly string[]): void {
  if (Object.hasOwn(SUBCOMMANDS, argv[0] ?? '')) return;
  expect(Object.keys(parseArguments(argv).unknown)).toEqual([]);
}

function dockerfile(code: string): void {
  const words = code
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(['FROM', 'RUN', 'USER', 'ENV', 'WORKDIR', 'ENTRYPOINT']).toEqual(expect.arrayContaining(words));
  expect(code).toContain(`npm install -g ${packageName}\n`);
  expect(code).toContain('USER node\n');
}
