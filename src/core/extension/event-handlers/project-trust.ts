// The `project_trust` event: an extension of the user decides whether the project is trusted.
import { isRecord } from '../../../base/index.ts';
import type { ExtensionTrustDecision, HostUi } from '../../../contracts/index.ts';
import { createExtensionUi } from '../extension-ui.ts';
import type { HandlerRunner } from '../handler-runner.ts';
import type { HandlerTimeout } from '../handler-timeout.ts';

export interface TrustContextOptions {
  readonly cwd: string;
  readonly mode: string;
  readonly uiTimeoutMs: number | undefined;
  getHost(): HostUi | undefined;
}

/** The first `yes` or `no` counts. The handlers get a context without the session, because the project is not trusted yet. */
export async function emitProjectTrust(
  runner: HandlerRunner,
  options: TrustContextOptions,
): Promise<ExtensionTrustDecision | undefined> {
  let decision: ExtensionTrustDecision | undefined;
  const event = { type: 'project_trust', cwd: options.cwd };
  await runner.emit(
    event,
    (result) => {
      if (!isRecord(result) || (result.trusted !== 'yes' && result.trusted !== 'no')) return false;
      decision = { trusted: result.trusted === 'yes', remember: result.remember === true };
      return true;
    },
    { createContext: (timeout) => createTrustContext(options, timeout) },
  );
  return decision;
}

function createTrustContext({ cwd, mode, uiTimeoutMs, getHost }: TrustContextOptions, handlerTimeout: HandlerTimeout) {
  const ui = createExtensionUi({ getHost, timeoutMs: uiTimeoutMs, handlerTimeout, warnCustomUi: () => {} });
  const { select, confirm, input, notify } = ui;
  return { cwd, mode, hasUI: getHost() !== undefined, ui: { select, confirm, input, notify } };
}
