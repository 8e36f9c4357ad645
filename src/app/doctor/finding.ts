// The result of one check of `parley doctor`.

export interface Finding {
  readonly check: string;
  /** With a warning the agent still works. With an error it does not, or stored data is at risk. */
  readonly status: 'ok' | 'warning' | 'error';
  readonly found: string;
  /** How to fix it. Absent when the check passed. */
  readonly remedy?: string;
}

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found };
}

export function warning(check: string, found: string, remedy: string): Finding {
  return { check, status: 'warning', found, remedy };
}

export function error(check: string, found: string, remedy: string): Finding {
  return { check, status: 'error', found, remedy };
}
