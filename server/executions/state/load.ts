import type { JsonObject, JsonValue } from '#lib/json.ts'
import { ExecutionStatus } from '#lib/schemas/executions.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { requireBound } from '#server/kernel/bound/check.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { ReleaseContent } from '#server/releases/content.ts'
import { knownContent, parsedContent } from '#server/releases/parsed-content.ts'
import { tenantById } from '#server/tenants/by-id.ts'
import { type Masker, maskerFor } from './masking.ts'
import { findExecution, findReleaseContent, findSteps, type NewExecution } from './store.ts'

/** An execution as a worker reads it at the start of a transaction. */
export type Loaded = {
  tenant: Tenant
  row: NonNullable<Awaited<ReturnType<typeof findExecution>>>
  status: ExecutionStatus
  content: ReleaseContent
  input: JsonObject
  steps: Awaited<ReturnType<typeof findSteps>>
  mask: Masker
}

export async function loadExecution(tx: Transaction, tenantId: string, id: string): Promise<Loaded | undefined> {
  // Sent concurrently, so that the queries take one round trip.
  const [row, steps, tenant] = await Promise.all([
    findExecution(tx, tenantId, id),
    findSteps(tx, tenantId, id),
    tenantById(tx, tenantId),
    requireBound(tx, tenantId, 'execution', [id]),
  ])
  if (row === undefined) return undefined
  const content = await contentOf(tx, tenantId, row)
  const input = row.input as JsonObject
  return {
    tenant,
    row,
    status: ExecutionStatus.parse(row.status),
    content,
    input,
    steps,
    mask: maskerFor(content, [input, ...steps.map((step) => step.output as JsonValue)]),
  }
}

/** A new execution, as it would be read once it is stored. */
export function asStored(
  tenant: Tenant,
  { id, agentId, releaseId, environment, input, traceId, startedBy }: NewExecution,
  at: Date,
  of: {
    agent: { name: string; displayName: string; status: string }
    release: { digest: string; version: string }
    content: ReleaseContent
  },
): Loaded {
  const { agent, release, content } = of
  const status = 'queued'
  return {
    tenant,
    row: {
      id,
      agentId,
      releaseId,
      environment,
      status,
      traceId,
      revision: 1,
      startedBy,
      createdAt: at,
      startedAt: null,
      endedAt: null,
      deadlineAt: null,
      stopRequestedAt: null,
      stopConfirmedAt: null,
      stopReason: null,
      parkedAt: null,
      agentName: agent.name,
      agentDisplayName: agent.displayName,
      agentStatus: agent.status,
      agentVersion: release.version,
      releaseDigest: release.digest,
      releaseStatus: 'active',
      input,
      output: null,
      error: null,
      now: at,
    },
    status,
    content,
    input,
    steps: [],
    mask: maskerFor(content, [input]),
  }
}

/** What the release of an execution pins. */
export async function contentOf(
  tx: Transaction,
  tenantId: string,
  { releaseDigest, releaseId }: { releaseDigest: string; releaseId: string },
): Promise<ReleaseContent> {
  const known = knownContent(releaseDigest)
  if (known !== undefined) return known
  const [{ content }] = await Promise.all([
    findReleaseContent(tx, tenantId, releaseId),
    requireBound(tx, tenantId, 'release', [releaseId]),
  ])
  return parsedContent(releaseDigest, () => content)
}
