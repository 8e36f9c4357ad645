// Generates all documents and schemas as a map from path to content. Writes no files.
import { join } from 'node:path';
import { commandsByName } from '../../src/commands/index.ts';
import { addMultiSessionCommands } from '../../src/commands/multi-session/index.ts';
import { replaceSessionCommands } from '../../src/commands/shared-session/index.ts';
import type { Command } from '../../src/contracts/index.ts';
import { architecturePicture } from './architecture-picture.ts';
import { commandPage } from './command-page.ts';
import { readDocComments } from './comments.ts';
import { declarationsOf } from './declarations.ts';
import { dialectPage } from './dialect-page.ts';
import { eventPage } from './event-page.ts';
import { commandExamples, eventExamples } from './examples.ts';
import { flagsPage } from './flags-page.ts';
import { indexPage } from './index-page.ts';
import { type JsonSchema, protocolTypes, toDefinitions } from './json-schema.ts';
import { lazyCommandsFile } from './lazy-commands.ts';
import { buildOpenApi } from './openapi/openapi.ts';
import { openRpc } from './openrpc.ts';
import { providersPage } from './providers-page.ts';
import { pythonCommands } from './python-commands.ts';
import { pythonTypes } from './python-types.ts';
import { entrySchema, wireDefinitions, wireSchemas } from './schemas.ts';
import { settingsPage, settingsSchema } from './settings-page.ts';
import { stabilityPage } from './stability-page.ts';
import { toolPage } from './tool-page.ts';
import { typePage } from './type-page.ts';

/** Paths are relative to the root of the project. The result is deterministic. */
export async function generate(root: string): Promise<ReadonlyMap<string, string>> {
  const docComments = await readDocComments(join(root, 'src/protocol'));
  const types = toDefinitions(protocolTypes, docComments);
  const wire = wireDefinitions(docComments);
  const wires = wireSchemas(docComments);
  const examples = await commandExamples();
  return new Map([
    ['docs/architecture.svg', await architecturePicture(root)],
    ['src/commands/lazy-commands.ts', lazyCommandsFile()],
    ['docs/protocol/README.md', indexPage(examples)],
    ['docs/stability.md', stabilityPage()],
    ['docs/providers.md', providersPage()],
    ['docs/protocol/commands.md', commandPage(wire, examples)],
    ['docs/protocol/events.md', eventPage(wire, await eventExamples())],
    ['docs/protocol/types.md', typePage(types)],
    ['docs/protocol/tools.md', toolPage()],
    ['docs/protocol/settings.md', settingsPage()],
    ['docs/protocol/flags.md', flagsPage()],
    ['docs/protocol/dialects.md', dialectPage(wires)],
    ...[...wires].flatMap(([name, schema]): [string, string][] => [
      [`schema/${name}.json`, toText(schema)],
      [`schema/${name}.d.ts`, declarationsOf(schema)],
    ]),
    ['schema/opal.openrpc.json', toText(openRpc())],
    ['schema/openapi.json', toText(buildOpenApi({ commands: serverCommands(), docComments, examples }))],
    ['schema/settings.json', toText(settingsSchema())],
    ['schema/session-entry.json', toText(entrySchema(types))],
    ['clients/python/parley_agent/protocol.py', pythonTypes(wire, types)],
    ['clients/python/parley_agent/_commands.py', pythonCommands(wire, 'sync')],
    ['clients/python/parley_agent/_async_commands.py', pythonCommands(wire, 'async')],
  ]);
}

/** The commands of `parley serve`. */
function serverCommands(): Command[] {
  return [...replaceSessionCommands(addMultiSessionCommands(commandsByName)).values()];
}

function toText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
