import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { ArgumentView } from '#lib/schemas/approvals.ts'
import type { Actor } from '#lib/schemas/common.ts'
import {
  type ExecutionDecision,
  type ExecutionEffect,
  ExecutionStatus,
  type ExecutionSummary,
} from '#lib/schemas/executions.ts'
import { findNewestOfSubjects } from '#server/approvals/list-store.ts'
import { findVotesOn } from '#server/approvals/vote-store.ts'
import { contentOf } from '#server/executions/state/load.ts'
import { maskerFor } from '#server/executions/state/masking.ts'
import type { listExecutions } from '#server/executions/state/store.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { listErasedOf } from '#server/kernel/content/erased-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { effectOf, inputInShort, stillShown } from './effect.ts'
import { findFirstCalls, findInputs, findOutputs } from './effect-store.ts'

type Row = Awaited<ReturnType<typeof listExecutions>>[number]

/** A page of executions as the caller may see them, with what they do and who decided. */
export async function summariesOf(
  tx: Transaction,
  tenantId: string,
  principal: Pick<Principal, 'permissions'>,
  rows: readonly Row[],
): Promise<ExecutionSummary[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  // What does not depend on anything else is sent together, here and in `shownOf`: one round trip.
  const [starter, requests, inputs, calls, contents] = await Promise.all([
    actorsById(
      tx,
      tenantId,
      rows.map((row) => row.startedBy),
    ),
    findNewestOfSubjects(tx, tenantId, 'tool_call', ids),
    findInputs(tx, tenantId, ids),
    findFirstCalls(tx, tenantId, ids),
    contentsOf(tx, tenantId, rows),
  ])
  const [shown, votes] = await Promise.all([
    shownOf(tx, tenantId, rows, { requests, inputs, calls, contents }),
    principal.permissions.has('approval:list') ? lastVotes(tx, tenantId, requests) : undefined,
  ])
  const voters = [...(votes?.values() ?? [])].map(({ memberId }) => memberId)
  const voter = await actorsById(tx, tenantId, voters)
  return rows.map((row) => ({
    ...facts(row, starter),
    ...(shown.get(row.id) ?? { effect: null, ...noInput }),
    decision: votes === undefined ? null : decisionOf(requests.get(row.id), votes, voter),
  }))
}

const facts = (row: Row, starter: (id: string) => Actor) => ({
  id: row.id,
  agentId: row.agentId,
  agentName: row.agentName,
  agentDisplayName: row.agentDisplayName,
  agentVersion: row.agentVersion,
  environment: row.environment,
  status: ExecutionStatus.parse(row.status),
  traceId: row.traceId,
  startedBy: starter(row.startedBy),
  revision: row.revision,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
  durationMs: row.endedAt === null ? null : Math.max(0, row.endedAt.getTime() - row.createdAt.getTime()),
  stopRequestedAt: row.stopRequestedAt?.toISOString() ?? null,
  stopConfirmedAt: row.stopConfirmedAt?.toISOString() ?? null,
})

type Requests = Awaited<ReturnType<typeof findNewestOfSubjects>>
type LastVote = { memberId: string; reason: string }

/** The last vote on each request that people decided, by its id. */
async function lastVotes(tx: Transaction, tenantId: string, requests: Requests): Promise<Map<string, LastVote>> {
  const decided = [...requests.values()].filter(isDecided).map(({ id }) => id)
  if (decided.length === 0) return new Map()
  return new Map((await findVotesOn(tx, tenantId, decided)).map((vote) => [vote.approvalId, vote]))
}

/** By people: one that expired may have votes, but none of them ended it. */
const isDecided = ({ status }: { status: string }): boolean => status === 'approved' || status === 'rejected'

function decisionOf(
  request: ReturnType<Requests['get']>,
  votes: ReadonlyMap<string, LastVote>,
  voter: (id: string) => Actor,
): ExecutionDecision | null {
  if (request === undefined) return null
  const vote = votes.get(request.id)
  return {
    approvalId: request.id,
    status: request.status,
    by: vote === undefined ? null : voter(vote.memberId),
    reason: vote?.reason ?? null,
  }
}

type Shown = { effect: ExecutionEffect | null; inputShown: ArgumentView[]; inputOmitted: number }
const noInput = { inputShown: [], inputOmitted: 0 }

type Contents = ReadonlyMap<string, Awaited<ReturnType<typeof contentOf>>>

/** The content of each release, by its id. */
async function contentsOf(tx: Transaction, tenantId: string, rows: readonly Row[]): Promise<Contents> {
  const releases = new Map(rows.map((row) => [row.releaseId, row]))
  return new Map(
    await Promise.all([...releases].map(async ([id, row]) => [id, await contentOf(tx, tenantId, row)] as const)),
  )
}

type Known = {
  requests: Requests
  inputs: Awaited<ReturnType<typeof findInputs>>
  calls: Awaited<ReturnType<typeof findFirstCalls>>
  contents: Contents
}

/** What executions do, masked as on their pages. Nothing of one from which content was removed. */
async function shownOf(
  tx: Transaction,
  tenantId: string,
  rows: readonly Row[],
  { requests, inputs, calls: firstCalls, contents }: Known,
): Promise<Map<string, Shown>> {
  // Without sensitive data there is nothing in the outputs that the other values must be compared with.
  const sensitive = rows.filter(({ releaseId }) => contents.get(releaseId)?.spec.data.sensitive.length !== 0)
  const [removed, outputs] = await Promise.all([
    listErasedOf(tx, tenantId, [...rows.map(({ id }) => id), ...[...requests.values()].map(({ id }) => id)]),
    findOutputs(
      tx,
      tenantId,
      sensitive.map(({ id }) => id),
    ),
  ])
  const whole = rows.filter(({ id }) => !removed.has(id) && !removed.has(requests.get(id)?.id ?? ''))
  const calls = Map.groupBy(firstCalls, ({ executionId }) => executionId)
  const found = new Map<string, Shown>()
  for (const { id, releaseId } of whole) {
    const content = contents.get(releaseId)
    if (content === undefined) continue
    const seen = outputs.has(id) ? outputs.get(id) : []
    const input = inputs.get(id)
    const mask = maskerFor(content, [...(input === undefined ? [] : [input]), ...((seen ?? []) as JsonValue[])])
    // Without all outputs, it is unknown what of the input they make sensitive.
    const masked = input === undefined || seen === undefined ? undefined : (mask(input) as JsonObject)
    const known = {
      content,
      request: requests.get(id)?.presentation,
      calls: (calls.get(id) ?? []).map(({ data }) => data),
      input: masked,
    }
    found.set(id, {
      effect: stillShown(effectOf(known), mask),
      ...(masked === undefined ? noInput : inputInShort(content, masked)),
    })
  }
  return found
}
