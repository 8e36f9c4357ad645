// The state of the run that is in progress.
import { createDeferred } from '../../base/index.ts';

export interface ActiveRun {
  readonly controller: AbortController;
  /** Replaces the system prompt of the session during this run. */
  systemPrompt?: string | undefined;
  /** The last agent_end is sent, or about to be: the host may prompt again. Only compaction and a check of the queues remain. */
  isEnding: boolean;
  /** Resolves when a prompt waits for the end of this run. */
  readonly whenPromptWaits: Promise<void>;
  announceWaitingPrompt(): void;
  /** Resolves after the run's last event. */
  readonly whenEnded: Promise<void>;
  resolveEnded(): void;
}

export function createActiveRun(): ActiveRun {
  const end = createDeferred();
  const promptWaits = createDeferred();
  return {
    controller: new AbortController(),
    isEnding: false,
    whenPromptWaits: promptWaits.promise,
    announceWaitingPrompt: promptWaits.resolve,
    whenEnded: end.promise,
    resolveEnded: end.resolve,
  };
}
