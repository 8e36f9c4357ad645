// The sockets, timers and random numbers of the browser.
import type { ConnectionPorts } from '../wire/connection.ts';

export function createBrowserPorts(): ConnectionPorts {
  return {
    openSocket: (url) => new WebSocket(url),
    startTimer(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    now: () => Date.now(),
  };
}
