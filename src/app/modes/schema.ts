// `parley schema`: prints the generated schema of a dialect, or the OpenAPI document of the server.
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { dialectNames, loadDialect, omp } from '../../dialects/index.ts';
import { createSystemPorts } from '../system-ports/index.ts';
import { parseWithHelp } from './parse-with-help.ts';

const SCHEMA_HELP = `Usage: parley schema [--dialect NAME] [--types | --json-schema]
       parley schema --openapi

Prints the JSON Schema of a dialect (${dialectNames.join(', ')}): HostFrame describes what a host sends, AgentFrame what it receives.
For a JSON-RPC dialect of Parley it prints the OpenRPC document. The schema of acp is published by its own project.

  --dialect NAME   the dialect; ${omp.name} when absent
  --types          TypeScript declarations instead
  --json-schema    the JSON Schema, even if there is an OpenRPC document
  --openapi        the OpenAPI 3.1 document of parley serve instead

Examples:
  parley schema
  parley schema --dialect pi --types
  parley schema --openapi
`;

const OPTIONS = {
  dialect: { type: 'string' },
  types: { type: 'boolean' },
  'json-schema': { type: 'boolean' },
  openapi: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function runSchema(argv: readonly string[]): Promise<string> {
  const { dialect, types, help, openapi, 'json-schema': jsonSchema } = parse(argv);
  if (help) return SCHEMA_HELP;
  if (openapi) {
    if (dialect ?? types ?? jsonSchema)
      throw new Fault(
        'config',
        `--openapi cannot be combined with other flags: the server has one API\n\n${SCHEMA_HELP}`,
      );
    return readOpenApiText(createSystemPorts({}).files);
  }
  const { name, isMultiSession, publishedSchema } = await loadDialect(dialect ?? omp.name);
  if (publishedSchema)
    throw new Fault(
      'refused',
      `The ${name} dialect has a public schema, which Parley does not repeat: ${publishedSchema}.`,
    );
  const kind = isMultiSession && !jsonSchema ? 'openrpc.json' : 'json';
  return readGeneratedSchema(createSystemPorts({}).files, `${name}.${types ? 'd.ts' : kind}`);
}

/** The schema of a dialect as data, for `get_schema`. */
export async function readDialectSchema(
  dialect: string,
  files: Files,
): Promise<{ dialect: string; schema: Record<string, unknown> }> {
  return { dialect, schema: JSON.parse(await readGeneratedSchema(files, `${dialect}.json`)) };
}

/** The OpenAPI document of the server. */
export function readOpenApiText(files: Files): Promise<string> {
  return readGeneratedSchema(files, 'openapi.json');
}

function parse(argv: readonly string[]) {
  return parseWithHelp(SCHEMA_HELP, () => parseArgs({ args: [...argv], options: OPTIONS }).values);
}

/** Searches the folder `schema` next to the program and above. Resolves links, because the program may be started through one. */
async function readGeneratedSchema(files: Files, name: string): Promise<string> {
  const program = await files.realPath(process.argv[1] ?? '');
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    const path = join(folder, 'schema', name);
    if ((await files.info(path))?.kind === 'file') return new TextDecoder().decode(await files.read(path));
    if (folder === dirname(folder))
      throw new Fault('not_found', `schema/${name} was not found next to ${program}. Reinstall Parley.`);
  }
}
