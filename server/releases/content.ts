import { createHash } from 'node:crypto'
import { z } from 'zod'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { Digest, Id, JsonObject } from '#lib/schemas/common.ts'
import { AgentSpec, ApprovalCard, InputSchema } from '#lib/schemas/manifest.ts'

export const ReleasedTool = z.object({
  server: z.string(),
  name: z.string(),
  title: z.string(),
  description: z.string(),
  inputSchema: JsonObject,
  /** Releases of earlier versions do not have these two. */
  annotations: JsonObject.optional(),
  outputSchema: JsonObject.optional(),
  sideEffect: z.enum(['none', 'read', 'write', 'irreversible']),
  idempotent: z.boolean(),
  digest: Digest,
})
export type ReleasedTool = z.infer<typeof ReleasedTool>

/** A published version that was bound to the agent in the environment when the release was proposed. */
export const ReleasedPolicy = z.object({
  policyId: Id,
  name: z.string(),
  version: z.int(),
  digest: Digest,
  mode: z.enum(['enforce', 'shadow']),
})
export type ReleasedPolicy = z.infer<typeof ReleasedPolicy>

/** The content that a release pins, identified by its JCS digest. */
export const ReleaseContent = z.object({
  /** Version 1 does not pin policies. */
  v: z.union([z.literal(1), z.literal(2)]),
  agent: z.object({ id: Id, name: z.string(), displayName: z.string(), version: z.string(), manifestDigest: Digest }),
  environment: z.string(),
  /** Versions that did not know `approvalCard` and `inputSchema` accepted anything there: an unusable one has no effect. */
  spec: AgentSpec.extend({
    approvalCard: ApprovalCard.optional().catch(undefined),
    inputSchema: InputSchema.optional().catch(undefined),
  }),
  tools: z.array(ReleasedTool),
  /** The policies bound when the release was approved. Calls are decided by those bound at the time of the call. */
  policies: z.array(ReleasedPolicy).optional(),
  /** For an a2a runtime: the agent's card when the release was proposed. */
  agentCard: z.object({ digest: Digest, card: JsonObject }).optional(),
})
export type ReleaseContent = z.infer<typeof ReleaseContent>

export const releaseDigest = (content: ReleaseContent): string =>
  `sha256:${createHash('sha256')
    .update(canonicalJson(content as JsonValue))
    .digest('hex')}`
