// `parley models`: lists the models that can be used now, as a table or as JSON.
import { parseArgs } from 'node:util';
import { listModels } from './list-models.ts';
import { parseWithHelp } from './parse-with-help.ts';

const MODELS_HELP = `Usage: parley models [list] [SEARCH...] [--json]   list the models that can be used now

Every word of SEARCH must occur in the provider, the id or the name of a model. \`ls\` and \`find\` mean \`list\`.
\`parley --list-models [SEARCH]\` prints the same table.

  --provider NAME   only the models of this provider
  --models a,b      only the models that match one of these patterns
  --api-key KEY     use this key for the provider of --provider
  --json            print one JSON object: {"models": [...]}

Examples:
  parley models
  parley models sonnet
  parley models list --json
  parley models --provider ollama
`;

const OPTIONS = {
  provider: { type: 'string' },
  models: { type: 'string' },
  'api-key': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const VERBS: readonly (string | undefined)[] = ['list', 'ls', 'find'];

/** Returns the text to print. */
export async function runModels(argv: readonly string[], warn: (line: string) => void): Promise<string> {
  const { values, positionals } = parseWithHelp(MODELS_HELP, () =>
    parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true }),
  );
  if (values.help) return MODELS_HELP;
  const words = VERBS.includes(positionals[0]) ? positionals.slice(1) : positionals;
  const patterns = values.models?.split(',').map((pattern) => pattern.trim());
  const options = { provider: values.provider, apiKey: values['api-key'], models: patterns ?? [], model: undefined };
  return listModels(options, words.join(' '), { warn, json: values.json ?? false });
}
