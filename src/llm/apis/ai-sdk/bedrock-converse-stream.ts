// Amazon Bedrock models through the ConverseStream operation.
import type { ApiRequest, ModelApi } from '../../../contracts/index.ts';
import type { Model } from '../../../protocol/index.ts';
import { normalizeCallId } from '../../call-id.ts';
import type { WirePorts } from '../../http/wire-api.ts';
import { createCallIdNormalizer } from '../openai-completions/call-id.ts';
import { collectBedrockSecrets, hasAuthorization, resolveBedrockEndpoint } from './bedrock-endpoint.ts';
import { isClaude, planBedrockCall } from './bedrock-thinking.ts';
import type { LanguageModel, ProviderMetadata, ProviderOptions } from './language-model.ts';
import { createSdkApi } from './sdk-api.ts';
import type { SdkFormat, ThoughtSignature } from './sdk-format.ts';
import type { Env } from './sign-in/aws-config.ts';
import type { AwsPorts } from './sign-in/aws-credential-sources.ts';
import { createAwsEnvResolver } from './sign-in/aws-env-resolver.ts';
import { createAmazonBedrock } from './vendor/bedrock.ts';

type CredentialPorts = Pick<AwsPorts, 'files' | 'runCommand' | 'askUser'>;

/** Without `files`, credentials come from the environment only. */
export function createBedrockConverseStream(
  ports: WirePorts,
  env: Env,
  credentialPorts: Partial<CredentialPorts> = {},
): ModelApi {
  const { fetch, clock } = ports;
  const { files } = credentialPorts;
  const resolveEnv = files && createAwsEnvResolver(env, { ...credentialPorts, fetch, clock, files });
  return createSdkApi(ports, async (request) => {
    const shouldSign = !hasAuthorization(request) && resolveEnv;
    return { request, format: createFormat(shouldSign ? await resolveEnv() : env) };
  });
}

function createFormat(env: Env): SdkFormat {
  return {
    streamContentType: /application\/vnd\.amazon\.eventstream/,
    hasErrorsInRawEvents: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    supportsImagesInResults: ({ id }) => isClaude(id) || isNova(id),
    createCallIdNormalizer: ({ id }) => (/mistral/.test(id) ? createCallIdNormalizer('mistral') : normalizeCallId),
    connect: (request, { fetch }) => connect(request, env, fetch),
    collectSecrets: (request) => collectBedrockSecrets(request, env),
    planCall: planBedrockCall,
    readSignature,
    writeSignature,
    buildCacheMarker,
  };
}

function connect(request: ApiRequest, env: Env, fetch: typeof globalThis.fetch): LanguageModel {
  return createAmazonBedrock({ ...resolveBedrockEndpoint(request, env), fetch })(request.model.id);
}

function isNova(id: string): boolean {
  return /amazon\.nova/.test(id);
}

function readSignature({ bedrock = {} }: NonNullable<ProviderMetadata>): ThoughtSignature | undefined {
  const { signature, redactedContent } = bedrock;
  if (typeof signature === 'string') return { signature };
  return typeof redactedContent === 'string' ? { signature: redactedContent, redacted: true } : undefined;
}

function writeSignature({ signature, redacted }: ThoughtSignature): ProviderOptions | undefined {
  if (!signature) return undefined;
  return { bedrock: redacted ? { redactedContent: signature } : { signature } };
}

/** Other models reject the cache point. */
function buildCacheMarker({ id, cost }: Model): ProviderOptions | undefined {
  const supportsCaching = (isClaude(id) || isNova(id)) && cost.cacheRead > 0;
  return supportsCaching ? { bedrock: { cachePoint: { type: 'default' } } } : undefined;
}
