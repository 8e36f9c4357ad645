// The hall, doctor: what a check finds, and how to mend it. Types and words only.

export interface Finding {
  readonly check: string;
  /** A warning leaves the agent able to work; an error does not, or endangers what is kept. */
  readonly status: 'ok' | 'warning' | 'error';
  readonly found: string;
  /** What to do about it; absent when all is well. */
  readonly mend?: string;
}

export function ok(check: string, found: string): Finding {
  return { check, status: 'ok', found };
}

export function warning(check: string, found: string, mend: string): Finding {
  return { check, status: 'warning', found, mend };
}

export function error(check: string, found: string, mend: string): Finding {
  return { check, status: 'error', found, mend };
}
