// The hall: `parley schema`: what a dialect looks like, for programs. Prints what was generated; makes nothing itself.
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault, messageOf } from '../../base/index.ts';
import type { Files } from '../../contracts/index.ts';
import { dialectNamed, dialectNames, omp } from '../../dialects/index.ts';
import { createSystemPorts } from '../system-ports/index.ts';

const HELP = `Usage: parley schema [--dialect NAME] [--types | --json-schema]

Prints the JSON Schema of a dialect (${dialectNames.join(', ')}): HostFrame is what a host may send, AgentFrame what it gets.
Of a dialect that speaks JSON-RPC it prints the OpenRPC document.

  --dialect NAME   the dialect; ${omp.name} when absent
  --types          TypeScript declarations instead
  --json-schema    the JSON Schema, also where there is an OpenRPC document
`;

const OPTIONS = {
  dialect: { type: 'string' },
  types: { type: 'boolean' },
  'json-schema': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function runSchema(argv: readonly string[]): Promise<string> {
  const { dialect, types, help, 'json-schema': plain } = parse(argv);
  if (help) return HELP;
  const { name, manySessions } = await dialectNamed(dialect ?? omp.name);
  const kind = manySessions && !plain ? 'openrpc.json' : 'json';
  return generated(createSystemPorts({}).files, `${name}.${types ? 'd.ts' : kind}`);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (thrown) {
    throw new Fault('config', `${messageOf(thrown)}\n${HELP}`);
  }
}

/** The folder lies beside the program's own, which may have been started through a link. */
async function generated(files: Files, name: string): Promise<string> {
  const program = await files.resolve(process.argv[1] ?? '');
  for (let folder = dirname(program); ; folder = dirname(folder)) {
    const path = join(folder, 'schema', name);
    if ((await files.info(path))?.kind === 'file') return new TextDecoder().decode(await files.read(path));
    if (folder === dirname(folder))
      throw new Fault('not_found', `No schema/${name} lies beside ${program}. Install anew`);
  }
}
