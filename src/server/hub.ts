// First floor, server: the sessions of this process. One for now; dialects with session ids ask for more.
import type { AgentSession, EventListener, HostUi, SessionHub } from '../contracts/index.ts';

export function createHub(main: AgentSession): SessionHub {
  let ui: HostUi | undefined;
  return {
    main,
    get ui() {
      return ui;
    },
    connect(listener: EventListener, host: HostUi) {
      ui = host;
      const unsubscribe = main.subscribe(listener);
      return () => {
        unsubscribe();
        if (ui === host) ui = undefined;
      };
    },
    settled: () => main.runs.settled(),
    abort: () => main.runs.abort(),
    close: () => main.close(),
  };
}
