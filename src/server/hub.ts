// First floor, server: the sessions of this process. One for now; dialects with session ids ask for more.
import { deferred } from '../base/index.ts';
import type { AgentSession, EventListener, HostUi, SessionHub } from '../contracts/index.ts';

/** `connected` is called when the first host listens. */
export function createHub(main: AgentSession, connected: () => void = () => {}): SessionHub {
  let ui: HostUi | undefined;
  const leaving = deferred();
  return {
    main,
    get ui() {
      return ui;
    },
    connect(listener: EventListener, host: HostUi) {
      ui = host;
      const unsubscribe = main.subscribe(listener);
      // Not at once: the greeting comes first.
      queueMicrotask(connected);
      return () => {
        unsubscribe();
        if (ui === host) ui = undefined;
      };
    },
    leave: () => leaving.resolve(),
    leaving: leaving.promise,
    settled: () => main.runs.settled(),
    abort: () => main.runs.abort(),
    close: () => main.close(),
  };
}
