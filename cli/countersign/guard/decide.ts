import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { approvalPath } from '#lib/paths.ts'
import { notOfCountersign } from '../answer.ts'
import { operationNamed } from '../catalog.ts'
import type { Environment } from '../commands/command.ts'
import { Failed } from '../failure.ts'
import { readStore, withStore } from '../profiles.ts'
import { ask } from '../request.ts'
import { type Session, unlessUnusable } from '../session.ts'

export type GuardedCall = { agent: string; environment: string; resource: string; arguments: JsonObject }
/** `arguments`: the ones that the policy allows. */
export type Verdict = { allowed: true; arguments: JsonObject } | { allowed: false; reason: string }

const pollMs = 1_000
/** How long the id of a request is kept for the same call. No request waits for longer. */
const keptMs = 90 * 86_400_000
const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
const denied = (reason: string): Verdict => ({ allowed: false, reason })

/**
 * Asks the server for a decision about one call. If people must approve it, waits until `deadline` (milliseconds since the epoch);
 * the same call later continues with the same request. Throws for every answer that is not a decision.
 */
export async function decide(
  session: Session,
  settings: Environment,
  call: GuardedCall,
  deadline: number,
): Promise<Verdict> {
  const { agent, ...rest } = call
  const agentId = isId(agent) ? agent : await idOf(session, agent)
  const asked = { ...rest, agentId, action: 'ToolCall' }
  const key = createHash('sha256')
    .update(canonicalJson({ url: session.url, ...asked }))
    .digest('hex')
  const remembered = await unlessUnusable(async () => readStore(settings).requests[key]?.approvalId)
  if (remembered !== undefined) {
    const verdict = await afterApproval(remembered)
    if (verdict !== 'unusable') return verdict
  }
  const answer = await evaluate(undefined)
  if (answer.effect !== 'require_approval') return verdictOf(answer)
  const { approvalId } = objectOf(await ask(session, operationNamed('approvals.request'), asked))
  if (typeof approvalId !== 'string') return denied('The policy no longer requires an approval. Repeat the call.')
  await remember(approvalId)
  const verdict = await afterApproval(approvalId)
  return verdict === 'unusable' ? denied('The approval was used by another call. Repeat this one.') : verdict

  async function evaluate(approvalId: string | undefined): Promise<JsonObject> {
    const input = approvalId === undefined ? asked : { ...asked, approvalId }
    return objectOf(await ask(session, operationNamed('policies.evaluate'), input))
  }

  /** `unusable`: the request was used or removed, so that the call needs another one. */
  async function afterApproval(approvalId: string): Promise<Verdict | 'unusable'> {
    const status = await statusOf(approvalId)
    if (status === 'pending')
      return denied(
        `This call waits for approval ${approvalId} (${await pageOf(approvalId)}). Repeat exactly the same call once it is approved.`,
      )
    await remember(undefined)
    if (status === undefined) return 'unusable'
    if (status === 'changes requested')
      return denied(
        `A reviewer requested changes to this call (approval ${approvalId} says which). Repeating it as it is makes a new request.`,
      )
    if (status !== 'approved') return denied(`The request for this call was ${status} (approval ${approvalId}).`)
    try {
      return verdictOf(await evaluate(approvalId))
    } catch (error) {
      if (error instanceof Failed && error.details.code === 'digest_mismatch') return 'unusable'
      throw error
    }
  }

  /** The page on which people decide. */
  async function pageOf(approvalId: string): Promise<string> {
    const { externalId } = objectOf(await ask(session, operationNamed('tenants.current'), {}))
    if (typeof externalId !== 'string') throw notOfCountersign()
    return new URL(approvalPath(externalId, approvalId), session.url).href
  }

  /** The status of a request, as soon as it is decided or the time is over; undefined for an unknown one. */
  async function statusOf(approvalId: string): Promise<string | undefined> {
    for (;;) {
      const status = await ask(session, operationNamed('approvals.get'), { approvalId }).then(
        (approval) => statusIn(objectOf(approval)),
        (error: unknown) => {
          if (error instanceof Failed && error.details.code === 'not_found') return undefined
          throw error
        },
      )
      if (status !== 'pending' || Date.now() + pollMs > deadline) return status
      await setTimeout(pollMs)
    }
  }

  async function remember(approvalId: string | undefined): Promise<void> {
    await unlessUnusable(() =>
      withStore(settings, async (store) => {
        if (approvalId === undefined) delete store.requests[key]
        else store.requests[key] = { approvalId, expiresAt: Date.now() + keptMs }
      }),
    )
  }
}

function verdictOf(answer: JsonObject): Verdict {
  if (answer.effect === 'allow' && typeof answer.decisionId === 'string' && isJsonObject(answer.arguments))
    return { allowed: true, arguments: answer.arguments }
  if (answer.effect === 'require_approval') return denied('Another group must approve this call, too. Repeat it.')
  if (answer.effect !== 'deny') throw notOfCountersign('it is not a decision')
  const reasons = (Array.isArray(answer.reasons) ? answer.reasons : []).filter(isJsonObject)
  const words = reasons.map(({ message, rule, policyName }) => message ?? `rule ${rule} of ${policyName}`)
  return denied(words.length === 0 ? 'No rule permits this call.' : words.join(' '))
}

/** A request of which a reviewer wants changes has ended as canceled. */
const statusIn = ({ status, changes }: JsonObject): string =>
  status === 'canceled' && isJsonObject(changes) ? 'changes requested' : String(status)

function objectOf(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value
  throw notOfCountersign()
}

async function idOf(session: Session, name: string): Promise<string> {
  for (let cursor: JsonValue | undefined; ; ) {
    const input = { limit: 200, ...(cursor === undefined ? {} : { cursor }) }
    const { items, nextCursor } = objectOf(await ask(session, operationNamed('agents.list'), input))
    const found = (Array.isArray(items) ? items : []).find((agent) => isJsonObject(agent) && agent.name === name)
    if (isJsonObject(found) && typeof found.id === 'string') return found.id
    if (typeof nextCursor !== 'string') throw new Failed('refused', `Unknown agent: ${name}.`, { code: 'not_found' })
    cursor = nextCursor
  }
}
