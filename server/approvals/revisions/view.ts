import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { argumentRows } from '#lib/rules/effect.ts'
import type { Approval, ArgumentView } from '#lib/schemas/approvals.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { actorsById } from '#server/tenants/actors.ts'
import { hasMade } from '../question-store.ts'
import { type ApprovalRow, findApproval, findPayload } from '../store.ts'
import { findRevision, findRevisionBefore } from './revision-store.ts'

type Row = NonNullable<ApprovalRow>
type Revision = NonNullable<Awaited<ReturnType<typeof findRevision>>>
type ToActor = Awaited<ReturnType<typeof actorsById>>

/** The changes that ended a request, and those that led to it. */
export async function revisionsOf(
  tx: Transaction,
  tenantId: string,
  row: Row,
): Promise<{ after: Revision | undefined; before: Revision | undefined; memberIds: string[] }> {
  const [after, before] = await Promise.all([
    findRevision(tx, tenantId, row.id),
    findRevisionBefore(tx, tenantId, row.id),
  ])
  return { after, before, memberIds: [after, before].flatMap((one) => (one === undefined ? [] : [one.requestedBy])) }
}

export const changesOf = (row: Row, revision: Revision | undefined, principal: Principal, actor: ToActor) =>
  revision === undefined
    ? null
    : {
        by: actor(revision.requestedBy),
        reason: revision.reason,
        at: revision.requestedAt.toISOString(),
        auditId: revision.auditId,
        nextId: revision.nextId,
        mayRevise: revision.nextId === null && !row.expired && hasMade(row, principal.memberId),
        until: row.expiresAt.toISOString(),
      }

export async function supersededOf(
  tx: Transaction,
  tenantId: string,
  row: Row,
  revision: Revision | undefined,
  actor: ToActor,
): Promise<Approval['supersedes']> {
  if (revision === undefined) return null
  const earlier = await findApproval(tx, tenantId, revision.approvalId)
  const [before, after] = await Promise.all([
    findPayload(tx, tenantId, revision.approvalId),
    findPayload(tx, tenantId, row.id),
  ])
  const paths = before === undefined || after === undefined ? [] : changedPaths(before, after)
  return {
    approvalId: revision.approvalId,
    by: actor(revision.requestedBy),
    reason: revision.reason,
    at: revision.requestedAt.toISOString(),
    changed: paths.map((path) => ({
      path,
      before: sideOf(earlier?.presentation.arguments ?? [], path),
      after: sideOf(row.presentation.arguments, path),
    })),
  }
}

/** Compares the values themselves, because two masked values of one length look alike. */
function changedPaths(before: JsonObject, after: JsonObject): string[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path))
}

const leavesOf = ({ arguments: args }: JsonObject): Map<string, string> =>
  new Map(argumentRows(isJsonObject(args) ? args : {}).map(({ path, ...value }) => [path, JSON.stringify(value)]))

function sideOf(rows: readonly ArgumentView[], path: string) {
  const found = rows.find((row) => row.path === path)
  if (found === undefined) return null
  const { path: _path, ...side } = found
  return side
}
