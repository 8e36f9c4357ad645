// First floor, server: the one session of this process. Dialects with session ids have a hub of their own.
import { deferred, Fault } from '../base/index.ts';
import type { AgentSession, HostUi, Logins, SessionHub } from '../contracts/index.ts';

/** `connected` is called when the first host listens. */
export function createHub(main: AgentSession, connected: () => void = () => {}, logins?: Logins): SessionHub {
  let ui: HostUi | undefined;
  const leaving = deferred();
  return {
    session(id) {
      if (id === undefined || id === main.id) return main;
      throw noSession(id);
    },
    get ui() {
      return ui;
    },
    connect(listener, uiFor) {
      const host = uiFor(main);
      ui = host;
      const unsubscribe = main.subscribe((event) => listener(event, main));
      // Not at once: the greeting comes first.
      queueMicrotask(connected);
      return () => {
        unsubscribe();
        if (ui === host) ui = undefined;
      };
    },
    logins,
    hostGone: () => logins?.giveUp(),
    leave: () => leaving.resolve(),
    leaving: leaving.promise,
    settled: () => main.runs.settled(),
    reportNotRun: (cause) => main.queues.reportNotRun(cause),
    async abort() {
      main.shell.abort();
      await main.runs.abort();
    },
    close: () => main.close(),
  };
}

export function noSession(id: string | undefined): Fault {
  return new Fault('not_found', `Session not found: ${id ?? 'none was named'}`, { details: { session: id } });
}
