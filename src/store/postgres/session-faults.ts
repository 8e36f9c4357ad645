// Faults of stored sessions, and which errors of the database mean that it cannot be reached at the moment.
import { Fault, getFaultReason } from '../../base/fault.ts';
import { isRecord } from '../../base/json.ts';
import { formatReference } from './session-reference.ts';

/** A row exists already. */
export const UNIQUE_VIOLATION = '23505';
/** Codes of SQL have five characters. `EPIPE` is the only code of the system with as many. */
const SQL_CODE = /^(?!EPIPE)[0-9A-Z]{5}$/;
/**
 * Lost connections, conflicts of transactions, the end or start of the server, too many connections, and a server that was replaced by
 * another one and accepts no changes any more.
 */
const TEMPORARY_SQL_CODE = /^(08...|40...|57P0.|53300|25P03|25006)$/;
/** The connection is refused because of its configuration: certificates, authentication. */
const CONFIGURATION_CODE =
  /^(ERR_|CERT_|SASL_|AUTH_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|MAX_PARAMETERS)/;

/** Whether the same statement may succeed in some seconds. */
export function isConnectionProblem(problem: unknown): boolean {
  const code = getReasonCode(problem);
  if (code === undefined) return false;
  return SQL_CODE.test(code) ? TEMPORARY_SQL_CODE.test(code) : !CONFIGURATION_CODE.test(code);
}

/** The server has refused the statement, so it had no effect. After other errors, this is not known. */
export function isRefusedStatement(problem: unknown): boolean {
  const code = getReasonCode(problem);
  return code !== undefined && SQL_CODE.test(code) && !TEMPORARY_SQL_CODE.test(code);
}

/** Of the driver or of PostgreSQL. */
export function getReasonCode(problem: unknown): string | undefined {
  const details = problem instanceof Fault ? problem.details : undefined;
  return isRecord(details) && typeof details.code === 'string' ? details.code : undefined;
}

/** This process may not write to the session. */
export function createLostFault(sessionId: string, reason: 'missing' | 'taken'): Fault {
  const reference = formatReference(sessionId);
  const message =
    reason === 'missing'
      ? `Session ${reference} was deleted by another process.`
      : `Session ${reference} was taken over by another process, because this one was suspended or had no connection to the database. Open the session again.`;
  return new Fault('storage', message, { details: { reason: 'lease_lost' } });
}

/** Another process has taken over the session, or has deleted it. */
export function isLostFault(problem: unknown): boolean {
  return getFaultReason(problem) === 'lease_lost';
}
