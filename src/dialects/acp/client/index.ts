// The client's side of an ACP connection, as the codec uses it.
export { ClientConnection } from './client-connection.ts';
