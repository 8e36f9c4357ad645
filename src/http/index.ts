// Public exports of the HTTP server.
export {
  addNamedToken,
  checkTokenName,
  createToken,
  loadAccessTokens,
  readNamedTokens,
  removeNamedToken,
  type TokenFileOptions,
} from './access-tokens.ts';
export { AuditLog } from './audit-log.ts';
export type {
  BackendCall,
  BackendReply,
  Caller,
  ClientConnection,
  ConnectionEnd,
  ConnectionParams,
  HttpBackend,
  PageFile,
  SessionActivity,
  SessionBackend,
} from './backend.ts';
export { clientName, readCaller } from './caller.ts';
export { LoginCodes } from './login-codes.ts';
export { answerPageRequest } from './page-handler.ts';
export { type RequestFacts, RequestGuard } from './request-guard.ts';
export { RETRY_AFTER } from './responses.ts';
export { checkQuery } from './route-table.ts';
export { SECURITY_HEADERS } from './security-headers.ts';
export { StoredTokens } from './stored-tokens.ts';
