// Redirects JavaScript writes to descriptor 1 to stderr, where the descriptor itself cannot be redirected (sockets, plain files).
// Native code that writes to descriptor 1 directly is not redirected.
//
// The functions from `redirectAll` on also run inside workers, to which they are sent as source text. They may use one another
// and globals, but nothing else of this file. Inner arrow functions must have no names: bundlers with keepNames would wrap them.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { isRecord } from '../base/index.ts';

type Callable = (...args: unknown[]) => unknown;
type Builtin = Record<string, Callable>;
type LoadBuiltin = (name: string) => unknown;

/** Redirects the writes of Parley's own code. */
export function redirectOwnCode(): void {
  const toStderr = { configurable: true, enumerable: true, get: () => process.stderr };
  Object.defineProperty(process, 'stdout', toStderr);
  // The global console reads `process.stdout` once, and may have done so already.
  Object.defineProperty(getBuiltinLoader()('node:console') as object, '_stdout', toStderr);
  redirectFiles(fs as unknown as Builtin);
  if ('Bun' in globalThis) redirectBun(Reflect.get(globalThis, 'Bun') as Record<string, unknown>);
}

/** Bun's console writes to descriptor 1 directly, and Bun has its own spawn functions. */
function redirectBun(bun: Record<string, unknown>): void {
  const { Console } = getBuiltinLoader()('node:console') as { Console: new (...streams: unknown[]) => object };
  const methods = new Console(process.stderr, process.stderr);
  const write = (...texts: string[]) => process.stderr.write(texts.join(''));
  Object.assign(Reflect.get(globalThis, 'console'), methods, { write });
  bun.stdout = bun.stderr;
  wrapArguments(bun as Builtin, ['spawn', 'spawnSync'], (args) =>
    redirectStdioArguments(args).map((arg) => {
      const reachesHost = isRecord(arg) && (arg.stdout === 'inherit' || arg.stdout === 1);
      return reachesHost ? { ...arg, stdout: 2 } : arg;
    }),
  );
}

/** Redirects child processes and workers. Separate, so that the first reply does not load these modules. */
export function redirectForeignCode(): void {
  redirectChildrenAndWorkers(getBuiltinLoader());
}

/** `createRequire` takes half a millisecond; newer versions of Node do not need it. */
function getBuiltinLoader(): LoadBuiltin {
  return process.getBuiltinModule ?? createRequire(import.meta.url);
}

function redirectAll(loadBuiltin: LoadBuiltin): void {
  redirectFiles(loadBuiltin('node:fs') as Builtin);
  redirectChildrenAndWorkers(loadBuiltin);
}

function redirectChildrenAndWorkers(loadBuiltin: LoadBuiltin): void {
  redirectChildren(loadBuiltin('node:child_process') as Builtin);
  redirectWorkers(loadBuiltin('node:worker_threads') as Builtin);
  // Named ESM imports of built-in modules are copies; this updates them.
  (loadBuiltin('node:module') as Builtin).syncBuiltinESMExports?.();
}

function wrapArguments(builtin: Builtin, names: readonly string[], change: (args: unknown[]) => unknown[]): void {
  for (const name of names) {
    const original = builtin[name];
    // A proxy keeps the properties of the function, such as the custom symbol of util.promisify.
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
  const writeFunctions = ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [name, `${name}Sync`]);
  wrapArguments(files, writeFunctions, ([fd, ...rest]) => [fd === 1 ? 2 : fd, ...rest]);
  // Closing descriptor 1 would disconnect the host, so the call succeeds without doing anything.
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
  wrapArguments((children.ChildProcess as Callable).prototype as Builtin, ['spawn'], redirectStdioArguments);
  wrapArguments(children, ['spawnSync', 'execSync', 'execFileSync'], redirectStdioArguments);
}

function redirectStdioArguments(args: unknown[]): unknown[] {
  return args.map((arg) => {
    if (typeof arg !== 'object' || arg === null || !('stdio' in arg)) return arg;
    return { ...arg, stdio: redirectStdio(arg.stdio) };
  });
}

function redirectStdio(stdio: unknown): unknown {
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
      if (options?.eval) return Reflect.construct(target, [prependGuard(String(script)), options], newTarget);
      const guard = ['--import', `data:text/javascript,${encodeURIComponent(buildGuardModule())}`];
      const execArgv = [...(options?.execArgv ?? process.execArgv), ...guard];
      try {
        return Reflect.construct(target, [script, { ...options, execArgv }], newTarget);
      } catch (error) {
        // Some process flags are not allowed for workers. Then only the guard is passed.
        if (options?.execArgv || (error as { code?: unknown }).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
        return Reflect.construct(target, [script, { ...options, execArgv: guard }], newTarget);
      }
    },
  });
}

function buildGuardSource(): string {
  const redirects = [redirectAll, redirectChildrenAndWorkers, redirectFiles, redirectChildren, redirectWorkers];
  const helpers = [
    wrapArguments,
    redirectStdioArguments,
    redirectStdio,
    buildGuardSource,
    buildGuardModule,
    prependGuard,
  ];
  return [...redirects, ...helpers].map(String).join('\n');
}

function buildGuardModule(): string {
  const load = 'createRequire(process.execPath)';
  return `import { createRequire } from 'node:module';\n${buildGuardSource()}\n(${redirectAll})(${load});`;
}

/** In some versions of Node a worker with `eval` ignores --import, so the guard is put before the script. */
function prependGuard(script: string): string {
  const directive = /^\s*(['"])use strict\1/.test(script) ? `'use strict';` : '';
  const load = `typeof require === 'function' ? require : process.getBuiltinModule`;
  return `${directive}(() => {\n${buildGuardSource()}\n(${redirectAll})(${load});\n})();${script}`;
}
