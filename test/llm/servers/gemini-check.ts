// Checks requests like Gemini and throws its error messages.
import { type IssuedSignatures, signedContent, type WirePart } from './gemini-frames.ts';
import { assertKnownKeys, type Fields, getList, Refusal } from './loopback.ts';

export function geminiError(code: number, message: string, status = 'INVALID_ARGUMENT', details?: object[]): string {
  return JSON.stringify({ error: { code, message, status, ...(details ? { details } : {}) } }, null, 2);
}

function invalid(message: string): Refusal {
  return new Refusal(400, geminiError(400, message));
}

function unknownNameError(path: string): (key: string) => Refusal {
  return (key) =>
    invalid(`Invalid JSON payload received. Unknown name "${key}"${path ? ` at '${path}'` : ''}: Cannot find field.`);
}

/** Differences between the served models. */
interface Served {
  budgets?: readonly [number, number];
  levels?: readonly string[];
  /** Rejects calls of the current turn without a signature. */
  requiresSignatures?: true;
}

export const SERVED: Readonly<Record<string, Served>> = {
  'gemini-2.0-flash': {},
  'gemini-2.5-flash': { budgets: [0, 24_576] },
  'gemini-2.5-pro': { budgets: [128, 32_768] },
  'gemini-3-flash-preview': { levels: ['minimal', 'low', 'medium', 'high'], requiresSignatures: true },
  'gemini-3.1-pro-preview': { levels: ['low', 'medium', 'high'], requiresSignatures: true },
};

const SKIP = 'skip_thought_signature_validator';

export interface GeminiApiVariant {
  /** Vertex has no ids in calls and results. */
  ids: boolean;
}

export function checkGemini(model: string, body: Fields, issued: IssuedSignatures, variant: GeminiApiVariant): void {
  const served = SERVED[model];
  if (!served) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    throw new Refusal(404, geminiError(404, message, 'NOT_FOUND'));
  }
  assertKnownKeys(body, ['contents', 'systemInstruction', 'tools', 'generationConfig'], unknownNameError(''));
  checkConfig(body.generationConfig, served);
  checkTools(body);
  for (const part of getList((body.systemInstruction ?? {}) as Fields, 'parts')) checkText(part.text);
  const contents = getList(body, 'contents');
  if (contents.length === 0) throw invalid('* GenerateContentRequest.contents: contents is not specified');
  for (const [index, content] of contents.entries()) checkContent(content, index, issued, variant);
  checkTurns(contents, variant);
  if (served.requiresSignatures) checkSigned(contents);
}

function checkConfig(config: unknown, { budgets, levels }: Served): void {
  const { thinkingConfig } = assertKnownKeys(
    config,
    ['maxOutputTokens', 'thinkingConfig'],
    unknownNameError('generation_config'),
  );
  if (thinkingConfig === undefined) return;
  const path = 'generation_config.thinking_config';
  const fields = assertKnownKeys(
    thinkingConfig,
    ['includeThoughts', 'thinkingBudget', 'thinkingLevel'],
    unknownNameError(path),
  );
  const { thinkingBudget: budget, thinkingLevel: level } = fields;
  if (!budgets && !levels) throw invalid('Thinking is not enabled for this model');
  if (budget !== undefined) {
    if (!budgets) throw invalid('Thinking budget is not supported for this model.');
    const [min, max] = budgets;
    if (Number(budget) < min || Number(budget) > max)
      throw invalid(`The thinking budget ${budget} is invalid. Please choose a value between ${min} and ${max}.`);
  }
  if (level !== undefined && !levels?.includes(String(level)))
    throw invalid(`Thinking level ${String(level).toUpperCase()} is not supported for this model.`);
}

const SCHEMA = ['type', 'description', 'properties', 'required', 'items', 'enum', 'format', 'nullable', 'anyOf'];

function checkTools(body: Fields): void {
  for (const tool of getList(body, 'tools')) {
    assertKnownKeys(tool, ['functionDeclarations'], unknownNameError('tools[0]'));
    for (const declaration of getList(tool, 'functionDeclarations')) {
      assertKnownKeys(
        declaration,
        ['name', 'description', 'parameters'],
        unknownNameError('tools[0].function_declarations[0]'),
      );
      if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(String(declaration.name))) throw invalid('Invalid function name.');
      checkSchema(declaration.parameters);
    }
  }
}

