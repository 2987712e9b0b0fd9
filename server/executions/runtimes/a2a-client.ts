import { AgentCard } from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import { interfaceOf } from '#server/agents/agent-card.ts'
import type { Loaded } from '#server/executions/state/load.ts'
import { AddressRefused } from '#server/kernel/net/outbound.ts'
import { withEndpoint } from './endpoint.ts'

/** The status of the last response, which the SDK reports only as text. */
export type Wire = { status: number | undefined }

/**
 * Runs `work` with a client for the agent of an a2a runtime, as pinned by its release, behind the guard of outbound.ts.
 * `idleMs`: the longest silence. Throws the errors of withEndpoint and of the SDK; `wire` then has the last status.
 */
export async function withA2aAgent<T>(
  { tenant, content }: Pick<Loaded, 'tenant' | 'content'>,
  { idleMs, wire = { status: undefined } }: { idleMs: number; wire?: Wire },
  work: (client: Client, route: string) => Promise<T>,
): Promise<T> {
  const { a2a } = content.spec.runtime
  const card = content.agentCard?.card
  if (a2a === undefined || card === undefined) throw new Error('The release does not pin an agent card.')
  const { url, tenant: route } = interfaceOf(card)
  return await withEndpoint(
    tenant,
    { url, secretRef: a2a.auth?.secretRef, idleMs },
    async (fetch, { authorization }) => await work(await clientOf(card, url, authorization, fetch, wire), route),
  )
}

function clientOf(
  card: Parameters<typeof interfaceOf>[0],
  url: string,
  authorization: string | undefined,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  wire: Wire,
): Promise<Client> {
  const { origin } = new URL(url)
  const fetchImpl: typeof globalThis.fetch = async (wanted, init = {}) => {
    const address = wanted instanceof Request ? wanted.url : String(wanted)
    if (new URL(address).origin !== origin)
      throw new AddressRefused('The agent can only be called at its pinned address.')
    const headers = new Headers(init.headers)
    if (authorization !== undefined) headers.set('authorization', authorization)
    const answer = await fetch(address, { ...init, headers })
    wire.status = answer.status
    return answer
  }
  const transports = [new JsonRpcTransportFactory({ fetchImpl })]
  const pinned = AgentCard.fromJSON(card)
  return new ClientFactory({ transports }).createFromAgentCard({ ...pinned, supportedInterfaces: [interfaceOf(card)] })
}
