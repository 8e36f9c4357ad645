// What Gemini refuses, in its words: unknown fields, calls without results, lost or altered signatures, images it cannot read.
import { type IssuedSignatures, signedContent, type WirePart } from './gemini-frames.ts';
import { type Fields, listIn, only, Refusal } from './loopback.ts';

export function geminiError(code: number, message: string, status = 'INVALID_ARGUMENT', details?: object[]): string {
  return JSON.stringify({ error: { code, message, status, ...(details ? { details } : {}) } }, null, 2);
}

function invalid(message: string): Refusal {
  return new Refusal(400, geminiError(400, message));
}

function unknownName(at: string): (key: string) => Refusal {
  return (key) =>
    invalid(`Invalid JSON payload received. Unknown name "${key}"${at ? ` at '${at}'` : ''}: Cannot find field.`);
}

/** What differs between the models that are served. */
interface Served {
  budgets?: readonly [number, number];
  levels?: readonly string[];
  /** Refuses calls of the turn at hand whose signature is missing. */
  strict?: true;
}

export const SERVED: Readonly<Record<string, Served>> = {
  'gemini-2.0-flash': {},
  'gemini-2.5-flash': { budgets: [0, 24_576] },
  'gemini-2.5-pro': { budgets: [128, 32_768] },
  'gemini-3-flash-preview': { levels: ['minimal', 'low', 'medium', 'high'], strict: true },
  'gemini-3.1-pro-preview': { levels: ['low', 'medium', 'high'], strict: true },
};

const SKIP = 'skip_thought_signature_validator';

export interface GeminiDoor {
  /** Vertex has no ids in calls and results. */
  ids: boolean;
}

export function checkGemini(model: string, body: Fields, issued: IssuedSignatures, door: GeminiDoor): void {
  const served = SERVED[model];
  if (!served) {
    const words = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    throw new Refusal(404, geminiError(404, words, 'NOT_FOUND'));
  }
  only(body, ['contents', 'systemInstruction', 'tools', 'generationConfig'], unknownName(''));
  checkConfig(body.generationConfig, served);
  checkTools(body);
  for (const part of listIn((body.systemInstruction ?? {}) as Fields, 'parts')) checkText(part.text);
  const contents = listIn(body, 'contents');
  if (contents.length === 0) throw invalid('* GenerateContentRequest.contents: contents is not specified');
  for (const [at, content] of contents.entries()) checkContent(content, at, issued, door);
  checkTurns(contents, door);
  if (served.strict) checkSigned(contents);
}

function checkConfig(config: unknown, { budgets, levels }: Served): void {
  const { thinkingConfig } = only(config, ['maxOutputTokens', 'thinkingConfig'], unknownName('generation_config'));
  if (thinkingConfig === undefined) return;
  const at = 'generation_config.thinking_config';
  const asked = only(thinkingConfig, ['includeThoughts', 'thinkingBudget', 'thinkingLevel'], unknownName(at));
  const { thinkingBudget: budget, thinkingLevel: level } = asked;
  if (!budgets && !levels) throw invalid('Thinking is not enabled for this model');
  if (budget !== undefined) {
    if (!budgets) throw invalid('Thinking budget is not supported for this model.');
    const [least, most] = budgets;
    if (Number(budget) < least || Number(budget) > most)
      throw invalid(`The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`);
  }
  if (level !== undefined && !levels?.includes(String(level)))
    throw invalid(`Thinking level ${String(level).toUpperCase()} is not supported for this model.`);
}

const SCHEMA = ['type', 'description', 'properties', 'required', 'items', 'enum', 'format', 'nullable', 'anyOf'];

function checkTools(body: Fields): void {
  for (const tool of listIn(body, 'tools')) {
    only(tool, ['functionDeclarations'], unknownName('tools[0]'));
    for (const offer of listIn(tool, 'functionDeclarations')) {
      only(offer, ['name', 'description', 'parameters'], unknownName('tools[0].function_declarations[0]'));
      if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(String(offer.name))) throw invalid('Invalid function name.');
      checkSchema(offer.parameters);
    }
  }
}

