import {
  Client,
  type ConnectOptions,
  isJSONRPCRequest,
  ProtocolError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'

/** Time for a server to report its protocol revision. A stdio server that does not respond in time is taken for an older one. */
const probeMs = 20_000

/** The detected protocol revision of a server, reused when connections are opened repeatedly. */
export type SpokenBefore = NonNullable<ConnectOptions['prior']>

/**
 * A connected client. Requests the server's protocol revision (`server/discover`, 2026-07-28), and falls back to the handshake of
 * earlier revisions (2025-11-25 and older) when the server does not support the request. Throws without a response.
 */
export async function connectClient(
  transport: Transport,
  { before, onClose }: { before?: SpokenBefore | undefined; onClose?: () => void } = {},
): Promise<{ client: Client; spoken: SpokenBefore }> {
  const client = new Client(
    { name: 'countersign', version: '0.1.0' },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } } },
  )
  if (onClose !== undefined) client.onclose = onClose
  await client.connect(transport, before === undefined ? {} : { prior: before })
  const discover = client.getDiscoverResult()
  return { client, spoken: discover === undefined ? { kind: 'legacy' } : { kind: 'modern', discover } }
}

/** The data of the error with which a request fails here. What a server sends is never this object. */
const cutOff = {}

/** Whether a request failed because its response ended before the result. */
export const isCutOff = (error: unknown): boolean => error instanceof ProtocolError && error.data === cutOff

/**
 * Streamable HTTP whose requests fail when their response ends before the result and can't be resumed. The library alone lets them
 * wait until they time out.
 */
export class RemoteTransport extends StreamableHTTPClientTransport {
  override async send(...[message, options]: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    const onRequestStreamEnd = () => {
      options?.onRequestStreamEnd?.()
      if (!isJSONRPCRequest(message)) return
      const error = { code: -32000, message: 'The response ended before the result.', data: cutOff }
      // The library ignores this if the request has been answered.
      this.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    }
    await super.send(message, { ...options, onRequestStreamEnd })
  }
}
