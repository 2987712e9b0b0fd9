import { Client, type ConnectOptions, type Transport } from '@modelcontextprotocol/client'

/** How long a server may take to say which revision it speaks. One of stdio that is silent for as long speaks an older one. */
const probeMs = 20_000

/** What a server was found to speak: asked for once, where a connection is opened again and again. */
export type SpokenBefore = NonNullable<ConnectOptions['prior']>

/**
 * A connected client. The server is asked which revision it speaks (`server/discover`, 2026-07-28); one that does not know the
 * question gets the handshake of the revisions before (2025-11-25 and older). Throws when nobody answers.
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
