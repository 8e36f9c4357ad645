// Loopback provider for Bedrock ConverseStream. Checks requests strictly and sends scripted replies.

import { checkAuthentication, createBedrockError } from './bedrock-auth.ts';
import { checkConverse } from './bedrock-check.ts';
import { type BedrockAnswer, bedrockFrames, type IssuedThinking } from './bedrock-frames.ts';
import { type LoopbackServer, startLoopback } from './loopback.ts';

export type BedrockServer = LoopbackServer<BedrockAnswer>;

export async function startBedrock(): Promise<BedrockServer> {
  const issued: IssuedThinking = new Map();
  return startLoopback<BedrockAnswer>({
    streamHeaders: { 'content-type': 'application/vnd.amazon.eventstream' },
    check(request) {
      const [, model] = /^POST \/model\/([^/]+)\/converse-stream$/.exec(request.path) ?? [];
      if (model === undefined) throw createBedrockError(404, 'UnknownOperationException', 'Unknown operation');
      checkAuthentication(request);
      checkConverse(decodeURIComponent(model), request.body, issued);
    },
    framesOf: (answer) => bedrockFrames(answer, issued),
  });
}
