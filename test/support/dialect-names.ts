// The rule that only the folder of a dialect contains the names of its wire format. Checked for the JSON-RPC dialects, whose names are
// unlike those of the commands. The word opal may not occur either; acp is also a mode of the program and a subcommand.
import { ACP_METHODS } from '../../src/dialects/acp/methods/index.ts';
import { OPAL_METHODS } from '../../src/dialects/opal/methods/index.ts';

/** The dialect as a value of a flag, variables of Opal that users have already set, and the transcripts' own calls. */
const ALLOWED = [
  'src/dialects/index.ts',
  'src/cli/main.ts',
  'src/llm/credentials/copilot-api.ts',
  'src/testing/scenario-agent.ts',
];

/** Names without a slash, such as `logout`, are ordinary words. */
const DIALECTS = [
  { folder: 'src/dialects/opal', names: createPattern([...OPAL_METHODS.keys()], String.raw`\bopal\b|\bOPAL_|`) },
  { folder: 'src/dialects/acp', names: createPattern([...ACP_METHODS.keys()].filter((name) => name.includes('/'))) },
];

function createPattern(methods: readonly string[], words = ''): RegExp {
  return new RegExp(`${words}(?<![\\w./])(${methods.join('|')})(?!\\.?[\\w/])`, 'i');
}

export function findDialectNames(path: string, text: string): string[] {
  if (ALLOWED.includes(path)) return [];
  const own = DIALECTS.find(({ folder }) => path.startsWith(`${folder}/`));
  return text.split('\n').flatMap((line, index) =>
    DIALECTS.flatMap(({ folder, names }) => {
      const found = folder === own?.folder ? undefined : names.exec(line)?.[0];
      // Both dialects have methods such as session/list.
      if (found === undefined || own?.names.test(found)) return [];
      return [`${path}:${index + 1}: "${found}" belongs to ${folder}`];
    }),
  );
}
