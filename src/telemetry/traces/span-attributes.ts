// Attributes of spans by the GenAI semantic conventions of OpenTelemetry. See https://github.com/open-telemetry/semantic-conventions-genai.
import type { AssistantMessage, StopReason, Usage } from '../../protocol/index.ts';
import type { Attributes } from '../vendor/open-telemetry.ts';

/** The names that the conventions define for providers. The others keep the names of Parley. */
const PROVIDER_NAMES: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['google', 'gcp.gemini'],
  ['google-vertex', 'gcp.vertex_ai'],
  ['mistral', 'mistral_ai'],
  ['moonshot', 'moonshot_ai'],
  ['xai', 'x_ai'],
]);

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_call',
  error: 'error',
  aborted: 'aborted',
};

export function describeModel({ provider, model }: { provider: string; model: string }): Attributes {
  return { 'gen_ai.provider.name': PROVIDER_NAMES.get(provider) ?? provider, 'gen_ai.request.model': model };
}

/** The conventions count cached tokens as input, too. */
export function describeUsage({ input, output, cacheRead, cacheWrite }: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
    'gen_ai.usage.output_tokens': output,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheWrite,
  };
}

export function describeFinish(stopReason: StopReason): Attributes {
  return { 'gen_ai.response.finish_reasons': [FINISH_REASONS[stopReason]] };
}

export function toFinishReason(stopReason: StopReason): string {
  return FINISH_REASONS[stopReason];
}

/**
 * The HTTP status with which the provider refused a request, or the general value. Not the message: it can contain parts of the
 * conversation.
 */
export function classifyError({ errorMessage = '' }: Pick<AssistantMessage, 'errorMessage'>): string {
  return /^[45]\d\d\b/.exec(errorMessage)?.[0] ?? '_OTHER';
}
