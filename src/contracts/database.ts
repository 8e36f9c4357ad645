// A PostgreSQL database, independent of the driver.

export type SqlValue = string | number | boolean | null | Uint8Array | readonly string[] | readonly number[];
export type SqlRow = Readonly<Record<string, unknown>>;

export interface SqlConnection {
  /** Runs one statement with the values for `$1`, `$2`, … Numbers of 8 bytes are returned as numbers, `bytea` as bytes. */
  query<Row extends object = SqlRow>(text: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
}

export interface ListenOptions {
  onMessage(payload: string): void;
  /** Called when the connection was lost and is there again. Messages of the time between are lost. */
  onReconnected(): void;
}

export interface Database extends SqlConnection {
  /** Host, port and name of the database, without user and password. For messages. */
  readonly label: string;
  /** All statements of `act` take effect, or none. */
  transaction<T>(act: (connection: SqlConnection) => Promise<T>): Promise<T>;
  /** The same. Row-level security allows the rows of this tenant only. */
  tenantTransaction<T>(tenant: string, act: (connection: SqlConnection) => Promise<T>): Promise<T>;
  /** Returns a function that ends it. */
  listen(channel: string, options: ListenOptions): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
