import { CompiledQuery, sql } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { isWrittenAlike } from '#server/kernel/bound/known.ts'
import { boundType, type KnownRow } from '#server/kernel/bound/types.ts'
import { commitmentState, present } from '#server/kernel/content/committed.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import { databaseClock } from '#server/kernel/db/clock.ts'
import { writeKnown } from '#server/kernel/db/closing.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'
import { firstIdAt } from '#server/kernel/ids.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

type DecisionRow = {
  tenantId: string
  id: string
  agentId: string
  releaseId: string
  executionId: string | null
  stepId: string | null
  requestedBy: string | null
  environment: string
  action: string
  resource: string
  effect: string
  obligations: JsonValue
  reasons: JsonValue
  policies: JsonValue
  shadow: JsonValue | null
  request: JsonObject
  inputDigest: string
}

const recordText = 'select record_decision($1, $2, $3, $4, $5) as recorded'
const knownText = `case when record_decision_at($1, $2, $3, true, $4, $5) then 'done' else 'other bindings' end`

const requestContext = (id: string) => contentContext('policy_decisions', [id], 'request')

/** `request` is null once the tenant's retention period has passed. */
function openRequest<T extends { id: string; request: Buffer | null }>(cipher: TenantCipher, row: T) {
  const stored = present(row.request)
  return { ...row, request: stored === null ? null : cipher.decryptJson(stored, requestContext(row.id)) }
}

const bound = boundType('decision')

/** A decision as the function of the database reads it, and its encrypted request. `rowAt`: its row if it is stored at this time. */
export type StoredDecision = { decision: string; asked: Buffer; rowAt(at: Date): KnownRow }

export async function storedDecision(tx: Transaction, row: DecisionRow): Promise<StoredDecision> {
  const { tenantId, request, ...decision } = row
  const cipher = await tenantCipher(tx, tenantId)
  const asked = cipher.encryptJson(request, requestContext(row.id))
  return {
    decision: JSON.stringify(decision),
    asked,
    rowAt: (at) => ({
      bound,
      id: row.id,
      row: JSON.stringify({ ...decision, createdAt: at.toISOString(), request: commitmentState(asked) }),
      before: null,
    }),
  }
}

async function record(tx: Transaction, row: DecisionRow, onlyIf?: { revision: string | undefined }): Promise<boolean> {
  const { decision, asked } = await storedDecision(tx, row)
  const values = [row.tenantId, decision, asked, onlyIf !== undefined, onlyIf?.revision ?? null]
  const { rows } = await tx.executeQuery<{ recorded: boolean }>(CompiledQuery.raw(recordText, values))
  return rows[0]?.recorded === true
}

/** The table is append-only. */
export async function insertDecision(tx: Transaction, row: DecisionRow): Promise<void> {
  await record(tx, row)
}

/** False, without inserting, when the tenant's binding revision has changed. */
export const insertDecisionIfCurrent = (
  tx: Transaction,
  row: DecisionRow,
  revision: string | undefined,
): Promise<boolean> => record(tx, row, { revision })

/**
 * The same in one write with the COMMIT, which throws Unforeseen when the binding revision has changed. A row that the database would write
 * otherwise is inserted at once, with the result of `insertDecisionIfCurrent`.
 */
export async function writeDecisionIfCurrent(
  tx: Transaction,
  row: DecisionRow,
  revision: string | undefined,
): Promise<boolean> {
  const { decision, asked, rowAt } = await storedDecision(tx, row)
  const at = (await databaseClock(tx))()
  const known = rowAt(at)
  if (!isWrittenAlike(known.row)) return await insertDecisionIfCurrent(tx, row, revision)
  const call = CompiledQuery.raw(knownText, [row.tenantId, decision, asked, revision ?? null, at])
  await writeKnown(tx, { tenantId: row.tenantId, call, mayDiffer: true, rows: [known] })
  return true
}

export async function findDecision(tx: Transaction, tenantId: string, id: string) {
  const row = await tx
    .selectFrom('policyDecisions')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row === undefined ? undefined : openRequest(await tenantCipher(tx, tenantId), row)
}

export type DecisionFilter = {
  policyId?: string | undefined
  agentId?: string | undefined
  environment?: string | undefined
  effect?: string | undefined
  from?: Date | undefined
  to?: Date | undefined
}

/**
 * The `searched` newest decisions before `cursor`, by the filters that have an index: the period, and the agent if the
 * environment is given too. The other filters apply to these rows only, which bounds the cost of a page.
 */
