// Lists all known models, also those that cannot be used, with the reason. Never shows a key. Loaded on demand.
import { getErrorMessage } from '../base/index.ts';
import type { KnownProvider, ModelListing } from '../contracts/index.ts';
import type { Model } from '../protocol/index.ts';
import type { CredentialSnapshot } from './credentials/credentials.ts';
import { LOGIN_FLOWS } from './credentials/login-flows.ts';
import type { KnownModels } from './known-models.ts';
import { offlineModel } from './offline/offline-model.ts';
import { findProvider, type Provider } from './providers/providers.ts';

interface ListKnownContext {
  readonly knownModels: KnownModels;
  readonly credentials: CredentialSnapshot;
  /** Servers on this machine that may be asked for their models. */
  readonly servers: readonly string[];
  isApiSupported(model: Model): boolean;
}

/** Servers that need no key are asked only if they are in `servers`, and providers that list their models only with a key. */
export async function listKnownModels(context: ListKnownContext): Promise<ModelListing> {
  const lists = await Promise.all((await context.knownModels.listProviders()).map((id) => listProvider(context, id)));
  const offline = { model: offlineModel, reason: undefined };
  return {
    providers: lists.map(({ provider }) => provider),
    models: [...lists.flatMap(({ models }) => models), offline],
  };
}

async function listProvider(context: ListKnownContext, id: string) {
  const { knownModels, credentials, servers, isApiSupported } = context;
  const provider = findProvider(id);
  const hasCredentials = credentials.hasCredential(id);
  const isUsable = hasCredentials || servers.includes(id);
  const reason = isUsable ? undefined : explain(id, provider, credentials);
  const isAsked = isUsable || !(provider?.keyless || provider?.listFormat);
  let problem = reason;
  const models = isAsked
    ? await knownModels.listModels(id).catch((thrown: unknown) => {
        problem ??= hideUrlSecrets(getErrorMessage(thrown));
        return [];
      })
    : [];
  const described: KnownProvider = { id, name: provider?.name ?? id, hasCredentials, reason: problem };
  return {
    provider: described,
    models: models.map((model) => ({ model, reason: reason ?? explainModel(model, provider, isApiSupported) })),
  };
}

function explain(id: string, provider: Provider | undefined, { findSource }: CredentialSnapshot): string {
  const problem = findSource(id)?.problem;
  if (problem !== undefined) return problem;
  if (provider?.keyless)
    return `It is used only when it is named: set ${provider.baseUrlEnv}, or choose it with --provider ${id}.`;
  if (LOGIN_FLOWS[id]?.hasNoKeys) return `No credentials. Run \`parley login ${id}\`.`;
  const variables = provider?.env ?? [];
  const variable = variables.find((name) => name.endsWith('_API_KEY')) ?? variables[0];
  return `No credentials. ${variable ? `Set ${variable}, or run` : 'Run'} \`parley login ${id}\`.`;
}

function explainModel(
  model: Model,
  provider: Provider | undefined,
  isApiSupported: (model: Model) => boolean,
): string | undefined {
  if (!isApiSupported(model)) return `Its API ${JSON.stringify(model.api)} is not supported.`;
  if (model.baseUrl !== '') return undefined;
  return `It has no base URL.${provider?.baseUrlEnv ? ` Set ${provider.baseUrlEnv}.` : ''}`;
}

/** A base URL can contain a password or a key. */
function hideUrlSecrets(text: string): string {
  return text.replace(/(https?:\/\/)[^\s/@]*@/g, '$1').replace(/(https?:\/\/[^\s?]*)\?\S*/g, '$1');
}
