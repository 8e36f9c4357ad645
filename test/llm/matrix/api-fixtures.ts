// The fixture of each model API for the matrix, with the frames of its provider.
import { createBedrockConverseStream } from '../../../src/llm/apis/ai-sdk/bedrock-converse-stream.ts';
import { createGoogleGenerativeAi } from '../../../src/llm/apis/ai-sdk/google-generative-ai.ts';
import { createGoogleVertex } from '../../../src/llm/apis/ai-sdk/google-vertex.ts';
import { createAzureOpenAiResponses } from '../../../src/llm/apis/azure-openai-responses/index.ts';
import { createApiFixture as sdkFixture } from '../apis/ai-sdk-fixture.ts';
import { createApiFixture as anthropicFixture } from '../apis/anthropic-fixture.ts';
import { createPorts } from '../apis/api-fixture.ts';
import { createApiFixture as completionsFixture } from '../apis/openai-completions-fixture.ts';
import { createApiFixture as responsesFixture } from '../apis/openai-responses-fixture.ts';
import { KEY as ANTHROPIC_KEY, errorBody as anthropicError } from '../servers/anthropic-messages.ts';
import { framesOf as anthropicFrames } from '../servers/anthropic-messages-frames.ts';
import { startBedrock } from '../servers/bedrock.ts';
import { BEARER } from '../servers/bedrock-auth.ts';
import { type BedrockAnswer, bedrockFrames } from '../servers/bedrock-frames.ts';
import { KEY as GEMINI_KEY, PROJECT, startGemini, TOKEN } from '../servers/gemini.ts';
import { geminiError } from '../servers/gemini-check.ts';
import { type GeminiAnswer, frame as geminiFrame } from '../servers/gemini-frames.ts';
import { KEY as COMPLETIONS_KEY } from '../servers/openai-completions.ts';
import { framesOf as completionFrames, USAGE } from '../servers/openai-completions-frames.ts';
import { KEY as RESPONSES_KEY } from '../servers/openai-responses.ts';
import { framesOf as responseFrames } from '../servers/openai-responses-frames.ts';
import { type ApiFixture, HELLO, WORDS } from './api-fixture.ts';

type Fields = Record<string, unknown>;
type Body = { messages: Fields[]; input: Fields[]; contents: Fields[] };

const READ = { path: 'a' };
const BASH = { command: 'ls' };

const anthropic = anthropicFixture();
const anthropicMessages: ApiFixture = {
  name: 'anthropic-messages',
  getFixture: () => ({ ...pickFixture(anthropic), origin: anthropic.server.url }),
  secret: ANTHROPIC_KEY,
  answers: {
    'plain text': { reply: { answer: { parts: [{ text: HELLO }] } } },
    'long text': { reply: { answer: { parts: [{ text: WORDS }] }, pieces: 997 } },
    'parallel calls': {
      reply: { answer: { parts: [createCall('toolu_1', 'read', READ), createCall('toolu_2', 'bash', BASH)] } },
    },
    thinking: {
      reply: {
        answer: {
          parts: [
            { thinking: ['Let me ', 'see.'] },
            createCall('toolu_1', 'read', READ),
            createCall('toolu_2', 'bash', BASH),
          ],
        },
      },
    },
    'redacted thinking': {
      reply: { answer: { parts: [{ redacted: 'c2VjcmV0' }, createCall('toolu_1', 'read', READ)] } },
    },
    'cache usage': {
      reply: {
        answer: { parts: [{ text: 'ok' }], usage: { cache_read_input_tokens: 700, cache_creation_input_tokens: 50 } },
      },
    },
    length: { reply: { answer: { parts: [{ text: 'Half' }], stop: 'max_tokens' } } },
    refusal: { reply: { answer: { parts: [{ text: 'Half' }], stop: 'refusal' } } },
    'empty answer': { reply: { answer: { parts: [] } } },
  },
  refusalOutcome: 'filter',
  refusals: {
    overloaded: { status: 529, body: anthropicError('overloaded_error', 'Overloaded') },
    'rate limit': { status: 429, body: anthropicError('rate_limit_error', 'Too many input tokens per minute') },
    '5xx': { status: 500, body: anthropicError('api_error', 'Internal server error') },
    auth: { status: 401, body: anthropicError('authentication_error', `invalid x-api-key ${ANTHROPIC_KEY}`) },
    quota: { status: 400, body: anthropicError('invalid_request_error', 'Your credit balance is too low') },
    'context overflow': {
      status: 400,
      body: anthropicError('invalid_request_error', 'prompt is too long: 2 > 1 maximum'),
    },
    'content filter': {
      status: 400,
      body: anthropicError('invalid_request_error', 'Output blocked by content filtering policy'),
    },
  },
  garbage: [
    ...anthropicFrames({ parts: [{ text: 'Half' }] }).slice(0, 4),
    'event: content_block_delta\ndata: {"type":\n\n',
  ],
  mutations: {
    'unpaired call': (body) => (asBody(body).messages[2]!.content as Fields[]).splice(0, 1),
    'wrong role order': (body) => asBody(body).messages.splice(1, 0, asBody(body).messages[0]!),
    'missing signature': (body) => delete (asBody(body).messages[1]!.content as Fields[])[0]!.signature,
    'unknown field': (body) => Object.assign(body, { top_q: 1 }),
  },
};

