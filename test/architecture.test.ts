// The house stands as drawn: every rule is shown to bite on a planted breach, then the real files are judged.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { violations } from './support/architecture.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function sources(): Map<string, string> {
  const found = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'));
  return new Map(
    paths.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')];
    }),
  );
}

function judge(files: Record<string, string>): string[] {
  return violations(new Map(Object.entries(files)));
}

test('src obeys the law', () => {
  const files = sources();
  expect(files.size).toBeGreaterThan(20);
  expect(violations(files)).toEqual([]);
});

describe('the import law', () => {
  const allowed = [
    ['src/protocol/a.ts', "import { x } from '../base/index.ts';"],
    ['src/contracts/a.ts', "import type { X } from '../protocol/index.ts';"],
    ['src/core/a.ts', "import { x } from '../contracts/index.ts'; import { y } from './b.ts';"],
    ['src/dialects/omp/a.ts', "import { x } from '../shared.ts';"],
    ['src/client/a.ts', "import { x } from '../commands/index.ts'; import('../transports/stdio.ts');"],
    ['src/app/a.ts', "import { x } from '../core/index.ts'; import { y } from '../client/index.ts';"],
    ['src/cli/a.ts', "import { x } from '../app/a.ts'; import { y } from '../base/index.ts';"],
    ['src/testing/a.ts', "import { x } from '../app/a.ts'; import { y } from 'valibot';"],
  ] as const;
  test.each(allowed)('%s may: %s', (path, text) => {
    expect(judge({ [path]: text })).toEqual([]);
  });

  const refused = [
    ['base upwards', 'src/base/a.ts', "import { x } from '../protocol/index.ts';", 'base may not import protocol'],
    [
      'protocol upwards',
      'src/protocol/a.ts',
      "import { x } from '../contracts/index.ts';",
      'protocol may not import contracts',
    ],
    [
      'contracts upwards',
      'src/contracts/a.ts',
      "import { x } from '../core/index.ts';",
      'contracts may not import core',
    ],
    ['sideways', 'src/core/a.ts', "import { x } from '../llm/index.ts';", 'core may not import llm'],
    [
      'a deeper folder sideways',
      'src/dialects/omp/a.ts',
      "import { x } from '../../server/index.ts';",
      'dialects may not import server',
    ],
    ['a type sideways', 'src/tools/a.ts', "import type { X } from '../store/index.ts';", 'tools may not import store'],
    ['an inline type', 'src/tools/a.ts', "type X = import('../store/index.ts').X;", 'tools may not import store'],
    ['a re-export', 'src/server/a.ts', "export { x } from '../commands/index.ts';", 'server may not import commands'],
    ['export *', 'src/server/a.ts', "export * from '../commands/index.ts';", 'server may not import commands'],
    [
      'export * as',
      'src/server/a.ts',
      "export * as all from '../commands/index.ts';",
      'server may not import commands',
    ],
    ['for its effect', 'src/llm/a.ts', "import '../app/compose.ts';", 'llm may not import app'],
    ['import()', 'src/core/a.ts', "const x = () => import('../tools/index.ts');", 'core may not import tools'],
    [
      'import() of a template',
      'src/core/a.ts',
      'const x = () => import(`../tools/index.ts`);',
      'core may not import tools',
    ],
    ['import() of a variable', 'src/core/a.ts', 'const x = (p: string) => import(p);', 'computed path'],
    ['require', 'src/core/a.ts', "const x = require('../tools/index.ts');", 'core may not import tools'],
    ['client into core', 'src/client/a.ts', "import { x } from '../core/index.ts';", 'client may not import core'],
    [
      'client into server',
      'src/client/a.ts',
      "import { x } from '../server/index.ts';",
      'client may not import server',
    ],
    ['app into cli', 'src/app/a.ts', "import { x } from '../cli/args.ts';", 'app may not import cli'],
    ['app into testing', 'src/app/a.ts', "import { x } from '../testing/index.ts';", 'app may not import testing'],
    ['cli into protocol', 'src/cli/a.ts', "import { x } from '../protocol/index.ts';", 'cli may not import protocol'],
    ['testing into cli', 'src/testing/a.ts', "import { x } from '../cli/args.ts';", 'testing may not import cli'],
    ['out of src', 'src/app/a.ts', "import x from '../../package.json' with { type: 'json' };", 'outside src'],
    ['round by the package name', 'src/core/a.ts', "import { x } from 'parley-agent/client';", 'its own package'],
    ['an unknown folder', 'src/misc/a.ts', '', 'no layer is called misc'],
    ['no folder', 'src/a.ts', '', 'no layer is called'],
  ] as const;
  test.each(refused)('refuses %s', (_name, path, text, sentence) => {
    expect(judge({ [path]: text })).toEqual([expect.stringContaining(sentence)]);
    expect(judge({ [path]: text })[0]).toMatch(new RegExp(`^${path}`));
  });

  test('comments and strings are not imports', () => {
    const text = "// import { x } from '../llm/a.ts'\nconst s = \"import('../llm/a.ts')\";";
    expect(judge({ 'src/core/a.ts': text })).toEqual([]);
  });
});

