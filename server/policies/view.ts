import type { Actor } from '#lib/schemas/common.ts'
import { type Binding, BindingStatus, LabelSelector, type Policy, type PolicyVersion } from '#lib/schemas/policies.ts'
import type { BindingRow } from '#server/policies/bindings/binding-store.ts'
import type { PolicyRow, VersionRow } from './store.ts'

type ActorById = (id: string) => Actor

export const policyView = (row: PolicyRow, actor: ActorById): Policy => ({
  id: row.id,
  name: row.name,
  description: row.description,
  latestPublishedVersion: row.latestPublishedVersion,
  createdBy: actor(row.createdBy),
  createdAt: row.createdAt.toISOString(),
})

export const versionView = (row: VersionRow, actor: ActorById): PolicyVersion => ({
  policyId: row.policyId,
  version: row.version,
  source: row.source,
  digest: row.digest,
  status: row.status === 'published' ? 'published' : 'draft',
  createdBy: actor(row.createdBy),
  createdAt: row.createdAt.toISOString(),
  publishedAt: row.publishedAt?.toISOString() ?? null,
})

export const bindingView = (row: BindingRow, actor: ActorById): Binding => ({
  id: row.id,
  agentId: row.agentId,
  agentName: row.agentName,
  selector: row.selector === null ? null : LabelSelector.parse(row.selector),
  environment: row.environment,
  policyId: row.policyId,
  policyName: row.policyName,
  policyVersion: row.policyVersion,
  mode: row.mode === 'shadow' ? 'shadow' : 'enforce',
  status: BindingStatus.parse(row.status),
  approvalId: row.approvalId,
  proposedBy: actor(row.proposedBy),
  revision: row.revision,
  createdAt: row.createdAt.toISOString(),
  decidedAt: row.decidedAt?.toISOString() ?? null,
})
