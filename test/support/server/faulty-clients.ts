// Clients that disturb a server: they disappear, read slowly, or stop reading. All of them come back and miss no event.
import type { FollowingClient } from './following-client.ts';
import type { ServeProcess } from './serve-process.ts';

/** What the clients of one test share. */
export interface Disturbance {
  readonly random: () => number;
  readonly progress: Progress;
  /** Replaced when the server is started again. */
  server: ServeProcess;
  readonly sessionId: string;
  /** From then on clients stay connected and read. */
  isOver: boolean;
}

/** Counts the frames of a client that is always connected, so that the others act at given points instead of times. */
export class Progress {
  #count = 0;
  #waiting: { at: number; act: () => void }[] = [];

  advance(): void {
    this.#count += 1;
    const due = this.#waiting.filter(({ at }) => at <= this.#count);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#count);
    for (const { act } of due) act();
  }

  after(frames: number, act: () => void): void {
    this.#waiting.push({ at: this.#count + frames, act });
  }

  /** Nothing more will happen: calls all functions that wait. */
  finish(): void {
    for (const { act } of this.#waiting.splice(0)) act();
  }
}

/** Disappears after a random number of frames, also before the first one and before the connection is open. */
export function disappearRepeatedly(client: FollowingClient, disturbance: Disturbance, maxFrames = 12): void {
  const { random, server, sessionId } = disturbance;
  let framesLeft = 0;
  const connect = () => {
    framesLeft = Math.floor(random() * (maxFrames + 2)) - 2;
    client.connect(server, sessionId);
    // A client without a position would get only new events.
    if (client.lastSeq === undefined) framesLeft = Math.max(framesLeft, 2);
    if (framesLeft === -2 && !disturbance.isOver) client.terminate();
  };
  const disappear = () => {
    if (disturbance.isOver) return;
    client.terminate();
  };
  client.onOpen = () => {
    if (framesLeft === -1) disappear();
  };
  client.onFrame = () => {
    framesLeft -= 1;
    if (framesLeft <= 0) disappear();
  };
  client.onEnd = () => setImmediate(connect);
  connect();
}

/** Reads a few frames at a time. */
export function readSlowly(client: FollowingClient, disturbance: Disturbance, frames: number): void {
  const { random, progress, server, sessionId } = disturbance;
  client.onFrame = () => {
    if (disturbance.isOver || random() > 0.3) return;
    client.pause();
    progress.after(Math.ceil(random() * frames), () => client.resume());
  };
  client.onEnd = () => client.connect(server, sessionId);
  client.connect(server, sessionId);
}

/** Stops reading for so long that the server may end the connection. Then reads what it has missed before it stops again. */
export function stopReading(
  client: FollowingClient,
  reference: FollowingClient,
  disturbance: Disturbance,
  frames: number,
): void {
  const { random, progress, server, sessionId } = disturbance;
  let framesLeft = 10;
  let target = 0;
  const stop = () => {
    client.pause();
    target = Number.POSITIVE_INFINITY;
    progress.after(frames, () => {
      framesLeft = 20 + Math.floor(random() * 60);
      target = reference.lastSeq ?? 0;
      client.resume();
    });
  };
  client.onFrame = () => {
    if (disturbance.isOver || (client.lastSeq ?? 0) < target) return;
    framesLeft -= 1;
    if (framesLeft === 0) stop();
  };
  client.onEnd = () => client.connect(server, sessionId);
  client.connect(server, sessionId);
}
