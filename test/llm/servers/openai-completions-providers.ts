// The providers that the loopback server can imitate, with the rules of each.
import { isDeepStrictEqual } from 'node:util';
import { type Fields, type Issued, openAiError, type ProviderRules, Refusal } from './openai-completions-check.ts';

const COMMON = ['model', 'stream', 'stream_options', 'max_tokens', 'reasoning_effort', 'tools', 'messages'];

const openai: ProviderRules = {
  key: true,
  fields: [...COMMON, 'max_completion_tokens', 'prompt_cache_key'],
  answerFields: [],
  toolFields: [],
  callFields: [],
  refuse: openAiError,
  unknown: (path) => openAiError(`Unrecognized request argument supplied: ${path}`),
  checkExtra(body) {
    const isReasoning = /^(o\d|gpt-5)/.test(String(body.model));
    if (isReasoning && body.max_tokens !== undefined) {
      throw openAiError(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'max_tokens',
        'unsupported_parameter',
      );
    }
    if (!isReasoning && body.reasoning_effort !== undefined) {
      throw openAiError('Unrecognized request argument supplied: reasoning_effort');
    }
  },
};

const openrouter: ProviderRules = {
  ...openai,
  fields: [...COMMON, 'reasoning', 'provider'],
  answerFields: ['reasoning', 'reasoning_details'],
  toolFields: ['marks'],
  refuse: (message) => new Refusal(400, { error: { message, code: 400, metadata: { provider_name: 'Anthropic' } } }),
  unknown: (path) => new Refusal(400, { error: { message: `Unrecognized key: "${path}"`, code: 400 } }),
  checkExtra(body, issued) {
    const marks = JSON.stringify(body).split('"cache_control"').length - 1;
    if (marks > 4) throw this.refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
    assertIssuedFields(body, issued, ['reasoning_details'], (index) =>
      this.refuse(`messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block`),
    );
  },
};

const mistral: ProviderRules = {
  ...openai,
  fields: COMMON.filter((name) => name !== 'stream_options'),
  answerFields: ['prefix'],
  toolFields: ['name'],
  refuse: (message) =>
    new Refusal(400, { object: 'error', message, type: 'invalid_request_message_order', param: null, code: '3230' }),
  unknown: (path) => {
    const detail = [{ type: 'extra_forbidden', loc: ['body', path], msg: 'Extra inputs are not permitted' }];
    return new Refusal(422, { object: 'error', message: { detail }, type: 'invalid_request_error', param: null });
  },
  checkExtra(body, issued) {
    const messages = body.messages as Fields[];
    for (const [index, { role }] of messages.entries()) {
      if (role === 'user' && messages[index - 1]?.role === 'tool')
        throw this.refuse("Unexpected role 'user' after role 'tool'");
    }
    for (const { id } of messages.flatMap((message) => (message.tool_calls as Fields[] | undefined) ?? [])) {
      if (!/^[a-zA-Z0-9]{9}$/.test(String(id)))
        throw this.refuse(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
    }
    assertIssuedFields(body, issued, ['content'], () => this.refuse('Thinking chunks must be sent back unchanged.'));
  },
};

const deepseek: ProviderRules = {
  ...openai,
  fields: [...COMMON, 'thinking'],
  answerFields: ['reasoning_content'],
  checkExtra(body, issued) {
    if ((body.thinking as Fields | undefined)?.type !== 'enabled') return;
    const createRefusal = () =>
      openAiError('The `reasoning_content` in the thinking mode must be passed back to the API.');
    for (const { role, reasoning_content: thinking } of body.messages as Fields[]) {
      if (role === 'assistant' && (typeof thinking !== 'string' || thinking === '')) throw createRefusal();
    }
    assertIssuedFields(body, issued, ['reasoning_content'], createRefusal);
  },
};

const groq: ProviderRules = {
  ...openai,
  unknown: (path) =>
    openAiError(
      `'${path}' : for 'role:assistant' the following must be satisfied[('${path}' : property is unsupported)]`,
    ),
  checkExtra: () => {},
};

/** Gemini through Google's endpoint for this format. */
const google: ProviderRules = {
  ...openai,
  fields: COMMON,
  callFields: ['extra_content'],
  checkExtra(body, issued) {
    assertIssuedFields(body, issued, ['tool_calls'], () =>
      openAiError('Function call is missing a thought_signature in functionCall parts.'),
    );
  },
};

/** A local server with a chat template that requires alternating roles. */
const local: ProviderRules = {
  ...openai,
  key: false,
  fields: COMMON,
  checkExtra(body) {
    const turns = (body.messages as Fields[]).filter(({ role }) => role === 'user' || role === 'assistant');
    for (const [index, { role }] of turns.entries()) {
      if (role === 'user' && turns[index - 1]?.role === 'user') {
        const message = 'Conversation roles must alternate user/assistant/user/assistant/...';
        throw new Refusal(500, { error: { code: 500, message, type: 'server_error' } });
      }
    }
  },
};

export const PROVIDER_RULES: Readonly<Record<string, ProviderRules>> = {
  openai,
  openrouter,
  mistral,
  deepseek,
  groq,
  google,
  local,
};

/** Fields issued with a call must be sent back unchanged. */
function assertIssuedFields(
  body: Fields,
  issued: Issued,
  names: readonly string[],
  refuse: (index: number) => Refusal,
): void {
  for (const [index, message] of (body.messages as Fields[]).entries()) {
    for (const { id } of (message.tool_calls as Fields[] | undefined) ?? []) {
      const issuedFields = issued.get(String(id));
      if (issuedFields && !names.every((name) => isDeepStrictEqual(issuedFields[name], message[name])))
        throw refuse(index);
    }
  }
}
