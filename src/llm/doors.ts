// First floor, llm: what opens each provider's door, and requests that carry it. Knows no model's name.
import { ownValue } from '../base/index.ts';
import type { ApiRequest, ModelRequest, Ports } from '../contracts/index.ts';
import { type Addresses, createAddresses } from './addresses.ts';
import { createAuthFile } from './credentials/auth-file.ts';
import { type Credentials, createCredentials, type Refresh } from './credentials/credentials.ts';
import { createSecretTexts } from './credentials/secret-text.ts';
import { type CustomModels, createCustomModels, extrasFor } from './custom-models.ts';

export interface DoorOptions {
  ports: Pick<Ports, 'clock' | 'files' | 'ids' | 'platform' | 'processes' | 'toolEnv'>;
  env: Readonly<Record<string, string | undefined>>;
  /** Where auth.json and models.json are. */
  directory: string;
  refreshers?: Readonly<Record<string, Refresh>> | undefined;
  /** Learns every key that is used, to keep it out of logs. */
  redact?: ((secret: string) => void) | undefined;
  /** Learns which variables hold keys because a file says so. */
  withhold?: ((variable: string) => void) | undefined;
  /** Hears what is wrong with auth.json and models.json. */
  warn?: ((sentence: string) => void) | undefined;
}

export interface Doors {
  /** Every key that was used so far, and what is secret in addresses. */
  readonly secrets: ReadonlySet<string>;
  readonly addresses: Addresses;
  readonly custom: CustomModels;
  readonly credentials: Credentials;
  /** The request with key, headers and whatever else models.json says about its model. */
  open(request: ModelRequest): Promise<ApiRequest>;
}

export function createDoors(options: DoorOptions): Doors {
  const { ports, env, directory, refreshers, withhold = () => {}, warn = () => {} } = options;
  const known = new Set<string>();
  const redact = (secret: string) => {
    known.add(secret);
    options.redact?.(secret);
  };
  const { clock, files, ids, platform } = ports;
  const custom = createCustomModels(files, directory, warn);
  const secrets = createSecretTexts({ ports, env, directory, redact, withhold });
  const auth = createAuthFile({ files, clock, ids, directory, platform, warn });
  const credentials = createCredentials({ auth, custom, secrets, env, clock, redact, withhold, refreshers });

  async function headerOf(name: string, value: string, owner: string): Promise<[string, string]> {
    const { SECRET_HEADER } = await import('./http/headers.ts');
    const plain = !SECRET_HEADER.test(name) && !value.startsWith('!') && !ownValue(env, value);
    const resolved = plain ? value : await secrets.resolve(value, `${owner} (header ${name})`);
    const { sendableHeader } = await import('./credentials/key-characters.ts');
    return sendableHeader(name, resolved, owner, custom.path);
  }

  return {
    secrets: known,
    addresses: createAddresses(redact),
    custom,
    credentials,
    async open(request) {
      const { model } = request;
      const [apiKey, { providers }] = await Promise.all([credentials.key(model.provider), custom.read()]);
      const { headers, compat, authHeader } = extrasFor(model, providers.get(model.provider));
      const given = Object.entries(headers).map(([name, value]) => headerOf(name, value, model.provider));
      const bearer: Record<string, string> = authHeader && apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
      const all: Record<string, string> = {
        ...model.headers,
        ...Object.fromEntries(await Promise.all(given)),
        ...bearer,
      };
      return { ...request, apiKey, compat, ...(Object.keys(all).length > 0 ? { headers: all } : {}) };
    },
  };
}
