// The hub for dialects with a single session. See multi-session-hub.ts for the others.
import { createDeferred, Fault } from '../base/index.ts';
import type { AgentSession, HostUi, ProviderAuth, SessionHub } from '../contracts/index.ts';

/** `onConnected` is called after a host has connected. `onExitRequested` replaces the end of the process. */
export function createSessionHub(
  main: AgentSession,
  onConnected: () => void = () => {},
  auth?: ProviderAuth | undefined,
  onExitRequested?: ((session: AgentSession) => void) | undefined,
): SessionHub {
  let ui: HostUi | undefined;
  const exitRequested = createDeferred();
  return {
    getSession(id) {
      if (id === undefined || id === main.id) return main;
      throw createSessionNotFoundFault(id);
    },
    get ui() {
      return ui;
    },
    connect(listener, createUi) {
      const host = createUi(main);
      ui = host;
      const unsubscribe = main.subscribe((event) => listener(event, main));
      // Delayed, so that the ready frame is sent first.
      queueMicrotask(onConnected);
      return () => {
        unsubscribe();
        if (ui === host) ui = undefined;
      };
    },
    auth,
    listModels: () => main.models.listAvailable(),
    handleHostClosed: () => auth?.cancelPending(),
    requestExit: () => (onExitRequested ? onExitRequested(main) : exitRequested.resolve()),
    exitRequested: exitRequested.promise,
    async waitUntilSettled() {
      await main.runs.waitUntilSettled();
      await main.subagents.waitUntilIdle();
    },
    reportNotRun: (cause) => main.queues.reportNotRun(cause),
    async abort() {
      main.shell.abort();
      await main.runs.abort();
      await main.subagents.stopStarted();
    },
    close: () => main.close(),
  };
}

export function createSessionNotFoundFault(id: string | undefined): Fault {
  return new Fault('not_found', `Session not found: ${id ?? 'no session id was given'}`, { details: { session: id } });
}
