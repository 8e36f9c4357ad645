// Generates schema/openapi.json: the HTTP API of `parley serve`, from the declarations of commands and events.
import type { Command } from '../../../src/contracts/index.ts';
import { serverEventTypes } from '../../../src/dialects/pi/codec.ts';
import type { DocComments } from '../comments.ts';
import { allCommands, eventFramesOf, ompFrames } from '../frames.ts';
import { type JsonSchema, nameOfRef, refTo } from '../json-schema.ts';
import { describeFrames } from '../schemas.ts';
import { commandPaths, commandSchemas, type ExamplesByCommand } from './command-operations.ts';
import { failureResponses, type Json, ownSchemas, parameters, securitySchemes } from './components.ts';
import { routePaths } from './routes.ts';

export interface OpenApiOptions {
  /** All commands of a server. */
  readonly commands: readonly Command[];
  readonly docComments: ReadonlyMap<string, DocComments>;
  readonly examples: ExamplesByCommand;
}

const DESCRIPTION = `Sessions, commands and events of a running \`parley serve\`. Every command of the protocol is one operation.

A client that also sends frames, or answers questions, can use a WebSocket instead: \`/ws?dialect=omp&session=ID\`.`;

/** What an event stream can contain. */
const streamFrames = { ...ompFrames, ...eventFramesOf([...serverEventTypes]) };

const TAGS = {
  Sessions: 'List, open, copy, close and delete sessions.',
  'Commands of a session': 'Commands are ordered with those of all other clients of the session.',
  'Commands of the server': 'Commands that need no session.',
  Events: 'Follow a session.',
  Dialogs: 'Questions of the agent and of extensions.',
  Files: 'Artifacts and exports.',
  Submissions: 'Prompts that workers run in copies of repositories.',
  Server: 'State of the server itself.',
};

/** The result is deterministic. */
export function buildOpenApi({ commands, docComments, examples }: OpenApiOptions): Json {
  const sorted = commands.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const declared = describeFrames({ ...streamFrames, ...commandSchemas(sorted) }, docComments);
  const schemas = { ...declared, ...ownSchemas, ...streamSchemas(declared) };
  // A command that the server replaces has another result than the recorded one.
  const recorded = new Map([...examples].filter(([name]) => sorted.some((one) => isRecorded(one, name))));
  const paths = { ...routePaths(schemas), ...commandPaths(sorted, schemas, recorded) };
  const usedSchemas = selectUsed(schemas, [paths, failureResponses]);
  return toComponentRefs({
    openapi: '3.1.1',
    info: {
      title: 'Parley',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:7420', description: 'The default address of `parley serve`.' }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: usedSchemas, parameters, responses: failureResponses, securitySchemes },
  });
}

function isRecorded(command: Command, name: string): boolean {
  return command.name === name && allCommands.includes(command);
}

/** Updates of messages have two forms, which `stream` selects. */
function streamSchemas(declared: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const updates = ['MessageUpdateEvent', 'MessageUpdateDeltaEvent'];
  const names = Object.keys(streamFrames).filter((name) => name.endsWith('Event') && !updates.includes(name));
  const types = new Map(names.map((name) => [String(declared[name]?.properties?.type?.const), name]));
  return {
    MessageUpdate: { anyOf: updates.map(refTo) },
    SessionEvent: {
      description: 'An event of a session, with its position.',
      allOf: [
        refTo('EventPosition'),
        {
          oneOf: [...names, 'MessageUpdate'].map(refTo),
          discriminator: {
            propertyName: 'type',
            mapping: Object.fromEntries(
              [...types, ['message_update', 'MessageUpdate'] as const].map(([type, name]) => [type, refTo(name).$ref]),
            ),
          },
        },
      ],
    },
    StreamFrame: {
      description: 'The `data` of a server-sent event.',
      anyOf: ['SessionEvent', 'Ready', 'SessionAttached', 'SessionSnapshot', 'ExtensionUiRequest', 'StreamEnd'].map(
        refTo,
      ),
    },
  };
}

/** The schemas that `users` refer to, directly or through others, sorted by name. */
function selectUsed(
  schemas: Readonly<Record<string, JsonSchema>>,
  users: readonly unknown[],
): Record<string, JsonSchema> {
  const used = new Set(users.flatMap((user) => [...refsIn(user)]));
  for (const name of used) for (const ref of refsIn(schemas[name])) used.add(ref);
  return Object.fromEntries([...used].sort().map((name) => [name, schemas[name] ?? missing(name)]));
}

function missing(name: string): never {
  throw new Error(`The OpenAPI document refers to ${name}, which is not declared`);
}

const SCHEMA_REF = '#/definitions/';

function* refsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.startsWith(SCHEMA_REF)) yield nameOfRef(value);
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) yield* refsIn(member);
}

function toComponentRefs<T>(value: T): T {
  if (typeof value === 'string') return value.replace(/^#\/definitions\//, '#/components/schemas/') as T;
  if (Array.isArray(value)) return value.map(toComponentRefs) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toComponentRefs(member)])) as T;
}
