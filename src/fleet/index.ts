// The relay between the nodes of a fleet.
export { Relay, type RelayOptions } from './relay.ts';
export type { ChannelEnd, RelayChannel } from './relay-channel.ts';
