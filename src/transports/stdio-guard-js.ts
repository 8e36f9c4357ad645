// Transports, stdio: where number 1 cannot be made stderr (sockets, plain files), redirects every way JavaScript has to it.
// Native code that writes to number 1 by itself is out of reach here.
//
// From `redirectRoutes` on, the functions also run inside workers, sent there as text: they may use one another and
// globals, nothing else of this file, and give no names to inner arrows (bundlers that keep names would mark those).
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { isRecord } from '../base/index.ts';

type Callable = (...args: unknown[]) => unknown;
type Builtin = Record<string, Callable>;
type Load = (name: string) => unknown;

/** The ways that the program's own parts might take. */
export function redirectOwnCode(): void {
  const toStderr = { configurable: true, enumerable: true, get: () => process.stderr };
  Object.defineProperty(process, 'stdout', toStderr);
  // The global console asks for its stream once; it may have done so already.
  Object.defineProperty(loader()('node:console') as object, '_stdout', toStderr);
  redirectFiles(fs as unknown as Builtin);
  if ('Bun' in globalThis) redirectBun(Reflect.get(globalThis, 'Bun') as Record<string, unknown>);
}

/** The console of Bun writes to number 1 by itself, and Bun has functions of its own beside those of Node. */
function redirectBun(bun: Record<string, unknown>): void {
  const { Console } = loader()('node:console') as { Console: new (...streams: unknown[]) => object };
  const methods = new Console(process.stderr, process.stderr);
  const write = (...texts: string[]) => process.stderr.write(texts.join(''));
  Object.assign(Reflect.get(globalThis, 'console'), methods, { write });
  bun.stdout = bun.stderr;
  divert(bun as Builtin, ['spawn', 'spawnSync'], (args) =>
    withRedirectedStdio(args).map((arg) => {
      const reachesHost = isRecord(arg) && (arg.stdout === 'inherit' || arg.stdout === 1);
      return reachesHost ? { ...arg, stdout: 2 } : arg;
    }),
  );
}

/** The ways that are left: children and workers, which the first reply shall not have to load. */
export function redirectForeignCode(): void {
  redirectOthers(loader());
}

/** Newer versions of Node spare us the making of a `require`, which costs half a millisecond. */
function loader(): Load {
  return process.getBuiltinModule ?? createRequire(import.meta.url);
}

function redirectRoutes(load: Load): void {
  redirectFiles(load('node:fs') as Builtin);
  redirectOthers(load);
}

function redirectOthers(load: Load): void {
  redirectChildren(load('node:child_process') as Builtin);
  redirectWorkers(load('node:worker_threads') as Builtin);
  // Named imports of built-in modules are copies; this renews them.
  (load('node:module') as Builtin).syncBuiltinESMExports?.();
}

function divert(builtin: Builtin, names: readonly string[], change: (args: unknown[]) => unknown[]): void {
  for (const name of names) {
    const original = builtin[name];
    // A proxy keeps what hangs on the function, such as how util.promisify treats it.
    if (original) {
      builtin[name] = new Proxy(original, {
        apply(target, self, args) {
          return Reflect.apply(target, self, change(args));
        },
      });
    }
  }
}

function redirectFiles(files: Builtin): void {
  const writers = ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [name, `${name}Sync`]);
  divert(files, writers, ([fd, ...rest]) => [fd === 1 ? 2 : fd, ...rest]);
  // Closing number 1 would cut the host off, so it is only said to be done.
  for (const name of ['close', 'closeSync']) {
    files[name] = new Proxy(files[name] as Callable, {
      apply(target, self, args) {
        if (args[0] !== 1) return Reflect.apply(target, self, args);
        if (typeof args[1] === 'function') process.nextTick(args[1] as Callable, null);
        return undefined;
      },
    });
  }
}

function redirectChildren(children: Builtin): void {
  divert((children.ChildProcess as Callable).prototype as Builtin, ['spawn'], withRedirectedStdio);
  divert(children, ['spawnSync', 'execSync', 'execFileSync'], withRedirectedStdio);
}

function withRedirectedStdio(args: unknown[]): unknown[] {
  return args.map((arg) => {
    if (typeof arg !== 'object' || arg === null || !('stdio' in arg)) return arg;
    return { ...arg, stdio: redirectedStdio(arg.stdio) };
  });
}

function redirectedStdio(stdio: unknown): unknown {
  if (stdio === 'inherit') return ['inherit', 2, 'inherit'];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((target, i) => {
    const reachesHost = target === 1 || target?.fd === 1 || (target === 'inherit' && i === 1);
    return reachesHost ? 2 : target;
  });
}

function redirectWorkers(threads: Builtin): void {
  threads.Worker = new Proxy(threads.Worker as Callable, {
    construct(target, [script, options], newTarget): object {
      if (options?.eval) return Reflect.construct(target, [guardedScript(String(script)), options], newTarget);
      const guard = ['--import', `data:text/javascript,${encodeURIComponent(guardModule())}`];
      const execArgv = [...(options?.execArgv ?? process.execArgv), ...guard];
      try {
        return Reflect.construct(target, [script, { ...options, execArgv }], newTarget);
      } catch (error) {
        // Some flags of a process are not for workers. Then the guard matters more than the others.
        if (options?.execArgv || (error as { code?: unknown }).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
        return Reflect.construct(target, [script, { ...options, execArgv: guard }], newTarget);
      }
    },
  });
}

function guardSource(): string {
  const routes = [redirectRoutes, redirectOthers, redirectFiles, redirectChildren, redirectWorkers];
  const parts = [divert, withRedirectedStdio, redirectedStdio, guardSource, guardModule, guardedScript];
  return [...routes, ...parts].map(String).join('\n');
}

function guardModule(): string {
  const load = 'createRequire(process.execPath)';
  return `import { createRequire } from 'node:module';\n${guardSource()}\n(${redirectRoutes})(${load});`;
}

/** In some versions of Node a worker that evaluates text preloads nothing, so the guard goes before the text. */
function guardedScript(script: string): string {
  const directive = /^\s*(['"])use strict\1/.test(script) ? `'use strict';` : '';
  const load = `typeof require === 'function' ? require : process.getBuiltinModule`;
  return `${directive}(() => {\n${guardSource()}\n(${redirectRoutes})(${load});\n})();${script}`;
}
