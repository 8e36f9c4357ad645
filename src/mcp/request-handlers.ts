// Handles what a server asks of the client: roots, elicitation, sampling, and its log messages.
import { pathToFileURL } from 'node:url';
import type { Client, ClientCapabilities, CreateMessageRequest } from '@modelcontextprotocol/client';
import { parseBase64Image } from '../base/base64-image.ts';
import { Fault } from '../base/index.ts';
import type { McpContext, McpSamplingRequest } from '../contracts/index.ts';
import { elicit } from './elicitation.ts';
import { MAX_LOG_MESSAGES } from './message-filter.ts';
import { redactServerText, type ServerScope } from './server-scope.ts';

/** Dialogs and model requests of one server that may be open at the same time. The rest is refused. */
const MAX_OPEN_REQUESTS = 4;

export function getClientCapabilities({ sample }: McpContext): ClientCapabilities {
  return { roots: {}, elicitation: { form: {}, url: {} }, ...(sample ? { sampling: {} } : {}) };
}

export function registerRequestHandlers(client: Client, scope: ServerScope): void {
  const { context } = scope;
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(context.cwd).href, name: context.cwd }],
  }));
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
    if (scope.openRequests >= MAX_OPEN_REQUESTS) return { action: 'cancel' };
    return countOpenRequest(scope, () => elicit(params, { scope, signal: mcpReq.signal }));
  });
  if (context.sample) {
    client.setRequestHandler('sampling/createMessage', ({ params }, { mcpReq }) =>
      sample(scope, params, mcpReq.signal),
    );
  }
  let logMessages = 0;
  client.setNotificationHandler('notifications/message', ({ params }) => {
    logMessages += 1;
    if (logMessages > MAX_LOG_MESSAGES) return;
    const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
    context.ports.log('mcp_server_log', {
      server: scope.definition.name,
      level: params.level,
      text: redactServerText(scope, text),
    });
  });
}

async function countOpenRequest<T>(scope: ServerScope, act: () => Promise<T>): Promise<T> {
  scope.openRequests += 1;
  try {
    return await act();
  } finally {
    scope.openRequests -= 1;
  }
}

async function sample(scope: ServerScope, params: CreateMessageRequest['params'], signal: AbortSignal) {
  const { context, definition } = scope;
  if (!context.sample || scope.openRequests >= MAX_OPEN_REQUESTS) {
    throw new Fault('busy', 'Too many requests of this server are open');
  }
  const request: McpSamplingRequest = {
    server: definition.name,
    messages: params.messages.map(({ role, content }) => ({ role, ...toTextAndImages(content) })),
    ...(params.systemPrompt === undefined ? {} : { systemPrompt: params.systemPrompt }),
    maxTokens: params.maxTokens,
    signal,
  };
  const send = context.sample;
  const { text, model, stopReason } = await countOpenRequest(scope, () => send(request));
  return { role: 'assistant' as const, content: { type: 'text' as const, text }, model, stopReason };
}

type SamplingMessage = CreateMessageRequest['params']['messages'][number];

function toTextAndImages(
  content: SamplingMessage['content'],
): Pick<McpSamplingRequest['messages'][number], 'text' | 'images'> {
  const texts: string[] = [];
  const images: McpSamplingRequest['messages'][number]['images'][number][] = [];
  for (const block of Array.isArray(content) ? content : [content]) {
    if (block.type === 'text') texts.push(block.text);
    else if (block.type === 'image') {
      const image = parseBase64Image(block.data);
      if ('problem' in image) texts.push(`[The image ${image.problem}]`);
      else images.push({ type: 'image', ...image });
    } else texts.push(`[Content of type ${block.type} is left out]`);
  }
  return { text: texts.join('\n\n'), images };
}
