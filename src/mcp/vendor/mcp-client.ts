// Entry point for bundling the MCP SDK, so that it does not have to be installed.
export {
  Client,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
