// Ground floor: a rule that users and projects keep in a file, as hosts are shown it.
import { array, boolean, type InferOutput, object, optional, picklist, string } from 'valibot';

export const rule = object({
  name: string(),
  path: string(),
  content: string(),
  globs: optional(array(string())),
  alwaysApply: optional(boolean()),
  description: optional(string()),
  /** The expression that interrupts an answer in which it is found. */
  ttsrTrigger: optional(string()),
  /** Where it was found. */
  _source: object({
    provider: string(),
    providerName: string(),
    path: string(),
    level: picklist(['user', 'project']),
  }),
});

export type Rule = InferOutput<typeof rule>;
