import { CompiledQuery, sql } from 'kysely'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import type { ExecutionStatus } from '#lib/schemas/executions.ts'
import { keyedDigest } from '#server/kernel/content/keyed-digest.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { bytesText } from '#server/kernel/db/json.ts'
import { fixedStatement } from '#server/kernel/db/statements/fixed-statement.ts'
import { pageLimit, usualRows } from '#server/kernel/db/statements/steady-plan.ts'
import { type TenantCipher, tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import type { JobData } from '#server/kernel/queue.ts'
import { decryptExecutionValue, decryptStepValue, encryptExecutionValue, encryptStepValue } from './content.ts'

const summary = (tx: Transaction, tenantId: string) =>
  tx
    .selectFrom('executions as execution')
    .innerJoin('agents as agent', (join) =>
      join.onRef('agent.tenantId', '=', 'execution.tenantId').onRef('agent.id', '=', 'execution.agentId'),
    )
    .innerJoin('releases as release', (join) =>
      join.onRef('release.tenantId', '=', 'execution.tenantId').onRef('release.id', '=', 'execution.releaseId'),
    )
    .innerJoin('agentVersions as version', (join) =>
      join.onRef('version.tenantId', '=', 'release.tenantId').onRef('version.id', '=', 'release.agentVersionId'),
    )
    .select([
      'execution.id',
      'execution.agentId',
      'execution.releaseId',
      'execution.environment',
      'execution.status',
      'execution.traceId',
      'execution.revision',
      'execution.startedBy',
      'execution.createdAt',
      'execution.startedAt',
      'execution.endedAt',
      'execution.deadlineAt',
      'execution.stopRequestedAt',
      'execution.stopConfirmedAt',
      'execution.stopReason',
      'execution.parkedAt',
      'agent.name as agentName',
      'agent.displayName as agentDisplayName',
      'agent.status as agentStatus',
      'version.version as agentVersion',
      'release.digest as releaseDigest',
      'release.status as releaseStatus',
    ])
    .where('execution.tenantId', '=', tenantId)

type ExecutionFilter = {
  agentId?: string | undefined
  status?: readonly ExecutionStatus[] | undefined
  environment?: string | undefined
  /** The member who started them. */
  startedBy?: string | undefined
  /** Started at this time or later. */
  from?: string | undefined
  /** Started before this time. */
  to?: string | undefined
  stopRequested?: boolean | undefined
  /** Only these. */
  ids?: readonly string[] | undefined
  sort?: 'newest' | 'oldest' | undefined
  limit: number
  cursor?: string | undefined
}

/**
 * One page. Ordered by id, as the indexes of the filters are; within a period by the time of the start, as its index is, so that a
 * page of an old period does not read everything that is newer.
 */
export const listExecutions = (tx: Transaction, tenantId: string, filter: ExecutionFilter) => {
  const { limit, sort, cursor: after, ...others } = filter
  const isFirstPage = limit === usualRows && sort !== 'oldest' && after === undefined
  if (isFirstPage && Object.values(others).every((value) => value === undefined))
    return firstExecutions(tx, { tenantId })
  const { agentId, status, environment, startedBy, from, to, stopRequested, ids, cursor } = filter
  const [order, past] = filter.sort === 'oldest' ? (['asc', '>'] as const) : (['desc', '<'] as const)
  const byTime = from !== undefined || to !== undefined
  let query = summary(tx, tenantId)
  if (agentId !== undefined) query = query.where('execution.agentId', '=', agentId)
  if (status !== undefined) query = query.where('execution.status', 'in', status)
  if (environment !== undefined) query = query.where('execution.environment', '=', environment)
  if (startedBy !== undefined) query = query.where('execution.startedBy', '=', startedBy)
  if (from !== undefined) query = query.where('execution.createdAt', '>=', new Date(from))
  if (to !== undefined) query = query.where('execution.createdAt', '<', new Date(to))
  if (stopRequested !== undefined)
    query = query.where('execution.stopRequestedAt', stopRequested ? 'is not' : 'is', null)
  if (ids !== undefined) query = query.where('execution.id', 'in', [...ids])
  if (cursor !== undefined && !byTime) query = query.where('execution.id', past, cursor)
  if (cursor !== undefined && byTime) {
    const startOf = (column: 'created_at' | 'id') =>
      sql`(select ${sql.ref(`last.${column}`)} from executions last where last.tenant_id = ${tenantId} and last.id = ${cursor})`
    query = query.where(
      sql<boolean>`(execution.created_at, execution.id) ${sql.raw(past)} (${startOf('created_at')}, ${startOf('id')})`,
    )
  }
  if (byTime) query = query.orderBy('execution.createdAt', order)
  const filters = [agentId, status, environment, startedBy, from, to, stopRequested, ids]
  return query
    .orderBy('execution.id', order)
    .limit(pageLimit(filter.limit, ...filters))
    .execute()
}

/** What people see first, and programs ask for most often. */
const firstExecutions = fixedStatement({ tenantId: '' }, (tx, { tenantId }) =>
  summary(tx, tenantId).orderBy('execution.id', 'desc').limit(pageLimit(usualRows)),
)

/** By their ids, newest first. */
export const listExecutionsById = async (tx: Transaction, tenantId: string, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : await summary(tx, tenantId)
        .where('execution.id', 'in', [...ids])
        .orderBy('execution.id', 'desc')
        .execute()

/** Includes `now`, because permissions and deadlines depend only on the database's clock. */
export async function findExecution(tx: Transaction, tenantId: string, id: string) {
  const [row] = await wholeExecution(tx, { tenantId, id })
  if (row === undefined) return undefined
  const cipher = await tenantCipher(tx, tenantId)
  return {
    ...row,
    input: decryptExecutionValue(cipher, id, 'input', row.input) ?? {},
    output: decryptExecutionValue(cipher, id, 'output', row.output),
    error: decryptExecutionValue(cipher, id, 'error', row.error),
  }
}

const wholeExecution = fixedStatement({ tenantId: '', id: '' }, (tx, { tenantId, id }) =>
  summary(tx, tenantId)
    .select(['execution.input', 'execution.output', 'execution.error'])
    .select(sql<Date>`clock_timestamp()`.as('now'))
    .where('execution.id', '=', id),
)

/** The content of a release, which never changes. */
export const findReleaseContent = (tx: Transaction, tenantId: string, releaseId: string) =>
  tx
    .selectFrom('releases')
    .select('content')
    .where('tenantId', '=', tenantId)
    .where('id', '=', releaseId)
    .executeTakeFirstOrThrow()

/** Whether a stop was requested. */
export const findStopRequest = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('executions')
    .select('stopRequestedAt')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** The digest stored in place of the caller's idempotency key. */
export const executionKey = (cipher: TenantCipher, idempotencyKey: string): string =>
  keyedDigest(cipher, 'executions', 'idempotency_key', idempotencyKey)

export async function findExecutionByKey(tx: Transaction, tenantId: string, startedBy: string, idempotencyKey: string) {
  const cipher = await tenantCipher(tx, tenantId)
  const row = await tx
    .selectFrom('executions')
    .select(['id', 'status', 'traceId', 'agentId', 'environment', 'input'])
    .where('tenantId', '=', tenantId)
    .where('startedBy', '=', startedBy)
    .where('idempotencyKey', '=', executionKey(cipher, idempotencyKey))
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { ...row, input: decryptExecutionValue(cipher, row.id, 'input', row.input) ?? {} }
}

export type NewExecution = {
  tenantId: string
  id: string
  agentId: string
  releaseId: string
  environment: string
  input: JsonObject
  idempotencyKey: string | null
  traceId: string
  startedBy: string
}

/** The first job of an execution, which its first statement stores. `taken`: by this process. */
export type FirstJob = { id: string; queue: string; data: JobData; taken: boolean }

/** A call of start_execution (migration 0125). `job`: unless it is stored otherwise. */
export function startCall(
  cipher: TenantCipher,
  row: NewExecution,
  { input, at, job }: { input: Buffer; at: Date; job?: FirstJob | undefined },
): CompiledQuery {
  return CompiledQuery.raw('start_execution($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)', [
    row.tenantId,
    row.id,
    row.agentId,
    row.releaseId,
    row.environment,
    input,
    row.idempotencyKey === null ? null : executionKey(cipher, row.idempotencyKey),
    row.traceId,
    row.startedBy,
    at,
    job?.id ?? null,
    job?.queue ?? null,
    job === undefined ? null : JSON.stringify(job.data),
    job?.taken ?? null,
  ])
}

/** `at`: the time of the database's clock. False, without inserting, when the same caller has already used the idempotency key. */
export async function insertExecution(tx: Transaction, row: NewExecution, at: Date): Promise<boolean> {
  const cipher = await tenantCipher(tx, row.tenantId)
  const input = encryptExecutionValue(cipher, row.id, 'input', row.input)
  const { sql: call, parameters } = startCall(cipher, row, { input, at })
  const { rows } = await tx.executeQuery<{ outcome: string }>(
    CompiledQuery.raw(`select ${call} as outcome`, [...parameters]),
  )
  return rows[0]?.outcome === 'done'
}

export async function findSteps(tx: Transaction, tenantId: string, executionId: string) {
  const rows = await allSteps(tx, { tenantId, executionId })
  const cipher = await tenantCipher(tx, tenantId)
  return rows.map((row) => ({
    ...row,
    arguments: decryptStepValue(cipher, row, 'arguments', row.arguments),
    output: decryptStepValue(cipher, row, 'output', row.output),
  }))
}

const allSteps = fixedStatement({ tenantId: '', executionId: '' }, (tx, { tenantId, executionId }) =>
  tx.selectFrom('executionSteps').selectAll().where('tenantId', '=', tenantId).where('executionId', '=', executionId),
)

export type StepChange = {
  status: 'decided' | 'waiting_approval' | 'waiting_input' | 'approved' | 'calling' | 'succeeded' | 'failed' | 'skipped'
  arguments?: JsonObject
  decisionId?: string
  approvalId?: string
  spanId?: string
  attempts?: number
  output?: JsonValue
  started?: boolean
  ended?: boolean
}

/** The encrypted content of a step's change. */
export type StepContent = { arguments: Buffer | undefined; output: Buffer | undefined }

export function encryptedStep(
  cipher: TenantCipher,
  executionId: string,
  stepId: string,
  change: StepChange,
): StepContent {
  const encrypted = (column: 'arguments' | 'output', value: JsonValue | undefined) =>
    value === undefined ? undefined : encryptStepValue(cipher, { executionId, stepId }, column, value)
  return { arguments: encrypted('arguments', change.arguments), output: encrypted('output', change.output) }
}

/** A step's state as the functions of the database read it. */
export function stepText(change: StepChange, content: StepContent): string {
  const bytes = (value: Buffer | undefined) => (value === undefined ? undefined : bytesText(value))
  return JSON.stringify({ ...change, arguments: bytes(content.arguments), output: bytes(content.output) })
}

export const storedStep = (cipher: TenantCipher, executionId: string, stepId: string, change: StepChange): string =>
  stepText(change, encryptedStep(cipher, executionId, stepId, change))

/** Writes a step's state, fenced by the execution's compare-and-set in the same transaction. */
export async function setStep(
  tx: Transaction,
  tenantId: string,
  executionId: string,
  stepId: string,
  change: StepChange,
): Promise<void> {
  const stored = storedStep(await tenantCipher(tx, tenantId), executionId, stepId, change)
  await sql`select keep_step(${tenantId}, ${executionId}, ${stepId}, ${stored})`.execute(tx)
}

/** The state of the approval that a step waits for. */
export const findStepApproval = (tx: Transaction, tenantId: string, approvalId: string) =>
  tx
    .selectFrom('approvals')
    .select(['status', 'decidedAt', 'requestedAt'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', approvalId)
    .executeTakeFirstOrThrow()
