// The tenants of a server with a database. The sessions of another tenant than its own are loaded when one of its tokens is used, or when one
// of its runs is continued.
import type { SessionBackend } from '../../../http/index.ts';
import type { NodeTenant } from '../../fleet/node-tenant.ts';
import type { OpenedStorage } from '../../session-storage.ts';
import type { StartContext } from '../start-agent.ts';
import { protectUserFiles } from './protect-user-files.ts';
import { openTenantSessions, type TenantContext, type TenantSessions } from './tenant-sessions.ts';

export class Tenants {
  readonly #startContext: StartContext;
  readonly #context: TenantContext;
  readonly #ownName: string | undefined;
  readonly #own: TenantSessions;
  readonly #others = new Map<string, Promise<TenantSessions>>();
  #isStopping = false;

  private constructor(startContext: StartContext, context: TenantContext, own: TenantSessions) {
    this.#startContext = startContext;
    this.#context = context;
    this.#ownName = startContext.storage?.postgres.tenant;
    this.#own = own;
  }

  static async create(startContext: StartContext, context: TenantContext): Promise<Tenants> {
    return new Tenants(startContext, context, await openTenantSessions(startContext, context));
  }

  /** Without a name: the tenant of the server. */
  async getSessions(name: string | undefined): Promise<SessionBackend> {
    return (await this.#get(name)).backend;
  }

  async getNode(name: string): Promise<NodeTenant> {
    const { node } = await this.#get(name);
    if (!node) throw new Error('There is no database');
    return node;
  }

  /** The tenants that are loaded. */
  async list(): Promise<readonly TenantSessions[]> {
    const others = await Promise.allSettled(this.#others.values());
    return [this.#own, ...others.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))];
  }

  /** No tenant is loaded any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const tenant of await this.list()) tenant.stop();
  }

  async #get(name: string | undefined): Promise<TenantSessions> {
    const { storage } = this.#startContext;
    if (name === undefined || name === this.#ownName || !storage) return this.#own;
    const known = this.#others.get(name);
    if (known) return known;
    if (this.#isStopping) throw new Error('The server ends.');
    const opened = this.#open(storage, name);
    this.#others.set(name, opened);
    // The next request tries it again.
    opened.catch(() => this.#others.delete(name));
    return opened;
  }

  async #open(storage: OpenedStorage, name: string): Promise<TenantSessions> {
    const startContext = {
      ...this.#startContext,
      ports: await protectUserFiles(this.#startContext),
      credentialPorts: this.#startContext.ports,
      storage: { ...storage, ...storage.openTenant(name) },
      close: async () => {},
    };
    const opened = await openTenantSessions(startContext, this.#context);
    if (opened.node) this.#context.getNode()?.addTenant(opened.node);
    return opened;
  }
}
