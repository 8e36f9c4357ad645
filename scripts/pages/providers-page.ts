// Generates docs/providers.md: the built-in providers with their variables, from the provider table.
import { DEFAULT_MODELS, findDefaultModel, SELF_LISTING_PROVIDERS } from '../../src/llm/default-models.ts';
import { SIGN_IN_VARIABLES } from '../../src/llm/providers/key-variables.ts';
import { PROVIDERS, type Provider } from '../../src/llm/providers/providers.ts';
import { page, section } from './markdown.ts';
import { tableOf } from './type-text.ts';

const INTRODUCTION = `The key of a provider is in one of its variables; the first that is set is used. Or it is in auth.json, in models.json, or in \`--api-key\`
([models.md](models.md)). A variable whose value is used as a key is not passed to commands that the agent runs.

Without \`--provider\`, \`--model\` or a setting, the first provider of this list that has a key is used:`;

const OTHERS = `The other providers are used only when a flag or a setting names them or one of their models, because their variables are often set for other
programs, or because they need no key.`;

const URLS = `The base URL must be an \`http\` or \`https\` URL; an invalid one is an error that names the variable. It replaces the URL of its own provider
only, and only the key of that provider is sent to it. \`OLLAMA_HOST\` and the variables of other local servers also accept \`host\`, \`host:port\` and \`:port\`. A URL
without a path gets the path of the API where the table shows one. The URL of GitHub Copilot comes with its login.`;

const SIGN_IN = `Variables marked * belong to the sign-in of a cloud and are no keys: see [cloud-sign-in.md](cloud-sign-in.md), which also describes regions and
projects (\`AWS_REGION\`, \`GOOGLE_VERTEX_PROJECT\`, \`GOOGLE_VERTEX_LOCATION\`).`;

export function providersPage(): string {
  return page(
    '# Providers',
    INTRODUCTION,
    `${[...DEFAULT_MODELS.keys(), ...SELF_LISTING_PROVIDERS].map((id) => `\`${id}\``).join(', ')}.`,
    OTHERS,
    section('## Keys', SIGN_IN, tableOf(['provider', 'name', 'variables', 'default model'], PROVIDERS.map(toKeyRow))),
    section('## Base URLs', URLS, tableOf(['provider', 'variable', 'default', 'wire format'], PROVIDERS.map(toUrlRow))),
  );
}

function toKeyRow(provider: Provider): string[] {
  const { id, name, env, keyless } = provider;
  const variables = env.map((variable) => `\`${variable}\`${SIGN_IN_VARIABLES.has(variable) ? '*' : ''}`).join(', ');
  return [`\`${id}\``, name, `${variables}${keyless ? ' (optional)' : ''}`, describeDefault(provider)];
}

function describeDefault({ id, keyless, listFormat }: Provider): string {
  const model = findDefaultModel(id);
  if (model) return `\`${model}\``;
  return (keyless ?? listFormat) ? 'the first that the server lists' : 'none: name a model';
}

function toUrlRow({ id, baseUrlEnv, baseUrl, rootPath, api }: Provider): string[] {
  const variable = baseUrlEnv ? `\`${baseUrlEnv}\`` : '–';
  const path = rootPath ? ` (adds \`${rootPath}\`)` : '';
  return [`\`${id}\``, `${variable}${path}`, baseUrl ? `\`${baseUrl}\`` : 'none: required', `\`${api}\``];
}
