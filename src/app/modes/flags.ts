// The hall: flags that nobody here knows. Only when extensions are loaded is it known which are nobody's.
import { Fault } from '../../base/index.ts';
import type { ExtensionFront } from '../extensions/front.ts';

/** By name: what was given, and what to say when nobody knows it. */
export type UnknownFlags = Readonly<Record<string, { value: string | true; complaint: string }>>;

/** A host is warned; a person must mend the line before anything happens. */
export async function judge(
  extensions: Pick<ExtensionFront, 'unknownFlags' | 'loaded' | 'problems'>,
  { unknown, mode }: { mode: string; unknown: UnknownFlags },
  warn: (line: string) => void,
): Promise<void> {
  await extensions.loaded;
  const complaints = extensions.unknownFlags.flatMap((name) => unknown[name]?.complaint ?? []);
  if (mode === 'rpc') {
    for (const complaint of complaints) warn(`${complaint}; ignored`);
  } else if (complaints[0]) {
    // It may be the flag of one that could not be loaded.
    for (const problem of extensions.problems) warn(problem);
    throw new Fault('config', complaints[0]);
  }
}
