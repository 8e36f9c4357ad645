// A loopback provider that speaks Bedrock's ConverseStream: strict about what it is sent, scripted in what it answers.
import { checkConverse } from './bedrock-check.ts';
import { bedrockRefusal, checkDoor } from './bedrock-door.ts';
import { type BedrockAnswer, bedrockFrames, type IssuedThinking } from './bedrock-frames.ts';
import { type LoopbackServer, startLoopback } from './loopback.ts';

export type BedrockServer = LoopbackServer<BedrockAnswer>;

export async function startBedrock(): Promise<BedrockServer> {
  const issued: IssuedThinking = new Map();
  return startLoopback<BedrockAnswer>({
    streamType: 'application/vnd.amazon.eventstream',
    check(got) {
      const [, model] = /^POST \/model\/([^/]+)\/converse-stream$/.exec(got.path) ?? [];
      if (model === undefined) throw bedrockRefusal(404, 'UnknownOperationException', 'Unknown operation');
      checkDoor(got);
      checkConverse(decodeURIComponent(model), got.body, issued);
    },
    framesOf: (answer) => bedrockFrames(answer, issued),
  });
}
