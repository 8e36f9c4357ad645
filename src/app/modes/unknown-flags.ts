// Checks the flags that the program does not declare. Extensions may register them, which is known when extensions are loaded.
import { Fault } from '../../base/index.ts';
import type { ExtensionHost } from '../../extensions/index.ts';

interface UnknownFlag {
  /** The following argument, unless that is a flag too. */
  readonly value: string | true;
  /** The error to report if no extension registers the flag. */
  readonly errorMessage: string;
}

/** By name. */
export type UnknownFlags = Readonly<Record<string, UnknownFlag>>;

/** Refuses unknown flags in every mode: a flag that is ignored may have been meant as a restriction. */
export async function checkUnknownFlags(
  extensions: Pick<ExtensionHost, 'unknownFlags' | 'loaded' | 'problems'>,
  unknown: UnknownFlags,
  warn: (line: string) => void,
): Promise<void> {
  await extensions.loaded;
  const [errorMessage] = extensions.unknownFlags.flatMap((name) => unknown[name]?.errorMessage ?? []);
  if (errorMessage === undefined) return;
  // It may be the flag of an extension that could not be loaded.
  for (const problem of extensions.problems) warn(problem);
  throw new Fault('config', errorMessage);
}
