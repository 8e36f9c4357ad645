// The tokens that the nodes of a fleet share. Loaded only with a database.
import type { Clock } from '../../../contracts/index.ts';
import { StoredTokens } from '../../../http/index.ts';
import { findStoredToken, listenForRemovedTokens } from '../../../store/postgres/access-token-rows.ts';
import type { PostgresStorage } from '../../../store/postgres/postgres-store.ts';
import type { ClientRegistry } from './client-registry.ts';
import { toConnectionEnd } from './connection-end.ts';

export interface SharedTokens {
  readonly tokens: StoredTokens;
  /** Ends the connections with tokens that are removed. Returns a function that ends it. */
  follow(clients: ClientRegistry): Promise<() => Promise<void>>;
}

export function shareTokens({ database, tenant }: PostgresStorage, clock: Clock): SharedTokens {
  const toOther = (name: string) => (name === tenant ? undefined : name);
  const find = async (digest: string) => {
    const found = await findStoredToken(database, digest);
    return found && { ...found, tenant: toOther(found.tenant) };
  };
  const tokens = new StoredTokens({ find }, clock);
  return {
    tokens,
    follow: (clients) =>
      listenForRemovedTokens(database, (removed) => {
        tokens.clear();
        if (!removed) return;
        const end = toConnectionEnd('token_removed', 'The token was removed.');
        clients.close(end, (caller) => caller.token === removed.name && caller.tenant === toOther(removed.tenant));
      }),
  };
}
