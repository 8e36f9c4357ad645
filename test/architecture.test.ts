// The architecture rules: each rule is shown to find a planted violation, and the real files have none.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findViolations } from './support/architecture.ts';

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

function check(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files)));
}

test('src has no violation', () => {
  const files = sources();
  expect(files.size).toBeGreaterThan(20);
  expect(findViolations(files)).toEqual([]);
});

describe('imports between modules', () => {
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
    expect(check({ [path]: text })).toEqual([]);
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
    ['for its effect', 'src/llm/a.ts', "import '../app/create-agent.ts';", 'llm may not import app'],
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
    ['app into cli', 'src/app/a.ts', "import { x } from '../cli/help.ts';", 'app may not import cli'],
    ['app into testing', 'src/app/a.ts', "import { x } from '../testing/index.ts';", 'app may not import testing'],
    ['cli into protocol', 'src/cli/a.ts', "import { x } from '../protocol/index.ts';", 'cli may not import protocol'],
    ['testing into cli', 'src/testing/a.ts', "import { x } from '../cli/args.ts';", 'testing may not import cli'],
    ['out of src', 'src/app/a.ts', "import x from '../../package.json' with { type: 'json' };", 'outside src'],
    ['its own package by name', 'src/core/a.ts', "import { x } from 'parley-agent/client';", 'its own package'],
    ['trust into app', 'src/trust/a.ts', "import { x } from '../app/sdk.ts';", 'trust may not import app'],
    [
      'settings into trust',
      'src/settings/a.ts',
      "import { x } from '../trust/index.ts';",
      'settings may not import trust',
    ],
    ['an unknown folder', 'src/misc/a.ts', '', 'there is no module misc'],
    ['no folder', 'src/a.ts', '', 'there is no module'],
  ] as const;
  test.each(refused)('refuses %s', (_name, path, text, sentence) => {
    expect(check({ [path]: text })).toEqual([expect.stringContaining(sentence)]);
    expect(check({ [path]: text })[0]).toMatch(new RegExp(`^${path}`));
  });

  test('core, llm, settings, trust and extensions are imported through their index, or lazily', () => {
    const deep = "import { x } from '../llm/models.ts';";
    expect(check({ 'src/app/a.ts': deep })).toEqual([
      'src/app/a.ts:1: imports src/llm/models.ts; import it from the index of llm',
    ]);
    expect(check({ 'src/app/a.ts': "import type { X } from '../core/session/create-session.ts';" })).toHaveLength(1);
    expect(check({ 'src/app/a.ts': "const x = () => import('../llm/models.ts');" })).toEqual([]);
    expect(check({ 'src/app/a.ts': "import { x } from '../llm/cost.ts';" })).toEqual([]);
    expect(check({ 'src/app/a.ts': "import { x } from '../core/extension/index.ts';" })).toEqual([]);
    expect(check({ 'src/llm/a.ts': "import { x } from './cost.ts';" })).toEqual([]);
  });

  test('comments and strings are not imports', () => {
    const text = "// import { x } from '../llm/a.ts'\nconst s = \"import('../llm/a.ts')\";";
    expect(check({ 'src/core/a.ts': text })).toEqual([]);
  });
});

describe('cycles', () => {
  test('two files that import one another are reported once', () => {
    const files = { 'src/core/b.ts': "import './a.ts';", 'src/core/a.ts': "import './b.ts';" };
    expect(check(files)).toEqual([expect.stringContaining('src/core/a.ts → src/core/b.ts → src/core/a.ts')]);
  });

  test('longer cycles, through types, re-exports and import(), are found', () => {
    const files = {
      'src/core/a.ts': "import type { B } from './b.ts';",
      'src/core/b.ts': "export * from './deep/c.ts';",
      'src/core/deep/c.ts': "const later = () => import('../a.ts');",
    };
    expect(check(files)).toEqual([expect.stringContaining('in a cycle')]);
  });

  test('a file that imports itself is a cycle; a diamond is not', () => {
    expect(check({ 'src/core/a.ts': "import './a.ts';" })).toEqual([expect.stringContaining('in a cycle')]);
    const diamond = {
      'src/core/a.ts': "import './b.ts'; import './c.ts';",
      'src/core/b.ts': "import './d.ts';",
      'src/core/c.ts': "import './d.ts';",
      'src/core/d.ts': '',
    };
    expect(check(diamond)).toEqual([]);
  });
});

