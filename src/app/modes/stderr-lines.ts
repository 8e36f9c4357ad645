// Splits the stderr output of an agent into lines. Keeps them until there is a listener.

export interface StderrLines {
  push(text: string): void;
  listen(listener: (line: string) => void): void;
}

export function createStderrLines(): StderrLines {
  let rest = '';
  let emit: ((line: string) => void) | undefined;
  const push = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = emit ? (lines.pop() ?? '') : lines.splice(0).join('\n');
    for (const line of lines) emit?.(line);
  };
  return {
    push,
    listen(listener) {
      emit = listener;
      push('');
    },
  };
}