const responses = responsesFixture();
const openAiError = (status: number, message: string, code: string | null = null) => ({
  status,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } }),
});
const OPENAI_REFUSALS: ApiFixture['refusals'] = {
  overloaded: openAiError(503, 'The engine is currently overloaded, please try again later'),
  'rate limit': openAiError(429, 'Rate limit reached for requests', 'rate_limit_exceeded'),
  '5xx': openAiError(500, 'The server had an error while processing your request'),
  auth: openAiError(401, `Incorrect API key provided: ${RESPONSES_KEY} ${COMPLETIONS_KEY}`, 'invalid_api_key'),
  quota: openAiError(429, 'You exceeded your current quota, please check your plan', 'insufficient_quota'),
  'context overflow': openAiError(
    400,
    'Your input exceeds the context window of this model',
    'context_length_exceeded',
  ),
  'content filter': openAiError(400, 'The response was filtered', 'content_filter'),
};
const RESPONSES_SCENARIOS: Pick<ApiFixture, 'answers' | 'refusalOutcome' | 'refusals' | 'garbage' | 'mutations'> = {
  answers: {
    'plain text': { reply: { answer: { parts: [{ text: HELLO }] } } },
    'long text': { reply: { answer: { parts: [{ text: WORDS }] }, pieces: 997 } },
    'parallel calls': {
      reply: { answer: { parts: [createCall('call_1', 'read', READ), createCall('call_2', 'bash', BASH)] } },
    },
    thinking: {
      reply: {
        answer: {
          parts: [
            { thinking: [['Let me ', 'see.']] },
            createCall('call_1', 'read', READ),
            createCall('call_2', 'bash', BASH),
          ],
        },
      },
    },
    'redacted thinking': { reply: { answer: { parts: [{ thinking: [] }, createCall('call_1', 'read', READ)] } } },
    'cache usage': { reply: { answer: { parts: [{ text: 'ok' }], usage: { input: 900, cached: 700, output: 5 } } } },
    length: { reply: { answer: { parts: [{ text: 'Half' }], incomplete: 'max_output_tokens' } } },
    refusal: { reply: { answer: { parts: [{ refusal: 'I cannot help with that.' }] } } },
    'empty answer': { reply: { answer: { parts: [] } } },
  },
  refusalOutcome: 'stop',
  refusals: OPENAI_REFUSALS,
  garbage: [
    ...responseFrames({ parts: [{ text: 'Half' }] }).slice(0, 5),
    'event: response.output_text.delta\ndata: {"type":\n\n',
  ],
  mutations: {
    'unpaired call': (body) =>
      asBody(body).input.splice(
        asBody(body).input.findIndex(({ type }) => type === 'function_call_output'),
        1,
      ),
    'wrong role order': (body) => asBody(body).input.reverse(),
    'missing signature': (body) =>
      delete asBody(body).input.find(({ type }) => type === 'reasoning')!.encrypted_content,
    'unknown field': (body) => Object.assign(body, { top_q: 1 }),
  },
};
const openAiResponses: ApiFixture = {
  name: 'openai-responses',
  getFixture: () => ({ ...pickFixture(responses), origin: getOrigin(responses.server.url) }),
  secret: RESPONSES_KEY,
  ...RESPONSES_SCENARIOS,
};