describe('rings', () => {
  test('two files that import one another are told once', () => {
    const files = { 'src/core/b.ts': "import './a.ts';", 'src/core/a.ts': "import './b.ts';" };
    expect(judge(files)).toEqual([expect.stringContaining('src/core/a.ts → src/core/b.ts → src/core/a.ts')]);
  });

  test('longer rings, through types, re-exports and import(), are found', () => {
    const files = {
      'src/core/a.ts': "import type { B } from './b.ts';",
      'src/core/b.ts': "export * from './deep/c.ts';",
      'src/core/deep/c.ts': "const later = () => import('../a.ts');",
    };
    expect(judge(files)).toEqual([expect.stringContaining('in a ring')]);
  });

  test('a file that imports itself is a ring; a diamond is none', () => {
    expect(judge({ 'src/core/a.ts': "import './a.ts';" })).toEqual([expect.stringContaining('in a ring')]);
    const diamond = {
      'src/core/a.ts': "import './b.ts'; import './c.ts';",
      'src/core/b.ts': "import './d.ts';",
      'src/core/c.ts': "import './d.ts';",
      'src/core/d.ts': '',
    };
    expect(judge(diamond)).toEqual([]);
  });
});

describe('the outside world', () => {
  const banned = [
    'process.stdout.write(x);',
    "process['stdout'].write(x);",
    'globalThis.process.stdout.write(x);',
    'const { stdout } = process;',
    'const { stdout: out } = process;',
    "import { stdout } from 'node:process';",
    'console.log(x);',
    'const { error } = console;',
    'globalThis.console.log(x);',
    'const sink = console;',
    "import { Console } from 'node:console';",
    'const t = Date.now();',
    'const { now } = Date;',
    'const t = new Date();',
    'const t = new globalThis.Date();',
    'const t = Date();',
    'const t = performance.now();',
    'const t = process.hrtime.bigint();',
    "import { performance } from 'node:perf_hooks';",
    'const n = Math.random();',
    'const id = crypto.randomUUID();',
    'const b = globalThis.crypto.getRandomValues(x);',
    "import { randomUUID } from 'node:crypto';",
    "import { randomBytes as bytes } from 'node:crypto';",
    'setTimeout(act, 5);',
    'const later = setTimeout;',
    'use({ setTimeout });',
    'globalThis.setTimeout(act, 5);',
    'setInterval(act, 5);',
    'setImmediate(act);',
    'const s = AbortSignal.timeout(5);',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    "import { readFile } from 'node:fs/promises';",
    "import { spawn } from 'node:child_process';",
    "const fs = await import('node:fs');",
  ];
  test.each(banned)('core may not: %s', (text) => {
    expect(judge({ 'src/core/a.ts': text })).toEqual([
      expect.stringMatching(/^src\/core\/a\.ts:1: .* is not for here/),
    ]);
  });

  const harmless = [
    'const t = new Date(value);',
    'const t = Date.parse(value);',
    'clock.setTimeout(act, 5);',
    'interface Clock { setTimeout(act: () => void): void; now: typeof Date.now }',
    'const s = "console.log"; // process.stdout, Math.random()',
    "import { createHash } from 'node:crypto';",
    'process.stderr.write(x);',
    'const { now } = ports.clock;',
  ];
  test.each(harmless)('core may: %s', (text) => {
    expect(judge({ 'src/core/a.ts': text })).toEqual([]);
  });

  test('the ports and stdio may; nobody may use console', () => {
    const text = "import { open } from 'node:fs/promises'; setTimeout(act, Date.now() + Math.random());";
    expect(judge({ 'src/app/system-ports/clock.ts': text, 'src/transports/stdio/guard.ts': text })).toEqual([]);
    expect(judge({ 'src/transports/stdio.ts': 'process.stdout.write(x);' })).toEqual([]);
    expect(judge({ 'src/app/system-ports/log.ts': 'process.stdout.write(x);' })).toHaveLength(1);
    expect(judge({ 'src/transports/stdio.ts': 'console.log(x);' })).toHaveLength(1);
    expect(judge({ 'src/transports/memory.ts': 'setTimeout(act, 5);' })).toHaveLength(1);
  });

  test('the client starts processes and loses patience, since it is a host; its clock is no other', () => {
    expect(judge({ 'src/client/spawn.ts': "import { spawn } from 'node:child_process';" })).toEqual([]);
    expect(judge({ 'src/client/call.ts': 'const late = AbortSignal.timeout(5);' })).toEqual([]);
    expect(judge({ 'src/client/call.ts': 'setTimeout(act, 5);' })).toHaveLength(1);
  });
});

describe('size and names', () => {
  test('400 lines are the limit', () => {
    expect(judge({ 'src/core/a.ts': 'x;\n'.repeat(400) })).toEqual([]);
    expect(judge({ 'src/core/a.ts': 'x;\n'.repeat(401) })).toEqual(['src/core/a.ts: has 401 lines, more than 400']);
    expect(judge({ 'src/core/a.ts': `${'x;\n'.repeat(400)}x;` })).toHaveLength(1);
  });

  test.each(['types.ts', 'utils.ts', 'helpers.ts'])('no file is called %s', (name) => {
    expect(judge({ [`src/core/${name}`]: '' })).toEqual([expect.stringContaining('says nothing')]);
  });

  test.each([
    'export default 1;',
    'export default function f() {}',
    'export default class A {}',
    'export { a as default };',
  ])('no default export: %s', (text) => {
    expect(judge({ 'src/core/a.ts': text })).toEqual(['src/core/a.ts:1: default export']);
  });

  test.each([
    'class SessionManager {}',
    'const x = class PathHelper {};',
    'interface StringUtils {}',
    'type ChatService = 1;',
    'class StoreImpl {}',
    'export type ErrorsCommon = 1;',
  ])('no empty name: %s', (text) => {
    expect(judge({ 'src/core/a.ts': text })).toEqual([expect.stringContaining('is a name that says nothing')]);
  });

  test('the words may stand elsewhere in a name', () => {
    expect(judge({ 'src/core/a.ts': 'class ManagerOfNothing {} interface Implied {} type Serviced = 1;' })).toEqual([]);
  });
});