function checkSchema(schema: unknown): void {
  if (schema === undefined) return;
  const fields = assertKnownKeys(schema, SCHEMA, unknownNameError('tools[0].function_declarations[0].parameters'));
  for (const property of Object.values((fields.properties ?? {}) as Fields)) checkSchema(property);
  checkSchema(fields.items);
}

const PART = ['text', 'thought', 'thoughtSignature', 'inlineData', 'functionCall', 'functionResponse'];

function checkContent(content: Fields, index: number, issued: IssuedSignatures, { ids }: GeminiApiVariant): void {
  assertKnownKeys(content, ['role', 'parts'], unknownNameError(`contents[${index}]`));
  if (content.role !== 'user' && content.role !== 'model') throw invalid('Please use a valid role: user, model.');
  const parts = getList(content, 'parts');
  if (parts.length === 0)
    throw invalid(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`);
  for (const part of parts) {
    assertKnownKeys(part, PART, unknownNameError(`contents[${index}].parts[0]`));
    if ('text' in part) checkText(part.text);
    checkImage(part.inlineData);
    const response = part.functionResponse as Fields | undefined;
    const id = ids ? ['id'] : [];
    if (part.functionCall)
      assertKnownKeys(
        part.functionCall,
        ['name', 'args', ...id],
        unknownNameError(`contents[${index}].parts[0].function_call`),
      );
    if (response)
      assertKnownKeys(
        response,
        ['name', 'response', 'parts', ...id],
        unknownNameError(`contents[${index}].parts[0].function_response`),
      );
    for (const image of response ? getList(response, 'parts') : []) checkImage(image.inlineData);
    checkSignature(part, issued);
  }
}

function checkText(text: unknown): void {
  if (typeof text !== 'string' || text === '')
    throw invalid("contents.parts[0].data: required oneof field 'data' must have one initialized field");
}

function checkImage(image: unknown): void {
  if (image === undefined) return;
  const { mimeType, data } = assertKnownKeys(image, ['mimeType', 'data'], unknownNameError('inline_data'));
  if (!/^image\/(png|jpeg|webp|heic|heif)$/.test(String(mimeType))) throw invalid(`Unsupported MIME type: ${mimeType}`);
  if (!/^[A-Za-z0-9+/]+=*$/.test(String(data))) throw invalid('Base64 decoding failed');
}

function checkSignature(part: WirePart, issued: IssuedSignatures): void {
  const signature = part.thoughtSignature;
  if (signature === undefined || signature === SKIP) return;
  if (issued.get(String(signature)) !== signedContent(part)) throw invalid('Thought signature is not valid.');
}

const getCalls = (content: Fields | undefined) =>
  getList(content ?? {}, 'parts').flatMap(({ functionCall: call }) => (call ? [call as Fields] : []));
const getResponses = (content: Fields | undefined) =>
  getList(content ?? {}, 'parts').flatMap(({ functionResponse: answer }) => (answer ? [answer as Fields] : []));

function checkTurns(contents: readonly Fields[], { ids }: GeminiApiVariant): void {
  for (const [index, content] of contents.entries()) {
    const calls = getCalls(content);
    const responses = getResponses(contents[index + 1]);
    if (calls.length !== responses.length)
      throw invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    for (const [n, call] of calls.entries()) {
      const response = responses.find(({ id }) => ids && id === call.id) ?? responses[n];
      if (response?.name !== call.name || (ids && response?.id !== call.id))
        throw invalid('Please ensure that function response turn comes immediately after a function call turn.');
    }
    if (index === 0 && getResponses(content).length > 0)
      throw invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  if (contents.at(-1)?.role !== 'user')
    throw invalid('Please ensure that multiturn requests end with a user role or a function response.');
}

/** Checks the first call of each step since the last user message. */
function checkSigned(contents: readonly Fields[]): void {
  const lastUserIndex = contents.findLastIndex(
    (content) => content.role === 'user' && getResponses(content).length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const first = getList(content, 'parts').find(({ functionCall }) => functionCall);
    if (index < lastUserIndex || !first || first.thoughtSignature !== undefined) continue;
    const { name } = first.functionCall as Fields;
    throw invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`,
    );
  }
}
