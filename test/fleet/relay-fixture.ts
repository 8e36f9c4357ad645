// For tests of the relay: several nodes on one database, each with its own connections.
import { onTestFinished } from 'vitest';
import { createClock } from '../../src/app/system-ports/clock.ts';
import { createIds } from '../../src/app/system-ports/ids.ts';
import { openDatabase } from '../../src/app/system-ports/postgres-database.ts';
import type { Database } from '../../src/contracts/index.ts';
import { Relay, type RelayChannel, type RelayOptions } from '../../src/fleet/index.ts';
import { createContentCipher } from '../../src/store/postgres/content-cipher.ts';
import { migrateSchema } from '../../src/store/postgres/migrate-schema.ts';
import { createTestDatabase } from '../support/database.ts';

export interface RelayFixture {
  readonly url: string;
  readonly database: Database;
  startNode(id: string, options?: NodeOptions): Promise<TestNode>;
  count(table: string): Promise<number>;
}

interface NodeOptions extends Partial<RelayOptions> {
  /** Replaces parts of the connection of this node. */
  readonly wrap?: (database: Database) => Database;
  readonly kind?: string;
}

export interface TestNode {
  readonly id: string;
  readonly relay: Relay;
  /** Channels that other nodes have opened, in order. */
  nextChannel(): Promise<RelayChannel>;
  /** The registration expires. */
  die(): Promise<void>;
}

const silent = Object.assign(() => {}, {}) as RelayOptions['log'];

export async function openRelays(): Promise<RelayFixture> {
  const { url, superuserUrl } = await createTestDatabase();
  const database = await openDatabase({ url, applicationName: 'parley tests', maxConnections: 4 });
  const superuser = await openDatabase({ url: superuserUrl, applicationName: 'parley tests', maxConnections: 2 });
  onTestFinished(async () => {
    await database.close();
    await superuser.close();
  });
  await migrateSchema(database);
  return {
    ...{ url, database },
    async count(table) {
      const [row] = await superuser.query<{ count: number }>(`select count(*) as count from parley.${table}`);
      return row?.count ?? 0;
    },
    startNode: (id, options) => startNode(database, id, options),
  };
}

async function startNode(database: Database, id: string, options: NodeOptions = {}): Promise<TestNode> {
  const { wrap = (same: Database) => same, kind = 'node', ...rest } = options;
  await database.query(
    `insert into parley.holders (id, process, kind, expires_at) values ($1, $2, $3, clock_timestamp() + interval '1 hour')`,
    [id, `process of ${id}`, kind],
  );
  const opened: RelayChannel[] = [];
  const waiting: ((channel: RelayChannel) => void)[] = [];
  const relay = new Relay({
    database: wrap(database),
    cipher: createContentCipher(undefined, createIds()),
    tenant: 'default',
    nodeId: id,
    clock: createClock(),
    ids: createIds(),
    log: silent,
    pollMs: 50,
    hasEnded: async () => false,
    onOpened(channel) {
      const next = waiting.shift();
      if (next) next(channel);
      else opened.push(channel);
    },
    ...rest,
  });
  await relay.start();
  onTestFinished(() => relay.close());
  return {
    ...{ id, relay },
    nextChannel() {
      const channel = opened.shift();
      return channel ? Promise.resolve(channel) : new Promise((resolve) => waiting.push(resolve));
    },
    async die() {
      await database.query(`update parley.holders set expires_at = clock_timestamp() where id = $1`, [id]);
    },
  };
}

/** The next messages of a channel as texts; fewer if it ends. */
export async function take(channel: RelayChannel, count: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of channel.messages) {
    texts.push(message.toString());
    if (texts.length === count) break;
  }
  return texts;
}

export async function connect(opener: TestNode, acceptor: TestNode, opening = 'opening') {
  const near = await opener.relay.open(acceptor.id, Buffer.from(opening));
  if (!near) throw new Error(`${acceptor.id} cannot be reached`);
  return { near, far: await acceptor.nextChannel() };
}
