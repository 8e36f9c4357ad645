// What hosts are shown of a model's address, and the address itself for requests: it may hold a password or a key.
import type { Model } from '../protocol/index.ts';
import { findProvider } from './providers/providers.ts';

export interface Addresses {
  /** The model as everybody may see it. Its own address is kept here. */
  published(model: Model): Promise<Model>;
  /** The model as requests need it. */
  reached(model: Model): Model;
}

/** `redact` is given every secret of an address that is published. */
export function createAddresses(redact: (secret: string) => void): Addresses {
  const kept = new Map<string, string>();
  const nameOf = ({ provider, id, baseUrl }: Model) => JSON.stringify([provider, id, baseUrl]);
  return {
    async published(model) {
      const { provider, baseUrl } = model;
      // Nearly every start comes through here with an address of our own table.
      if (baseUrl === '' || baseUrl === findProvider(provider)?.baseUrl) return model;
      const { publicAddress, secretsInAddress } = await import('./http/address.ts');
      for (const secret of secretsInAddress(baseUrl)) redact(secret);
      const shown = { ...model, baseUrl: publicAddress(baseUrl) };
      if (shown.baseUrl === baseUrl) return model;
      kept.set(nameOf(shown), baseUrl);
      return shown;
    },
    reached(model) {
      const baseUrl = kept.get(nameOf(model));
      return baseUrl === undefined ? model : { ...model, baseUrl };
    },
  };
}
