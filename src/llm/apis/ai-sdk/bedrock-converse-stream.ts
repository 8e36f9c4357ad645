// First floor, llm: the models of Amazon Bedrock, whoever made them, by its ConverseStream operation.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import { callId } from '../../call-id.ts';
import type { WirePorts } from '../../http/wire.ts';
import { callIds } from '../openai-completions/call-id.ts';
import { createSdkApi } from './api.ts';
import { bedrockSecrets, doorOf, isOpened } from './bedrock-door.ts';
import { bedrockPlan, isClaude } from './bedrock-thinking.ts';
import type { SdkFormat, Seal } from './format.ts';
import type { LanguageModel, Metadata, ProviderOptions } from './language-model.ts';
import type { Env } from './sign-in/aws-files.ts';
import { awsProfile } from './sign-in/aws-profile.ts';
import type { AwsPorts } from './sign-in/aws-sources.ts';
import { createAmazonBedrock } from './vendor/bedrock.ts';

type SignIn = Pick<AwsPorts, 'files' | 'print'>;

/** Without files, what the environment says is all there is. */
export function createBedrockConverseStream(ports: WirePorts, env: Env, signIn: Partial<SignIn> = {}): ModelApi {
  const { fetch, clock } = ports;
  const { files, print } = signIn;
  const profiled = files && awsProfile(env, { fetch, clock, files, print });
  return createSdkApi(ports, async (request) => {
    const signs = !isOpened(request) && profiled;
    return { request, format: formatFor(signs ? await profiled() : env) };
  });
}

function formatFor(env: Env): SdkFormat {
  return {
    streams: /application\/vnd\.amazon\.eventstream/,
    errorsAreRaw: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    showsInResults: ({ id }) => isClaude(id) || isNova(id),
    callId: ({ id }) => (/mistral/.test(id) ? callIds('mistral') : callId),
    connect: (request, { fetch }) => connect(request, env, fetch),
    secrets: (request) => bedrockSecrets(request, env),
    plan: bedrockPlan,
    sealIn,
    unseal,
    cacheMark,
  };
}

function connect(request: ApiRequest, env: Env, fetch: typeof globalThis.fetch): LanguageModel {
  return createAmazonBedrock({ ...doorOf(request, env), fetch })(request.model.id);
}

function isNova(id: string): boolean {
  return /amazon\.nova/.test(id);
}

function sealIn({ bedrock = {} }: NonNullable<Metadata>): Seal | undefined {
  const { signature, redactedContent } = bedrock;
  if (typeof signature === 'string') return { signature };
  return typeof redactedContent === 'string' ? { signature: redactedContent, redacted: true } : undefined;
}

function unseal({ signature, redacted }: Seal): ProviderOptions | undefined {
  if (!signature) return undefined;
  return { bedrock: redacted ? { redactedContent: signature } : { signature } };
}

/** Others refuse the mark. */
function cacheMark({ id, cost }: Model): ProviderOptions | undefined {
  const caches = (isClaude(id) || isNova(id)) && cost.cacheRead > 0;
  return caches ? { bedrock: { cachePoint: { type: 'default' } } } : undefined;
}
