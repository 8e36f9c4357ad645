// The rule that only the folder of a dialect contains the names of its wire format. Checked for opal, whose names are unlike all others.
import { OPAL_METHODS } from '../../src/dialects/opal/methods/index.ts';

/** The dialect as a value of a flag, variables of Opal that users have already set, and the transcripts' own calls. */
const ALLOWED = [
  'src/dialects/index.ts',
  'src/cli/main.ts',
  'src/llm/credentials/copilot-api.ts',
  'src/testing/scenario-agent.ts',
];

const NAMES = new RegExp(`\\bopal\\b|\\bOPAL_|(?<![\\w./])(${[...OPAL_METHODS.keys()].join('|')})(?!\\.?[\\w/])`, 'i');

export function findDialectNames(path: string, text: string): string[] {
  if (path.startsWith('src/dialects/opal/') || ALLOWED.includes(path)) return [];
  return text.split('\n').flatMap((line, index) => {
    const found = NAMES.exec(line)?.[0];
    return found === undefined ? [] : [`${path}:${index + 1}: "${found}" belongs to src/dialects/opal`];
  });
}
