import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { ExportScope } from '#lib/schemas/evidence.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findInScope } from './scope-store.ts'

/** The records whose resource belongs to the scope, or whose details name something that does. */
export async function recordsInScope<Row extends { record: unknown }>(
  tx: Transaction,
  tenantId: string,
  scope: ExportScope,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = rows.map(({ record }) => idsIn(record))
  const about = await findInScope(
    tx,
    tenantId,
    scope,
    ids.flatMap((one) => one.resource),
  )
  const naming = await findInScope(
    tx,
    tenantId,
    scope,
    ids.flatMap((one) => one.details),
    { named: true },
  )
  return rows.filter((_row, index) => {
    const { resource = [], details = [] } = ids[index] ?? {}
    return resource.some((id) => about.has(id)) || details.some((id) => naming.has(id))
  })
}

function idsIn(record: unknown): { resource: string[]; details: string[] } {
  const { resource, details } = isJsonObject(record as JsonValue) ? (record as Record<string, JsonValue>) : {}
  const textsIn = (part: JsonValue | undefined) =>
    part !== undefined && isJsonObject(part) ? Object.values(part).filter((text) => typeof text === 'string') : []
  return { resource: textsIn(resource), details: textsIn(details) }
}

/** How an archive says in words what it is limited to. */
export function scopeText(scope: ExportScope): string {
  const rest =
    'Records of the audit log that concern nothing else are left out; data/proofs has the hash of every record of each day, so that their number and place are visible.'
  if ('agentId' in scope)
    return `Only what concerns the agent ${scope.agentId}: its versions, releases, executions with their events, inputs and spans, approvals, votes and decisions, the policies bound to it, and the members whom these name. ${rest}`
  if ('executionId' in scope)
    return `Only what concerns the execution ${scope.executionId}: its events, inputs, spans, approvals, votes and decisions, its agent and release, the policies bound to the agent, and the members whom these name. ${rest}`
  return `Only what concerns the approval ${scope.approvalId}: its votes, its decision, its execution without events, inputs and spans, the agent and release, the policies bound to the agent, and the members whom these name. ${rest}`
}
