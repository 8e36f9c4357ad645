// Reads the address of a database: where the server is, how the connection is encrypted, and what the server is sent.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { Fault } from '../../base/fault.ts';

export interface PostgresTarget {
  /** Host, port and name of the database, without user and password. */
  readonly label: string;
  /** Tried in this order. */
  readonly addresses: readonly PostgresAddress[];
  /** Absent: from the environment. */
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly tls?: PostgresTls;
  /** Seconds. */
  readonly connectTimeout?: number;
  /** Sent to the server when a connection begins. */
  readonly parameters: Readonly<Record<string, string>>;
}

export type PostgresAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export interface PostgresTls {
  /** Continues without encryption when the server does not offer it. */
  readonly isOptional: boolean;
  /** Without the question whether the server supports it. */
  readonly isDirect: boolean;
  readonly options: ConnectionOptions;
}

const DEFAULT_PORT = 5432;
const ADDRESS_FORM =
  'The address of the database is not valid. It has the form postgres://USER:PASSWORD@HOST:PORT/NAME';
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Of other programs, in addresses that hosting companies show. The server does not know them. */
const IGNORED = ['channel_binding', 'gssencmode', 'keepalives', 'sslcompression', 'sslsni', 'pgbouncer', 'schema'];

export function parsePostgresTarget(text: string): PostgresTarget {
  const url = parseUrl(text);
  const query = new Map(url.searchParams);
  const take = (name: string): string | undefined => {
    const value = query.get(name);
    query.delete(name);
    return value || undefined;
  };
  const port = Number(take('port') ?? (url.port || DEFAULT_PORT));
  const hosts = (take('host') ?? (decode(url.hostname) || 'localhost')).split(',');
  const database = take('dbname') ?? decode(url.pathname.slice(1));
  const user = take('user') ?? decode(url.username);
  const password = take('password') ?? decode(url.password);
  const timeout = Number(take('connect_timeout'));
  const tls = parseTls(take);
  for (const name of IGNORED) query.delete(name);
  return {
    label: `${hosts.join(',')}${url.port ? `:${port}` : ''}/${database}`,
    addresses: hosts.map((host) => createAddress(host, port)),
    ...(user ? { user } : {}),
    ...(password ? { password } : {}),
    ...(database ? { database } : {}),
    ...(timeout > 0 ? { connectTimeout: timeout } : {}),
    // The files of a socket need no encryption.
    ...(tls && !hosts.some(isDirectory) ? { tls } : {}),
    parameters: Object.fromEntries(query),
  };
}

function parseUrl(text: string): URL {
  try {
    const url = new URL(text);
    if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return url;
  } catch {
    // Reported below. The text may contain a password.
  }
  throw new Fault('config', ADDRESS_FORM);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('config', `${ADDRESS_FORM}. Write special characters as %XX`);
  }
}

function isDirectory(host: string): boolean {
  return host.startsWith('/');
}

function createAddress(host: string, port: number): PostgresAddress {
  if (isDirectory(host)) return { path: `${host}/.s.PGSQL.${port}` };
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

function parseTls(take: (name: string) => string | undefined): PostgresTls | undefined {
  const [rootFile, certificateFile, keyFile] = [take('sslrootcert'), take('sslcert'), take('sslkey')];
  const isDirect = take('sslnegotiation') === 'direct';
  const ssl = take('ssl');
  const requested = take('sslmode') ?? (ssl === 'true' ? 'verify-full' : ssl === 'false' ? 'disable' : ssl);
  const mode = requested ?? (rootFile === 'system' ? 'verify-full' : 'disable');
  if (!SSL_MODES.includes(mode))
    throw new Fault('config', `sslmode of the database is not valid: ${mode}. Use one of ${SSL_MODES.join(', ')}.`);
  if (mode === 'disable') return undefined;
  const hasRoot = rootFile !== undefined && rootFile !== 'system';
  const isVerified = mode.startsWith('verify') || (hasRoot && mode === 'require');
  return {
    isOptional: mode === 'allow' || mode === 'prefer',
    isDirect,
    options: {
      rejectUnauthorized: isVerified,
      ...(isVerified && mode !== 'verify-full' ? { checkServerIdentity: () => undefined } : {}),
      ...(hasRoot ? { ca: readCertificate(rootFile) } : {}),
      ...(certificateFile ? { cert: readCertificate(certificateFile) } : {}),
      ...(keyFile ? { key: readCertificate(keyFile) } : {}),
    },
  };
}

function readCertificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new Fault('config', `A certificate of the database cannot be read: ${path}`, { cause });
  }
}
