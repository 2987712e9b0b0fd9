import { createHash } from 'node:crypto'
import { AgentCard, type AgentInterface } from '@a2a-js/sdk'
import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { AddressRefused, openOutbound } from '#server/kernel/net/outbound.ts'
import { runtime } from '#server/kernel/runtime.ts'

const maxBytes = 64 * 1024
const timeoutMs = 10_000

/** The agent card that a release pins. The agent is called through one of its interfaces. */
export type PinnedCard = { digest: string; card: JsonObject }

/**
 * Reads an agent's card, which states where and how the agent is called. Throws `not_ready` for a forbidden address or a card
 * without A2A 1.0 over JSON-RPC, and `unavailable` without a response.
 */
export async function fetchAgentCard(url: string): Promise<PinnedCard> {
  const outbound = openOutbound({ allowed: runtime().config.allowedPrivateHosts, maxBytes, idleMs: timeoutMs })
  try {
    const answer = await outbound.fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!answer.ok)
      throw new ApiError('not_ready', `The address of the agent card returned the status ${answer.status}.`)
    return pinned(await answer.text())
  } catch (error) {
    if (error instanceof ApiError) throw error
    if (error instanceof AddressRefused) throw new ApiError('not_ready', error.message, { cause: error })
    throw new ApiError(
      'unavailable',
      `The agent card could not be loaded from ${new URL(url).host}. Try again in a minute.`,
      { cause: error },
    )
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
  throw new ApiError('not_ready', 'The agent card is not a JSON object.')
}

/** The card's first supported interface. Throws `not_ready` without one. */
export function interfaceOf(card: JsonObject): AgentInterface {
  const found = AgentCard.fromJSON(card).supportedInterfaces.find(
    ({ url, protocolBinding, protocolVersion }) =>
      URL.canParse(url) && protocolBinding.toUpperCase() === 'JSONRPC' && protocolVersion.startsWith('1.'),
  )
  if (found === undefined)
    throw new ApiError('not_ready', 'The agent card does not list an interface for A2A 1.0 over JSON-RPC.')
  return found
}