const newestDecisions = (
  tx: Transaction,
  tenantId: string,
  { agentId, environment, from, to }: DecisionFilter,
  searched: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom('policyDecisions')
    .select(['id', 'agentId', 'executionId', 'stepId', 'environment', 'action', 'resource', 'effect'])
    .select(['reasons', 'createdAt', sql<string>`row_number() over (order by id desc)`.as('place')])
    .where('tenantId', '=', tenantId)
    .$if(agentId !== undefined && environment !== undefined, (q) =>
      q.where('agentId', '=', agentId ?? '').where('environment', '=', environment ?? ''),
    )
    .$if(from !== undefined, (q) => q.where('id', '>=', firstIdAt(from ?? new Date(0))))
    .$if(to !== undefined, (q) => q.where('id', '<', firstIdAt(to ?? new Date(0))))
    .$if(cursor !== undefined, (q) => q.where('id', '<', cursor ?? ''))
    .orderBy('id', 'desc')
    .limit(searched)

/** Decisions in one environment with their requests, for recomputation. A request is null after its retention period. */
export async function listDecisions(
  tx: Transaction,
  tenantId: string,
  filter: DecisionFilter & { environment: string },
  { searched, limit, cursor }: { searched: number; limit: number; cursor: string | undefined },
) {
  const rows = await tx
    .selectFrom(newestDecisions(tx, tenantId, filter, searched, cursor).as('decision'))
    .innerJoin('policyDecisions as whole', (join) =>
      join.on('whole.tenantId', '=', tenantId).onRef('whole.id', '=', 'decision.id'),
    )
    .select(['whole.id', 'whole.agentId', 'whole.action', 'whole.resource', 'whole.effect', 'whole.reasons'])
    .select(['whole.policies', 'whole.request', 'whole.obligations', 'whole.createdAt'])
    .where('decision.environment', '=', filter.environment)
    .$if(filter.agentId !== undefined, (q) => q.where('decision.agentId', '=', filter.agentId ?? ''))
    .orderBy('decision.id', 'desc')
    .limit(limit)
    .execute()
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => openRequest(cipher, row))
}

/** Newest first; at most `limit` of the `searched` newest decisions before `cursor`. */
export const listFilteredDecisions = (
  tx: Transaction,
  tenantId: string,
  filter: DecisionFilter,
  { searched, limit, cursor }: { searched: number; limit: number; cursor: string | undefined },
) =>
  tx
    .selectFrom(newestDecisions(tx, tenantId, filter, searched, cursor).as('decision'))
    .innerJoin('agents as agent', (join) =>
      join.on('agent.tenantId', '=', tenantId).onRef('agent.id', '=', 'decision.agentId'),
    )
    .select(['decision.id', 'decision.agentId', 'agent.name as agentName', 'decision.executionId', 'decision.stepId'])
    .select(['decision.environment', 'decision.action', 'decision.resource', 'decision.effect', 'decision.reasons'])
    .select('decision.createdAt')
    .$if(filter.agentId !== undefined, (q) => q.where('decision.agentId', '=', filter.agentId ?? ''))
    .$if(filter.environment !== undefined, (q) => q.where('decision.environment', '=', filter.environment ?? ''))
    .$if(filter.effect !== undefined, (q) => q.where('decision.effect', '=', filter.effect ?? ''))
    .$if(filter.policyId !== undefined, (q) =>
      q.where(sql<boolean>`decision.reasons @> ${JSON.stringify([{ policyId: filter.policyId }])}::jsonb`),
    )
    .orderBy('decision.id', 'desc')
    .limit(limit)
    .execute()

/** The oldest of the `searched` decisions; undefined when fewer exist, so nothing older is left. */
export const findLastSearched = (
  tx: Transaction,
  tenantId: string,
  filter: DecisionFilter,
  searched: number,
  cursor: string | undefined,
) =>
  tx
    .selectFrom(newestDecisions(tx, tenantId, filter, searched, cursor).as('decision'))
    .select('decision.id')
    .where('decision.place', '=', String(searched))
    .executeTakeFirst()

// ---------------------------------------------------------------- tool schemas

type ToolSchema = { server: string; name: string; digest: string; inputSchema: JsonObject }

/** Stores the argument schemas of these tools, except those already stored. */
export async function insertToolSchemas(
  tx: Transaction,
  tenantId: string,
  tools: readonly ToolSchema[],
): Promise<void> {
  if (tools.length === 0) return
  await tx
    .insertInto('toolSchemas')
    .values(
      tools.map(({ server, name, digest, inputSchema }) => ({
        tenantId,
        server,
        name,
        digest,
        inputSchema: json(inputSchema),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const findToolSchema = (
  tx: Transaction,
  tenantId: string,
  tool: Pick<ToolSchema, 'server' | 'name' | 'digest'>,
) =>
  tx
    .selectFrom('toolSchemas')
    .select('inputSchema')
    .where('tenantId', '=', tenantId)
    .where('server', '=', tool.server)
    .where('name', '=', tool.name)
    .where('digest', '=', tool.digest)
    .executeTakeFirst()

/** The newest schema of every tool ever released in the tenant. */
export const listNewestToolSchemas = (tx: Transaction, tenantId: string, limit: number) =>
  tx
    .selectFrom('toolSchemas')
    .select(['server', 'name', 'digest', 'inputSchema'])
    .distinctOn(['server', 'name'])
    .where('tenantId', '=', tenantId)
    .orderBy('server')
    .orderBy('name')
    .orderBy('createdAt', 'desc')
    .limit(limit)
    .execute()
