// One operation for each command that can be called over HTTP.
import type { Command } from '../../../src/contracts/index.ts';
import type { Exchange } from '../examples.ts';
import type { Definitions } from '../frames.ts';
import { type JsonSchema, refTo } from '../json-schema.ts';
import { pascalCase } from '../naming.ts';
import { findCommandNeeds } from './command-scope.ts';
import { BODY_FAILURES, examplesOf, failuresOf, type Json, jsonBody, successOf } from './components.ts';

export type ExamplesByCommand = ReadonlyMap<string, readonly Exchange[]>;

export const paramsName = (command: string) => `${pascalCase(command)}Params`;
/** Not `Result`: a frame is called PromptResult. */
export const resultName = (command: string) => `${pascalCase(command)}Data`;

/** The schemas of parameters and results, by the names that operations refer to. */
export function commandSchemas(commands: readonly Command[]): Definitions {
  return Object.fromEntries(
    commands.flatMap(({ name, params, result }) => [
      [paramsName(name), params],
      ...(result ? ([[resultName(name), result]] as const) : []),
    ]),
  );
}

/** Paths and their operations. Commands that need the connection of a host have none. */
export function commandPaths(
  commands: readonly Command[],
  schemas: Readonly<Record<string, JsonSchema>>,
  examples: ExamplesByCommand,
): Record<string, Json> {
  const paths = commands.flatMap((command): [string, Json][] => {
    const { scope, canBeAccepted } = findCommandNeeds(command);
    if (scope === 'connection') return [];
    const isOfSession = scope === 'session';
    const path = `${isOfSession ? '/v1/sessions/{sessionId}' : '/v1'}/commands/${command.name}`;
    const recorded = examples.get(command.name) ?? [];
    return [[path, { post: operationOf(command, { isOfSession, canBeAccepted }, schemas, recorded) }]];
  });
  return Object.fromEntries(paths);
}

function operationOf(
  command: Command,
  { isOfSession, canBeAccepted }: { isOfSession: boolean; canBeAccepted: boolean },
  schemas: Readonly<Record<string, JsonSchema>>,
  recorded: readonly Exchange[],
): Json {
  const { name, doc, lane, access = 'full', stability = 'stable', examples = [] } = command;
  const params = schemas[paramsName(name)];
  const hasParams = Object.keys(params?.properties ?? {}).length > 0;
  const isRequired = (params?.required ?? []).length > 0;
  return {
    operationId: `call${pascalCase(name)}`,
    tags: [isOfSession ? 'Commands of a session' : 'Commands of the server'],
    summary: doc.split(/(?<=[.:;]) /)[0]?.replace(/[.:;]$/, ''),
    description: doc,
    'x-lane': lane,
    'x-access': access,
    'x-stability': stability,
    parameters: [...(isOfSession ? ['SessionId'] : []), ...(canBeAccepted ? ['Wait'] : []), 'ClientName', 'Access'].map(
      (parameter) => ({ $ref: `#/components/parameters/${parameter}` }),
    ),
    ...(hasParams ? { requestBody: jsonBody(refTo(paramsName(name)), examples, isRequired) } : {}),
    responses: {
      200: responseOf(command, canBeAccepted, recorded),
      ...(canBeAccepted ? { 202: acceptedResponse } : {}),
      ...failuresOf(400, 404, ...(isOfSession ? ([409] as const) : []), ...BODY_FAILURES, 422),
    },
  };
}

const acceptedResponse: Json = {
  description: 'The work has started; its progress is sent as events.',
  content: { 'application/json': { schema: refTo('Accepted') } },
};

function responseOf({ name, result }: Command, canBeAccepted: boolean, recorded: readonly Exchange[]): Json {
  const data: JsonSchema = result ? refTo(resultName(name)) : { type: 'null' };
  const outcome: Record<string, JsonSchema> = canBeAccepted ? { outcome: refTo('PromptOutcome') } : {};
  const description = canBeAccepted
    ? 'The work has ended (`wait=settled`), or there was none.'
    : 'The command is done.';
  const response = successOf(data, description, outcome) as { content: { 'application/json': Json } };
  const bodies = recorded.flatMap(({ response: frame }) =>
    frame && !('disposition' in ((frame.data ?? {}) as object)) ? [{ success: true, data: frame.data ?? null }] : [],
  );
  return {
    ...response,
    content: { 'application/json': { ...response.content['application/json'], ...examplesOf(bodies) } },
  };
}
