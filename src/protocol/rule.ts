// Schema of a rule file as it is sent to hosts.
import { array, boolean, type InferOutput, object, optional, picklist, string } from 'valibot';

export const rule = object({
  name: string(),
  path: string(),
  content: string(),
  globs: optional(array(string())),
  alwaysApply: optional(boolean()),
  description: optional(string()),
  /** Regular expression; when the output of the model matches it, the request is aborted. */
  ttsrTrigger: optional(string()),
  /** The file that the rule was loaded from. */
  _source: object({
    provider: string(),
    providerName: string(),
    path: string(),
    level: picklist(['user', 'project']),
  }),
});

export type Rule = InferOutput<typeof rule>;