const azure = createAzureOpenAiResponses(createPorts(responses.clock));
const azureOpenAiResponses: ApiFixture = {
  name: 'azure-openai-responses',
  getFixture: () => ({
    ...pickFixture(responses),
    api: azure,
    origin: getOrigin(responses.server.url),
    // The loopback provider accepts bearer tokens only; Azure keys have separate tests.
    request: (overrides) => {
      const request = responses.request({
        ...overrides,
        apiKey: undefined,
        headers: { Authorization: `Bearer ${RESPONSES_KEY}` },
      });
      return { ...request, model: { ...request.model, api: 'azure-openai-responses', provider: 'azure' } };
    },
  }),
  secret: RESPONSES_KEY,
  ...RESPONSES_SCENARIOS,
};

const completions = completionsFixture();
const CALL_1 = { id: 'call_1', name: 'read', pieces: ['{"path"', ':"a"}'] };
const CALL_2 = { id: 'call_2', name: 'bash', pieces: ['{"command":"ls"}'] };
const encrypted = { type: 'reasoning.encrypted', data: 'gAAAAB', id: 'rs_1', format: 'openai-responses-v1', index: 0 };
const openAiCompletions: ApiFixture = {
  name: 'openai-completions',
  getFixture: () => ({ ...pickFixture(completions), origin: getOrigin(completions.server.getUrl('openai')) }),
  secret: COMPLETIONS_KEY,
  answers: {
    'plain text': { reply: { answer: { text: HELLO } } },
    'long text': { reply: { answer: { text: WORDS }, pieces: 997 } },
    'parallel calls': { reply: { answer: { calls: [CALL_1, CALL_2] } } },
    thinking: {
      reply: {
        answer: { thinking: ['Let me ', 'see.'], calls: [CALL_1, CALL_2] },
        issues: { call_1: { reasoning_content: 'Let me see.' } },
      },
      model: createProviderModel('deepseek'),
    },
    'redacted thinking': {
      reply: {
        answer: { details: [[encrypted]], calls: [CALL_1] },
        issues: { call_1: { reasoning_details: [encrypted] } },
      },
      model: createProviderModel('openrouter'),
    },
    'cache usage': {
      reply: { answer: { text: ['ok'], usage: { ...USAGE, prompt_tokens_details: { cached_tokens: 700 } } } },
    },
    length: { reply: { answer: { text: ['Half'], finish: 'length' } } },
    refusal: { reply: { answer: { text: ['I cannot help with that.'] } } },
    'empty answer': { reply: { answer: {} } },
  },
  refusalOutcome: 'stop',
  refusals: OPENAI_REFUSALS,
  garbage: [...completionFrames({ text: ['Half'] }).slice(0, 2), 'data: {"choices":\n\n'],
  mutations: {
    'unpaired call': (body) => asBody(body).messages.pop(),
    'wrong role order': (body) => asBody(body).messages.reverse(),
    'missing signature': (body) =>
      delete asBody(body).messages.find(({ role }) => role === 'assistant')!.reasoning_content,
    'unknown field': (body) => Object.assign(body, { top_q: 1 }),
  },
};

function createProviderModel(name: string) {
  return {
    get baseUrl() {
      return completions.server.getUrl(name);
    },
    provider: name,
    reasoning: true,
  };
}

