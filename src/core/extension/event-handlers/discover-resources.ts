// Events in which extensions provide paths: `resources_discover` and `session_directory`.
import { isRecord } from '../../../base/index.ts';
import type { HandlerRunner } from '../handler-runner.ts';

/** Paths as the extensions returned them, not resolved. */
export interface ExtensionResourcePaths {
  readonly skills: readonly string[];
  readonly templates: readonly string[];
}

/** Theme paths are ignored, because they only matter in a terminal. */
export async function discoverResources(
  runner: HandlerRunner,
  request: { readonly cwd: string; readonly reason: 'startup' | 'reload' },
  /** Needed because a handler timeout pauses during a dialog: an unanswered dialog would block every prompt. */
  withTimeout: (work: Promise<void>) => Promise<void>,
): Promise<ExtensionResourcePaths> {
  const skills: string[] = [];
  const templates: string[] = [];
  const emitted = runner.emit({ type: 'resources_discover', ...request } as { type: string }, (result) => {
    if (!isRecord(result)) return false;
    skills.push(...filterStrings(result.skillPaths));
    templates.push(...filterStrings(result.promptPaths));
    return false;
  });
  await withTimeout(emitted);
  return { skills: [...skills], templates: [...templates] };
}

function filterStrings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The last returned directory wins. There is no session yet, so handlers get no `ctx`. */
export async function resolveSessionDirectory(runner: HandlerRunner, cwd: string): Promise<string | undefined> {
  let sessionDirectory: string | undefined;
  const onResult = (result: unknown) => {
    if (isRecord(result) && typeof result.sessionDir === 'string') sessionDirectory = result.sessionDir;
    return false;
  };
  await runner.emit({ type: 'session_directory', cwd } as { type: string }, onResult, {
    createContext: () => undefined,
  });
  return sessionDirectory;
}