describe('cycles between folders', () => {
  test('two folders of one module that import one another are found', () => {
    const files = {
      'src/core/session/a.ts': "import '../agent/b.ts';",
      'src/core/agent/b.ts': '',
      'src/core/agent/c.ts': "import type { D } from '../session/d.ts';",
      'src/core/session/d.ts': '',
    };
    expect(check(files)).toEqual([
      'src/core/agent → src/core/session → src/core/agent: folders import one another in a cycle',
    ]);
  });

  test('a folder and the folders inside it may import one another', () => {
    const files = {
      'src/llm/index.ts': "import './http/a.ts';",
      'src/llm/http/a.ts': "import '../cost.ts';",
      'src/llm/cost.ts': '',
    };
    expect(check(files)).toEqual([]);
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
    'const key = process.env.KEY;',
    "const key = process['env'].KEY;",
    'const { env } = process;',
    'process.exit(1);',
    'await fetch(url);',
    'await globalThis.fetch(url);',
    'const { fetch } = globalThis;',
    'const socket = new WebSocket(url);',
    "import { request } from 'node:https';",
    "const net = await import('node:net');",
    "import { Agent } from 'undici';",
  ];
  test.each(banned)('core may not: %s', (text) => {
    expect(check({ 'src/core/a.ts': text })).toEqual([
      expect.stringMatching(/^src\/core\/a\.ts:1: .* is not allowed here/),
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
    'const ask = ({ fetch }: Ports) => fetch(url);',
    'ports.fetch(url);',
    'const { env } = options;',
  ];
  test.each(harmless)('core may: %s', (text) => {
    expect(check({ 'src/core/a.ts': text })).toEqual([]);
  });

  test('the ports and stdio may; console is never allowed', () => {
    const text = "import { open } from 'node:fs/promises'; setTimeout(act, Date.now() + Math.random());";
    expect(check({ 'src/app/system-ports/clock.ts': text, 'src/transports/stdio-guard.ts': text })).toEqual([]);
    expect(check({ 'src/transports/stdio-transport.ts': 'process.stdout.write(x);' })).toEqual([]);
    expect(check({ 'src/app/system-ports/diagnostic-log.ts': 'process.stdout.write(x);' })).toHaveLength(1);
    expect(check({ 'src/transports/stdio-transport.ts': 'console.log(x);' })).toHaveLength(1);
    expect(check({ 'src/transports/memory-transport.ts': 'setTimeout(act, 5);' })).toHaveLength(1);
    expect(check({ 'src/transports/stdio-transport-copy.ts': 'process.stdout.write(x);' })).toHaveLength(1);
    expect(check({ 'src/client/transport.ts': 'const { env } = process;' })).toHaveLength(1);
  });

  test('the client may start processes and use AbortSignal.timeout, because it is a host; timers are not allowed', () => {
    expect(check({ 'src/client/spawn-agent.ts': "import { spawn } from 'node:child_process';" })).toEqual([]);
    expect(check({ 'src/client/call-types.ts': 'const late = AbortSignal.timeout(5);' })).toEqual([]);
    expect(check({ 'src/client/call-types.ts': 'setTimeout(act, 5);' })).toHaveLength(1);
  });
});

describe('size and names', () => {
  test('400 lines are the limit', () => {
    expect(check({ 'src/core/a.ts': 'x;\n'.repeat(400) })).toEqual([]);
    expect(check({ 'src/core/a.ts': 'x;\n'.repeat(401) })).toEqual(['src/core/a.ts: has 401 lines, more than 400']);
    expect(check({ 'src/core/a.ts': `${'x;\n'.repeat(400)}x;` })).toHaveLength(1);
  });

  test.each([
    ['function f() {', '}'],
    ['const f = () => {', '};'],
    ['class A {\nm() {', '}\n}'],
    ['const o = { m() {', '} };'],
  ])('60 lines are the limit of a function: %s', (start, end) => {
    const nestedLines = start.split('\n').length - 1;
    const text = (lines: number) => `${start}\n${'x;\n'.repeat(lines - 2)}${end}`;
    expect(check({ 'src/core/a.ts': text(60) })).toEqual([]);
    const found = `src/core/a.ts:${1 + nestedLines}: the function has 61 lines, more than 60`;
    expect(check({ 'src/core/a.ts': text(61) })).toEqual([found]);
  });

  test.each(['types.ts', 'utils.ts', 'helpers.ts'])('no file is called %s', (name) => {
    expect(check({ [`src/core/${name}`]: '' })).toEqual([expect.stringContaining('says nothing')]);
  });

  test.each([
    'export default 1;',
    'export default function f() {}',
    'export default class A {}',
    'export { a as default };',
  ])('no default export: %s', (text) => {
    expect(check({ 'src/core/a.ts': text })).toEqual(['src/core/a.ts:1: default export']);
  });

  test.each([
    'class SessionManager {}',
    'const x = class PathHelper {};',
    'interface StringUtils {}',
    'type ChatService = 1;',
    'class StoreImpl {}',
    'export type ErrorsCommon = 1;',
  ])('no empty name: %s', (text) => {
    expect(check({ 'src/core/a.ts': text })).toEqual([expect.stringContaining('is a name that says nothing')]);
  });

  test('the words may be part of a longer name', () => {
    expect(check({ 'src/core/a.ts': 'class ManagerOfNothing {} interface Implied {} type Serviced = 1;' })).toEqual([]);
  });
});

describe('names of a dialect', () => {
  test.each([
    ['src/commands/a.ts', '// In the format of Opal.', '"Opal"'],
    ['src/core/a.ts', "throw new Error('List them with models/list.');", '"models/list"'],
    ['src/app/a.ts', "const method = 'auth/set_key';", '"auth/set_key"'],
  ])('%s may not contain: %s', (path, text, found) => {
    expect(check({ [path]: text })).toEqual([`${path}:1: ${found} belongs to src/dialects/opal`]);
  });

  test.each([
    ['src/dialects/opal/a.ts', "const method = 'models/list';"],
    ['src/core/a.ts', "import { x } from '../models/list.ts';"],
    ['src/core/a.ts', '// An opaque value.'],
  ])('%s may contain: %s', (path, text) => {
    expect(check({ [path]: text }).filter((sentence) => sentence.includes('belongs to'))).toEqual([]);
  });
});
