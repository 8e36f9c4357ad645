// The app's real processes, loaded with the first child: a host that only talks starts none.
import type { Ids, Processes } from '../../contracts/ports.ts';
import { guardForeignCode } from '../../transports/index.ts';

type Real = Processes & { close(): Promise<void> };

export function createLazyProcesses({ ids }: { ids: Ids }): Real {
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
      return real.spawn(request);
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
