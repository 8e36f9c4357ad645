// Checks requests like the Responses API and throws its error messages.
import { checkItems, type Issued } from './openai-responses-items.ts';
import { SERVED, type ServedModel } from './openai-responses-models.ts';
import { assertKnownKeys, Refusal } from './openai-responses-refusal.ts';

type Fields = Record<string, unknown>;

const BODY = [
  'model',
  'stream',
  'store',
  'include',
  'prompt_cache_key',
  'max_output_tokens',
  'reasoning',
  'instructions',
  'tools',
  'input',
];

export function checkHeaders(headers: Record<string, string | undefined>, key: string): void {
  const bearer = headers.authorization?.match(/^Bearer (.+)$/)?.[1];
  if (bearer === undefined)
    throw new Refusal("You didn't provide an API key. You need to provide your API key in an Authorization header.", {
      status: 401,
    });
  if (bearer !== key)
    throw new Refusal(
      `Incorrect API key provided: ${bearer}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      { status: 401, code: 'invalid_api_key' },
    );
}

export function checkBody(body: Fields, issued: Issued): void {
  assertKnownKeys(body, BODY, '');
  const model = SERVED[String(body.model)];
  if (!model)
    throw new Refusal(`The requested model '${body.model}' does not exist.`, {
      param: 'model',
      code: 'model_not_found',
    });
  if (body.stream !== true || body.store !== false) throw new Refusal('This server streams and stores nothing.');
  checkLimits(body);
  checkReasoning(body, model);
  checkTools(body.tools);
  checkItems(body.input, String(body.model), model, issued);
}

function checkLimits(body: Fields): void {
  const limit = body.max_output_tokens;
  if (limit !== undefined && !(Number.isInteger(limit) && (limit as number) >= 16))
    throw new Refusal(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`,
      { param: 'max_output_tokens', code: 'integer_below_min_value' },
    );
  const key = body.prompt_cache_key;
  if (typeof key === 'string' && key.length > 64)
    throw new Refusal(
      `Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length ${key.length} instead.`,
      { param: 'prompt_cache_key', code: 'string_above_max_length' },
    );
  if (body.instructions !== undefined && (typeof body.instructions !== 'string' || body.instructions === ''))
    throw new Refusal("Invalid type for 'instructions': expected a string.", { param: 'instructions' });
}

function checkReasoning(body: Fields, model: ServedModel): void {
  const isReasoning = model.efforts.length > 0;
  if (body.include !== undefined) {
    if (JSON.stringify(body.include) !== '["reasoning.encrypted_content"]')
      throw new Refusal(`Invalid value: '${body.include}'.`, { param: 'include[0]', code: 'invalid_value' });
    if (!isReasoning) throw new Refusal('Encrypted content is not supported with this model.', { param: 'include' });
  }
  if (body.reasoning === undefined) return;
  if (!isReasoning)
    throw new Refusal("Unsupported parameter: 'reasoning.effort' is not supported with this model.", {
      param: 'reasoning.effort',
      code: 'unsupported_parameter',
    });
  assertKnownKeys(body.reasoning, ['effort', 'summary'], 'reasoning.');
  const { effort, summary } = body.reasoning as Fields;
  if (effort !== undefined && !model.efforts.includes(String(effort)))
    throw new Refusal(
      `Unsupported value: '${effort}' is not supported with the '${body.model}' model. Supported values are: ${model.efforts.map((effort) => `'${effort}'`).join(', ')}.`,
      { param: 'reasoning.effort', code: 'unsupported_value' },
    );
  if (summary !== undefined && !['auto', 'concise', 'detailed'].includes(String(summary)))
    throw new Refusal(`Invalid value: '${summary}'.`, { param: 'reasoning.summary', code: 'invalid_value' });
}

function checkTools(tools: unknown): void {
  if (tools === undefined) return;
  const names = (tools as Fields[]).map((tool, n) => {
    assertKnownKeys(tool, ['type', 'name', 'description', 'parameters', 'strict'], `tools[${n}].`);
    if (tool.type !== 'function') throw new Refusal(`Invalid value: '${tool.type}'.`, { param: `tools[${n}].type` });
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool.name)))
      throw new Refusal(
        `Invalid 'tools[${n}].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        { param: `tools[${n}].name`, code: 'invalid_value' },
      );
    const schema = tool.parameters as Fields | undefined;
    if (schema?.type !== 'object')
      throw new Refusal(
        `Invalid schema for function '${tool.name}': schema must be a JSON Schema of 'type: "object"', got 'type: "${schema?.type ?? 'None'}"'.`,
        { param: `tools[${n}].parameters`, code: 'invalid_function_parameters' },
      );
    // The API's default is strict, but our schemas are not strict.
    if (tool.strict !== false) throw new Refusal(`Invalid schema for function '${tool.name}': strict`);
    return tool.name;
  });
  if (new Set(names).size < names.length) throw new Refusal('Tool names must be unique.', { param: 'tools' });
}
