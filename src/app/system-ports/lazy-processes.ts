// Loads the Processes port with the first child process. Many sessions start none.
import type { IdGenerator, Processes, SpawnRequest } from '../../contracts/ports.ts';
import { guardForeignCode } from '../../transports/index.ts';

type ClosableProcesses = Processes & { close(): Promise<void> };

export interface LazyProcessesOptions {
  readonly ids: IdGenerator;
  /** Removes variables that hold keys from an environment, except those that the child needs. */
  cleanEnv(env: SpawnRequest['env'], keys: SpawnRequest['allowedKeyVariables']): SpawnRequest['env'];
}

export function createLazyProcesses({ ids, cleanEnv }: LazyProcessesOptions): ClosableProcesses {
  let loading: Promise<ClosableProcesses> | undefined;
  let closed = false;
  const load = () => {
    guardForeignCode();
    loading ??= import('./processes.ts').then(({ createProcesses }) => createProcesses({ ids }));
    return loading;
  };
  return {
    async spawn(request) {
      const processes = await load();
      // Makes spawn() fail if close() was called while the module was loading.
      if (closed) await processes.close();
      if (request.shouldKeepKeys) return processes.spawn(request);
      return processes.spawn({ ...request, env: cleanEnv(request.env, request.allowedKeyVariables) });
    },
    async killAll() {
      await (await loading)?.killAll();
    },
    async close() {
      closed = true;
      await (await loading)?.close();
    },
  };
}