function checkSchema(schema: unknown): void {
  if (schema === undefined) return;
  const fields = only(schema, SCHEMA, unknownName('tools[0].function_declarations[0].parameters'));
  for (const property of Object.values((fields.properties ?? {}) as Fields)) checkSchema(property);
  checkSchema(fields.items);
}

const PART = ['text', 'thought', 'thoughtSignature', 'inlineData', 'functionCall', 'functionResponse'];

function checkContent(content: Fields, at: number, issued: IssuedSignatures, { ids }: GeminiDoor): void {
  only(content, ['role', 'parts'], unknownName(`contents[${at}]`));
  if (content.role !== 'user' && content.role !== 'model') throw invalid('Please use a valid role: user, model.');
  const parts = listIn(content, 'parts');
  if (parts.length === 0)
    throw invalid(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`);
  for (const part of parts) {
    only(part, PART, unknownName(`contents[${at}].parts[0]`));
    if ('text' in part) checkText(part.text);
    checkImage(part.inlineData);
    const answer = part.functionResponse as Fields | undefined;
    const id = ids ? ['id'] : [];
    if (part.functionCall)
      only(part.functionCall, ['name', 'args', ...id], unknownName(`contents[${at}].parts[0].function_call`));
    if (answer)
      only(answer, ['name', 'response', 'parts', ...id], unknownName(`contents[${at}].parts[0].function_response`));
    for (const shown of answer ? listIn(answer, 'parts') : []) checkImage(shown.inlineData);
    checkSignature(part, issued);
  }
}

function checkText(text: unknown): void {
  if (typeof text !== 'string' || text === '')
    throw invalid("contents.parts[0].data: required oneof field 'data' must have one initialized field");
}

function checkImage(image: unknown): void {
  if (image === undefined) return;
  const { mimeType, data } = only(image, ['mimeType', 'data'], unknownName('inline_data'));
  if (!/^image\/(png|jpeg|webp|heic|heif)$/.test(String(mimeType))) throw invalid(`Unsupported MIME type: ${mimeType}`);
  if (!/^[A-Za-z0-9+/]+=*$/.test(String(data))) throw invalid('Base64 decoding failed');
}

function checkSignature(part: WirePart, issued: IssuedSignatures): void {
  const signature = part.thoughtSignature;
  if (signature === undefined || signature === SKIP) return;
  if (issued.get(String(signature)) !== signedContent(part)) throw invalid('Thought signature is not valid.');
}

const callsIn = (content: Fields | undefined) =>
  listIn(content ?? {}, 'parts').flatMap(({ functionCall: call }) => (call ? [call as Fields] : []));
const answersIn = (content: Fields | undefined) =>
  listIn(content ?? {}, 'parts').flatMap(({ functionResponse: answer }) => (answer ? [answer as Fields] : []));

function checkTurns(contents: readonly Fields[], { ids }: GeminiDoor): void {
  for (const [at, content] of contents.entries()) {
    const calls = callsIn(content);
    const answers = answersIn(contents[at + 1]);
    if (calls.length !== answers.length)
      throw invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    for (const [n, call] of calls.entries()) {
      const answer = answers.find(({ id }) => ids && id === call.id) ?? answers[n];
      if (answer?.name !== call.name || (ids && answer?.id !== call.id))
        throw invalid('Please ensure that function response turn comes immediately after a function call turn.');
    }
    if (at === 0 && answersIn(content).length > 0)
      throw invalid('Please ensure that function response turn comes immediately after a function call turn.');
  }
  if (contents.at(-1)?.role !== 'user')
    throw invalid('Please ensure that multiturn requests end with a user role or a function response.');
}

/** The first call of each step, since somebody last asked in words. */
function checkSigned(contents: readonly Fields[]): void {
  const asked = contents.findLastIndex((content) => content.role === 'user' && answersIn(content).length === 0);
  for (const [at, content] of contents.entries()) {
    const first = listIn(content, 'parts').find(({ functionCall }) => functionCall);
    if (at < asked || !first || first.thoughtSignature !== undefined) continue;
    const { name } = first.functionCall as Fields;
    throw invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}.`,
    );
  }
}
