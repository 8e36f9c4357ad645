// The app's real processes, loaded with the first child: a host that only talks starts none.
import type { Ids, Processes, SpawnRequest } from '../../contracts/ports.ts';
import { guardForeignCode } from '../../transports/index.ts';

type Real = Processes & { close(): Promise<void> };

export interface LazyProcessesOptions {
  readonly ids: Ids;
  /** Takes the variables that hold keys out of an environment, except those that the child needs. */
  cleaned(env: SpawnRequest['env'], keys: SpawnRequest['keys']): SpawnRequest['env'];
}

export function createLazyProcesses({ ids, cleaned }: LazyProcessesOptions): Real {
  let loading: Promise<Real> | undefined;
  let closed = false;
  const load = () => {
    guardForeignCode();
    loading ??= import('./processes.ts').then(({ createProcesses }) => createProcesses({ ids }));
    return loading;
  };
  return {
    async spawn(request) {
      const real = await load();
      // So that nobody starts a child behind the back of whoever ended them all.
      if (closed) await real.close();
      return real.spawn({ ...request, env: cleaned(request.env, request.keys) });
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
