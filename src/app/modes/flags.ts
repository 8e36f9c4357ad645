// Flags that the program does not declare. Which of them an extension has registered is known when extensions are loaded.
import { Fault } from '../../base/index.ts';
import type { ExtensionFront } from '../extensions/front.ts';

/** By name: the value given, and the error message for the case that no extension registers the flag. */
export type UnknownFlags = Readonly<Record<string, { value: string | true; complaint: string }>>;

/** The same in every mode: a flag that is ignored may have been meant as a restriction. */
export async function judge(
  extensions: Pick<ExtensionFront, 'unknownFlags' | 'loaded' | 'problems'>,
  unknown: UnknownFlags,
  warn: (line: string) => void,
): Promise<void> {
  await extensions.loaded;
  const [complaint] = extensions.unknownFlags.flatMap((name) => unknown[name]?.complaint ?? []);
  if (complaint === undefined) return;
  // It may be the flag of an extension that could not be loaded.
  for (const problem of extensions.problems) warn(problem);
  throw new Fault('config', complaint);
}
