// First floor, core: where things lie, as extensions may add to it: resources of their own, and where sessions are kept.
import { isRecord } from '../../../base/index.ts';
import type { HandlerRunner } from '../runner.ts';

/** As the extensions wrote them. */
export interface ResourcePaths {
  readonly skills: readonly string[];
  readonly templates: readonly string[];
}

/** Themes are of use only where there is a terminal. */
export async function discoverResources(
  runner: HandlerRunner,
  about: { readonly cwd: string; readonly reason: 'startup' | 'reload' },
  /** One that asks a person who does not answer must not hold every prompt. */
  patiently: (work: Promise<void>) => Promise<void>,
): Promise<ResourcePaths> {
  const skills: string[] = [];
  const templates: string[] = [];
  const asked = runner.emit({ type: 'resources_discover', ...about } as { type: string }, (result) => {
    if (!isRecord(result)) return false;
    skills.push(...textsIn(result.skillPaths));
    templates.push(...textsIn(result.promptPaths));
    return false;
  });
  await patiently(asked);
  return { skills: [...skills], templates: [...templates] };
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** The last to name one has it. There is no session yet, so handlers get no ctx. */
export async function sessionDirectory(runner: HandlerRunner, cwd: string): Promise<string | undefined> {
  let chosen: string | undefined;
  const heard = (result: unknown) => {
    if (isRecord(result) && typeof result.sessionDir === 'string') chosen = result.sessionDir;
    return false;
  };
  await runner.emit({ type: 'session_directory', cwd } as { type: string }, heard, { alone: true });
  return chosen;
}
