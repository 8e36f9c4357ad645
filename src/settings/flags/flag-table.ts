// All command-line flags, and the types that follow from their declarations.
import { MODEL_FLAGS, PROMPT_AND_TOOL_FLAGS, SESSION_FLAGS } from './agent-flags.ts';
import type { ConvertedValue, Flag, FlagValue } from './flag.ts';
import { ACCEPTED_FLAGS, LIMIT_FLAGS, MODE_FLAGS, PROGRAM_FLAGS } from './program-flags.ts';

/** By the headings of the help text, which does not contain the last group. */
export const FLAG_GROUPS = {
  Mode: MODE_FLAGS,
  Model: MODEL_FLAGS,
  Session: SESSION_FLAGS,
  'Prompt and tools': PROMPT_AND_TOOL_FLAGS,
  Limits: LIMIT_FLAGS,
  Program: PROGRAM_FLAGS,
  accepted: ACCEPTED_FLAGS,
} as const;

export const FLAGS: readonly Flag[] = Object.values(FLAG_GROUPS).flat();

type FlagRow = (typeof FLAG_GROUPS)[keyof typeof FLAG_GROUPS][number];

export type FlagName = FlagRow['name'];

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** The parsed flags: one camelCase field per flag, except aliases. */
export type FlagValues = {
  readonly [F in FlagRow as F extends { aliasOf: string } ? never : CamelCase<F['name']>]?: FlagValue<F> | undefined;
};

/** The agent options that flags set. */
export type FlagOptions = {
  -readonly [F in FlagRow as F extends { option: infer Option extends string } ? Option : never]?:
    | ConvertedValue<F>
    | undefined;
};

/** The settings that flags override. */
export type FlagSettings = {
  readonly [F in FlagRow as F extends { setting: infer Key extends string } ? Key : never]?: ConvertedValue<F>;
};

/** The name of the flag's field in FlagValues. */
export function getFieldName({ name }: Flag): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