const GEMINI_SCENARIOS: Pick<ApiFixture, 'answers' | 'refusalOutcome' | 'refusals' | 'garbage' | 'mutations'> = {
  answers: {
    'plain text': { reply: { answer: { parts: [{ text: HELLO }] } } },
    'long text': { reply: { answer: { parts: [{ text: WORDS }] }, pieces: 997 } },
    'parallel calls': {
      reply: {
        answer: {
          parts: [
            { call: 'read', input: READ, signed: true },
            { call: 'bash', input: BASH },
          ],
        },
      },
    },
    thinking: {
      reply: {
        answer: {
          parts: [
            { thought: ['Let me ', 'see.'] },
            { call: 'read', input: READ, signed: true },
            { call: 'bash', input: BASH },
          ],
        },
      },
    },
    'redacted thinking': 'Gemini signs calls and text, and has no redacted thinking',
    'cache usage': { reply: { answer: { parts: [{ text: 'ok' }], usage: { prompt: 900, cached: 700 } } } },
    length: { reply: { answer: { parts: [{ text: 'Half' }], finish: 'MAX_TOKENS' } } },
    refusal: { reply: { answer: { parts: [{ text: 'Half' }], finish: 'SAFETY' } } },
    'empty answer': { reply: { answer: { parts: [] } } },
  },
  refusalOutcome: 'filter',
  refusals: {
    overloaded: createGeminiError(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE'),
    'rate limit': createGeminiError(429, 'Resource has been exhausted (e.g. check quota).', 'RESOURCE_EXHAUSTED'),
    '5xx': createGeminiError(500, 'An internal error has occurred.', 'INTERNAL'),
    auth: createGeminiError(403, `Permission denied for ${GEMINI_KEY} ${TOKEN}`, 'PERMISSION_DENIED'),
    quota: createGeminiError(
      429,
      'You exceeded your current quota, please check your plan and billing details.',
      'RESOURCE_EXHAUSTED',
    ),
    'context overflow': createGeminiError(
      400,
      'The input token count (2) exceeds the maximum number of tokens allowed (1).',
      'INVALID_ARGUMENT',
    ),
    'content filter': createGeminiError(400, 'The prompt was blocked for safety reasons.', 'INVALID_ARGUMENT'),
  },
  garbage: [geminiFrame({ candidates: [{ content: { parts: [{ text: 'Half' }] } }] }), 'data: {"candidates":\n\n'],
  mutations: {
    'unpaired call': (body) => (asBody(body).contents[2]!.parts as Fields[]).pop(),
    'wrong role order': (body) => asBody(body).contents.reverse(),
    'missing signature': (body) =>
      delete (asBody(body).contents[1]!.parts as Fields[]).find((part) => 'thoughtSignature' in part)!.thoughtSignature,
    'unknown field': (body) => Object.assign(body, { top_q: 1 }),
  },
};
function createGeminiError(status: number, message: string, name: string) {
  return { status, body: geminiError(status, message, name) };
}

const GEMINI_3 = { id: 'gemini-3-flash-preview' };
const google = sdkFixture<GeminiAnswer>({
  start: startGemini,
  create: createGoogleGenerativeAi,
  model: GEMINI_3,
  apiKey: GEMINI_KEY,
  path: '/v1beta',
});
const googleGenerativeAi: ApiFixture = {
  name: 'google-generative-ai',
  getFixture: () => ({ ...pickFixture(google), origin: google.server.url }),
  secret: GEMINI_KEY,
  ...GEMINI_SCENARIOS,
};

const vertex = sdkFixture<GeminiAnswer>({
  start: startGemini,
  create: (ports) => createGoogleVertex(ports, { GOOGLE_VERTEX_PROJECT: PROJECT }),
  model: { ...GEMINI_3, api: 'google-vertex', provider: 'google-vertex' },
  apiKey: TOKEN,
});
const googleVertex: ApiFixture = {
  name: 'google-vertex',
  getFixture: () => ({ ...pickFixture(vertex), origin: vertex.server.url }),
  secret: TOKEN,
  ...GEMINI_SCENARIOS,
};

const bedrock = sdkFixture<BedrockAnswer>({
  start: startBedrock,
  create: (ports) => createBedrockConverseStream(ports, {}),
  model: {
    id: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    api: 'bedrock-converse-stream',
    provider: 'amazon-bedrock',
  },
  apiKey: BEARER,
});
const createAwsError = (status: number, message: string) => ({ status, body: JSON.stringify({ message }) });
const bedrockConverseStream: ApiFixture = {
  name: 'bedrock-converse-stream',
  getFixture: () => ({ ...pickFixture(bedrock), origin: bedrock.server.url }),
  secret: BEARER,
  answers: {
    'plain text': { reply: { answer: { parts: [{ text: HELLO }] } } },
    'long text': { reply: { answer: { parts: [{ text: WORDS }] }, pieces: 997 } },
    'parallel calls': {
      reply: { answer: { parts: [createCall('tooluse_1', 'read', READ), createCall('tooluse_2', 'bash', BASH)] } },
    },
    thinking: {
      reply: {
        answer: {
          parts: [
            { thinking: ['Let me ', 'see.'] },
            createCall('tooluse_1', 'read', READ),
            createCall('tooluse_2', 'bash', BASH),
          ],
        },
      },
    },
    'redacted thinking': {
      reply: { answer: { parts: [{ redacted: 'c2VjcmV0' }, createCall('tooluse_1', 'read', READ)] } },
    },
    'cache usage': { reply: { answer: { parts: [{ text: 'ok' }], usage: { cacheRead: 700, cacheWrite: 50 } } } },
    length: { reply: { answer: { parts: [{ text: 'Half' }], stop: 'max_tokens' } } },
    refusal: { reply: { answer: { parts: [{ text: 'Half' }], stop: 'content_filtered' } } },
    'empty answer': { reply: { answer: { parts: [] } } },
  },
  refusalOutcome: 'filter',
  refusals: {
    overloaded: createAwsError(503, 'Bedrock is unable to process your request.'),
    'rate limit': createAwsError(429, 'Too many requests, please wait before trying again.'),
    '5xx': createAwsError(500, 'The system encountered an unexpected error during processing.'),
    auth: createAwsError(403, `The security token included in the request is invalid: ${BEARER}`),
    quota: createAwsError(402, 'There is a problem with your billing.'),
    'context overflow': createAwsError(400, 'Input is too long for requested model.'),
    'content filter': createAwsError(400, 'The request was blocked by our content policy.'),
  },
  garbage: [...bedrockFrames({ parts: [{ text: 'Half' }], stop: null }), new Uint8Array(64).fill(7)],
  mutations: {
    'unpaired call': (body) => (asBody(body).messages[2]!.content as Fields[]).splice(0, 1),
    'wrong role order': (body) => asBody(body).messages.splice(1, 0, asBody(body).messages[0]!),
    'missing signature': (body) => {
      const [thinking] = asBody(body).messages[1]!.content as { reasoningContent: { reasoningText: Fields } }[];
      delete thinking!.reasoningContent.reasoningText.signature;
    },
    'unknown field': (body) => Object.assign(body, { top_q: 1 }),
  },
};

function createCall(id: string, name: string, input: Fields) {
  return { call: id, name, input };
}

function asBody(body: Fields): Body {
  return body as unknown as Body;
}

function pickFixture<S extends Pick<ReturnType<ApiFixture['getFixture']>, 'api' | 'clock' | 'request' | 'server'>>(
  fixture: S,
) {
  const { api, clock, server } = fixture;
  return { api, clock, server, request: (overrides: Parameters<S['request']>[0]) => fixture.request(overrides) };
}

function getOrigin(url: string): string {
  return new URL(url).origin;
}

export const API_FIXTURES: readonly ApiFixture[] = [
  anthropicMessages,
  openAiResponses,
  azureOpenAiResponses,
  openAiCompletions,
  googleGenerativeAi,
  googleVertex,
  bedrockConverseStream,
];
