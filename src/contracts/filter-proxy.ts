// The HTTP proxy through which sandboxed commands reach the network. The app provides it; the sandbox decides which connections it makes.

/** As in a request: not normalized. An IPv6 address has brackets. */
export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

/** Both checks return the reason of a refusal with its remedy, or `undefined` when the connection is allowed. */
export interface ConnectionPolicy {
  checkTarget(target: ProxyTarget): string | undefined;
  /** `address` is an IP address to which the host name resolves. */
  checkAddress(target: ProxyTarget, address: string): string | undefined;
}

export interface FilterProxyOptions {
  readonly policy: ConnectionPolicy;
  /** `socket`: a unix socket in a private directory. `port`: a TCP port of the loopback interface. */
  readonly listenOn: 'socket' | 'port';
  /** Called with each refused target. `host` contains only printable ASCII. */
  onRefused(host: string, reason: string): void;
}

export interface FilterProxy {
  /**
   * A client of the socket sends the token and a newline before the first request. A client of the port sends it as the password of
   * `Proxy-Authorization`, with any user name.
   */
  readonly token: string;
  readonly address: { readonly socketPath: string } | { readonly port: number };
  /** Ends all connections. The proxy never keeps the process alive. */
  close(): Promise<void>;
}

export type OpenFilterProxy = (options: FilterProxyOptions) => Promise<FilterProxy>;
