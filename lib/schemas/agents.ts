import { z } from 'zod'
import {
  Actor,
  Digest,
  EnvironmentName,
  Id,
  Json,
  JsonObject,
  PageInput,
  PlacedIssue,
  page,
  Reason,
  Revision,
  Time,
} from './common.ts'

export const CreateAgentInput = z.strictObject({ yaml: z.string().min(1) })
/** A manifest to check without registering it. */
export const CheckManifestInput = z.strictObject({ yaml: z.string().max(1_000_000) })
export const CheckManifestOutput = z.object({
  /** Reasons for which registration would refuse it; empty if it would be registered. */
  problems: z.array(PlacedIssue),
  /** Registration would accept these: members without effect, and what a release would lack. */
  warnings: z.array(PlacedIssue),
})
export const AgentStatus = z.enum(['registered', 'active', 'suspended', 'retired'])
export type AgentStatus = z.infer<typeof AgentStatus>

/** suspend, resume, retire. `stopping`: executions whose stop was requested; `parked`: waiting executions whose deadlines are paused. */
export const OperateAgentInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const OperateAgentOutput = z.object({
  id: Id,
  status: AgentStatus,
  revision: Revision,
  stopping: z.int(),
  parked: z.int(),
})

export const Issue = z.object({ path: z.string(), message: z.string() })
export const CreateAgentOutput = z.object({
  agent: z.object({
    id: Id,
    name: z.string(),
    version: z.string(),
    versionId: Id,
    status: AgentStatus,
    manifestDigest: Digest,
  }),
  agentId: Id,
  id: Id,
  warnings: z.array(Issue),
  /** What the agent still lacks before it can run. */
  requirements: z.array(z.string()),
})

export const ListAgentsInput = z.strictObject(PageInput)
export const AgentSummary = z.object({
  id: Id,
  name: z.string(),
  displayName: z.string(),
  status: AgentStatus,
  latestVersion: z.string(),
  riskTier: z.string().nullable(),
  owners: z.array(Actor),
  activeReleases: z.array(z.object({ environment: EnvironmentName, version: z.string(), releaseId: Id })),
  revision: Revision,
  createdAt: Time,
})
export type AgentSummary = z.infer<typeof AgentSummary>
export const AgentList = page(AgentSummary)

export const AgentDetail = AgentSummary.extend({
  description: z.string().nullable(),
  versions: z.array(
    z.object({ id: Id, version: z.string(), manifestDigest: Digest, createdAt: Time, createdBy: Actor }),
  ),
  manifestYaml: z.string(),
  manifest: JsonObject,
})
export type AgentDetail = z.infer<typeof AgentDetail>

export const ListAgentVersionsInput = z.strictObject({ ...PageInput, id: Id })
export const AgentVersionList = page(AgentDetail.shape.versions.element)
/** `from` and `to` are versions of one agent. */
export const CompareAgentsInput = z.strictObject({
  id: Id,
  from: z.string().min(1).max(100),
  to: z.string().min(1).max(100),
})
export const ManifestChange = z.object({
  area: z.enum(['tools', 'approvals', 'models', 'data', 'budgets', 'risk', 'other']),
  /** The subject of the change: `payments/issue_refund`, `$.customer.email`, `maxCost`. */
  subject: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: Json,
  after: Json,
})
const ComparedVersion = z.object({ version: z.string(), manifestDigest: Digest, createdAt: Time })
export const CompareAgentsOutput = z.object({
  from: ComparedVersion,
  to: ComparedVersion,
  changes: z.array(ManifestChange),
})

export const ReleaseStatus = z.enum(['proposed', 'active', 'superseded', 'revoked', 'rejected', 'withdrawn'])
export const ProposeReleaseInput = z.strictObject({
  agentId: Id,
  version: z.string().min(1).max(100),
  environment: EnvironmentName,
})
export const ProposeReleaseOutput = z.object({ releaseId: Id, approvalId: Id, digest: Digest, status: ReleaseStatus })
export const ListReleasesInput = z.strictObject({ ...PageInput, agentId: Id.optional() })
export const Release = z.object({
  id: Id,
  agentId: Id,
  agentName: z.string(),
  version: z.string(),
  environment: EnvironmentName,
  digest: Digest,
  status: ReleaseStatus,
  approvalId: Id,
  proposedBy: Actor,
  revision: Revision,
  createdAt: Time,
  decidedAt: Time.nullable(),
})
export const ReleaseList = page(Release)
/** Withdraws a proposed release, or revokes an active one. */
export const EndReleaseInput = z.strictObject({ id: Id, expectedRevision: Revision, reason: Reason })
export const EndReleaseOutput = z.object({ id: Id, status: ReleaseStatus, revision: Revision })
/** The versions of a policy that a release pins, and those that are bound there now. */
export const PolicyChange = z.object({
  policyId: Id,
  name: z.string(),
  mode: z.enum(['enforce', 'shadow']),
  released: z.array(z.int()),
  now: z.array(z.int()),
})
export const ReleaseDetail = Release.extend({
  content: Json,
  /** Changes of the bindings since the proposal; the current bindings decide. Null if the release has ended or pins none. */
  policyChanges: z.array(PolicyChange).nullable(),
})
