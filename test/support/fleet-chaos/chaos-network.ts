// The network between the processes of a fleet and their database, which can be cut.
import { onTestFinished } from 'vitest';
import { startCutProxy } from './cut-proxy.ts';

/** The connection of one process. */
export interface ChaosLink {
  readonly databaseUrl: string;
  /** Connections stay open, and nothing arrives any more. New connections get no answer. */
  cut(): void;
  restore(): void;
}

export interface ChaosNetwork {
  readonly kind: 'proxy';
  createLink(databaseUrl: string): Promise<ChaosLink>;
}

export function createProxyNetwork(): ChaosNetwork {
  return {
    kind: 'proxy',
    async createLink(databaseUrl) {
      const proxy = await startCutProxy(Number(new URL(databaseUrl).port));
      onTestFinished(() => proxy.close());
      const url = Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href;
      return { databaseUrl: url, cut: proxy.cut, restore: proxy.restore };
    },
  };
}
