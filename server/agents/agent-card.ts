import { createHash } from 'node:crypto'
import { AgentCard, type AgentInterface } from '@a2a-js/sdk'
import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { AddressRefused, openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'

const maxBytes = 64 * 1024
const timeoutMs = 10_000

/** How an external agent is called: by one interface of the card that the release pins. */
export type PinnedCard = { digest: string; card: JsonObject }

/**
 * Reads an agent's card, which says where and how the agent is called. Throws `not_ready` for an address that may not be
 * called, and for what is no card of an agent that speaks A2A 1.0 over JSON-RPC; `unavailable` without an answer.
 */
export async function fetchAgentCard(url: string): Promise<PinnedCard> {
  const outbound = openOutbound({ allowed: runtime().config.allowedPrivateHosts, maxBytes, idleMs: timeoutMs })
  try {
    const answer = await outbound.fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!answer.ok)
      throw new ApiError('not_ready', `The agent card’s address answers with the status ${answer.status}.`)
    return pinned(await answer.text())
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof AddressRefused) throw new ApiError('not_ready', error.message, { cause: error })
    throw new ApiError('unavailable', `${new URL(url).host} does not give its agent card.`, { cause: error })
  } finally {
    await outbound.close()
  }
}

function pinned(text: string): PinnedCard {
  const card = parsedCard(text)
  interfaceOf(card)
  return { digest: `sha256:${createHash('sha256').update(canonicalJson(card)).digest('hex')}`, card }
}

function parsedCard(text: string): JsonObject {
  try {
    const value = JSON.parse(text)
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new ApiError('not_ready', 'The agent card is no JSON object.')
}

/** The card's first interface that can be called from here. Throws `not_ready` when it has none. */
export function interfaceOf(card: JsonObject): AgentInterface {
  const found = AgentCard.fromJSON(card).supportedInterfaces.find(
    ({ url, protocolBinding, protocolVersion }) =>
      URL.canParse(url) && protocolBinding.toUpperCase() === 'JSONRPC' && protocolVersion.startsWith('1.'),
  )
  if (found === undefined)
    throw new ApiError('not_ready', 'The agent card names no interface of A2A 1.0 over JSON-RPC.')
  return found
}
