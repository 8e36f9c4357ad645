// What the client can do, as it reports in `initialize`. Values of a wrong type count as absent, as the protocol says.
import { isRecord } from '../../base/index.ts';

export interface ClientCapabilities {
  readonly readTextFile: boolean;
  readonly writeTextFile: boolean;
  readonly terminal: boolean;
  readonly elicitationForm: boolean;
  readonly elicitationUrl: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  readonly booleanConfigOptions: boolean;
  /** The client can run `parley` in a terminal for a sign-in. */
  readonly terminalSignIn: boolean;
}

export function parseClientCapabilities(value: unknown): ClientCapabilities {
  const { fs, terminal, session, auth, elicitation } = toRecord(value);
  const { readTextFile, writeTextFile } = toRecord(fs);
  const { notices, compaction, configOptions } = toRecord(session);
  const { form, url } = toRecord(elicitation);
  return {
    readTextFile: readTextFile === true,
    writeTextFile: writeTextFile === true,
    terminal: terminal === true,
    elicitationForm: isRecord(form),
    elicitationUrl: isRecord(url),
    notices: isRecord(notices),
    compaction: isRecord(compaction),
    booleanConfigOptions: isRecord(toRecord(configOptions).boolean),
    terminalSignIn: toRecord(auth).terminal === true,
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
